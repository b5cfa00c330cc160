"""What makes definitions and bindings: functions, classes, objects, variables, declarations."""
