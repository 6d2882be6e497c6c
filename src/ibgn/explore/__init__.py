"""A local page to look at instances, ask about them and correct them."""

from ibgn.explore.collection import Change, Collection, ConflictError

__all__ = ["Change", "Collection", "ConflictError"]
