"""Colours of actions: one for each thing that acts or is acted on, with shades for what happens."""

from collections import Counter
from collections.abc import Sequence

from ibgn.plots.style import Colour, brightness, parse_colours

__all__ = ["ACTION_COLOURS", "action_colours"]

# Okabe and Ito's colours, with grey for their black so that its edge shows; then colours each as
# different as possible from all before it, to eyes with and without red-green blindness
ACTION_COLOURS = parse_colours("""
0072B2 E69F00 009E73 D55E00 56B4E9 CC79A7 F0E442 666666 E1E1A5 780F0F 780069 69F0F0 E1965A 7896FF
87693C E1B4B4 003C96 5A2D3C FFD269 874B00 F07887 785A87 3CB4C3 69D278 3C5A3C 3C4B87 B4D2FF 87962D
1EF0D2 8787C3 1E69C3 B4F0C3 782D5A 78B496 5A965A E15A5A B42D5A 96002D 004B1E 5A96E1 F0E187 1E8787
E1C3A5 B4C34B 5A78A5 87782D C3B4E1 003C69 0087F0 FF87C3 C35A87 784B1E 874BA5 FFB487 871E00 E1A5FF
78B45A 6978D2 D2782D 6996A5 A55A00 3C3C87 FFD2F0 2DC3C3
""")
MOST_SHADES = 4  # of a colour, that can be told apart
FARTHEST = 0.66  # part of white in the palest shade
BRIGHT, DIM = 0.7, 0.2  # shades of bright colours are darker: as pale ones they would vanish


def action_colours(actions: Sequence[str]) -> list[Colour]:
    """Colour of each action; it only depends on all of them together.

    Two to four actions whose names differ only in the last word, like "thumb bent" and "thumb
    straight", are shades of one colour; all others have a colour of their own.

    Examples
    --------
    >>> bent, straight, wave = action_colours(["thumb bent", "thumb straight", "wave"])
    >>> bent == ACTION_COLOURS[0], straight > bent, wave == ACTION_COLOURS[1]
    (True, True, True)
    """
    stems = [action.rpartition(" ")[0] for action in actions]
    sizes = Counter(stem for stem in stems if stem)
    hues: dict[str, int] = {}
    used: Counter[str] = Counter()
    colours = []
    for action, stem in zip(actions, stems, strict=True):
        shared = 2 <= sizes[stem] <= MOST_SHADES
        name = f"{stem} " if shared else action  # no action ends with a space and shares a stem
        hue = ACTION_COLOURS[hues.setdefault(name, len(hues)) % len(ACTION_COLOURS)]
        part = FARTHEST * used[name] / max(sizes[stem] - 1, 2) if shared else 0.0
        end = 1.0 if brightness(hue) < BRIGHT else DIM
        used[name] += 1
        red, green, blue = ((1 - part) * light + part * end for light in hue)
        colours.append((red, green, blue))
    return colours
