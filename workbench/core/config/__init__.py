"""The configuration: from a file's text to checked values."""
