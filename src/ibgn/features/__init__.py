"""Instances as arrays, for any classifier of scikit-learn: transformers that take intervals."""

from ibgn.features.convolutions import Convolutions
from ibgn.features.raster import Raster
from ibgn.features.scores import ScoreFeatures
from ibgn.features.transformer import IntervalFeatures

__all__ = ["Convolutions", "IntervalFeatures", "Raster", "ScoreFeatures"]
