"""What the page can ask and do, as plain values: instances, a model, and changes of both."""

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ibgn._arrays import Floats
from ibgn.classifiers.questions import unquestioned
from ibgn.errors import DataError
from ibgn.explore.collection import (
    LONGEST_NAME,
    MOST_INTERVALS,
    Change,
    Collection,
    Interval,
    Look,
    as_sequences_of,
    parse_interval,
)
from ibgn.explore.opinions import Opinions, ask, locate
from ibgn.inspection.counterfactuals import find_counterfactual
from ibgn.intervals import IntervalSequences
from ibgn.model.folds import fingerprint
from ibgn.text import half_character, quote

__all__ = ["Desk"]

Plain = dict[str, Any]
REASONS = 8
NEIGHBOURS = 6
TWINS = 10  # contradictory duplicates that an instance names


class Desk:
    """A collection, the model that looks at it, and answers to the page's questions.

    Parameters
    ----------
    collection : instances and labels
    model : a fitted classifier, or None until one has learned
    title : what the page calls the data

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> desk = Desk(Collection(X, y), IBGNClassifier(random_state=0).fit(X, y))
    >>> len(desk.rows()["rows"]), desk.look(0)["posterior"][0]["label"] in set(y)
    (20, True)
    """

    def __init__(self, collection: Collection, model: Any = None, title: str = "") -> None:
        self.collection, self.title = collection, title
        self.model: Any = None
        self.opinions: Opinions | None = None
        self.lock = threading.RLock()
        self.tell: Callable[[str, Plain], None] = lambda kind, news: None
        if model is not None:
            self.take_model(model)

    def take_model(self, model: Any, held_out: Floats | None = None) -> None:
        """Let a model judge all instances; `held_out` has what it said before it saw them."""
        with self.lock:
            X, seen = self.collection.sequences, dict(self.collection.changed)
        opinions = ask(model, X, held_out)
        with self.lock:
            self.model, self.opinions = model, opinions
            for number in self.collection.changed_since(seen):
                self._judge_again(number)
        self.tell("model", {"held_out": bool(opinions.held_out.any())})

    # -- looking -----------------------------------------------------------------------------------

    def overview(self) -> Plain:
        """What there is: activities, actions, groups, and what the model is."""
        X, labels = self.collection.original, self.collection.labels
        known = [] if self.opinions is None else self.opinions.labels
        names = {str(label) for label in labels if label is not None} | set(map(str, known))
        used = {i.action for look in self.collection.changed.values() for i in look.intervals}
        groups = [] if X.groups is None else sorted({str(group) for group in X.groups.tolist()})
        return {
            "title": self.title,
            "instances": len(self.collection),
            "labelled": int(sum(label is not None for label in labels)),
            "activities": sorted(names),
            "known": [str(label) for label in known],
            "actions": sorted({*X.actions, *used, *getattr(self.model, "actions_", ())}),
            "tracks": [] if X.track is None else sorted({str(t) for t in X.track.tolist() if t}),
            "groups": groups,
            "model": None if self.model is None else type(self.model).__name__,
            "held_out": self.opinions is not None and bool(self.opinions.held_out.any()),
            "generates": hasattr(self.model, "sample"),
            "explains": self.explains,
            "changed": len(self.collection.differing),
        }

    @property
    def explains(self) -> bool:
        """Whether the model gives reasons, as a forest does not."""
        return bool(getattr(self.model, "activities_", None))

    def rows(self) -> Plain:
        """All instances in short, by columns."""
        with self.lock:
            return self._rows()

    def _rows(self) -> Plain:
        X, labels = self.collection.original, self.collection.labels
        n = len(self.collection)
        rows: Plain = {
            "ids": [str(n) for n in range(n)] if X.ids is None else [str(i) for i in X.ids],
            "labels": [None if label is None else str(label) for label in labels],
            "groups": None if X.groups is None else [str(group) for group in X.groups.tolist()],
            "lengths": self._lengths().tolist(),
            "contradicts": self._contradictions(labels),
            "changed": self.collection.differing,
            "versions": {n: look.version for n, look in self.collection.changed.items()},
        }
        if self.opinions is not None:
            loss = self.opinions.losses(labels)
            rows |= {
                "predicted": [str(self.opinions.labels[c]) for c in self.opinions.likeliest],
                "probability": np.exp(self.opinions.logs.max(axis=1)).tolist(),
                "loss": [None if math.isnan(value) else round(value, 4) for value in loss],
            }
        return {"rows": list(range(n)), **rows}

    def _lengths(self) -> Any:
        lengths = self.collection.original.lengths.copy()
        for number, look in self.collection.changed.items():
            lengths[number] = len(look.intervals)
        return lengths

    def _contradictions(self, labels: Any) -> list[int]:
        """Instances that have the same intervals as another one, but not the same label."""
        marks = fingerprint(self.collection.sequences)
        labels_of: dict[int, set[Any]] = {}
        for mark, label in zip(marks.tolist(), labels, strict=True):
            if label is not None:
                labels_of.setdefault(mark, set()).add(label)
        twice = {mark for mark, found in labels_of.items() if len(found) > 1}
        return [
            number
            for number, (mark, label) in enumerate(zip(marks.tolist(), labels, strict=True))
            if mark in twice and label is not None
        ]

    def look(self, number: int, against: str | None = None) -> Plain:
        """One instance: its intervals, and what the model says about it."""
        look = self.collection[number]
        first = self.collection.first(number)
        return {
            **self._short(number),
            "first": self._plain(first),
            "held_out": self._held_out(number),
            "twins": [self._name_of(each) for each in self._twins(number)],
            **self.judge(look.intervals, against),
        }

    def _held_out(self, number: int) -> Plain | None:
        """What was said about an instance before it was learned from."""
        opinions = self.opinions
        if opinions is None or not opinions.held_out[number]:
            return None
        best = int(opinions.logs[number].argmax())
        probability = float(np.exp(opinions.logs[number, best]))
        return {"label": str(opinions.labels[best]), "probability": probability}

    def _twins(self, number: int) -> list[int]:
        """Instances with the same intervals as this one, but another label."""
        labels = self.collection.labels
        if labels[number] is None:
            return []
        marks = fingerprint(self.collection.sequences)
        same = np.flatnonzero(marks == marks[number]).tolist()
        return [n for n in same if labels[n] not in (None, labels[number])][:TWINS]

    def _plain(self, look: Look) -> Plain:
        return {
            "version": look.version,
            "label": None if look.label is None else str(look.label),
            "intervals": [interval._asdict() for interval in look.intervals],
        }

    # -- asking ------------------------------------------------------------------------------------

    def judge(self, intervals: Iterable[Interval], against: str | None = None) -> Plain:
        """Posterior and reasons of intervals as they are, or as they might be."""
        rows = sorted(intervals, key=lambda row: (row.start, row.end, row.action))
        one = as_sequences_of(rows)
        if self.model is None:
            return {"posterior": None}
        with unquestioned():
            logs = self.model.predict_log_proba(one)[0]
        order = np.argsort(-logs, kind="stable")
        posterior = [
            {"label": str(self.model.classes_[c]), "probability": float(np.exp(logs[c]))}
            for c in order
        ]
        known = set(getattr(self.model, "actions_", ()))
        unknown = sorted({row.action for row in rows} - known) if known else []
        answer: Plain = {"posterior": posterior, "unknown_actions": unknown}
        if len(self.model.classes_) > 1 and rows:
            answer["why"] = self._why(one, rows, order, against)
        return answer

    def _why(
        self, one: IntervalSequences, rows: Sequence[Interval], order: Any, against: str | None
    ) -> Plain | None:
        """What spoke for the likeliest activity, in words, and by interval."""
        if not self.explains:
            return None
        labels = [self.model.classes_[c] for c in order]
        others = {str(label): label for label in labels[1:]}
        with unquestioned():
            why = self.model.explain(one, others.get(against or "", labels[1]), labels[0])
        first, second, value = why.links()
        share = why.intervals + np.bincount(
            np.concatenate([first, second]), np.concatenate([value, value]) / 2, len(rows)
        )
        reasons = [
            reason._asdict() | {"contribution": float(reason.contribution)}
            for reason in why.reasons(REASONS)
        ]
        return {
            "activity": str(why.activity),
            "against": str(why.against),
            "headline": why.headline,
            "log_odds": float(why.log_odds),
            "reasons": reasons,
            "by_term": {name: float(value) for name, value in why.by_term.items()},
            "by_interval": share.tolist(),
        }

    def nearest(self, number: int) -> Plain:
        """Instances that look most alike to the model."""
        opinions = self._need_opinions()
        with unquestioned():
            point = locate(self.model, self.collection.take([number]))[0]
        numbers = opinions.nearest(point, NEIGHBOURS, number)
        return {"instances": [self._short(each) for each in numbers]}

    def _short(self, number: int) -> Plain:
        return self._name_of(number) | self._plain(self.collection[number])

    def _name_of(self, number: int) -> Plain:
        ids, label = self.collection.original.ids, self.collection[number].label
        name = str(number) if ids is None else str(ids[number])
        return {"number": number, "id": name, "label": None if label is None else str(label)}

    def counterfactual(self, number: int, given: Mapping[str, Any]) -> Plain:
        """The smallest change that makes an instance, or its draft, another activity."""
        self._need_opinions()
        draft = given.get("intervals")
        rows = self.collection[number].intervals if draft is None else parse_intervals(draft)
        label = self._label_of(given.get("activity"), self.model.classes_.tolist())
        found = find_counterfactual(self.model, [row[:3] for row in rows], label)
        tracks = {row[:3]: row.track for row in rows}
        after = [Interval(*row, tracks.get(row))._asdict() for row in found.instance.to_lists()[0]]
        return {
            "found": found.found,
            "activity": str(label),
            "probability": found.probability,
            "edits": [str(edit) for edit in found.edits],
            "intervals": after,
        }

    def suggestions(self, n: int = 10) -> Plain:
        """Unlabelled instances to label next."""
        opinions = self._need_opinions()
        empty = [n for n, label in enumerate(self.collection.labels) if label is None]
        chosen = opinions.suggest(np.array(empty, np.int64), n)
        return {"unlabelled": len(empty), "instances": [self._short(each) for each in chosen]}

    def confusion(self) -> Plain:
        """How many instances of each label got which answer."""
        opinions = self._need_opinions()
        names = self.overview()["activities"]
        place = {name: number for number, name in enumerate(names)}
        counts = np.zeros((len(names), len(names)), np.int64)
        for label, answer in zip(self.collection.labels, opinions.likeliest, strict=True):
            if label is not None:
                counts[place[str(label)], place[str(opinions.labels[answer])]] += 1
        return {"activities": names, "counts": counts.tolist()}

    def _need_opinions(self) -> Opinions:
        if self.opinions is None:
            raise DataError("there is no model yet; let one learn from the labels, or open one")
        return self.opinions

    # -- correcting --------------------------------------------------------------------------------

    def change(self, number: int, given: Mapping[str, Any]) -> Plain:
        """Change intervals, label or both; refused if the page saw an older version."""
        seen, page = given.get("version"), given.get("page", "")
        if not isinstance(seen, int) or not isinstance(page, str):
            raise DataError("a change must name the version that the page saw")
        new: Plain = {}
        if "label" in given:
            new["label"] = self._label_of(given["label"], self._all_labels())
        if given.get("intervals") is not None:
            new["intervals"] = parse_intervals(given["intervals"])
        with self.lock:
            return self._changed(self.collection.change(number, seen, page[:100], **new))

    def undo(self, page: str) -> Plain:
        """Take back the last change of a page."""
        with self.lock:
            return self._changed(self.collection.undo(page))

    def redo(self, page: str) -> Plain:
        """Do again what a page took back last."""
        with self.lock:
            return self._changed(self.collection.redo(page))

    def _changed(self, change: Change) -> Plain:
        """Judge one instance again, and let all pages know."""
        number = change.number
        self._judge_again(number)
        news = {"number": number, "version": change.after.version, "page": change.page}
        self.tell("change", news)
        return self.look(number)

    def _judge_again(self, number: int) -> None:
        if self.opinions is not None:
            again = ask(self.model, self.collection.take([number]))
            self.opinions.logs[number] = again.logs[0]
            self.opinions.points[number] = again.points[0]
            self.opinions.held_out[number] = False

    def _all_labels(self) -> list[Any]:
        known = [] if self.model is None else self.model.classes_.tolist()
        return [*known, *(label for label in self.collection.labels if label is not None)]

    def _label_of(self, given: object, labels: Iterable[Any]) -> Any:
        """The label that a page means by its text; labels may be numbers."""
        if given is None:
            return None
        if not isinstance(given, str) or not given.strip() or len(given) > LONGEST_NAME:
            raise DataError("a label must be some text of at most 1,000 characters")
        if half_character(given) is not None:
            raise DataError(f"label {quote(given)} contains half a character")
        return next((label for label in labels if str(label) == given), given)


def parse_intervals(given: object) -> tuple[Interval, ...]:
    """Intervals as a page sends them."""
    if not isinstance(given, list) or len(given) > MOST_INTERVALS:
        raise DataError(f"intervals must be a list of at most {MOST_INTERVALS:,}")
    return tuple(parse_interval(each) for each in given)
