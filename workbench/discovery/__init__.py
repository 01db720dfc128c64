"""Finds tools: a query and a budget of characters in, the best whole definitions out.

`words` cuts text into words, `synonyms` knows what else people say, `document` says what
counts of a tool, `index` ranks with SQLite's FTS5, `inventory` reads lists of tools from
files, `catalogue` and `serving` offer the search as an MCP server. The budget itself is
kept by `workbench.core.menu.shortlist`, for every way in.
"""
