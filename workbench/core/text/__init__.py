"""Text that is safe to show: escaped, redacted, bounded."""
