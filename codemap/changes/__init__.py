"""What a change is: two versions of files held against each other, definition by definition."""
