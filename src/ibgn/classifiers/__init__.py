"""Other generative models of activities, to compare with: IHMM, DBN and ITBN."""

from ibgn.classifiers.dbn import DBNClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.ihmm import IHMMClassifier
from ibgn.classifiers.itbn import ITBNClassifier

__all__ = ["DBNClassifier", "IBGNClassifier", "IHMMClassifier", "ITBNClassifier"]
