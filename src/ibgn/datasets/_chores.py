"""Parts of the simulated daily living: actions of arms, chores, and scripts of activities.

Everything here is invented and fixed. A chore is written as its steps, "open fridge; move milk &
close fridge; (release milk)". Steps follow each other; the other arm does what comes after & at
the same time; a step in brackets is optional; one with a star may be repeated. The script of an
activity is a list of chores, in which those in brackets are optional too.
"""

from typing import NamedTuple

POSTURES = ("lie", "sit", "stand", "walk")
TRACKS = ("locomotion", "left arm", "right arm", "both arms")

_CONTAINERS = ("dishwasher", "fridge", "lower drawer", "middle drawer", "top drawer")
_DOORS = ("door 1", "door 2")
_FOOD = ("bottle", "bread", "cheese", "milk", "salami", "sugar")
_DISHES = ("cheese knife", "cup", "glass", "plate", "salami knife", "spoon")
_SEATS = ("chair", "lazy chair")
OBJECTS = (*_CONTAINERS, *_DISHES, *_DOORS, *_FOOD, *_SEATS, "switch", "table")
_WITH_LID = (*_CONTAINERS, *_DOORS, "bottle", "milk", "sugar")

SECONDS = {  # how long each verb takes
    "reach": 0.7, "release": 0.5, "move": 1.8, "open": 1.4, "close": 1.2, "lock": 1.0,
    "unlock": 1.0, "turn on": 0.6, "turn off": 0.6, "stir": 3.0, "sip": 1.6, "bite": 1.6,
    "cut": 3.0, "clean": 3.5, "spread": 3.0,
}  # fmt: skip

_USED_ON = {
    "reach": OBJECTS,
    "release": OBJECTS,
    "move": (*_DISHES, *_FOOD, *_SEATS),
    "open": _WITH_LID,
    "close": _WITH_LID,
    "lock": _DOORS,
    "unlock": _DOORS,
    "turn on": ("switch",),
    "turn off": ("switch",),
    "stir": ("cup",),
    "sip": ("cup", "glass"),
    "bite": ("bread",),
    "cut": ("bread", "cheese", "salami"),
    "clean": ("table",),
    "spread": ("cheese",),
}

# what an arm can do: a verb and an object, 95 of them
MOVES = tuple(f"{verb} {thing}" for verb, things in _USED_ON.items() for thing in things)

# what both arms can do instead, 17 of them
TWO_HANDED = (
    *(
        f"{verb} {thing}"
        for verb in ("open", "close")
        for thing in ("dishwasher", "fridge", "lower drawer", *_DOORS)
    ),
    *("move plate", "move chair", "move lazy chair"),
    *("cut bread", "cut salami", "clean table", "spread cheese"),
)

ACTIONS = tuple(
    sorted(
        (
            *POSTURES,
            *(f"{arm} {move}" for arm in ("left", "right") for move in MOVES),
            *(f"both {move}" for move in TWO_HANDED),
        )
    )
)


class Step(NamedTuple):
    """What an arm does, and what the other does at the same time, or None."""

    move: str
    other: str | None = None
    optional: bool = False
    repeatable: bool = False


class Chore(NamedTuple):
    """Steps at a place, in a posture."""

    place: str
    posture: str
    steps: tuple[Step, ...]


def read_steps(text: str) -> tuple[Step, ...]:
    """Read the steps of a chore.

    Examples
    --------
    >>> read_steps("move milk & close fridge; (sip cup*)")  # doctest: +NORMALIZE_WHITESPACE
    (Step(move='move milk', other='close fridge', optional=False, repeatable=False),
     Step(move='sip cup', other=None, optional=True, repeatable=True))
    """
    steps = []
    for written in text.split("; "):
        bare = written.strip("()")
        move, _, other = bare.rstrip("*").partition(" & ")
        steps.append(Step(move, other or None, written.startswith("("), bare.endswith("*")))
    return tuple(steps)


def _chore(place: str, posture: str, text: str) -> Chore:
    return Chore(place, posture, read_steps(text))


HOME = {
    "bottle": "fridge",
    "bread": "lower drawer",
    "cheese": "fridge",
    "cheese knife": "top drawer",
    "cup": "dishwasher",
    "glass": "dishwasher",
    "milk": "fridge",
    "plate": "dishwasher",
    "salami": "fridge",
    "salami knife": "top drawer",
    "spoon": "top drawer",
    "sugar": "middle drawer",
}

SEEN = {
    "dishwasher": "plate",
    "fridge": "salami",
    "lower drawer": "bread",
    "middle drawer": "sugar",
    "top drawer": "spoon",
}

CHORES: dict[str, Chore] = {
    **{
        f"fetch {thing}": _chore(
            "kitchen",
            "stand",
            f"(reach {container}); open {container}; (reach {thing}); "
            f"move {thing} & close {container}; (release {thing} & release {container})",
        )
        for thing, container in HOME.items()
    },
    **{
        f"put away {thing}": _chore(
            "kitchen",
            "stand",
            f"reach {thing}; move {thing} & open {container}; (release {thing}); "
            f"close {container}; (release {container})",
        )
        for thing, container in HOME.items()
    },
    **{
        f"look into {container}": _chore(
            "kitchen",
            "stand",
            f"reach {container}; open {container}; (reach {thing} & release {container}); "
            f"(move {thing}); (release {thing}); close {container}; (release {container})",
        )
        for container, thing in SEEN.items()
    },
    **{
        f"pass {door}": _chore(
            door,
            "stand",
            f"(reach {door}); unlock {door}; open {door}; (release {door}); "
            f"close {door}; (lock {door}); (release {door})",
        )
        for door in _DOORS
    },
    **{
        f"use {thing}": _chore(
            "table",
            "stand",
            f"reach {thing}; open {thing}; move {thing} & reach cup; close {thing}; "
            f"(release {thing})",
        )
        for thing in ("bottle", "milk", "sugar")
    },
    "rest": _chore(
        "lazy chair", "lie", "(reach lazy chair); (move lazy chair); (release lazy chair)"
    ),
    "sit down": _chore("table", "sit", "(reach chair); move chair; (release chair)"),
    "light on": _chore("door 1", "stand", "(reach switch); turn on switch; (release switch)"),
    "light off": _chore("door 1", "stand", "(reach switch); turn off switch; (release switch)"),
    "stir": _chore(
        "table", "stand", "(reach spoon); move spoon & reach cup; stir cup*; (release spoon)"
    ),
    "drink coffee": _chore("table", "sit", "(reach cup); (move cup); sip cup*; (release cup)"),
    "drink water": _chore(
        "table", "sit", "(reach glass); (move glass); sip glass*; (release glass)"
    ),
    "cut bread": _chore(
        "table",
        "stand",
        "(reach salami knife); move salami knife & reach bread; cut bread*; (release salami knife)",
    ),
    "cut salami": _chore(
        "table",
        "stand",
        "move salami knife & reach salami; cut salami*; (release salami knife & move plate)",
    ),
    "cut cheese": _chore(
        "table", "stand", "move cheese knife & reach cheese; cut cheese*; (release cheese knife)"
    ),
    "spread cheese": _chore(
        "table", "stand", "(reach cheese knife); spread cheese*; (release cheese knife)"
    ),
    "eat": _chore("table", "sit", "(reach bread); move bread; bite bread*; (release bread)"),
    "wipe table": _chore("table", "stand", "(reach table); clean table*; (release table)"),
}

SCRIPTS = {
    "relaxing": (
        "rest, (drink water), rest, (light off), sit down, (drink coffee), rest, (light on)"
    ),
    "coffee time": (
        "fetch cup, fetch milk, (fetch sugar), fetch spoon, use milk, (use sugar), (sit down), "
        "stir, drink coffee, (drink coffee), (put away milk), (put away sugar), (put away cup)"
    ),
    "early morning": (
        "pass door 1, (light on), pass door 2, look into fridge, (look into dishwasher), "
        "look into lower drawer, (look into middle drawer), look into top drawer, (sit down), "
        "(drink water), pass door 2, (fetch glass), (use bottle), (light off), pass door 1"
    ),
    "cleanup": (
        "put away cup, put away plate, (put away glass), (put away spoon), put away milk, "
        "(put away cheese), wipe table, (put away bread), (put away salami), (put away sugar), "
        "(put away bottle), put away cheese knife, (put away salami knife), (light off)"
    ),
    "sandwich time": (
        "fetch bread, fetch plate, fetch cheese, (fetch salami), fetch cheese knife, "
        "(fetch salami knife), cut bread, spread cheese, (cut salami), (cut cheese), "
        "(fetch bottle), (use bottle), (fetch glass), eat, (drink water), eat, (wipe table)"
    ),
}


def read_script(activity: str) -> list[tuple[str, bool]]:
    """Chores of an activity, and whether each is optional."""
    written = SCRIPTS[activity].split(", ")
    return [(chore.strip("()"), chore.startswith("(")) for chore in written]


def track_of(action: str) -> str:
    """Track of an action.

    Examples
    --------
    >>> track_of("walk"), track_of("left sip cup"), track_of("both open fridge")
    ('locomotion', 'left arm', 'both arms')
    """
    first = action.split()[0]
    return "locomotion" if first in POSTURES else f"{first} arm{'s' * (first == 'both')}"
