"""Plots of the data, of what was learned, and of why an instance was recognised.

Names of actions, instances and activities are data: they are shown as they are written, never
typeset.
"""

from ibgn.plots.explanation import plot_explanation
from ibgn.plots.network import plot_network
from ibgn.plots.structure import plot_structure
from ibgn.plots.tables import plot_tables
from ibgn.plots.timeline import plot_timeline

__all__ = ["plot_explanation", "plot_network", "plot_structure", "plot_tables", "plot_timeline"]
