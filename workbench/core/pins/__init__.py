"""What a server declared before, and how a later declaration differs from it."""
