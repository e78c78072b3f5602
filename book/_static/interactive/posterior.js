/* What is believed of a run after its pilot: noise, a narrowed grid over each shape, Gaussian inside each cell,
   mixtures of normals, and their equal-weight pool. The same method as rlscale/noise.py, grid.py, mixture.py,
   posterior.py and belief.py, where the reasons stand; no Monte Carlo. Constants come with the page. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { cholesky, clip, eigen, even, invertLower, legendre, logSumExp, mean, median, multiply, normal, round, show, tail, ROOT_2PI } =
    rlscale.numerics;
  const { SHAPES, binCurve } = rlscale.fit;
  const diff = (v) => v.slice(1).map((x, i) => x - v[i]);
  const square = (x) => x * x;

  /** Noise of one point, from how neighbours differ. */
  function spreadOfDifferences(y, k) {
    const first = diff(y), second = diff(first), middle = first.length ? median(first) : 0;
    const byFirst = first.length ? (1.4826 * median(first.map((d) => Math.abs(d - middle)))) / Math.SQRT2 : 0;
    const bySecond = second.length ? 0.5 * Math.sqrt(mean(second.map(square)) / 6) : 0;
    return Math.max(byFirst, bySecond, k.noiseFloor);
  }

  /** Sampling noise of each point of a curve, where it was taken from, and a warning where counts are refuted. */
  function estimateNoise(curve, k) {
    const { passRate: y, n, k: samples, kind } = curve, spread = spreadOfDifferences(y, k);
    const same = y.map(() => spread);
    if (!n || !samples) {
      const note = `The log does not say how many problems and samples a point is the mean of: its noise (${spread.toFixed(3)}) was taken from the differences of neighbouring points.`;
      return { sd: same, source: 'differences', note };
    }
    const answers = kind === 'pass_at_k' ? n : n * samples, counts = `${n} problems × ${samples} samples`;
    // two answers added to each side, so that a rate of 0 or 1 is not taken for certain
    const rate = y.map((v) => (v * answers + 2) / (answers + 4));
    const among = (of) => rate.map((r) => Math.max(Math.sqrt((r * (1 - r)) / of), k.noiseFloor));
    const binomial = among(answers);
    if (kind.startsWith('train')) {
      const widest = among(n);
      return {
        sd: same.map((s, i) => clip(s, binomial[i], widest[i])), source: 'differences within binomial bounds',
        note: `Training points are fresh problems each time: their noise was taken from the differences of neighbouring points, within what ${counts} allow.`,
      };
    }
    const level = Math.sqrt(mean(binomial.map(square))), late = y.slice(y.length >> 1);
    if (late.length >= k.pointsToRefute && spreadOfDifferences(late, k) > k.countsRefuted * level) {
      return {
        sd: same, source: 'differences',
        note: `The noise (${spread.toFixed(3)}) was taken from the differences of neighbouring points, because ${counts} would allow only ${level.toFixed(3)}.`,
        warning: {
          code: 'noise-above-counts',
          message: `Neighbouring points differ by a noise of ${spread.toFixed(3)}; ${counts} allow ${level.toFixed(3)}. Check n and k; the larger noise is used.`,
        },
      };
    }
    return { sd: binomial, source: 'binomial', note: `The noise of a point is binomial: ${counts}.` };
  }

  /** All noise settings of a pilot, reduced to one eigenproblem for each drift length and first phase. */
  function prepareNoise(at, sd, horizon, k) {
    const n = at.length, groups = [];
    const q = k.whiteFactors.flatMap((v) => k.driftSds.map(() => v)), tau = k.whiteFactors.flatMap(() => k.driftSds);
    const first = at.map((a) => k.firstPhaseSd * Math.exp(-a / (k.firstPhaseLength * horizon)));
    for (const [early, chance] of [[0, 1 - k.firstPhasePrior], [1, k.firstPhasePrior]]) {
      const white = new Float64Array(n * n);
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) white[i * n + j] = (i === j ? sd[i] ** 2 : 0) + early * first[i] * first[j];
      const root = cholesky(white, n), whiten = invertLower(root, n);
      let logDet = 0;
      for (let i = 0; i < n; i++) logDet += 2 * Math.log(root[i * n + i]);
      for (const share of k.driftLengths) {
        const length = share * horizon;
        const kernel = Float64Array.from({ length: n * n }, (_, i) => Math.exp(-Math.abs(at[Math.floor(i / n)] - at[i % n]) / length));
        const { values, vectors } = eigen(multiply(multiply(whiten, kernel, n), whiten, n, true), n);
        const inverse = q.map((v, j) => values.map((x) => 1 / (v * v + tau[j] ** 2 * Math.max(x, 0))));
        groups.push({
          length, early, inverse, rotation: multiply(vectors, whiten, n),
          logDet: inverse.map((w) => w.reduce((sum, x) => sum - Math.log(x), logDet)),
          logPrior: Math.log(chance / (k.driftLengths.length * q.length)),
        });
      }
    }
    return { groups, q, tau, at, n };
  }

  /** A vector times the rotation of a group. */
  function rotate(group, v, n) {
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += group.rotation[i * n + j] * v[j];
      out[i] = sum;
    }
    return out;
  }

  /** Sums of ones and pass rates under every setting, and the weights that meet a share. */
  function rotatePilot(pilot, noise) {
    const { n, q } = noise, settings = [];
    for (const group of noise.groups) {
      const ones = rotate(group, new Float64Array(n).fill(1), n), y = rotate(group, pilot.passRate, n);
      group.inverse.forEach((w, j) => {
        const total = (a, b) => a.reduce((sum, v, i) => sum + w[i] * v * b[i], 0);
        settings.push({
          group, tau: noise.tau[j], q: q[j], ones, y, w, onesOnes: total(ones, ones), onesY: total(ones, y), yY: total(y, y),
          wOnes: w.map((v, i) => v * ones[i]), wY: w.map((v, i) => v * y[i]), logDet: group.logDet[j], logPrior: group.logPrior,
        });
      });
    }
    return settings;
  }

  /** Cells at the middles of an even division of a box over (ln B, ln scale). */
  function layGrid(name, box, whole, size, k) {
    const prior = k.priors[name], [nB, nS] = size, width = box.map(([a, b], i) => (b - a) / size[i]);
    const inside = normal((whole[0][1] - prior.centre) / prior.sd) - normal((whole[0][0] - prior.centre) / prior.sd);
    const cells = { count: nB * nS, width, logB: [], B: [], logMid: [], logPrior: [] };
    for (let i = 0; i < nB; i++) {
      const logB = box[0][0] + width[0] * (i + 0.5), B = Math.exp(logB), z = (logB - prior.centre) / prior.sd;
      const density = -0.5 * z * z - Math.log(prior.sd * ROOT_2PI * inside);
      for (let j = 0; j < nS; j++) {
        cells.logB.push(logB);
        cells.B.push(B);
        cells.logMid.push(box[1][0] + width[1] * (j + 0.5) + SHAPES[name].half(B));
        // ln 2: the density of the triangle
        cells.logPrior.push(density - Math.log(whole[1][1] - whole[1][0]) + Math.log(width[0] * width[1]) + Math.LN2);
      }
    }
    return cells;
  }

  /** 1'Wf, f'Wf, f'Wy of every setting and cell; with `pull`, how the end moves with the gain. */
  function weigh(name, cells, noise, settings, logAt, ends) {
    const { n } = noise, per = noise.q.length, size = settings.length * cells.count, { share } = SHAPES[name];
    const sums = { onesF: new Float64Array(size), fF: new Float64Array(size), fY: new Float64Array(size), byGain: ends && new Float64Array(size) };
    const f = new Float64Array(n), rf = new Float64Array(n);
    for (let c = 0; c < cells.count; c++) {
      for (let i = 0; i < n; i++) f[i] = share(logAt[i] - cells.logMid[c], cells.B[c]);
      const later = ends ? mean(ends.logAt.map((x) => share(x - cells.logMid[c], cells.B[c]))) : 0;
      for (let g = 0; g < noise.groups.length; g++) {
        const { rotation } = noise.groups[g];
        for (let i = 0, at = 0; i < n; i++) {
          let sum = 0;
          for (let j = 0; j < n; j++) sum += rotation[at++] * f[j];
          rf[i] = sum;
        }
        for (let s = g * per; s < (g + 1) * per; s++) {
          const { wOnes, wY, w } = settings[s], pull = ends && ends.pull[s];
          let a = 0, b = 0, d = 0, e = 0;
          for (let i = 0; i < n; i++) {
            const v = rf[i];
            a += wOnes[i] * v;
            b += w[i] * v * v;
            d += wY[i] * v;
            if (ends) e += pull[i] * v;
          }
          const place = s * cells.count + c;
          sums.onesF[place] = a;
          sums.fF[place] = b;
          sums.fY[place] = d;
          if (ends) sums.byGain[place] = later - e;
        }
      }
    }
    return sums;
  }

  /** Pairs of setting and cell that matter: where the integrand over the gain D lives, and how high it is. */
  function findPairs(sums, cells, settings, k) {
    const found = [];
    let best = -Infinity;
    settings.forEach((s, index) => {
      const start = s.onesY / s.onesOnes, spare = k.softEdge / Math.sqrt(s.onesOnes);
      const base = -0.5 * (s.yY - s.onesY * start) - 0.5 * s.logDet + s.logPrior + 0.5 * Math.log((2 * Math.PI) / s.onesOnes);
      for (let c = 0; c < cells.count; c++) {
        const place = index * cells.count + c, slope = sums.onesF[place] / s.onesOnes;
        // a share that hardly varies over the pilot leaves D undetermined: precision 0 but for rounding
        const precision = Math.max(sums.fF[place] - sums.onesF[place] * slope, 1e-9);
        const centre = (sums.fY[place] - sums.onesF[place] * start) / precision;
        let high = 1;
        if (slope > 0) high = Math.min(high, (start + spare) / slope);
        if (slope < 1) high = Math.min(high, (1 - start + spare) / (1 - slope));
        high = Math.max(high, 1e-3);
        const off = (clip(centre, 0, high) - centre) ** 2, scale = base + 0.5 * precision * centre * centre + cells.logPrior[c];
        const top = scale - 0.5 * precision * off;
        if (top <= best - k.pairNats) continue;
        best = Math.max(best, top);
        const reach = Math.sqrt(off + (2 * k.nodeNats) / precision);
        found.push({ s: index, c, start, slope, centre, precision, scale, top, low: Math.max(0, centre - reach), high: Math.min(high, centre + reach) });
      }
    });
    return found.filter((pair) => pair.top > best - k.pairNats);
  }

  /** Log weight of one node, and (with `into`) mean and deviation of R0 there: a normal cut to [0, 1 − D]. */
  function weighNode(pair, gain, startSd, logWidth, into) {
    const start = pair.start - gain * pair.slope, a = -start / startSd, b = (1 - gain - start) / startSd;
    const bellA = Math.exp(-0.5 * a * a), bellB = Math.exp(-0.5 * b * b), outA = tail(Math.abs(a), bellA), outB = tail(Math.abs(b), bellB);
    // the far tail is where the distribution function loses its digits: both ends on the side where they are small
    const inside = Math.max(a > 0 ? outA - outB : (b < 0 ? outB : 1 - outB) - outA, 1e-300);
    if (into) {
      const norm = 1 / (ROOT_2PI * inside), shift = (bellA - bellB) * norm;
      into.start = start + startSd * shift;
      into.sd = startSd * Math.sqrt(clip(1 + (a * bellA - b * bellB) * norm - shift * shift, 1e-6, 1));
    }
    return pair.scale - 0.5 * pair.precision * (gain - pair.centre) ** 2 + Math.log(inside) + logWidth;
  }

  /** Observed end = fixed + R0·byStart + D·byGain + N(0, variance): drift foretold from the residuals. */
  function endTerms(noise, settings, at, noiseVariance) {
    const apart = (length) => mean(at.flatMap((a) => at.map((b) => Math.exp(-Math.abs(a - b) / length))));
    const links = new Map(noise.groups.map((group) => {
      const drift = noise.at.map((a) => mean(at.map((b) => Math.exp(-Math.abs(a - b) / group.length))));
      return [group, { link: rotate(group, drift, noise.n), own: apart(group.length) }];
    }));
    const ends = { logAt: at.map(Math.log), pull: [], fixed: [], byStart: [], sd: [] };
    for (const s of settings) {
      const { link, own } = links.get(s.group), pull = link.map((v, i) => s.tau ** 2 * s.w[i] * v);
      const along = (v) => pull.reduce((sum, x, i) => sum + x * v[i], 0);
      ends.pull.push(pull);
      ends.fixed.push(along(s.y));
      ends.byStart.push(1 - along(s.ones));
      ends.sd.push(Math.sqrt(Math.max(s.tau ** 2 * (own - along(link)), 0) + s.q ** 2 * noiseVariance));
    }
    return ends;
  }

  /** Log evidence, cells and weighted parts of the posterior of one shape. */
  function integrateShape(name, pilot, noise, settings, ends, k) {
    const prior = k.priors[name], logAt = pilot.at.map(Math.log);
    const whole = [[Math.log(prior.low), Math.log(prior.high)], [Math.log(k.scaleLow), Math.log(Math.max(k.scaleBudgets * pilot.horizon, k.scaleSeen))]];
    let box = whole;
    for (const [nB, nS, nodes] of k.narrowing.slice(0, -1)) {
      const cells = layGrid(name, box, whole, [nB, nS], k), { at, weight } = legendre(nodes), logs = new Float64Array(nodes);
      const top = new Float64Array(cells.count).fill(-Infinity);
      for (const pair of findPairs(weigh(name, cells, noise, settings, logAt), cells, settings, k)) {
        const half = 0.5 * (pair.high - pair.low), sd = 1 / Math.sqrt(settings[pair.s].onesOnes);
        for (let i = 0; i < nodes; i++) logs[i] = weighNode(pair, pair.low + half * (at[i] + 1), sd, Math.log(half * weight[i]));
        top[pair.c] = Math.max(top[pair.c], logSumExp(logs));
      }
      const best = top.reduce((a, b) => Math.max(a, b)), reach = [[Infinity, -1], [Infinity, -1]];
      top.forEach((v, c) => {
        if (v > best - k.boxNats) {
          [Math.floor(c / nS), c % nS].forEach((place, i) => (reach[i] = [Math.min(reach[i][0], place), Math.max(reach[i][1], place)]));
        }
      });
      // the smallest box that holds the cells that matter, with one cell to spare on each side
      box = box.map(([low], i) => [-1, 2].map((spare, j) => clip(low + cells.width[i] * (reach[i][j] + spare), ...whole[i])));
    }
    const [nB, nS, nodes] = k.narrowing.at(-1), { at, weight } = legendre(nodes), cells = layGrid(name, box, whole, [nB, nS], k);
    const sums = weigh(name, cells, noise, settings, logAt, ends), pairs = findPairs(sums, cells, settings, k);
    const logs = new Float64Array(pairs.length * nodes), node = {};
    const place = (pair, i) => pair.low + 0.5 * (pair.high - pair.low) * (at[i] + 1);
    const visit = (pair, i, into) =>
      weighNode(pair, place(pair, i), 1 / Math.sqrt(settings[pair.s].onesOnes), Math.log(0.5 * (pair.high - pair.low) * weight[i]), into);
    pairs.forEach((pair, p) => {
      for (let i = 0; i < nodes; i++) logs[p * nodes + i] = visit(pair, i);
    });
    const logEvidence = logSumExp(logs), least = Math.log(k.partWeight), kept = [];
    logs.forEach((v, i) => v - logEvidence > least && kept.push(i));
    const fields = ['cell', 'setting', 'gain', 'start', 'startSd', 'weight', 'endMean', 'endSd'];
    const parts = Object.fromEntries(fields.map((field) => [field, new Float64Array(kept.length)]));
    let total = 0;
    kept.forEach((index, j) => {
      const pair = pairs[Math.floor(index / nodes)], gain = place(pair, index % nodes), { s, c } = pair;
      visit(pair, index % nodes, node);
      parts.cell[j] = c;
      parts.setting[j] = s;
      parts.gain[j] = gain;
      parts.start[j] = node.start;
      parts.startSd[j] = node.sd;
      total += parts.weight[j] = Math.exp(logs[index] - logEvidence);
      parts.endMean[j] = ends.fixed[s] + node.start * ends.byStart[s] + gain * sums.byGain[s * cells.count + c];
      parts.endSd[j] = Math.hypot(ends.byStart[s] * node.sd, ends.sd[s]);
    });
    for (let j = 0; j < kept.length; j++) parts.weight[j] /= total;
    return { name, logEvidence, cells, parts };
  }

  /** Log evidence of a run that does not rise: one pass rate, and the same noise without a first phase. */
  function flatEvidence(settings) {
    const plain = settings.filter((s) => !s.group.early);
    const weights = plain.map((s) => {
      const middle = s.onesY / s.onesOnes, sd = 1 / Math.sqrt(s.onesOnes);
      const inside = Math.max(normal((1 - middle) / sd) - normal(-middle / sd), 1e-300);
      return -0.5 * (s.yY - s.onesY * middle) - 0.5 * s.logDet + Math.log(ROOT_2PI * sd * inside) + s.logPrior;
    });
    return logSumExp(weights) - logSumExp(plain.map((s) => s.logPrior));
  }

  /** Weighted normals: quantiles by inverting the distribution function. */
  class Mixture {
    constructor(mean, sd, weight) {
      Object.assign(this, { mean, sd, weight });
    }

    static pool(mixtures) {
      const join = (field) => mixtures.flatMap((m) => Array.from(m[field]));
      return new Mixture(join('mean'), join('sd'), join('weight').map((w) => w / mixtures.length));
    }

    shareAbove(value) {
      return Math.min(1, this.mean.reduce((sum, m, i) => sum + this.weight[i] * normal((m - value) / this.sd[i]), 0));
    }

    quantile(share, k) {
      const { mean: m, sd, weight } = this;
      let low = Infinity, high = -Infinity, at = 0;
      m.forEach((v, i) => {
        low = Math.min(low, v - 9 * sd[i]);
        high = Math.max(high, v + 9 * sd[i]);
        at += weight[i] * v;
      });
      for (let step = 0; step < k.quantileSteps; step++) {
        let below = 0, density = 0;
        for (let i = 0; i < m.length; i++) {
          const z = (at - m[i]) / sd[i], bell = Math.exp(-0.5 * z * z), out = tail(Math.abs(z), bell);
          below += weight[i] * (z < 0 ? out : 1 - out);
          density += (weight[i] / sd[i]) * bell;
        }
        const short = share - below;
        if (Math.abs(short) < k.quantileNear) break;
        if (short > 0) low = at;
        else high = at;
        // Newton, and a halving of the bracket where that leaves it
        const next = at + short / Math.max(density / ROOT_2PI, 1e-12);
        at = next > low && next < high ? next : 0.5 * (low + high);
      }
      return at;
    }
  }

  /** Merge parts that can hardly be told apart onto a lattice, mean and variance kept. `of(i)` is [mean, sd, weight]. */
  function condense(count, of, k, step = 0.001) {
    const bins = new Map(), ratio = Math.log(k.sdRatio), per = k.placesPerSd, widths = [];
    const width = (rank) => (widths[rank] ??= step * k.sdRatio ** rank);
    const put = (rank, place, weight) => {
      const key = rank * 2 ** 40 + place + 2 ** 39;
      bins.set(key, (bins.get(key) ?? 0) + weight);
    };
    for (let i = 0; i < count; i++) {
      let [m, sd, weight] = of(i);
      sd = Math.max(sd, step);
      const rank = Math.floor(Math.log(sd / step) / ratio), below = width(rank) ** 2;
      const up = clip((sd * sd - below) / (below * (k.sdRatio ** 2 - 1)), 0, 1);
      for (const [r, share] of [[rank, 1 - up], [rank + 1, up]]) {
        const place = (m * per) / width(r), left = Math.floor(place), right = place - left;
        put(r, left, weight * share * (1 - right));
        put(r, left + 1, weight * share * right);
      }
    }
    const narrower = Math.sqrt(1 - 1 / (6 * per * per)), mean = [], sd = [], weight = [];
    let total = 0;
    for (const [key, w] of bins) {
      if (!(w > 0)) continue;
      const rank = Math.floor(key / 2 ** 40);
      mean.push(((key - rank * 2 ** 40 - 2 ** 39) * width(rank)) / per);
      sd.push(width(rank) * narrower);
      weight.push(w);
      total += w;
    }
    return new Mixture(mean, sd, weight.map((w) => w / total));
  }

  /** Pooled distribution of a number that each part has: `of(shape, i)` is [mean, sd]. */
  const pool = (kept, of, k, step) =>
    Mixture.pool(kept.map((shape) => condense(shape.parts.weight.length, (i) => [...of(shape, i), shape.parts.weight[i]], k, step)));

  /** Pooled distribution of ln B (axis 0) or ln Cmid (axis 1): a third of a cell of width joins neighbours. */
  function poolCells(kept, axis, k) {
    return Mixture.pool(kept.map(({ cells, parts }) => {
      const weight = new Float64Array(cells.count), value = axis ? cells.logMid : cells.logB;
      parts.weight.forEach((w, i) => (weight[parts.cell[i]] += w));
      const used = [...weight.keys()].filter((c) => weight[c] > 0), width = Math.max(cells.width[axis] / 3, 1e-6);
      return condense(used.length, (i) => [value[used[i]], width, weight[used[i]]], k, width / 8);
    }));
  }

  /** Share won in each cell at a compute, in units of the compute seen. */
  const won = ({ name, cells }, at) => cells.logMid.map((m, c) => SHAPES[name].share(Math.log(at) - m, cells.B[c]));

  /** Pooled distribution of the curve, without noise, at a compute. */
  function curveAt(belief, at, k) {
    const shares = new Map(belief.kept.map((shape) => [shape, won(shape, at)]));
    return pool(belief.kept, (s, i) => [s.parts.start[i] + s.parts.gain[i] * shares.get(s)[s.parts.cell[i]], s.parts.startSd[i]], k);
  }

  /** Pooled distribution of what the curve wins between two computes. */
  function growth(belief, since, until, k) {
    const shares = new Map(belief.kept.map((s) => [s, [won(s, since), won(s, until)]]));
    return pool(belief.kept, (s, i) => {
      const [a, b] = shares.get(s), c = s.parts.cell[i];
      return [s.parts.gain[i] * (b[c] - a[c]), 0];
    }, k, 0.0005);
  }

  /** Expected pass rate of the curve at each compute. */
  function expected(belief, places) {
    const each = belief.kept.map((shape) => {
      const { parts, cells } = shape, gain = new Float64Array(cells.count);
      let start = 0;
      parts.weight.forEach((w, i) => {
        gain[parts.cell[i]] += w * parts.gain[i];
        start += w * parts.start[i];
      });
      return places.map((at) => won(shape, at).reduce((sum, f, c) => sum + gain[c] * f, start));
    });
    return places.map((_, i) => mean(each.map((of) => of[i])));
  }

  /**
   * What is believed of a run.
   * @param {object} curve compute, passRate, n, k, kind. @param {number} budget in its unit. @param {object} k constants.
   */
  function formBelief(curve, budget, k) {
    const seen = curve.compute.at(-1), digits = (x) => round(x * 1e12) / 1e12;
    // 12 digits: then the same run in another unit is the same to the last bit
    const at = curve.compute.map((c) => digits(c / seen)), horizon = digits(budget / seen);
    const points = estimateNoise(curve, k), means = binCurve(at, curve.passRate, k.beliefBins);
    const variance = binCurve(at, points.sd.map(square), k.beliefBins);
    const sd = variance.passRate.map((v, i) => Math.sqrt(v / variance.counts[i]));
    const pilot = { at: means.compute, passRate: means.passRate, sd, horizon };
    const noise = prepareNoise(pilot.at, sd, horizon, k), settings = rotatePilot(pilot, noise);
    const count = at.length, planned = Math.max(1, round(k.endShare * count * horizon)), few = planned <= k.windowPlaces;
    const places = Array.from({ length: few ? planned : k.windowPlaces }, (_, i) =>
      horizon * (1 - (few ? (k.endShare * i) / planned : (k.endShare * (i + 0.5)) / k.windowPlaces)));
    const late = mean(points.sd.slice(-Math.max(1, Math.floor(count / 5))).map(square));
    const ends = endTerms(noise, settings, places, late / planned);
    const shapes = Object.keys(k.priors).map((name) => integrateShape(name, pilot, noise, settings, ends, k));
    const best = Math.max(...shapes.map((s) => s.logEvidence)), kept = shapes.filter((s) => s.logEvidence >= best - k.refutedNats);
    const endOf = (which) => pool(which, ({ parts }, i) => [parts.endMean[i], parts.endSd[i]], k);
    return {
      seen, horizon, pilot, noise, settings, points, late, shapes, kept, best, end: endOf(kept),
      medians: kept.map((s) => endOf([s]).quantile(0.5, k)),
      ceiling: pool(kept, ({ parts }, i) => [parts.start[i] + parts.gain[i], parts.startSd[i]], k),
      start: pool(kept, ({ parts }, i) => [parts.start[i], parts.startSd[i]], k),
      logB: poolCells(kept, 0, k), logMid: poolCells(kept, 1, k),
      riseNats: best - flatEvidence(settings), pointNoise: Math.sqrt(mean(points.sd.map(square))),
    };
  }

  /**
   * Bands over a curve for a drawing, from evenly picked parts: the curve itself, and one measured point.
   * @returns {{at, median, lo, hi, seenLo, seenHi}[]} at in units of the compute seen.
   */
  function drawBand(belief, places, level, k, picks = 1200) {
    const { noise, settings, kept, pilot } = belief, logAt = pilot.at.map(Math.log);
    const chosen = kept.flatMap((shape) => {
      const out = [], { parts, cells, name } = shape;
      let sum = 0, next = 0.5;
      parts.weight.forEach((w, i) => {
        sum += w * picks;
        for (; next < sum; next++) {
          const c = parts.cell[i], s = settings[parts.setting[i]];
          const f = logAt.map((x) => SHAPES[name].share(x - cells.logMid[c], cells.B[c]));
          out.push({ name, B: cells.B[c], mid: cells.logMid[c], gain: parts.gain[i], start: parts.start[i], sd: parts.startSd[i], s: parts.setting[i], rf: rotate(s.group, f, noise.n) });
        }
      });
      return out;
    });
    const tails = [0.5, 0.5 * (1 - level), 0.5 * (1 + level)];
    return places.map((at) => {
      const ends = endTerms(noise, settings, [at], belief.late), share = chosen.map((p) => SHAPES[p.name].share(Math.log(at) - p.mid, p.B));
      const curve = condense(chosen.length, (i) => [chosen[i].start + chosen[i].gain * share[i], chosen[i].sd, 1], k);
      const point = condense(chosen.length, (i) => {
        const p = chosen[i], pulled = ends.pull[p.s].reduce((sum, v, j) => sum + v * p.rf[j], 0);
        const m = ends.fixed[p.s] + p.start * ends.byStart[p.s] + p.gain * (share[i] - pulled);
        return [m, Math.hypot(ends.byStart[p.s] * p.sd, ends.sd[p.s]), 1];
      }, k);
      const [median, lo, hi] = tails.map((t) => curve.quantile(t, k)), [seenLo, seenHi] = tails.slice(1).map((t) => clip(point.quantile(t, k), 0, 1));
      return { at, median, lo, hi, seenLo, seenHi };
    });
  }

  rlscale.posterior = { Mixture, curveAt, drawBand, estimateNoise, expected, formBelief, growth, spreadOfDifferences };
})();
