"""Pages of listings, what was read, and how long an answer stays true."""
