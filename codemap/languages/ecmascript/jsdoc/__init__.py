"""Comments of JSDoc: their first sentence, and the types that they state."""
