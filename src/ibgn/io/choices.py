"""Choices for reading annotations: what is an action, what an instance, what its activity."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from ibgn.checks import check_choice, check_flag
from ibgn.errors import OptionError

__all__ = ["Choices", "Kinds", "Origin", "check_flag", "check_list", "check_names"]

ActionFrom = Literal["value", "track", "both"]
Crossing = Literal["clip", "keep", "drop"]


class Kinds(NamedTuple):
    """Kinds of things in the files of a format that can give the activity, or the group.

    "track" is the kind of all formats with tracks; BORIS has "variable" too, and so on.
    """

    activity: tuple[str, ...] = ("track",)
    group: tuple[str, ...] = ()


ANNOTATED = Kinds()


class Origin(NamedTuple):
    """Where an activity or a group comes from: "folder", "file", "pattern", or a kind of `Kinds`.

    `name` is the pattern, or what the thing is called.
    """

    kind: str
    name: str = ""


@dataclass(frozen=True)
class Choices:
    """How annotations become instances, actions and activities.

    Parameters
    ----------
    tracks : names of the tracks (tiers, subjects, columns) that hold actions, by default all
    action : what names the action: the "value" of an annotation, its "track", or "both", joined
        as "track: value"
    activity : where the activity comes from. "track:phase": each annotation of the track "phase"
        is an instance with its value as activity, made of the annotations of other tracks at that
        time. Otherwise a recording is one instance, and its activity is "folder", the name of the
        folder that its file is in; "file", the name of the file without suffix; or what a regular
        expression with one group (...) finds in the path of the file.
    crossing : what to do with an annotation that begins or ends outside its activity: "clip" it,
        "keep" it as it is, or "drop" it with a warning
    group : where the group of a recording comes from: "folder", "file" or a regular expression, as
        for the activity
    """

    tracks: Sequence[str] | None = None
    action: ActionFrom = "value"
    activity: str | None = None
    crossing: Crossing = "clip"
    group: str | None = None
    kinds: Kinds = ANNOTATED

    def __post_init__(self) -> None:
        check_choice("action", self.action, get_args(ActionFrom))
        check_choice("crossing", self.crossing, get_args(Crossing))
        if self.tracks is not None:
            check_list("tracks", self.tracks)
        for option in ("activity", "group"):
            self.origin(option)

    def origin(self, option: str) -> Origin | None:
        """Where the "activity" or the "group" comes from; None where it is not known.

        Examples
        --------
        >>> Choices(activity="track:phase").origin("activity")
        Origin(kind='track', name='phase')
        >>> Choices(group="(s[0-9]+)_").origin("group")
        Origin(kind='pattern', name='(s[0-9]+)_')
        """
        value = getattr(self, option)
        check_names(**{option: value})
        if value is None:
            return None
        kind, colon, name = value.partition(":")
        if colon and kind in getattr(self.kinds, option):
            if not name:
                raise OptionError(option, value, f"needs the name of the {kind}, as '{kind}:name'")
            return Origin(kind, name)
        if value in ("folder", "file"):
            return Origin(value)
        kinds = (f"'{kind}:...'" for kind in getattr(self.kinds, option))
        known = ", ".join(["'folder'", "'file'", *kinds])
        try:
            groups = re.compile(value).groups
        except re.error as error:
            why = f"is neither one of {known} nor a regular expression: {error}"
            raise OptionError(option, value, why) from error
        if groups != 1:
            raise OptionError(
                option,
                value,
                f"is not one of {known}, and as a regular expression needs one group in brackets, "
                f"as in '([a-z]+)_[0-9]+', that is the {option}; it has {groups}",
            )
        return Origin("pattern", value)

    def name_of(self, option: str, kind: str) -> str | None:
        """Name of the thing of this kind that gives the "activity" or "group", if one does."""
        origin = self.origin(option)
        return origin.name if origin is not None and origin.kind == kind else None

    @cached_property
    def activity_track(self) -> str | None:
        """Track whose annotations are the instances, if one is chosen."""
        return self.name_of("activity", "track")


def check_names(**options: object) -> None:
    """Refuse options for names that are neither text nor None."""
    for option, value in options.items():
        if not (value is None or isinstance(value, str)):
            raise OptionError(option, value, "must be a name, as text")


def check_list(option: str, names: Any) -> None:
    """Refuse an option that is not a list of names."""
    listed = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if not (listed and all(isinstance(name, str) for name in names)):
        raise OptionError(option, names, "must be a list of names")
