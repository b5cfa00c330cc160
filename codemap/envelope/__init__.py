"""An answer becomes a reply that fits its token budget."""
