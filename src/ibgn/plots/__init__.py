"""Plots of the data, of models, of explanations, and of experiments.

Names of actions, instances, activities and methods are data: they are shown as they are written,
never typeset.
"""

from ibgn.plots import ranges, relations, shares  # noqa: F401  # which register figures of terms
from ibgn.plots.comparison import plot_activities, plot_comparison
from ibgn.plots.confusion import plot_confusion
from ibgn.plots.earliness import plot_earliness
from ibgn.plots.explanation import plot_explanation
from ibgn.plots.learning import plot_learning_curve
from ibgn.plots.network import plot_network
from ibgn.plots.posterior import animate_posterior, plot_posterior
from ibgn.plots.reliability import plot_reliability
from ibgn.plots.robustness import plot_detectors, plot_robustness
from ibgn.plots.structure import plot_structure
from ibgn.plots.styles import plot_styles
from ibgn.plots.tables import plot_tables
from ibgn.plots.terms import figure_of, plot_term
from ibgn.plots.timeline import plot_timeline
from ibgn.plots.traces import plot_traces
from ibgn.plots.weights import plot_weights

__all__ = [
    "animate_posterior",
    "figure_of",
    "plot_activities",
    "plot_comparison",
    "plot_confusion",
    "plot_detectors",
    "plot_earliness",
    "plot_explanation",
    "plot_learning_curve",
    "plot_network",
    "plot_posterior",
    "plot_reliability",
    "plot_robustness",
    "plot_structure",
    "plot_styles",
    "plot_tables",
    "plot_term",
    "plot_timeline",
    "plot_traces",
    "plot_weights",
]
