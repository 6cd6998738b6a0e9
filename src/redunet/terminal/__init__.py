"""What reaches the terminal: text of unknown origin made harmless, tables, progress."""
