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
      const missing = samples ? 'problems' : n ? 'samples' : 'problems and samples';
      const note = `The log does not say how many ${missing} a point is the mean of: its noise (${spread.toFixed(3)}) was taken from the differences of neighbouring points.`;
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

  /** Sums of ones and pass rates under every setting. */
  function rotatePilot(pilot, noise) {
    return noise.groups.flatMap((group) => {
      group.ones = rotate(group, new Float64Array(noise.n).fill(1), noise.n);
      group.y = rotate(group, pilot.passRate, noise.n);
      const { ones, y } = group;
      return group.inverse.map((w, j) => {
        const total = (a, b) => a.reduce((sum, v, i) => sum + w[i] * v * b[i], 0);
        return {
          group, w, q: noise.q[j], tau: noise.tau[j], onesOnes: total(ones, ones), onesY: total(ones, y), yY: total(y, y),
          logDet: group.logDet[j], logPrior: group.logPrior,
        };
      });
    });
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

  /** 1'Wf, f'Wf, f'Wy of every setting and cell, and (with `ends`) how the end moves with the gain. */
  function weigh(name, cells, noise, settings, logAt, ends) {
    const { n } = noise, per = noise.q.length, size = settings.length * cells.count, { share } = SHAPES[name];
    const [onesF, fF, fY, byGain] = [0, 1, 2, 3].map(() => new Float64Array(size)), f = new Float64Array(n), nothing = new Float64Array(n);
    const [byOnes, byF, byY, byLink] = [0, 1, 2, 3].map(() => new Float64Array(n));
    for (let c = 0; c < cells.count; c++) {
      for (let i = 0; i < n; i++) f[i] = share(logAt[i] - cells.logMid[c], cells.B[c]);
      const later = ends ? mean(ends.logAt.map((x) => share(x - cells.logMid[c], cells.B[c]))) : 0;
      for (let g = 0; g < noise.groups.length; g++) {
        const { rotation, ones, y } = noise.groups[g], link = ends ? ends.links[g] : nothing;
        for (let i = 0, at = 0; i < n; i++) {
          let v = 0;
          for (let j = 0; j < n; j++) v += rotation[at++] * f[j];
          byOnes[i] = ones[i] * v;
          byF[i] = v * v;
          byY[i] = y[i] * v;
          byLink[i] = link[i] * v;
        }
        for (let s = g * per; s < (g + 1) * per; s++) {
          const { w, tau } = settings[s], place = s * cells.count + c;
          let a = 0, b = 0, d = 0, e = 0;
          for (let i = 0; i < n; i++) {
            a += w[i] * byOnes[i];
            b += w[i] * byF[i];
            d += w[i] * byY[i];
            e += w[i] * byLink[i];
          }
          onesF[place] = a;
          fF[place] = b;
          fY[place] = d;
          byGain[place] = later - tau * tau * e;
        }
      }
    }
    return { onesF, fF, fY, byGain };
  }

  /* A pair of setting and cell in a flat array, since there are a hundred thousand of them. */
  const [SETTING, CELL, START, SLOPE, CENTRE, PRECISION, SCALE, LOW, HIGH, TOP, WIDE] = Array.from({ length: 11 }, (_, i) => i);

  /** Pairs that matter: where the integrand over the gain D lives, and how high it is. */
  function findPairs(sums, cells, settings, k) {
    const all = new Float64Array(settings.length * cells.count * WIDE);
    let best = -Infinity, count = 0;
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
        const top = scale - 0.5 * precision * off, reach = Math.sqrt(off + (2 * k.nodeNats) / precision);
        if (top <= best - k.pairNats) continue;
        best = Math.max(best, top);
        const at = WIDE * count++;
        all[at + SETTING] = index;
        all[at + CELL] = c;
        all[at + START] = start;
        all[at + SLOPE] = slope;
        all[at + CENTRE] = centre;
        all[at + PRECISION] = precision;
        all[at + SCALE] = scale;
        all[at + LOW] = Math.max(0, centre - reach);
        all[at + HIGH] = Math.min(high, centre + reach);
        all[at + TOP] = top;
      }
    });
    let left = 0;
    for (let p = 0; p < count; p++) {
      if (all[p * WIDE + TOP] > best - k.pairNats) all.copyWithin(WIDE * left++, p * WIDE, (p + 1) * WIDE);
    }
    return all.subarray(0, left * WIDE);
  }

  /** Log weight of a node of D for the pair at `p`, and (with `into`) mean and deviation of R0: a normal cut to [0, 1 − D]. */
  function weighNode(pairs, p, gain, startSd, logWidth, into) {
    const start = pairs[p + START] - gain * pairs[p + SLOPE], a = -start / startSd, b = (1 - gain - start) / startSd;
    const bellA = Math.exp(-0.5 * a * a), bellB = Math.exp(-0.5 * b * b), outA = tail(Math.abs(a), bellA), outB = tail(Math.abs(b), bellB);
    // the far tail is where the distribution function loses its digits: both ends on the side where they are small
    const inside = Math.max(a > 0 ? outA - outB : (b < 0 ? outB : 1 - outB) - outA, 1e-300);
    if (into) {
      const norm = 1 / (ROOT_2PI * inside), shift = (bellA - bellB) * norm;
      into.start = start + startSd * shift;
      into.sd = startSd * Math.sqrt(clip(1 + (a * bellA - b * bellB) * norm - shift * shift, 1e-6, 1));
    }
    return pairs[p + SCALE] - 0.5 * pairs[p + PRECISION] * (gain - pairs[p + CENTRE]) ** 2 + Math.log(inside) + logWidth;
  }

  /** Observed end = fixed + R0·byStart + D·byGain + N(0, variance): drift foretold from the residuals. */
  function endTerms(noise, settings, at, noiseVariance) {
    const own = new Map(), ends = { logAt: at.map(Math.log), links: [], fixed: [], byStart: [], sd: [] };
    for (const group of noise.groups) {
      const near = (a, b) => Math.exp(-Math.abs(a - b) / group.length), link = rotate(group, noise.at.map((a) => mean(at.map((b) => near(a, b)))), noise.n);
      ends.links.push(link);
      own.set(group, [link, mean(at.flatMap((a) => at.map((b) => near(a, b))))]);
    }
    for (const s of settings) {
      const [link, drift] = own.get(s.group), along = (v) => s.tau ** 2 * link.reduce((sum, x, i) => sum + s.w[i] * x * v[i], 0);
      ends.fixed.push(along(s.group.y));
      ends.byStart.push(1 - along(s.group.ones));
      ends.sd.push(Math.sqrt(Math.max(s.tau ** 2 * (drift - along(link)), 0) + s.q ** 2 * noiseVariance));
    }
    return ends;
  }

  /** Log evidence, cells and weighted parts of the posterior of one shape. */
  function integrateShape(name, pilot, noise, settings, ends, k) {
    const prior = k.priors[name], logAt = pilot.at.map(Math.log), startSd = settings.map((s) => 1 / Math.sqrt(s.onesOnes));
    const whole = [[Math.log(prior.low), Math.log(prior.high)], [Math.log(k.scaleLow), Math.log(Math.max(k.scaleBudgets * pilot.horizon, k.scaleSeen))]];
    /** Visit the nodes of every pair: their D, what belongs to it, and their log weights. */
    const lay = (nB, nS, nodes, box, last) => {
      const cells = layGrid(name, box, whole, [nB, nS], k), { at, weight } = legendre(nodes), sums = weigh(name, cells, noise, settings, logAt, last);
      const pairs = findPairs(sums, cells, settings, k), logs = new Float64Array((pairs.length / WIDE) * nodes);
      const half = (p) => 0.5 * (pairs[p + HIGH] - pairs[p + LOW]), gain = (p, i) => pairs[p + LOW] + half(p) * (at[i] + 1);
      const visit = (p, i, into) => weighNode(pairs, p, gain(p, i), startSd[pairs[p + SETTING]], Math.log(half(p) * weight[i]), into);
      for (let p = 0, j = 0; p < pairs.length; p += WIDE) for (let i = 0; i < nodes; i++) logs[j++] = visit(p, i);
      return { cells, sums, pairs, logs, gain, visit };
    };
    let box = whole;
    for (const [nB, nS, nodes] of k.narrowing.slice(0, -1)) {
      const { cells, pairs, logs } = lay(nB, nS, nodes, box), top = new Float64Array(cells.count).fill(-Infinity);
      for (let p = 0, j = 0; p < pairs.length; p += WIDE, j += nodes) {
        const c = pairs[p + CELL];
        top[c] = Math.max(top[c], logSumExp(logs.subarray(j, j + nodes)));
      }
      const best = top.reduce((a, b) => Math.max(a, b)), reach = [[Infinity, -1], [Infinity, -1]];
      top.forEach((v, c) => {
        if (v <= best - k.boxNats) return;
        [Math.floor(c / nS), c % nS].forEach((place, i) => (reach[i] = [Math.min(reach[i][0], place), Math.max(reach[i][1], place)]));
      });
      // the smallest box that holds the cells that matter, with one cell to spare on each side
      box = box.map(([low], i) => [-1, 2].map((spare, j) => clip(low + cells.width[i] * (reach[i][j] + spare), ...whole[i])));
    }
    const nodes = k.narrowing.at(-1)[2], { cells, sums, pairs, logs, gain, visit } = lay(...k.narrowing.at(-1), box, ends);
    const logEvidence = logSumExp(logs), least = Math.log(k.partWeight) + logEvidence, count = logs.reduce((sum, v) => sum + (v > least ? 1 : 0), 0);
    const fields = ['cell', 'setting', 'gain', 'start', 'startSd', 'weight', 'endMean', 'endSd'], node = {};
    const parts = Object.fromEntries(fields.map((field) => [field, new Float64Array(count)]));
    let total = 0;
    for (let index = 0, j = 0; index < logs.length; index++) {
      if (!(logs[index] > least)) continue;
      const i = index % nodes, p = WIDE * ((index - i) / nodes), s = pairs[p + SETTING], c = pairs[p + CELL], d = gain(p, i);
      visit(p, i, node);
      parts.cell[j] = c;
      parts.setting[j] = s;
      parts.gain[j] = d;
      parts.start[j] = node.start;
      parts.startSd[j] = node.sd;
      total += parts.weight[j] = Math.exp(logs[index] - logEvidence);
      parts.endMean[j] = ends.fixed[s] + node.start * ends.byStart[s] + d * sums.byGain[s * cells.count + c];
      parts.endSd[j++] = Math.hypot(ends.byStart[s] * node.sd, ends.sd[s]);
    }
    for (let j = 0; j < count; j++) parts.weight[j] /= total;
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

    expected() {
      return this.mean.reduce((sum, m, i) => sum + m * this.weight[i], 0);
    }

    /** With independent normal noise added, and one half moved by `shift`. */
    loosen(noise, shift) {
      const sd = this.sd.map((s) => Math.hypot(s, noise));
      if (!shift) return new Mixture(this.mean, sd, this.weight);
      const half = this.weight.map((w) => w / 2);
      return new Mixture([...this.mean, ...this.mean.map((m) => m + shift)], [...sd, ...sd], [...half, ...half]);
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

  /** Merge parts that can hardly be told apart onto a lattice, so that mean and variance stay. */
  function condense(mean, sd, weight, k, step = 0.001) {
    const ratio = Math.log(k.sdRatio), per = k.placesPerSd, count = mean.length, ranks = new Uint16Array(count);
    let low = Infinity, high = -Infinity, top = 0;
    for (let i = 0; i < count; i++) {
      low = Math.min(low, mean[i]);
      high = Math.max(high, mean[i]);
      top = Math.max(top, (ranks[i] = Math.floor(Math.log(Math.max(sd[i], step) / step) / ratio)));
    }
    const width = [], first = [], offset = [0];
    for (let r = 0; r < top + 2; r++) {
      width.push(step * k.sdRatio ** r);
      first.push(Math.floor((low * per) / width[r]));
      offset.push(offset[r] + Math.floor((high * per) / width[r]) + 2 - first[r]);
    }
    const bins = new Float64Array(offset.at(-1));
    for (let i = 0; i < count; i++) {
      const rank = ranks[i], below = width[rank] ** 2;
      const up = clip((Math.max(sd[i], step) ** 2 - below) / (below * (k.sdRatio ** 2 - 1)), 0, 1);
      for (let r = rank; r < rank + 2; r++) {
        const share = weight[i] * (r === rank ? 1 - up : up), place = (mean[i] * per) / width[r], left = Math.floor(place);
        const bin = offset[r] + left - first[r];
        bins[bin] += share * (1 - place + left);
        bins[bin + 1] += share * (place - left);
      }
    }
    const total = bins.reduce((sum, w) => sum + w), narrower = Math.sqrt(1 - 1 / (6 * per * per)), out = [[], [], []];
    for (let r = 0; r < width.length; r++) {
      for (let bin = offset[r]; bin < offset[r + 1]; bin++) {
        if (!(bins[bin] > 0)) continue;
        out[0].push(((bin - offset[r] + first[r]) * width[r]) / per);
        out[1].push(width[r] * narrower);
        out[2].push(bins[bin] / total);
      }
    }
    return new Mixture(...out);
  }

  /** Pooled distribution of a number whose mean and deviation follow from the parts of a shape. */
  const pool = (kept, mean, sd, k, step) => Mixture.pool(kept.map((s) => condense(mean(s), sd(s), s.parts.weight, k, step)));
  const gains = ({ parts }, share) => parts.start.map((v, i) => v + parts.gain[i] * share(parts.cell[i]));
  const startSd = (s) => s.parts.startSd;

  /** Pooled distribution of ln B (axis 0) or ln Cmid (axis 1): a third of a cell of width joins neighbours. */
  function poolCells(kept, axis, k) {
    return Mixture.pool(kept.map(({ cells, parts }) => {
      const weight = new Float64Array(cells.count), value = axis ? cells.logMid : cells.logB;
      parts.weight.forEach((w, i) => (weight[parts.cell[i]] += w));
      const used = [...weight.keys()].filter((c) => weight[c] > 0), width = Math.max(cells.width[axis] / 3, 1e-6);
      return condense(used.map((c) => value[c]), used.map(() => width), used.map((c) => weight[c]), k, width / 8);
    }));
  }

  /** Share won in each cell at a compute, in units of the compute seen. */
  const won = ({ name, cells }, at) => cells.logMid.map((m, c) => SHAPES[name].share(Math.log(at) - m, cells.B[c]));

  /** Pooled distribution of the curve, without noise, at a compute. */
  const curveAt = (belief, at, k) => pool(belief.kept, (s) => ((share) => gains(s, (c) => share[c]))(won(s, at)), startSd, k);

  /** What the curve wins between two computes in each part, and the weights of the parts. */
  function growth(belief, since, until) {
    const each = belief.kept.map((s) => {
      const [a, b] = [won(s, since), won(s, until)];
      return s.parts.gain.map((v, i) => v * (b[s.parts.cell[i]] - a[s.parts.cell[i]]));
    });
    const join = (lists) => lists.reduce((to, list) => (to.set(list, to.used), (to.used += list.length), to), Object.assign(new Float64Array(lists.reduce((n, l) => n + l.length, 0)), { used: 0 }));
    return { gain: join(each), weight: join(belief.kept.map((s) => s.parts.weight)) };
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
    const endOf = (which) => pool(which, (s) => s.parts.endMean, (s) => s.parts.endSd, k), pooled = endOf(kept);
    // three shapes are not all shapes: an allowance for the rest, and for drift that hides a wrong shape
    const logMid = poolCells(kept, 1, k), gainAllowance = k.gainAllowance + k.unbentAllowance * logMid.shareAbove(0);
    const now = expected({ kept }, [1])[0], allowance = Math.hypot(k.shapeAllowance * Math.sqrt(Math.log(horizon)), gainAllowance * (pooled.expected() - now));
    const last = Math.max(1, round(sd.length / 5)), drawn = expected({ kept }, pilot.at), off = mean(pilot.passRate.map((y, i) => y - drawn[i]).slice(-last));
    const error = Math.sqrt(sd.slice(-last).reduce((sum, v) => sum + v * v, 0)) / last;
    const misfit = Math.abs(off) > Math.max(k.misfitLeast, k.misfitSigmas * error) ? off : 0;
    return {
      seen, horizon, pilot, noise, settings, points, late, shapes, kept, misfit, gainAllowance, end: pooled.loosen(allowance, misfit),
      medians: kept.map((s) => endOf([s]).quantile(0.5, k)),
      ceiling: pool(kept, (s) => gains(s, () => 1), startSd, k).loosen(allowance, misfit), start: pool(kept, (s) => s.parts.start, startSd, k),
      logB: poolCells(kept, 0, k), logMid,
      riseNats: best - flatEvidence(settings), pointNoise: Math.sqrt(mean(points.sd.map(square))),
    };
  }

  /**
   * Bands over a curve for a drawing, from evenly picked parts: the curve itself, and one measured point.
   * @returns {{at, median, lo, hi, seenLo, seenHi}[]} at in units of the compute seen.
   */
  function drawBand(belief, places, level, k, picks = 500) {
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
    const ones = chosen.map(() => 1), tails = [0.5, 0.5 * (1 - level), 0.5 * (1 + level)];
    return places.map((at) => {
      const ends = endTerms(noise, settings, [at], belief.late), share = chosen.map((p) => SHAPES[p.name].share(Math.log(at) - p.mid, p.B));
      const curve = condense(chosen.map((p, i) => p.start + p.gain * share[i]), chosen.map((p) => p.sd), ones, k);
      const point = condense(chosen.map((p, i) => {
        const { w, tau, group } = settings[p.s], link = ends.links[noise.groups.indexOf(group)];
        const pulled = tau ** 2 * link.reduce((sum, v, j) => sum + w[j] * v * p.rf[j], 0);
        return ends.fixed[p.s] + p.start * ends.byStart[p.s] + p.gain * (share[i] - pulled);
      }), chosen.map((p) => Math.hypot(ends.byStart[p.s] * p.sd, ends.sd[p.s])), ones, k);
      const [median, lo, hi] = tails.map((t) => curve.quantile(t, k)), [seenLo, seenHi] = tails.slice(1).map((t) => clip(point.quantile(t, k), 0, 1));
      return { at, median, lo, hi, seenLo, seenHi };
    });
  }

  rlscale.posterior = { Mixture, curveAt, drawBand, estimateNoise, expected, formBelief, growth, spreadOfDifferences };
})();
