"""What a module asks of others and offers to them: `import`, `export`, CommonJS."""
