"""The sample project is somebody else's: it is run from outside, never collected here."""

collect_ignore = ["sample_project"]
