/* The verdict: what is left to win, what the next dollars buy, and whether to go on. The same rules and sentences
   as rlscale/stopping.py, money.py, worth.py and amounts.py. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { argMax, even, round, show } = rlscale.numerics;
  const { Mixture, curveAt, expected, growth } = rlscale.posterior;
  const LEFT = 'The last points do not follow the fitted curve. Look at the figure, go on to the next checkpoint and ask again.';
  const NOT_YET = 'Ask again at the next checkpoint before you act on it.';
  const comma = (text) => text.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
  const number = (x, digits) => comma(show(x, digits));

  /** An amount of compute as a sentence has it. */
  function sayCompute(value, label = '') {
    const words = label && ` ${label}`, size = Math.abs(value);
    for (const [limit, letter] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M']]) {
      if (limit <= size && size < 1e15) return `${show(value / limit, 4)} ${letter}${words}`;
    }
    return number(value, 6) + words;
  }

  const one = (label) => label.replace(/s$/, '');

  /** A price per unit of compute in words; tokens are priced by the million. */
  const sayPrice = (price, label) =>
    (label.includes('token') && price > 0 && price < 0.01 ? `USD ${number(price * 1e6, 6)} per million ${label}` : `USD ${number(price, 6)} per ${one(label)}`);

  /** Dollars: whole ones from 100 on, else with cents. */
  function sayUsd(amount) {
    const size = Math.abs(amount);
    if (size >= 1e15) return `USD ${number(amount, 4)}`;
    if (size >= 1e9) {
      const short = amount / (size >= 0.9995e12 ? 1e12 : 1e9), digits = Math.abs(short) < 9.995 ? 2 : Math.abs(short) < 99.95 ? 1 : 0;
      return `USD ${short.toFixed(digits)}${size >= 0.9995e12 ? 'T' : 'B'}`;
    }
    if (size >= 100) return `USD ${comma(String(round(amount)))}`;
    return `USD ${amount === 0 || size >= 0.01 ? amount.toFixed(2) : show(amount, 2)}`;
  }

  /** The smallest values below which shares of the weight lie: counted into bins, and sorted within one bin each. */
  function weightedQuantiles(values, weights, shares) {
    let low = Infinity, high = -Infinity, total = 0;
    values.forEach((v, i) => {
      low = Math.min(low, v);
      high = Math.max(high, v);
      total += weights[i];
    });
    const bins = new Float64Array(4097), place = (v) => (high > low ? Math.floor((4096 * (v - low)) / (high - low)) : 0);
    values.forEach((v, i) => (bins[place(v)] += weights[i]));
    return shares.map((share) => {
      let below = 0, bin = 0;
      while (bin < 4096 && below + bins[bin] < share * total) below += bins[bin++];
      const rows = [];
      values.forEach((v, i) => place(v) === bin && rows.push(i));
      rows.sort((a, b) => values[a] - values[b]);
      return values[rows.find((i) => (below += weights[i]) >= share * total) ?? rows.at(-1)];
    });
  }

  /** With two digits; nothing that is possible is called 0 or 1. */
  const sayProbability = (p) => (p < 0.005 ? 'below 0.01' : p >= 0.995 ? 'above 0.99' : p.toFixed(2));

  /** Interval of what the curve wins between two computes; both ends reach out by the allowance for the shape. */
  function measureGain(belief, since, until, level, k) {
    const { gain, weight } = growth(belief, since, until);
    const [median, lo, hi] = weightedQuantiles(gain, weight, [0.5, 0.5 * (1 - level), 0.5 * (1 + level)]).map((v) => Math.max(0, v));
    const [mean, all] = [gain.reduce((sum, g, i) => sum + g * weight[i], 0), weight.reduce((a, b) => a + b)];
    const reach = (new Mixture([0], [1], [1]).quantile(0.5 * (1 + level), k) * belief.gainAllowance * mean) / all;
    return { median, lo: Math.max(0, median - Math.hypot(median - lo, reach)), hi: median + Math.hypot(hi - median, reach) };
  }

  /** Both sides q times as far from the median, and at least `half`, inside [0, 1]. */
  const widen = ({ median, lo, hi }, q, half = 0) => ({
    median, lo: Math.max(0, Math.min(median - q * (median - lo), median - half)), hi: Math.min(1, Math.max(median + q * (hi - median), median + half)),
  });

  /** What the dollars for the next tenth of the rest buy; null without a price. */
  function nextGain(belief, { price, level }, k) {
    const left = belief.horizon - 1;
    if (!price || left <= 0) return null;
    const until = 1 + k.nextShare * left, gain = widen(measureGain(belief, 1, until, level, k), k.calibration.q);
    return { until: until * belief.seen, usd: price * (until - 1) * belief.seen, gain };
  }

  /** The verdict by money; without a number where none may be quoted. */
  function byMoney(at, means, { price, value }, label, quoted) {
    const worth = at.map((c, i) => value * 100 * (means[i] - means[0]) - price * (c - at[0])), best = argMax(worth), verdict = best ? 'continue' : 'stop';
    const prices = `${sayPrice(price, label)}, ${sayUsd(value)} per percentage point`, decided = { verdict, by: 'money', byMoney: verdict };
    if (!quoted) {
      const pays = best ? 'going on is worth its price' : 'no further compute is worth its price', then = best ? 'Ask again at the next checkpoint.' : NOT_YET;
      return { ...decided, why: `No number can be quoted for this pilot, but the money has to be decided: averaged over all that it leaves possible, ${pays} (${prices}). ${then}` };
    }
    const bestStop = { at: at[best], usd: worth[best] };
    if (!best) return { ...decided, bestStop, why: `No further compute is expected to be worth its price (${prices}). ${NOT_YET}` };
    const points = (100 * (means[best] - means[0])).toFixed(1), cost = sayUsd(price * (at[best] - at[0]));
    return { ...decided, bestStop, why: `Best stop at ${sayCompute(at[best], label)}: ${points} percentage points more for ${cost}, worth ${sayUsd(worth[best])} more than stopping now.` };
  }

  /** What the rest costs when only a price is given, or what it may cost when only a value is. */
  function sayMissing(at, means, { price, value }, label, quoted, k) {
    const cost = price === null ? '' : `The rest of the budget costs ${sayUsd(price * (at.at(-1) - at[0]))}. `, over = at.slice(1).map((c, i) => (means[i + 1] - means[0]) / (c - at[0]));
    if (quoted && 100 * Math.max(...means.map((v) => v - means[0])) < k.nothingPoints) return `${cost}Next to nothing more is expected to be won.`;
    const slope = 100 * Math.max(...over);
    if (price !== null) {
      return cost + (quoted ? `Going on pays if a percentage point is worth more than ${sayUsd(price / slope)} to you: give its value for a verdict by money.` : 'Give the value of a percentage point for a verdict by money.');
    }
    return quoted ? `Going on pays below ${sayPrice(value * slope, label)}: give the price for a verdict by money.` : `Give the price of a ${one(label)} for a verdict by money.`;
  }

  /** The verdict for a target that is not surely reached; pEnd is null where no number can be given. */
  function byTarget(target, pEnd, where, followed, k) {
    const named = `target of ${show(target, 3)}`, by = 'target';
    if (pEnd === null) return { verdict: 'cannot tell', by, why: `The pilot cannot tell whether the ${named} comes within reach. Go on to the next checkpoint and ask again.` };
    const said = `probability ${sayProbability(pEnd)} at ${where}.`;
    if (pEnd < k.targetRisk) return { verdict: 'stop', by, why: `The ${named} is out of reach: ${said} ${NOT_YET}` };
    const chance = pEnd >= k.likely ? 'within reach' : pEnd >= k.uncertain ? 'uncertain' : 'unlikely but not excluded';
    if (!followed && pEnd < k.likely) return { verdict: 'cannot tell', by, why: `The ${named} is ${chance}: ${said} ${LEFT}` };
    return { verdict: 'continue', by, why: `The ${named} is ${chance}: ${said}` };
  }

  /** The verdict where neither a target nor prices were given. */
  function byGain(gain, where, followed, k) {
    // one percentage point is the least gain that counts: below it, one more digit
    const digits = gain.hi >= k.leastGain ? 1 : 2, [median, lo, hi] = [gain.median, gain.lo, gain.hi].map((v) => (100 * v).toFixed(digits)), by = 'gain';
    const said = `By ${where} the curve is expected to win ${median} percentage points (${lo} to ${hi})`;
    if (!followed) return { verdict: 'cannot tell', by, why: LEFT };
    if (gain.hi <= k.leastGain) return { verdict: 'stop', by, why: `${said}, less than one even at best. ${NOT_YET}` };
    if (gain.lo > k.leastGain) return { verdict: 'continue', by, why: `${said}, more than one even at worst.` };
    return { verdict: 'cannot tell', by, why: `${said}: it may or may not be worth it. Say what a percentage point is worth (value and price) or what you need (target).` };
  }

  /**
   * The verdict of a run; the first rule that applies decides.
   * @param {{where, place: string, shown: boolean}} words budget and best checkpoint in words; whether numbers may be shown.
   */
  function decide(curve, belief, { reasons }, ask, { where, place, shown }, k) {
    const { target, price, value } = ask, { horizon } = belief, priced = price !== null && value !== null;
    if (reasons.some(({ code }) => code === 'falling' || code === 'collapsed')) {
      return { verdict: 'cannot tell', by: 'fall', why: `Keep the best checkpoint (${place}) and find out why the run fell before you go on.` };
    }
    const at = even(1, horizon, k.candidates), means = horizon > 1 && (price !== null || value !== null) ? expected(belief, at) : null, compute = at.map((c) => c * belief.seen);
    const followed = !belief.misfit, quoted = shown && followed;
    const money = means && priced ? byMoney(compute, means, ask, curve.label, quoted) : null;
    const also = means && !priced ? sayMissing(compute, means, ask, curve.label, quoted, k) : '';
    const beside = (decided) => (money
      ? { ...decided, why: `The target decides. ${decided.why}`, also: `By money alone: ${money.verdict}. ${money.why}`, bestStop: money.bestStop, byMoney: money.byMoney }
      : { ...decided, also });
    let pTarget = null;
    if (target !== null) {
      const now = curveAt(belief, 1, k).shareAbove(target - belief.misfit);
      pTarget = shown ? belief.end.shareAbove(target) : null;
      if (now > 1 - k.targetRisk) return beside({ verdict: 'stop', by: 'target', pTarget, why: `The target of ${show(target, 3)} is reached now (probability ${sayProbability(now)}).` });
    }
    if (horizon <= 1) {
      const missed = target === null ? '' : ` The target of ${show(target, 3)} is not surely reached${pTarget === null ? '.' : `: probability ${sayProbability(pTarget)}.`}`;
      return { verdict: 'stop', by: 'budget', pTarget, why: `The budget of ${where} is used up.${missed} Give a larger budget to ask whether more would pay.` };
    }
    if (target !== null) return beside({ ...byTarget(target, pTarget, where, followed, k), pTarget });
    if (money) return money;
    if (!shown) return { verdict: 'cannot tell', by: 'refusal', why: 'The pilot cannot tell. Go on to the next checkpoint and ask again.', also };
    return { ...byGain(measureGain(belief, 1, horizon, ask.level, k), where, followed, k), also };
  }

  rlscale.verdict = { decide, measureGain, nextGain, sayCompute, sayPrice, sayUsd, widen };
})();
