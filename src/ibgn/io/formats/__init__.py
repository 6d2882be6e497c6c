"""Formats, one module each, which registers the format of its name."""
