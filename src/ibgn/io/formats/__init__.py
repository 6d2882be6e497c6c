"""Formats: each module registers the format of its name."""
