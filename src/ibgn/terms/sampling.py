"""Options of the sampler of tables."""

from dataclasses import dataclass
from typing import Literal, get_args

from ibgn.checks import check_choice, check_prior_count, check_whole

__all__ = ["CONCENTRATION_SPREAD", "PRIOR_SPREAD", "Sampler", "Sampling"]

Sampler = Literal["exact", "published"]

CONCENTRATION_SPREAD = 3.0  # of its logarithm, normal around 0: 95% between 1/360 and 360
PRIOR_SPREAD = 1.0  # of the logarithm of each entry, normal around that of 1 / actions
MOST_SWEEPS = 10_000_000
MOST_CHAINS = 1000


@dataclass(frozen=True)
class Sampling:
    """How tables are sampled.

    Parameters
    ----------
    sampler : "exact" leaves the joint invariant; "published" is the formula of the paper, in
        which only earlier nodes count
    draws : draws of all chains together whose counts are averaged, after convergence; with fewer
        than 100 the chains are never said to have converged
    budget : largest number of sweeps in each chain; warns if it is too small to converge
    chains : independent chains: the first starts with one table for all, the second with one
        table for each interval, others at random
    table_sample : intervals of an activity on which chains converge. Where it has more, these are
        of instances chosen by their content. The others then take seats in turn, up to ten times
        as many intervals, and all of them are seated again in a hundred sweeps; any beyond are left
        out. "all" runs the chains on all of them: the full run, which takes time in proportion.
    concentration, action_prior : "learned" are sampled with the seats, under weak log-normal
        priors (around 1 with a spread of 3, around 1 / actions with a spread of 1), or a fixed
        number
    """

    sampler: Sampler = "exact"
    draws: int = 1000
    budget: int = 3000
    chains: int = 2
    table_sample: int | Literal["all"] = 10_000
    concentration: float | Literal["learned"] = "learned"
    action_prior: float | Literal["learned"] = "learned"

    def __post_init__(self) -> None:
        check_choice("sampler", self.sampler, get_args(Sampler))
        for name, most in (
            ("draws", MOST_SWEEPS),
            ("budget", MOST_SWEEPS),
            ("chains", MOST_CHAINS),
        ):
            check_whole(name, getattr(self, name), 1, most)
            object.__setattr__(self, name, int(getattr(self, name)))  # small types overflow
        if not (isinstance(self.table_sample, str) and self.table_sample == "all"):
            number = check_whole("table_sample", self.table_sample, 1, other="all")
            object.__setattr__(self, "table_sample", number)
        for name in ("concentration", "action_prior"):
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "learned"):
                check_prior_count(name, value, "learned")

    @property
    def spreads(self) -> tuple[float, float]:
        """Spread of the logarithms of concentration and prior; 0 if fixed."""
        return (
            CONCENTRATION_SPREAD if self.concentration == "learned" else 0.0,
            PRIOR_SPREAD if self.action_prior == "learned" else 0.0,
        )
