"""Estimators: IBGN and the methods to compare it with; `load` reads all of them."""

from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.dbn import DBNClassifier
from ibgn.classifiers.ensemble import IBGNEnsemble
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.ihmm import IHMMClassifier
from ibgn.classifiers.itbn import ITBNClassifier
from ibgn.classifiers.on_features import IntervalForest, IntervalRidge
from ibgn.classifiers.recogniser import METHODS, Recogniser
from ibgn.classifiers.yardsticks import ExtraTrees, MiniRocket, NearestRaster
from ibgn.persistence import load, save

__all__ = [
    "METHODS",
    "ActivityClassifier",
    "DBNClassifier",
    "ExtraTrees",
    "IBGNClassifier",
    "IBGNEnsemble",
    "IHMMClassifier",
    "ITBNClassifier",
    "IntervalForest",
    "IntervalRidge",
    "MiniRocket",
    "NearestRaster",
    "Recogniser",
    "load",
    "save",
]
