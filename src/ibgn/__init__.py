"""Recognise, explain and generate complex activities from the intervals of their actions.

How the data flow:

1. `read_csv` and its siblings turn recordings into `IntervalSequences`, many instances in one X;
2. `allen` has the relations of two intervals, `consistency` says which can hold together;
3. a `Structure` says which pairs of positions of an instance are linked;
4. `read_networks` finds the relation and the constraint of every pair;
5. `IBGNClassifier` learns an `ActivityModel` of each activity, recognises, explains and generates;
   `IHMMClassifier`, `DBNClassifier` and `ITBNClassifier` do the same with other models;
6. `inspect` summarises the data, the `plot_` functions show data and models;
7. `LiveRecogniser` recognises activities as they happen, `Segmenter` finds where they begin and
   end;
8. `save` and `load` store a model; the command `ibgn` does all this from a shell.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibgn import allen, consistency, datasets, detection, features, io, metrics, noise, terms
    from ibgn.classifiers import (
        DBNClassifier,
        IBGNClassifier,
        IBGNEnsemble,
        IHMMClassifier,
        IntervalForest,
        IntervalRidge,
        ITBNClassifier,
        load,
        save,
    )
    from ibgn.errors import DataError, DataWarning
    from ibgn.inspection import inspect
    from ibgn.intervals import IntervalSequences
    from ibgn.io import (
        read,
        read_csv,
        read_jsonl,
        read_parquet,
        read_table,
        scan,
        write,
        write_csv,
        write_jsonl,
        write_parquet,
    )
    from ibgn.live import LiveRecogniser, learn_decisions, trace_posterior
    from ibgn.model.activity import ActivityModel
    from ibgn.networks import count_pairs, read_networks
    from ibgn.plots import (
        animate_posterior,
        plot_activities,
        plot_comparison,
        plot_confusion,
        plot_detectors,
        plot_earliness,
        plot_explanation,
        plot_learning_curve,
        plot_network,
        plot_posterior,
        plot_reliability,
        plot_robustness,
        plot_structure,
        plot_styles,
        plot_tables,
        plot_term,
        plot_timeline,
        plot_traces,
        plot_weights,
    )
    from ibgn.segmentation import Segmenter
    from ibgn.structure import Structure

__version__ = "0.1.0"

# Public names and where they live. They are loaded when first used, so that `import ibgn` and
# `ibgn --help` need not wait for pandas, numba and matplotlib.
_HOME = {
    "ActivityModel": "model.activity",
    "DBNClassifier": "classifiers",
    "DataError": "errors",
    "DataWarning": "errors",
    "IBGNClassifier": "classifiers",
    "IBGNEnsemble": "classifiers",
    "IHMMClassifier": "classifiers",
    "ITBNClassifier": "classifiers",
    "IntervalForest": "classifiers",
    "IntervalRidge": "classifiers",
    "IntervalSequences": "intervals",
    "LiveRecogniser": "live",
    "Segmenter": "segmentation",
    "Structure": "structure",
    "allen": "",
    "animate_posterior": "plots",
    "consistency": "",
    "count_pairs": "networks",
    "datasets": "",
    "detection": "",
    "features": "",
    "inspect": "inspection",
    "io": "",
    "learn_decisions": "live",
    "load": "classifiers",
    "metrics": "",
    "noise": "",
    "plot_activities": "plots",
    "plot_comparison": "plots",
    "plot_confusion": "plots",
    "plot_detectors": "plots",
    "plot_earliness": "plots",
    "plot_explanation": "plots",
    "plot_learning_curve": "plots",
    "plot_network": "plots",
    "plot_posterior": "plots",
    "plot_reliability": "plots",
    "plot_robustness": "plots",
    "plot_structure": "plots",
    "plot_styles": "plots",
    "plot_tables": "plots",
    "plot_term": "plots",
    "plot_timeline": "plots",
    "plot_traces": "plots",
    "plot_weights": "plots",
    "read": "io",
    "read_csv": "io",
    "read_jsonl": "io",
    "read_networks": "networks",
    "read_parquet": "io",
    "read_table": "io",
    "save": "classifiers",
    "scan": "io",
    "terms": "",
    "trace_posterior": "live",
    "write": "io",
    "write_csv": "io",
    "write_jsonl": "io",
    "write_parquet": "io",
}

__all__ = [
    "ActivityModel",
    "DBNClassifier",
    "DataError",
    "DataWarning",
    "IBGNClassifier",
    "IBGNEnsemble",
    "IHMMClassifier",
    "ITBNClassifier",
    "IntervalForest",
    "IntervalRidge",
    "IntervalSequences",
    "LiveRecogniser",
    "Segmenter",
    "Structure",
    "allen",
    "animate_posterior",
    "consistency",
    "count_pairs",
    "datasets",
    "detection",
    "features",
    "inspect",
    "io",
    "learn_decisions",
    "load",
    "metrics",
    "noise",
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
    "read",
    "read_csv",
    "read_jsonl",
    "read_networks",
    "read_parquet",
    "read_table",
    "save",
    "scan",
    "terms",
    "trace_posterior",
    "write",
    "write_csv",
    "write_jsonl",
    "write_parquet",
]


if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'ibgn' has no attribute {name!r}")
        module = import_module(f"ibgn.{_HOME[name] or name}")
        value = getattr(module, name) if _HOME[name] else module
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
