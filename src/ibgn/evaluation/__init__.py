"""Comparison of methods: which methods, on which folds, with which results."""
