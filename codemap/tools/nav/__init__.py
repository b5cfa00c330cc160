"""Live navigation: tools that ask language servers about the code as it is on disk now."""
