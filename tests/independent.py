"""What is in tests/samples, parsed by plain Python and none of our readers.

Each parser takes the path of a sample and gives its intervals as (action, start, end), in any
order, as `ibgn convert` with the command that `ibgn inspect` proposes should give them. Times are
compared by their differences, as a reader may set the clock to 0 where a recording begins.
"""

PARSERS = {}


def parses(*samples):
    """Register a parser for samples, by their paths within tests/samples."""

    def register(parse):
        for sample in samples:
            assert sample not in PARSERS, sample
            PARSERS[sample] = parse
        return parse

    return register
