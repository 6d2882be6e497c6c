"""Benchmarks: speed as ratios within one run, since seconds depend on the machine."""
