"""Terms as users choose them: by name, or made by themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ibgn.errors import OptionError
from ibgn.terms import TERMS
from ibgn.terms.base import Term

__all__ = ["make_terms"]


def make_terms(choice: Any, options: Mapping[str, Any]) -> list[Term]:
    """Make the chosen terms, no two of one name.

    Parameters
    ----------
    choice : terms, or names of terms in `ibgn.terms.TERMS`
    options : of an estimator; a term given by its name takes those that it has too

    Examples
    --------
    >>> make_terms(["length", "relations"], {"structure": "chain"})[1].structure
    'chain'
    """
    if isinstance(choice, str) or not (isinstance(choice, Sequence) and choice):
        reason = 'must be a list of terms or their names, such as ["order", "relations"]'
        raise OptionError("terms", choice, reason)
    terms = [_make_term(term, choice, options) for term in choice]
    names = [term.name for term in terms]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise OptionError("terms", choice, f"names {repeated!r} twice")
    return terms


def _make_term(term: Any, choice: Any, options: Mapping[str, Any]) -> Term:
    if isinstance(term, Term):
        return term
    if not isinstance(term, str) or term not in TERMS:
        known = ", ".join(map(repr, TERMS))
        raise OptionError("terms", choice, f"has no term {term!r}; choose among {known}")
    kind = TERMS[term]
    shared = [f.name for f in fields(kind) if f.init and f.name in options]
    return kind(**{name: options[name] for name in shared})
