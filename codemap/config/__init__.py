"""Reads the configuration files of a repository into plain values: one safe reader a format, for every language.

A configuration file is written by strangers. Whatever is in it, a reader ends in time that grows with its length
and raises nothing. What is nested deeper than `DEPTH_MAX`, or cannot be read for another reason, is `Unreadable`, and
counts as if it were not there.
"""
