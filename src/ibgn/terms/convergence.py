"""Whether chains of tables have converged."""

from dataclasses import dataclass

from ibgn._arrays import Floats
from ibgn.declarations import FLOAT, is_natural, stored
from ibgn.terms.diagnostics import effective_sample_size, potential_scale_reduction, raftery_lewis

__all__ = ["LEAST_WORTH", "PILOT", "RHAT_LIMIT", "TRACES", "Convergence", "judge"]

TRACES = ("log joint probability", "log concentration", "log sum of the action prior")
PILOT = {"q": 0.025, "r": 0.014}  # precision of the log joint; takes at least 478 sweeps
RHAT_LIMIT = 1.05
LEAST_WORTH = 100  # independent draws: means are known within a tenth of their posterior spread


@dataclass(frozen=True)
class Convergence:
    """How the chains were run, and how well they did.

    Parameters
    ----------
    burn_in : sweeps of each chain that were left out
    thin : one draw was kept every `thin` sweeps
    draws : draws kept in all chains
    effective_sample_size : independent draws that all draws are worth, by the worst of `TRACES`
    rhat : agreement of the chains, or of the halves of a single one, by the worst of `TRACES`;
        infinite where there are too few draws to tell
    dependence_factor : of Raftery and Lewis, for the log joint; above 5 a chain mixes badly
    converged : whether R-hat is at most 1.05, the draws are worth 100 independent ones, and the
        burn-in is as long as Raftery and Lewis demand
    traces : (3, chains, draws) numbers of each draw, see `TRACES`
    """

    burn_in: int = stored(int, holds=is_natural)
    thin: int = stored(int, holds=is_natural)
    draws: int = stored(int, holds=is_natural)
    effective_sample_size: float = stored(float)
    rhat: float = stored(float)
    dependence_factor: float = stored(float)
    converged: bool = stored(bool)
    traces: Floats = stored(FLOAT, len(TRACES), "chains", "draws")


def judge(traces: Floats, burn_in: int, thin: int, draws: int) -> Convergence:
    """Judge a round by the traces (3, chains, sweeps) of all its sweeps."""
    kept = traces[:, :, thin - 1 :: thin]
    advice = [raftery_lewis(trace, **PILOT) for trace in traces[0]]
    worth = min(effective_sample_size(of_chains) for of_chains in kept)
    rhat = max(potential_scale_reduction(of_chains) for of_chains in kept)
    return Convergence(
        burn_in=burn_in,
        thin=thin,
        draws=kept[0].size,
        effective_sample_size=worth,
        rhat=rhat,
        dependence_factor=max(each.dependence_factor for each in advice),
        converged=bool(
            rhat <= RHAT_LIMIT
            and worth >= LEAST_WORTH
            and kept.shape[2] >= draws
            and all(each.enough and each.burn_in <= burn_in for each in advice)
        ),
        traces=kept,
    )
