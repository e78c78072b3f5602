/* The forecast of a curve: budget, state with reasons, verdict with money. The same rules and the same sentences
   as rlscale/horizon.py, gate.py, stopping.py and forecast.py; thresholds come with the page. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { Refusal, argMax, clip, mean, round, show } = rlscale.numerics;
  const { formBelief } = rlscale.posterior;
  const { decide, measureGain, nextGain, sayCompute, widen } = rlscale.verdict;
  const [CEILING, END_ONLY, REFUSED] = ['ceiling identified', 'end forecast only', 'no forecast'];

  /** A number that is compared with a limit: with so many digits that the two do not look alike. */
  function beside(value, limit, digits = 2) {
    while (digits < 6 && value.toFixed(digits) === limit.toFixed(digits)) digits++;
    return value.toFixed(digits);
  }

  /** The compute to forecast: as given, else as planned in the log, else a multiple of what was seen. */
  function chooseBudget(curve, budget, k) {
    const seen = curve.compute.at(-1), { label, planned } = curve, warnings = [];
    const warn = (code, message) => warnings.push({ code, message });
    // N steps may be numbered from 0 to N − 1
    const chosen = (all, source, why) => (k.counted.includes(label) && curve.compute[0] === 0 && seen > 1 && all === seen + 1
      ? { at: seen, source, why: `${why} The log counts from 0: ${show(seen)} is the last of them, and the run is at its end.`, warnings }
      : { at: all, source, why, warnings });
    if (budget !== null) {
      if (budget < seen) {
        throw new Refusal(`The budget of ${show(budget)} ${label} is smaller than the ${show(seen)} ${label} already seen; give the compute of the whole run, ${show(seen)} or more.`);
      }
      if (budget > k.mostTimes * seen) {
        throw new Refusal(`The budget of ${show(budget)} ${label} is ${show(budget / seen, 3)} times the ${show(seen)} ${label} seen; check its unit.`);
      }
      if (budget > k.farTimes * seen) {
        warn('far-budget', `The budget is ${show(budget / seen, 3)} times what was seen. Check its unit; a forecast that far rests on the shapes alone.`);
      }
      return chosen(budget, 'option', `The budget of ${sayCompute(budget, label)} is the one you gave.`);
    }
    if (planned && seen <= planned && planned <= k.mostTimes * seen) {
      const from = curve.plannedFrom ? ` (${curve.plannedFrom})` : '';
      return chosen(planned, 'log', `The budget of ${sayCompute(planned, label)} is the planned length in the log${from}.`);
    }
    if (planned > seen) {
      warn('plan-too-far', `The log plans ${sayCompute(planned, label)}, ${show(planned / seen, 3)} times what was seen. That is no plan and is not used; give the budget.`);
    } else if (planned) {
      warn('plan-exceeded', `The log plans ${sayCompute(planned, label)} and holds ${sayCompute(seen, label)} already. The plan is not used; give the budget.`);
    }
    const at = k.assumedTimes * seen;
    return {
      at, source: 'assumed', warnings,
      why: `The budget of ${sayCompute(at, label)} is four times what was seen, since neither you nor the log gives one; the forecast depends on it, so give the budget if you know it.`,
    };
  }

  /** Refuse what cannot be forecast. */
  function checkCurve({ compute, passRate, label }, k) {
    const n = passRate.length, seen = compute.at(-1);
    if (n < 2) throw new Refusal(`The curve has ${n} point${n === 1 ? '' : 's'}; a forecast needs at least 2, better 6.`);
    if (passRate.every((y) => y === passRate[0])) {
      throw new Refusal(`The pass rate is ${show(passRate[0])} at all ${n} points, so nothing has moved: a wrong column, a broken reward, or a run that does not learn yet; check the column, or go on to the next checkpoint.`);
    }
    if (!(seen >= k.leastSeen && seen <= k.mostSeen)) throw new Refusal(`The last compute seen is ${show(seen)} ${label}; choose a unit in which it is a usual number.`);
  }

  /** How far the pilot has fallen from its best window, and its best point there; null if it has not. */
  function findFall(y, noise, k) {
    const n = y.length, size = Math.max(1, round(n / 5)), sums = [0], windows = [];
    for (const v of y) sums.push(sums.at(-1) + v);
    for (let i = size; i <= n; i++) windows.push((sums[i] - sums[i - size]) / size);
    const top = argMax(windows), depth = windows[top] - windows.at(-1);
    if (depth <= Math.max(k.fallLeast, (3 * noise) / Math.sqrt(n / 5))) return null;
    return { depth, best: top + argMax(y.slice(top, top + size)) };
  }

  /** By how many standard errors the last fifth lies above the first tenth. */
  function measureRise(y, noise, k) {
    const n = y.length, first = Math.max(1, round(n / 10)), last = Math.max(1, round(n / 5));
    return (mean(y.slice(-last)) - mean(y.slice(0, first))) / Math.max(noise * Math.sqrt(1 / first + 1 / last), k.riseFloor);
  }

  /** What the gate looks at: 90 % intervals, widened as the calibration asks. */
  function spreadOf(belief, k) {
    const tails = [0.5 * (1 - k.gateLevel), 0.5 * (1 + k.gateLevel)];
    const widen = ([low, high]) => {
      const middle = 0.5 * (low + high), half = 0.5 * k.calibration.q * (high - low);
      return k.calibration.q === 1 ? [low, high] : [middle - half, middle + half];
    };
    return {
      end: widen(tails.map((t) => belief.end.quantile(t, k))), ceiling: widen(tails.map((t) => belief.ceiling.quantile(t, k))),
      passed: 1 - belief.logMid.shareAbove(0), disagreement: Math.max(...belief.medians) - Math.min(...belief.medians), riseNats: belief.riseNats, misfit: belief.misfit,
      seen: Math.exp(-belief.logMid.quantile(0.5, k)),
    };
  }

  /** The state of a pilot and the reasons for it. */
  function judge(curve, belief, where, k) {
    const y = curve.passRate, n = y.length, noise = belief.pointNoise, found = [];
    const { end, ceiling, passed, disagreement, riseNats, misfit, seen } = spreadOf(belief, k), wide = ceiling[1] - ceiling[0];
    const say = (code, message) => found.push({ code, message });
    if (curve.collapsed !== undefined) {
      say('collapsed', `The run collapsed at ${sayCompute(curve.collapsed, curve.label)}; what its points before the fall promise will not come.`);
    }
    if (n < k.leastPoints) say('too few points', `The pilot has ${n} points; a forecast needs ${k.leastPoints} or more.`);
    else {
      const fall = findFall(y, noise, k);
      if (fall) {
        say('falling', `The pass rate has fallen by ${fall.depth.toFixed(2)} from its best, at point ${fall.best + 1} of ${n}; a saturating curve does not fall, so it says nothing about what comes next.`);
      } else if (measureRise(y, noise, k) < k.riseSigmas || riseNats < k.riseLeastNats) {
        say('no rise yet', 'Flat so far; about 1 in 4 such runs rose later, and the pilot cannot tell which.');
      } else if (seen < k.bendSeen && belief.horizon > k.bendHorizon) {
        say('no bend yet', `The rise has not bent yet (seen: ${seen.toFixed(2)} times Cmid), and a straight line says nothing about where it will bend before ${where}.`);
      }
      if (end[1] - end[0] > k.endWidth) {
        say('interval too wide', `The 90 % interval of the pass rate at ${where} is ${beside(end[1] - end[0], k.endWidth)} wide; ${k.endWidth.toFixed(2)} is the widest that is shown as a forecast.`);
      }
    }
    if (found.length) return { state: REFUSED, reasons: found };
    if (passed < k.passedCmid) {
      say('Cmid not passed', `Cmid, half of the gain, lies inside what was seen with probability ${beside(passed, k.passedCmid)}; the ceiling needs ${k.passedCmid.toFixed(2)}.`);
    }
    if (wide > k.ceilingWidth) {
      say('ceiling too wide', `The 90 % interval of the ceiling is ${beside(wide, k.ceilingWidth)} wide; ${k.ceilingWidth.toFixed(2)} is the widest that is shown.`);
    }
    if (ceiling[1] >= k.ceilingBelow) {
      say('ceiling near 1', `The interval of the ceiling reaches ${Math.min(ceiling[1], 1).toFixed(2)}: the limit of a pass rate, not the data, may end it.`);
    }
    if (disagreement > k.shapesAgree) {
      say('shapes disagree', `The shapes that fit the pilot differ by ${beside(disagreement, k.shapesAgree, 3)} at ${where}; ${k.shapesAgree} is allowed.`);
    }
    if (misfit) {
      say('misfit', `The last fifth of the points lies ${Math.abs(misfit).toFixed(3)} ${misfit > 0 ? 'above' : 'below'} the fitted curve: no shape draws this pilot, so the ceiling of the nearest one means little.`);
    }
    if (found.length) return { state: END_ONLY, reasons: found };
    say('ceiling identified', `Cmid is passed (probability ${passed.toFixed(2)}), the 90 % interval of the ceiling is ${wide.toFixed(2)} wide, and the shapes agree on the end within ${disagreement.toFixed(3)}.`);
    return { state: CEILING, reasons: found };
  }

  /** Median and ends of an interval; `as` maps quantiles, such as exp. */
  function interval(mixture, level, k, as = (v) => clip(v, 0, 1)) {
    const [median, lo, hi] = [0.5, 0.5 * (1 - level), 0.5 * (1 + level)].map((share) => as(mixture.quantile(share, k)));
    return { median, lo, hi };
  }

  /**
   * Forecast the end of an unfinished run.
   * @param {{compute, passRate, label, kind, n?, k?, planned?, collapsed?}} curve from `rlscale.logs`.
   * @param {{budget, target, price, value: ?number, level: number}} ask null where nothing is asked.
   * @param {object} k constants of the engine.
   */
  function forecastRun(curve, ask, k) {
    checkCurve(curve, k);
    const budget = chooseBudget(curve, ask.budget, k), belief = formBelief(curve, budget.at, k);
    const where = sayCompute(budget.at, curve.label), judged = judge(curve, belief, where, k), { state } = judged;
    const half = state === CEILING ? k.ceilingHalfWidth : 0, { q } = k.calibration, of = (m, as) => interval(m, ask.level, k, as);
    const ratio = of(belief.logMid, Math.exp), shown = state !== REFUSED, scale = (by) => ({ median: ratio.median * by, lo: ratio.lo * by, hi: ratio.hi * by });
    const fall = { ...findFall(curve.passRate, belief.pointNoise, k) };
    const best = fall.best ?? argMax(curve.passRate), place = `point ${best + 1}, at ${sayCompute(curve.compute[best], curve.label)}`;
    return {
      belief, budget, ...judged, ...decide(curve, belief, judged, ask, { where, place, shown }, k),
      gain: shown && !belief.misfit ? widen(measureGain(belief, 1, belief.horizon, ask.level, k), q) : null, next: shown && !belief.misfit ? nextGain(belief, ask, k) : null, rest: budget.at - belief.seen,
      end: widen(of(belief.end), q, half), A: state === CEILING ? widen(of(belief.ceiling), q, half) : null,
      B: shown ? of(belief.logB, Math.exp) : null, Cmid: shown ? scale(belief.seen) : null, R0: shown ? of(belief.start) : null,
      seenOverCmid: { median: 1 / ratio.median, lo: 1 / ratio.hi, hi: 1 / ratio.lo },
      shapes: belief.shapes.map((s) => ({ name: s.name, pooled: belief.kept.includes(s) })), noise: belief.points,
      warnings: [belief.points.warning, ...budget.warnings].filter(Boolean),
    };
  }

  rlscale.forecast = { findFall, forecastRun, measureRise, spreadOf };
})();
