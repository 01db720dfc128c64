"""Every rule the client can cite: its id, its sentence, its source."""
