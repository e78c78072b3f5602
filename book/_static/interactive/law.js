/*
 * The law of a run, R(C) = R0 + (A − R0)·share(C), and what follows from it. No page code: it runs in a worker too.
 * The same as rlscale/law.py, rlscale/law_base.py and rlscale/recipes.py, to the last digits; a test holds them
 * together and changes every constant below to see that it would notice.
 *
 * A law is {shape, R0, A, B, Cmid}; shape is 'sigmoid' (when absent), 'weibull' or 'power'. Cmid is the compute at
 * half of the gain whatever the shape. Shares are worked out from ln(C/Cmid), which neither over- nor underflows.
 */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { exp, expm1, log, log1p, max, abs, LN2 } = Math;

  const EXP_MAX = 700; // a slope with a larger logarithm is called infinite
  const PLACES = 2000; // computes between which crossings are looked for
  const ROUNDING = 1e-13; // below it a difference of two pass rates is none

  /** 1/(1 + e^−z). */
  const expit = (z) => 1 / (1 + exp(-z));

  /** ln(1 + e^v) without overflow. */
  const logOnePlusExp = (v) => max(0, v) + log1p(exp(-abs(v)));

  /** ln(2^(1/B) − 1): how the power law's own scale differs from Cmid. */
  const logScale = (B) => LN2 / B + log(-expm1(-LN2 / B));

  /** The limit of d share / dC at no compute for a share that starts as k·(C/Cmid)^B. */
  const slopeOfPower = (k, B, Cmid) => (B < 1 ? Infinity : B === 1 ? k / Cmid : 0);

  /**
   * What the shapes differ in, each a function of ln(C/Cmid) and B: share of the gain, its inverse, the logarithm
   * of d share / d ln C, and the slope at no compute.
   */
  const SHAPES = {
    sigmoid: {
      share: (r, B) => expit(B * r),
      logRatio: (f, B) => (log(f) - log1p(-f)) / B,
      logSteepness: (r, B) => log(B) - logOnePlusExp(-B * r) - logOnePlusExp(B * r),
      slopeAtZero: (B, Cmid) => slopeOfPower(1, B, Cmid),
    },
    weibull: {
      share: (r, B) => -expm1(-LN2 * exp(B * r)),
      logRatio: (f, B) => log(-log1p(-f) / LN2) / B,
      logSteepness: (r, B) => log(B * LN2) + B * r - LN2 * exp(B * r),
      slopeAtZero: (B, Cmid) => slopeOfPower(LN2, B, Cmid),
    },
    power: {
      share: (r, B) => -expm1(-B * logOnePlusExp(r + logScale(B))),
      logRatio(f, B) {
        const q = -log1p(-f) / B;
        return q + log(-expm1(-q)) - logScale(B);
      },
      logSteepness(r, B) {
        const v = r + logScale(B);
        return log(B) - B * logOnePlusExp(v) - logOnePlusExp(-v);
      },
      slopeAtZero(B, Cmid) {
        const logSlope = log(B) + logScale(B) - log(Cmid);
        return logSlope < EXP_MAX ? exp(logSlope) : Infinity;
      },
    },
  };

  const shapeOf = (law) => SHAPES[law.shape ?? 'sigmoid'];

  /** Share of the gain won after a compute (0 or more, Infinity included). */
  const share = (law, compute) => shapeOf(law).share(log(compute) - log(law.Cmid), law.B);

  /** R(C) − R0. */
  const gain = (law, compute) => (law.A - law.R0) * share(law, compute);

  /** R(C), the pass rate after a compute. */
  const passRate = (law, compute) => law.R0 + gain(law, compute);

  /** dR/dC: pass rate won per unit of compute spent next; at no compute the limit, which can be infinite. */
  function slope(law, compute) {
    if (law.A === law.R0 || compute === Infinity) return 0;
    const one = shapeOf(law);
    if (compute === 0) return (law.A - law.R0) * one.slopeAtZero(law.B, law.Cmid);
    return (law.A - law.R0) * exp(one.logSteepness(log(compute) - log(law.Cmid), law.B) - log(compute));
  }

  /** Compute at which a pass rate is first reached: 0 where the run starts there, Infinity where it never is. */
  function computeFor(law, wanted) {
    if (wanted <= law.R0) return 0;
    if (wanted >= law.A) return Infinity;
    return law.Cmid * exp(shapeOf(law).logRatio((wanted - law.R0) / (law.A - law.R0), law.B));
  }

  /** Computes between start and end at which two laws have the same pass rate and change places, rising. */
  function crossings(first, second, start, end) {
    const lead = (logCompute) => passRate(first, exp(logCompute)) - passRate(second, exp(logCompute));
    const step = (log(end) - log(start)) / (PLACES - 1);
    const found = [];
    let known = null; // the last place at which one of the two was ahead
    for (let i = 0; i < PLACES; i++) {
      const place = log(start) + i * step;
      const here = lead(place);
      if (abs(here) < ROUNDING) continue;
      if (known && known.ahead !== here > 0) found.push(exp(bisect(lead, known.place, place)));
      known = { place, ahead: here > 0 };
    }
    return found;
  }

  /** The zero of a function between two places of different sign, as exactly as numbers go. */
  function bisect(f, low, high) {
    const rising = f(high) > 0;
    for (;;) {
      const middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) return middle;
      if (f(middle) > 0 === rising) high = middle; else low = middle;
    }
  }

  /**
   * Where a law stands after a compute, and what a target costs. `hours` is GPU-hours for one unit of compute,
   * `price` dollars for a GPU-hour. What is never reached is dear even where compute is free.
   */
  function readOut(law, { at, target, hours, price }) {
    const toTarget = computeFor(law, target);
    const usd = (compute) => (compute === Infinity ? Infinity : compute * hours * price);
    return {
      passRate: passRate(law, at),
      gain: gain(law, at),
      share: share(law, at),
      slope: slope(law, at),
      gpuHours: at * hours,
      usd: usd(at),
      computeToTarget: toTarget,
      gpuHoursToTarget: toTarget * hours,
      usdToTarget: usd(toTarget),
    };
  }

  rlscale.law = { shapes: Object.keys(SHAPES), share, gain, passRate, slope, computeFor, crossings, readOut };
})();
