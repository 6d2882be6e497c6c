"""Methods side by side: what is compared, on which folds, with which outcome."""
