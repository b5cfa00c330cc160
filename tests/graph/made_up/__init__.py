"""Made-up languages for what no test of a real one shows alone: one of includes and prototypes, one of parts."""
