"""What an annotation of Label Studio says of itself, and each of its results."""

from datetime import UTC, datetime

from ibgn.checks import as_number
from ibgn.io.parsing.json import Node

__all__ = ["is_choice", "moments_of", "results_of", "tag_of", "users_of"]


def users_of(annotation: Node) -> set[str]:
    """Names of the user who made an annotation: id and e-mail address."""
    if not annotation.has("completed_by"):
        return set()
    user = annotation.child("completed_by")
    if isinstance(user.value, dict):
        return {user.child(key).name() for key in ("id", "email") if user.has(key)}
    return {user.name()}


def tag_of(result: Node) -> str:
    """Name of the tag that a result was made with; where a program left it out, its type."""
    return (result.first("from_name") or result.child("type")).name()


def results_of(annotation: Node) -> list[Node]:
    """Results of an annotation, none where it has no list of them."""
    found = annotation.first("result")
    return [] if found is None else found.items()


def is_choice(result: Node) -> bool:
    """Whether it is a choice for a whole task, and not for one stretch."""
    chosen = result.has("type") and result.child("type").value == "choices"
    return chosen and not result.child("value").has("start")


def moments_of(result: Node) -> list[datetime]:
    """Start and end of a result, where they are date-times and not numbers."""
    value = result.first("value")
    ends = [] if value is None else [value.first("start"), value.first("end")]
    texts = [end for end in ends if end is not None and isinstance(end.value, str)]
    return [moment for end in texts if (moment := _moment(end)) is not None]


def _moment(end: Node) -> datetime | None:
    """Date-time, in universal time where it names no zone; None where it is none."""
    if as_number(end.value) is not None:
        return None
    try:
        moment = datetime.fromisoformat(end.value.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
