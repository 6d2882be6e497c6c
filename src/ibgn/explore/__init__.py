"""A local page to look at instances, ask about them and correct them."""

from ibgn.explore.collection import Change, Collection, Conflict

__all__ = ["Change", "Collection", "Conflict"]
