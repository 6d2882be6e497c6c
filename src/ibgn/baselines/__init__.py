"""Other generative models of activities, to compare with: IHMM, DBN and ITBN."""

from ibgn.baselines.dbn import DBNClassifier
from ibgn.baselines.ihmm import IHMMClassifier
from ibgn.baselines.itbn import ITBNClassifier

__all__ = ["DBNClassifier", "IHMMClassifier", "ITBNClassifier"]
