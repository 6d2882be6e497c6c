"""Everything that exists because of the paper's tables: its figures, experiments and verdicts."""
