"""Sides of an activity: each term counts, fits, scores, describes and perhaps draws one of them."""
