"""Stores of facts beyond this machine: one adapter a kind, and the actor that shares facts through one."""
