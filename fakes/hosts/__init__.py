"""The impure edges: where a fake's outputs meet a link in memory or a real pipe."""
