"""The record of what crossed and what was decided, and its forms."""
