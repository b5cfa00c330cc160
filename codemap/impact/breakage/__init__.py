"""Finds what a change breaks: uses that it did not adapt, calls that do not fit, names that mean nothing any more."""
