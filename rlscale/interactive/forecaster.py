"""What the forecaster of the published page is given: constants of the engine, names of the log reader.

The scripts hold the method, and this module every number and name of it, read from the modules that own them,
so that a prior, a threshold or a pattern that changes there changes on the page. The sample log is the
simulated run that the chapter shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import (
    belief,
    binning,
    decision,
    forecast,
    gate,
    grid,
    horizon,
    marquardt,
    mixture,
    money,
    noise,
    points,
    posterior,
    priors,
    varpro,
    worth,
)
from ..calibration import load_calibration
from ..curve import UNITS
from ..fitting import BOX
from ..law import Sigmoid
from ..logs import axes, build, frameworks, series, stitch, traps
from ..logs.formats import plain_csv, plain_json, run_column
from ..plot_marks import KIND_LABELS
from ..report_parts import STATE_MEANS
from ..simulate import simulate_curve

#: What the sample log is asked, and its name.
SAMPLE_ASK = {"budget": 400, "target": 0.55, "price": 0, "value": 0}
SAMPLE_NAME = "simulated.csv"
#: Words of names that the page does not offer as pass rates, beside those of timers.
_NO_RATE = frozenset(
    [
        "lr",
        "learning",
        "progress",
        "epoch",
        "step",
        "loss",
        "kl",
        "norm",
        "grad",
        "entropy",
        "std",
        "stderr",
        "var",
        "variance",
    ]
)


def page_data() -> dict[str, Any]:
    """Return everything that the page needs.

    Returns
    -------
    dict
        ``title``, ``engine`` (constants), ``rules`` (of the log reader), ``words`` and ``sample``.

    Examples
    --------
    >>> page_data()["engine"]["calibration"]["q"] >= 1
    True
    """
    return {
        "title": "Forecaster: your log, here in the page",
        "engine": list_constants(),
        "rules": list_rules(),
        "words": _list_words(),
        # frozen: what a link of version 1 means when it does not name a field; never change it
        "sample": {
            "name": SAMPLE_NAME,
            "text": write_sample(),
            "ask": SAMPLE_ASK,
            "frozen": {"budget": 400, "target": 0.55, "price": 0, "value": 0},
        },
    }


def write_sample() -> str:
    r"""Return the sample log as CSV: the first half of a simulated run.

    Examples
    --------
    >>> write_sample().split("\n")[0]
    'rollout_step,val/accuracy/mean@16'
    """
    law = Sigmoid(R0=0.20, A=0.60, B=1.5, Cmid=60)
    half = simulate_curve(law, np.arange(0, 401, 8), unit="rollout_steps", seed=5).cut(200)
    rows = [f"{int(c)},{float(p)!r}" for c, p in zip(half.compute, half.pass_rate, strict=True)]
    return "\n".join(["rollout_step,val/accuracy/mean@16", *rows, ""])


def list_constants() -> dict[str, Any]:
    """Return every number of the engine, by the name that the scripts use.

    Examples
    --------
    >>> list_constants()["leastPoints"], list(list_constants()["priors"])
    (6, ['sigmoid', 'weibull', 'power'])
    """
    calibration = load_calibration()
    return {
        # the point fit
        "fitBins": binning.DEFAULT_BINS,
        "longLog": binning.LONG_LOG,
        "minPlaces": points.MIN_PLACES,
        "boxB": BOX.B,
        "boxCmid": BOX.Cmid,
        "fitGrid": varpro.GRID,
        "firstSteps": varpro.FIRST_STEPS,
        "maxSteps": varpro.MAX_STEPS,
        "nearEdge": varpro.NEAR_EDGE,
        "stepDone": marquardt.STEP_DONE,
        "fallDone": marquardt.FALL_DONE,
        # noise
        "whiteFactors": noise.WHITE_FACTORS,
        "driftSds": noise.DRIFT_SDS,
        "driftLengths": noise.DRIFT_LENGTHS,
        "firstPhasePrior": noise.FIRST_PHASE_PRIOR,
        "firstPhaseSd": noise.FIRST_PHASE_SD,
        "firstPhaseLength": noise.FIRST_PHASE_LENGTH,
        "noiseFloor": noise.NOISE_FLOOR,
        "countsRefuted": noise.COUNTS_REFUTED,
        "pointsToRefute": noise.POINTS_TO_REFUTE,
        # posterior
        "priors": {
            name: {key: getattr(prior, key) for key in ("centre", "sd", "low", "high")}
            for name, prior in priors.PRIORS.items()
        },
        "scaleLow": priors.SCALE_LOW,
        "scaleBudgets": priors.SCALE_BUDGETS,
        "scaleSeen": priors.SCALE_SEEN,
        "narrowing": grid.NARROWING,
        "boxNats": grid.BOX_NATS,
        "pairNats": grid.PAIR_NATS,
        "partWeight": grid.PART_WEIGHT,
        "nodeNats": grid.NODE_NATS,
        "softEdge": grid.SOFT_EDGE,
        "sdRatio": mixture.SD_RATIO,
        "placesPerSd": mixture.PLACES_PER_SD,
        "quantileNear": mixture.NEAR,
        "quantileSteps": mixture.STEPS,
        "refutedNats": posterior.REFUTED_NATS,
        "beliefBins": belief.BINS,
        "endShare": belief.END_SHARE,
        "windowPlaces": belief.WINDOW_PLACES,
        "gateLevel": belief.GATE_LEVEL,
        "shapeAllowance": belief.SHAPE_ALLOWANCE,
        "gainAllowance": belief.GAIN_ALLOWANCE,
        "unbentAllowance": belief.UNBENT_ALLOWANCE,
        "misfitLeast": belief.MISFIT_LEAST,
        "misfitSigmas": belief.MISFIT_SIGMAS,
        # state
        "leastPoints": gate.LEAST_POINTS,
        "riseSigmas": gate.RISE_SIGMAS,
        "riseLeastNats": gate.RISE_NATS,
        "riseFloor": gate.RISE_FLOOR,
        "fallLeast": gate.FALL_LEAST,
        "likely": decision.LIKELY,
        "uncertain": decision.UNCERTAIN,
        "bendSeen": gate.BEND_SEEN,
        "bendHorizon": gate.BEND_HORIZON,
        "endWidth": gate.END_WIDTH,
        "passedCmid": gate.PASSED_CMID,
        "ceilingWidth": gate.CEILING_WIDTH,
        "ceilingBelow": gate.CEILING_BELOW,
        "shapesAgree": gate.SHAPES_AGREE,
        "ceilingHalfWidth": forecast.CEILING_HALF_WIDTH,
        "calibration": {"q": calibration.q, "note": calibration.note},
        # verdict and budget
        "targetRisk": decision.TARGET_RISK,
        "leastGain": decision.LEAST_GAIN,
        "candidates": worth.CANDIDATES,
        "nextShare": worth.NEXT_SHARE,
        "nothingPoints": money.LEAST_POINTS,
        "counted": list(horizon.COUNTED),
        "assumedTimes": horizon.ASSUMED_TIMES,
        "farTimes": horizon.FAR_TIMES,
        "mostTimes": horizon.MOST_TIMES,
        "leastSeen": horizon.LEAST_SEEN,
        "mostSeen": horizon.MOST_SEEN,
        "mostUsd": horizon.MOST_USD,
    }


def list_rules() -> dict[str, Any]:
    """Return the names and patterns by which a log is read, in Python's notation of patterns.

    Examples
    --------
    >>> list_rules()["units"]["updates"]
    'optimizer updates'
    """
    return {
        "units": dict(UNITS),
        "frameworks": [_list_framework(f) for f in (*frameworks.FRAMEWORKS, frameworks.GENERIC)],
        "traps": {
            name: [[pattern, fields] for pattern, fields in rules] for name, rules in traps.TRAPS.items()
        },
        "bookkeeping": stitch.BOOKKEEPING.pattern,
        "running": stitch.RUNNING.pattern,
        "heldout": sorted(series.HELDOUT),
        "train": sorted(series.TRAIN),
        "right": sorted(series.RIGHT),
        "other": sorted(series.OTHER),
        "noRate": sorted(series.TIMER | _NO_RATE),
        "noReward": sorted(series.NO_REWARD),
        "filtered": series.FILTERED,
        "timer": sorted(series.TIMER),
        "length": series.LENGTH.pattern,
        "reward": series.REWARD.pattern,
        "metric": series.METRIC.pattern,
        "metrics": dict(series.METRICS),
        "datasets": [pattern.pattern for pattern in series.DATASETS],
        "leftOut": dict(axes.LEFT_OUT),
        "segmentKey": build.SEGMENT_KEY,
        "splitKeys": plain_json.SPLIT_KEYS,
        "splitWords": sorted(plain_json.SPLIT_WORDS),
        "runColumn": run_column.RUN_COLUMN.pattern,
        "noMetric": plain_csv.NO_METRIC.pattern,
        "wideNote": build.WIDE_NOTE,
    }


def _list_framework(framework: frameworks.Framework) -> dict[str, Any]:
    def tell(counters: tuple[frameworks.Counter, ...]) -> list[dict[str, str]]:
        return [{"key": c.key, "unit": c.unit, "how": c.how, "note": c.note} for c in counters]

    return {
        "name": framework.name,
        "signs": framework.signs,
        "steps": tell(framework.steps),
        "spent": tell(framework.spent),
    }


def _list_words() -> dict[str, Any]:
    return {
        "states": dict(STATE_MEANS),
        "kinds": dict(KIND_LABELS),
        "budget": "Planned compute of the whole run, in the unit of the log; empty: as planned in the log, "
        "else four times what was seen",
        "target": "Pass rate that you need at the end; empty: none",
        "price": "US dollars for one unit of compute",
        "value": "US dollars that one percentage point of pass rate is worth to you",
        "formats": "Read here: CSV or TSV with a header; JSON lines; a JSON list of rows; trainer_state.json "
        "of TRL; CSV exports of wandb and TensorBoard; metrics.jsonl of tinker-cookbook; JSON of NeMo-RL. "
        "For all else (console logs, such as those of verl, event files, wandb folders, parquet, archives): "
        "rlscale forecast FILE on the command line.",
        "private": "Your log is read and computed in this page. Nothing is sent anywhere.",
        "fit": "A fit is a point and no forecast: before twice its Cmid its ceiling is often wrong by 0.1 "
        "and more.",
    }
