"""Pictures of answers for documents: boxes and arrows, written as Mermaid, Graphviz, SVG or a page."""
