"""What is on the wire: keys, revisions, messages, framing, and the codec between them."""
