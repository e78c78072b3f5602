/* Numbers: normal distribution, quadrature, small matrices, and numbers as Python prints them. No page code. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const ROOT_2PI = Math.sqrt(2 * Math.PI);
  const PER_UNIT = 32; // nodes of the table of Mills' ratio
  const FURTHEST = 40; // exp(−40²/2) is 0 in a double

  /** A refusal that is said to the reader in its own words. */
  class Refusal extends Error {}

  /* Mills' ratio M(x) = Φ(−x)/φ(x) at the nodes: series below 1, continued fraction from there on. */
  const mills = Float64Array.from({ length: FURTHEST * PER_UNIT + 2 }, (_, i) => {
    const x = i / PER_UNIT;
    if (x < 1) {
      let term = x, sum = x;
      for (let k = 3; k < 60; k += 2) sum += term *= (x * x) / k;
      return 0.5 * ROOT_2PI * Math.exp(0.5 * x * x) - sum;
    }
    let tail = x;
    for (let k = 200; k > 0; k--) tail = x + k / tail;
    return 1 / tail;
  });

  /** Φ(−x) for x ≥ 0, given exp(−x²/2): Taylor from the nearest node, M' = x·M − 1. */
  function tail(x, bell) {
    if (x >= FURTHEST) return 0;
    const node = Math.round(x * PER_UNIT), at = node / PER_UNIT, h = x - at;
    let last = mills[node], c = at * last - 1, power = h, sum = last + c * h;
    for (let k = 2; k < 8; k++) {
      [last, c] = [c, (at * c + last) / k];
      sum += c * (power *= h);
    }
    return (bell / ROOT_2PI) * sum;
  }

  /** Distribution function of the standard normal. */
  function normal(z) {
    const lower = tail(Math.abs(z), Math.exp(-0.5 * z * z));
    return z < 0 ? lower : 1 - lower;
  }

  /** ln Σ exp(v). */
  function logSumExp(values) {
    let top = -Infinity, sum = 0;
    for (const v of values) if (v > top) top = v;
    for (const v of values) sum += Math.exp(v - top);
    return top + Math.log(sum);
  }

  /** Gauss–Legendre nodes and weights on [−1, 1]. */
  function legendre(n) {
    const at = new Float64Array(n), weight = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let x = -Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)), slope = 1;
      for (let step = 0; step < 50; step++) {
        let before = 1, p = x;
        for (let k = 2; k <= n; k++) [before, p] = [p, ((2 * k - 1) * x * p - (k - 1) * before) / k];
        slope = (n * (x * p - before)) / (x * x - 1);
        x -= p / slope;
        if (Math.abs(p / slope) < 1e-16) break;
      }
      at[i] = x;
      weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
    return { at, weight };
  }

  /** Lower Cholesky factor of a symmetric n × n matrix, row by row. */
  function cholesky(matrix, n) {
    const root = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = matrix[i * n + j];
        for (let k = 0; k < j; k++) sum -= root[i * n + k] * root[j * n + k];
        root[i * n + j] = i === j ? Math.sqrt(sum) : sum / root[j * n + j];
      }
    }
    return root;
  }

  /** Inverse of a lower triangular matrix. */
  function invertLower(root, n) {
    const inverse = new Float64Array(n * n);
    for (let j = 0; j < n; j++) {
      inverse[j * n + j] = 1 / root[j * n + j];
      for (let i = j + 1; i < n; i++) {
        let sum = 0;
        for (let k = j; k < i; k++) sum -= root[i * n + k] * inverse[k * n + j];
        inverse[i * n + j] = sum / root[i * n + i];
      }
    }
    return inverse;
  }

  /** a·b of two n × n matrices; with `turned`, a·bᵀ. */
  function multiply(a, b, n, turned = false) {
    const out = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += a[i * n + k] * (turned ? b[j * n + k] : b[k * n + j]);
        out[i * n + j] = sum;
      }
    }
    return out;
  }

  /** Eigenvalues of a symmetric matrix, and its eigenvectors as rows, by Jacobi's rotations. */
  function eigen(matrix, n) {
    const a = Float64Array.from(matrix), vectors = new Float64Array(n * n);
    for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
    for (let sweep = 0; sweep < 60; sweep++) {
      let off = 0, all = 0;
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) (all += a[i * n + j] ** 2), i !== j && (off += a[i * n + j] ** 2);
      if (off <= 1e-32 * all) break;
      for (let p = 0; p < n - 1; p++) {
        for (let q = p + 1; q < n; q++) {
          const apq = a[p * n + q];
          if (Math.abs(apq) <= 1e-17 * Math.sqrt(Math.abs(a[p * n + p] * a[q * n + q]))) continue;
          const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
          const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
          const c = 1 / Math.hypot(t, 1), s = t * c;
          for (let k = 0; k < n; k++) {
            const x = a[k * n + p], y = a[k * n + q];
            a[k * n + p] = c * x - s * y;
            a[k * n + q] = s * x + c * y;
          }
          for (let k = 0; k < n; k++) {
            const x = a[p * n + k], y = a[q * n + k], u = vectors[p * n + k], v = vectors[q * n + k];
            a[p * n + k] = c * x - s * y;
            a[q * n + k] = s * x + c * y;
            vectors[p * n + k] = c * u - s * v;
            vectors[q * n + k] = s * u + c * v;
          }
        }
      }
    }
    return { values: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), vectors };
  }

  /** Nearest whole number, halves to the even one, as Python rounds. */
  function round(x) {
    const low = Math.floor(x);
    return x - low === 0.5 ? 2 * Math.round(low / 2) : Math.round(x);
  }

  const clip = (x, low, high) => Math.min(high, Math.max(low, x));
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const even = (low, high, n) => Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1 || 1));

  /** Middle value. */
  function median(values) {
    const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  }

  /** Place of the largest value. */
  const argMax = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);

  /** A number with so many digits that count, as Python's `g` writes it. */
  function show(x, digits = 6) {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x < 0 ? '-inf' : 'inf';
    const [base, power] = x.toExponential(digits - 1).split('e');
    if (power < -4 || power >= digits) {
      return `${base.includes('.') ? base.replace(/\.?0+$/, '') : base}e${power[0]}${power.slice(1).padStart(2, '0')}`;
    }
    return String(Number(x.toPrecision(digits)) + 0);
  }

  rlscale.numerics = {
    Refusal, argMax, cholesky, clip, eigen, even, invertLower, legendre, logSumExp, mean, median, multiply, normal, round, show, tail, ROOT_2PI,
  };
})();
