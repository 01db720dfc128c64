"""The hands: everything that touches a process, a socket or another end in memory."""
