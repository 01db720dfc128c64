"""After an interruption: whether to come back, and what may be sent again."""
