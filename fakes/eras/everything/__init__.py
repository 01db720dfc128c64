"""A server that shows every feature of the protocol once; what it serves is made for tests."""
