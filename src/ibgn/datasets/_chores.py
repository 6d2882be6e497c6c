"""Parts of the simulated daily living: actions of arms, chores, and scripts of activities.

Names of actions follow the label tracks of the Opportunity set; chores and scripts are invented,
and fixed. A chore is written as its steps, "open fridge @ reach milk; move milk & close fridge;
(release milk)". Steps follow each other; the other arm does what comes after & at the same time,
ending later, or what comes after @ within the step; a step in brackets is optional; one with a
star may be repeated. The script of an activity is a list of chores, in which those in brackets are
optional too.
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
    "unlock": 1.0, "stir": 3.0, "sip": 1.6, "bite": 1.6, "cut": 3.0, "clean": 3.5, "spread": 3.0,
}  # fmt: skip

_USED_ON = {
    "reach": OBJECTS,
    "release": OBJECTS,
    "move": (*_DISHES, *_FOOD, *_SEATS, "switch"),
    "open": _WITH_LID,
    "close": _WITH_LID,
    "lock": _DOORS,
    "unlock": _DOORS,
    "stir": ("cup",),
    "sip": ("cup", "glass"),
    "bite": ("bread", "salami"),
    "cut": ("bread", "cheese", "salami"),
    "clean": ("table",),
    "spread": ("cheese",),
}

# what an arm can do: a verb and an object, 95 of them
MOVES = tuple(f"{verb} {thing}" for verb, things in _USED_ON.items() for thing in things)

# gestures of the whole body, 17 of them, by the move of an arm that they contain
GESTURES = {
    **{
        f"{verb} {thing}": f"{verb} {thing}"
        for verb in ("open", "close")
        for thing in (*_CONTAINERS, *_DOORS)
    },
    "clean table": "clean table",
    "sip cup": "drink from cup",
    "move switch": "toggle switch",
}

ACTIONS = tuple(
    sorted(
        (
            *POSTURES,
            *(f"{arm} {move}" for arm in ("left", "right") for move in MOVES),
            *(f"both {gesture}" for gesture in GESTURES.values()),
        )
    )
)


class Step(NamedTuple):
    """What an arm does, and what the other does at the same time, or None."""

    move: str
    other: str | None = None
    within: bool = False  # whether what the other arm does is contained
    optional: bool = False
    repeatable: bool = False


class Chore(NamedTuple):
    """Steps at a place, in a posture, each taking `pace` times as long as usual."""

    place: str
    posture: str
    steps: tuple[Step, ...]
    pace: float = 1.0


def read_steps(text: str) -> tuple[Step, ...]:
    """Read the steps of a chore.

    Examples
    --------
    >>> read_steps("open fridge @ move milk; (sip cup*)")  # doctest: +NORMALIZE_WHITESPACE
    (Step(move='open fridge', other='move milk', within=True, optional=False, repeatable=False),
     Step(move='sip cup', other=None, within=False, optional=True, repeatable=True))
    """
    steps = []
    for written in text.split("; "):
        bare = written.strip("()")
        within = " @ " in bare
        move, _, other = bare.rstrip("*").partition(" @ " if within else " & ")
        steps.append(Step(move, other or None, within, written.startswith("("), bare.endswith("*")))
    return tuple(steps)


def _chore(place: str, posture: str, text: str, pace: float = 1.0) -> Chore:
    return Chore(place, posture, read_steps(text), pace)


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

# Taking a thing out, putting it back and checking that it is in its place need the same actions:
# order, relations and durations differ. Whoever puts away has the thing in the hand and opens with
# the other; whoever checks holds the container open meanwhile, and takes time.
_FETCH = (
    "(reach {c}); open {c}; (reach {t}); move {t} & close {c}; (release {t} & release {c})",
    1.0,
)
_PUT_AWAY = (
    "(reach {t}); move {t} & open {c}; (release {t} & reach {c}); close {c}; (release {c})",
    0.8,
)
_CHECK = (
    "(reach {c}); open {c} @ move {t}; (reach {t} & release {t}); close {c}; (release {c})",
    1.3,
)

CHORES: dict[str, Chore] = {
    **{
        f"{chore} {thing}": _chore(container, "stand", steps.format(t=thing, c=container), pace)
        for chore, (steps, pace) in (
            ("fetch", _FETCH),
            ("put away", _PUT_AWAY),
            ("check", _CHECK),
        )
        for thing, container in HOME.items()
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
    "switch light": _chore("door 1", "stand", "(reach switch); move switch; (release switch)"),
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
    "eat": _chore(
        "table", "sit", "(reach bread); move bread; bite bread*; (bite salami); (release bread)"
    ),
    "wipe table": _chore("table", "stand", "(reach table); clean table*; (release table)"),
}

SCRIPTS = {
    "relaxing": (
        "rest, (drink coffee), sit down, rest, (switch light), (drink water), rest, "
        "(pass door 1), (pass door 2)"
    ),
    "coffee time": (
        "fetch cup, fetch milk, (fetch sugar), fetch spoon, use milk, (use sugar), stir, "
        "(sit down), drink coffee, (put away milk), (put away sugar), drink coffee, "
        "(put away spoon), (put away cup)"
    ),
    "early morning": (
        "(rest), (switch light), check milk, check plate, (check bottle), check bread, "
        "(check glass), (check salami), check spoon, (check cheese knife), (drink water), "
        "check cheese, (check salami knife), check sugar, check cup, (pass door 1), (pass door 2)"
    ),
    "cleanup": (
        "put away milk, put away plate, (put away salami), put away cheese, (put away sugar), "
        "(drink coffee), put away cup, (put away bread), wipe table, (put away spoon), "
        "put away cheese knife, (put away salami knife), (put away bottle), (put away glass), "
        "(switch light)"
    ),
    "sandwich time": (
        "fetch plate, fetch bread, fetch cheese, (fetch salami), fetch cheese knife, "
        "(fetch salami knife), cut bread, spread cheese, (cut salami), (cut cheese), "
        "(fetch glass), (fetch bottle), (use bottle), (sit down), eat, (drink water), eat, "
        "(put away cheese), (put away salami), (wipe table)"
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
