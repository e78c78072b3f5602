/* Shapes of the law, and least squares of the sigmoid by variable projection: two parameters searched, two
   solved. The same method as rlscale/law.py, points.py, varpro.py, marquardt.py; constants come with the page. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { Refusal, clip, even, mean, show } = rlscale.numerics;
  const TINY = 1e-300;
  const NOTHING = -700; // ln(C/Cmid) that stands for no compute
  const softplus = (v) => Math.max(v, 0) + Math.log1p(Math.exp(-Math.abs(v)));

  /** ln(2^(1/B) − 1): from the scale of a power law to its Cmid. */
  function logScale(B) {
    const t = Math.LN2 / B;
    return t + Math.log(-Math.expm1(-t));
  }

  /** Share of the gain won, from ln(C/Cmid) and B; and ln(Cmid/scale), the scale being each shape's own. */
  const SHAPES = {
    sigmoid: { share: (u, B) => 1 / (1 + Math.exp(-B * u)), half: () => 0 },
    weibull: {
      share: (u, B) => -Math.expm1(-Math.LN2 * Math.exp(Math.min(B * u, 700))),
      half: (B) => Math.log(Math.LN2) / B,
    },
    power: { share: (u, B) => -Math.expm1(-B * softplus(u + logScale(B))), half: logScale },
  };

  /** Average neighbouring points (in order of compute) into bins of equally many; no compute keeps a bin of its own. */
  function binCurve(compute, passRate, bins) {
    const n = compute.length;
    let starts = Array.from({ length: n }, (_, i) => i);
    if (n > bins) {
      const zero = compute.filter((c) => c === 0).length, left = bins - (zero > 0 ? 1 : 0);
      starts = Array.from({ length: left }, (_, i) => zero + Math.floor((i * (n - zero)) / left));
      starts = [...new Set(zero ? [0, ...starts] : starts)].filter((i) => i < n);
    }
    const ends = [...starts.slice(1), n], average = (v) => starts.map((a, i) => mean(v.slice(a, ends[i])));
    return { compute: average(compute), passRate: average(passRate), counts: starts.map((a, i) => ends[i] - a) };
  }

  /** What is fitted: x = ln(C/T), pass rates, weights of sum 1. Refuses what no law can be fitted to. */
  function preparePoints(compute, passRate, k) {
    const places = new Set(compute).size, seen = compute.reduce((a, c) => Math.max(a, c), 0);
    if (places < k.minPlaces) {
      throw new Refusal(`There are points at ${places} different computes; a law of four parameters needs at least ${k.minPlaces}.`);
    }
    if (passRate.every((y) => y === passRate[0])) throw new Refusal(`The pass rate is ${show(passRate[0])} at every point.`);
    const means = binCurve(compute, passRate, compute.length > k.longLog ? k.fitBins : Infinity);
    const p = means.counts.map((count) => count / compute.length);
    return { x: means.compute.map((c) => Math.log(c / seen)), y: means.passRate, p, seen, given: compute.length };
  }

  const dot = (p, a, b) => a.reduce((sum, v, i) => sum + p[i] * v * b[i], 0);
  const EDGES = { one: 1, zero: 2, both: 3 };

  /** Best gain along one edge of the triangle 0 ≤ R0 ≤ A ≤ 1. */
  function onEdge(mf, vf, cov, my, edge) {
    const [rest, part] = edge === EDGES.zero ? [my, mf] : [1 - my, 1 - mf];
    const gain = clip((rest * part + cov) / Math.max(part * part + vf, TINY), 0, 1);
    const cost = (rest - gain * part) ** 2 + gain * (gain * vf - 2 * cov);
    return { R0: edge === EDGES.zero ? 0 : 1 - gain, gain, cost, free: gain > 0 && gain < 1 ? edge : 0 };
  }

  /** Best start and gain in the triangle, or on an edge of it, from moments of shares and pass rates. */
  function linear(mf, vf, cov, my, edge) {
    if (edge) return onEdge(mf, vf, cov, my, edge);
    const gain = cov / Math.max(vf, TINY), R0 = my - gain * mf;
    if (gain > 0 && R0 >= 0 && R0 + gain <= 1) return { R0, gain, cost: -gain * cov, free: EDGES.both };
    const flat = clip(my, 0, 1);
    return [onEdge(mf, vf, cov, my, EDGES.zero), onEdge(mf, vf, cov, my, EDGES.one), { R0: flat, gain: 0, cost: (my - flat) ** 2, free: 0 }]
      .reduce((best, one) => (one.cost < best.cost ? one : best));
  }

  /** Best node (b, m) of a grid that no local minimum escapes. */
  function gridStart({ x, y, p }, k) {
    const my = dot(p, y, y.map(() => 1)), centred = y.map((v) => v - my);
    let best = { cost: Infinity };
    for (const b of even(Math.log(k.boxB[0]), Math.log(k.boxB[1]), k.fitGrid[0])) {
      for (const m of even(Math.log(k.boxCmid[0]), Math.log(k.boxCmid[1]), k.fitGrid[1])) {
        let mf = 0, ff = 0, cov = 0;
        for (let i = 0; i < x.length; i++) {
          const f = 1 / (1 + Math.exp(-Math.exp(b) * (Math.max(x[i], NOTHING) - m)));
          mf += p[i] * f;
          ff += p[i] * f * f;
          cov += p[i] * f * centred[i];
        }
        const { cost } = linear(mf, Math.max(ff - mf * mf, 0), cov, my);
        if (cost < best.cost) best = { cost, b, m };
      }
    }
    return best;
  }

  /** Sum of squares at (b, m) with the best start and ceiling, its gradient, and Kaufman's Hessian. */
  function evaluate({ x, y, p }, b, m, edge) {
    const B = Math.exp(b), one = x.map(() => 1), my = dot(p, y, one);
    const u = x.map((v) => Math.max(v, NOTHING) - m), f = u.map((v) => 1 / (1 + Math.exp(-B * v)));
    const steep = u.map((v, i) => f[i] / (1 + Math.exp(B * v)));
    let byB = u.map((v, i) => steep[i] * B * v), byM = steep.map((v) => -v * B);
    const mf = dot(p, f, one), centred = f.map((v) => v - mf), yc = y.map((v) => v - my);
    const vf = dot(p, centred, centred), lin = linear(mf, vf, dot(p, centred, yc), my, edge);
    const both = lin.free === EDGES.both, lift = both ? 0 : my - lin.R0 - lin.gain * mf;
    const residual = yc.map((v, i) => v - lin.gain * centred[i] + lift);
    // what the free linear parameters can undo is taken out of the derivatives of the share
    let along = centred, norm = vf;
    if (both) {
      const [mb, mm] = [dot(p, byB, one), dot(p, byM, one)];
      byB = byB.map((v) => v - mb);
      byM = byM.map((v) => v - mm);
    } else {
      along = f.map((v) => (lin.free === 0 ? 0 : lin.free === EDGES.zero ? v : 1 - v));
      norm = dot(p, along, along);
    }
    const scale = lin.gain / Math.max(norm, TINY), ub = scale * dot(p, along, byB), um = scale * dot(p, along, byM);
    const jb = byB.map((v, i) => lin.gain * v - ub * along[i]), jm = byM.map((v, i) => lin.gain * v - um * along[i]);
    return {
      b, m, R0: lin.R0, A: lin.R0 + lin.gain, sse: dot(p, residual, residual),
      gb: -dot(p, jb, residual), gm: -dot(p, jm, residual), hbb: dot(p, jb, jb), hbm: dot(p, jb, jm), hmm: dot(p, jm, jm),
    };
  }

  /** The Levenberg–Marquardt step inside the box, and the fall of half the sum of squares it promises. */
  function dampedStep(s, damping, low, high) {
    let { gb, gm, hbm } = s;
    // a parameter at its bound that wants out stays, and the other moves alone
    const stuckB = (s.b <= low[0] && gb > 0) || (s.b >= high[0] && gb < 0);
    const stuckM = (s.m <= low[1] && gm > 0) || (s.m >= high[1] && gm < 0);
    if (stuckB) gb = 0;
    if (stuckM) gm = 0;
    if (stuckB || stuckM) hbm = 0;
    const dbb = s.hbb * (1 + damping) + TINY, dmm = s.hmm * (1 + damping) + TINY;
    let det = dbb * dmm - hbm * hbm;
    if (det <= 0) det = Infinity;
    let db = (hbm * gm - dmm * gb) / det, dm = (hbm * gb - dbb * gm) / det;
    if (s.b + db < low[0] || s.b + db > high[0] || s.m + dm < low[1] || s.m + dm > high[1]) {
      // one parameter goes to its bound, the other answers
      const b1 = clip(s.b + db, low[0], high[0]) - s.b, m1 = clip(s.m - (gm + hbm * b1) / dmm, low[1], high[1]) - s.m;
      const m2 = clip(s.m + dm, low[1], high[1]) - s.m, b2 = clip(s.b - (gb + hbm * m2) / dbb, low[0], high[0]) - s.b;
      const model = (u, v) => gb * u + gm * v + 0.5 * (dbb * u * u + dmm * v * v) + hbm * u * v;
      [db, dm] = model(b1, m1) <= model(b2, m2) ? [b1, m1] : [b2, m2];
    }
    return { db, dm, fall: -(gb * db + gm * dm) - 0.5 * (s.hbb * db * db + 2 * hbm * db * dm + s.hmm * dm * dm) };
  }

  /** Walk downhill from (b, m), inside the triangle or along one edge of it. */
  function descend(points, start, limit, k, edge) {
    const [low, high] = [0, 1].map((i) => [Math.log(k.boxB[i]), Math.log(k.boxCmid[i])]);
    let state = evaluate(points, start.b, start.m, edge), damping = 1e-3;
    for (let steps = 0; steps < limit; steps++) {
      const { db, dm, fall } = dampedStep(state, damping, low, high);
      if (Math.max(Math.abs(db), Math.abs(dm)) < k.stepDone || fall <= k.fallDone * state.sse) return { ...state, converged: true };
      const trial = evaluate(points, state.b + db, state.m + dm, edge), better = trial.sse < state.sse;
      const kept = (state.sse - trial.sse) / (2 * fall);
      damping *= better ? (kept > 0.75 ? 0.1 : kept < 0.25 ? 3 : 1) : 8;
      if (better) state = trial;
    }
    return { ...state, converged: false };
  }

  /**
   * Fit the sigmoid to points.
   * @param {number[]} compute 0 or more, increasing. @param {number[]} passRate in [0, 1]. @param {object} k constants.
   * @returns {{R0, A, B, Cmid, sse, status, atBounds}} as `rlscale.fit_law` returns them.
   */
  function fitLaw(compute, passRate, k) {
    const points = preparePoints(compute, passRate, k);
    let found = descend(points, gridStart(points, k), k.firstSteps, k);
    if (!found.converged) {
      // it hops over an edge of the triangle: along the edge there is no kink; the last walk is free again
      const tries = [[EDGES.one, 1 - found.A], [EDGES.zero, found.R0], [undefined, 0]];
      for (const [edge, distance] of tries) {
        if (distance >= k.nearEdge) continue;
        const other = descend(points, found, k.maxSteps, k, edge);
        if (other.sse <= found.sse) found = other;
      }
    }
    const R0 = clip(found.R0, 0, 1), A = clip(found.A, 0, 1), sse = found.sse * points.given;
    if (!(A > R0)) return { R0, A: R0, B: 1, Cmid: points.seen, sse, status: 'flat', atBounds: ['A=R0'] };
    const near = 1e-9, atBounds = [];
    if (R0 <= near) atBounds.push('R0=0');
    if (1 - A <= near) atBounds.push('A=1');
    for (const [value, bounds, name, unit] of [[found.b, k.boxB, 'B', ''], [found.m, k.boxCmid, 'Cmid', 'T']]) {
      for (const bound of bounds) if (Math.abs(value - Math.log(bound)) < near) atBounds.push(`${name}=${show(bound)}${unit}`);
    }
    const status = !found.converged ? 'not converged' : atBounds.length ? 'at bounds' : 'ok';
    return { R0, A, B: Math.exp(found.b), Cmid: Math.exp(found.m) * points.seen, sse, status, atBounds };
  }

  /** The fitted sigmoid at a compute. */
  const evaluateLaw = (law, compute) => law.R0 + (law.A - law.R0) * SHAPES.sigmoid.share(Math.log(compute / law.Cmid), law.B);

  rlscale.fit = { SHAPES, binCurve, evaluateLaw, fitLaw };
})();
