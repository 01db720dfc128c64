"""Names: merging the tools of many peers into one menu, and routing a call by it."""
