"""Demonstrations for a class: a catalogue of situations, a client that plays them, a panel."""
