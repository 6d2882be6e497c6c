"""Everything that exists because of the paper: its numbers, experiments and verdicts."""
