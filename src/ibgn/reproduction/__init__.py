"""Everything that is here because of the paper's tables: its experiments, numbers and page."""
