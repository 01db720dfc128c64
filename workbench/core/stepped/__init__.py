"""A negotiation told to people: scenes, ambiguities, the table drawn, a path as a journal."""
