"""A spelling of C that its grammar can read, where macros and extensions cut through the syntax."""
