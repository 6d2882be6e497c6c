"""Regular expressions of the user, searched in names within a time.

The search runs in a Python of its own, which can be stopped: some expressions take longer than the
age of the world on a name of thirty letters, `re` has no time limit, and no thread can stop it. All
names go there at once, so that it costs some hundredths of a second however many there are. The
package `regex` has a time limit and `google-re2` needs none, but neither reads all that `re` reads,
and each would be one more requirement for what one short program does.
"""

import json
import subprocess
import sys
from collections.abc import Sequence

from ibgn.errors import OptionError
from ibgn.text import quote

__all__ = ["search_names"]

SECONDS = 5.0  # for all names
NAMES_IN_A_SECOND = 20_000
PROGRAM = """
import json, re, sys
pattern, names = json.load(sys.stdin)
search = re.compile(pattern).search
for name in names:
    found = search(name)
    print(json.dumps(found and found[1]), flush=True)
"""


def search_names(option: str, pattern: str, names: Sequence[str]) -> list[str | None]:
    """What the first group of an expression finds in each name, or None.

    Parameters
    ----------
    option : that gave the expression, for the message
    pattern : valid, with one group
    names : to be searched

    Examples
    --------
    >>> search_names("activity", "([a-z]+)_", ["tea_01", "coffee_02", "03"])
    ['tea', 'coffee', None]
    """
    seconds = SECONDS + len(names) / NAMES_IN_A_SECOND
    asked = json.dumps([pattern, names])
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", PROGRAM]
    try:
        answer = subprocess.run(  # noqa: S603 -- our own program; what it is given is data
            command, input=asked.encode(), capture_output=True, timeout=seconds, check=True
        ).stdout
    except subprocess.TimeoutExpired as late:
        slow = names[min((late.stdout or b"").count(b"\n"), len(names) - 1)]
        raise OptionError(
            option,
            pattern,
            f"takes longer than {seconds:.0f} seconds to search in names, such as {quote(slow)}; "
            "repeat nothing that is repeated itself, as (a+)+ does",
        ) from late
    return [json.loads(line) for line in answer.splitlines()]
