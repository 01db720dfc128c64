"""The rows of the fault matrix after connecting: who plays, what must come of it."""
