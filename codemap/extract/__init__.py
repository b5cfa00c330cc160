"""Source bytes become `FileFacts`; bad source never raises."""
