"""Hostile input, made from valid samples by seeded chance, and what it must not do.

`mangling` spoils samples, `targets` names what reads them, `running` holds each reading to its
bounds. The same seed makes the same inputs, so a number is enough to see a failure again.
"""
