"""Ready-made fakes: the honest ones by function, everything by name."""
