"""Functions and classes: their headers, parameters, documentation and bodies."""
