"""What a server asks its client for in the middle of a call."""
