'use strict';
/*
 * Draws of uncertain inputs: the same standard normal deviates as numpy.random.default_rng(seed), so that a
 * page and `rlscale cost` print the same numbers. Generator: PCG64 (XSL-RR; O'Neill 2014, HMC-CS-2014-0905).
 * Normal deviates: the ziggurat of Marsaglia and Tsang (2000) with 256 layers and 52 bits, as NumPy runs it.
 * Quantile of the normal: Wichura (1988), algorithm AS 241, good to 16 digits.
 */
(() => {
  const rlscale = (globalThis.rlscale ??= {});

  const WORD = (1n << 64n) - 1n;
  const DOUBLE_WORD = (1n << 128n) - 1n;
  const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
  const LAYERS = 256;
  const BITS = 2 ** 52;
  const EDGE = 3.6541528853610088; // where the tail of a ziggurat of 256 layers begins

  /**
   * Widths, acceptance limits and heights of the layers.
   * @param {number} area area of each layer, tail included
   */
  function buildZiggurat(area) {
    const height = (x) => Math.exp(-0.5 * x * x);
    const width = new Float64Array(LAYERS), limit = new Float64Array(LAYERS), top = new Float64Array(LAYERS);
    let x = EDGE;
    const base = area / height(x); // width of the lowest layer if its tail were a rectangle
    width[0] = base / BITS;
    limit[0] = (x / base) * BITS;
    top[0] = 1;
    for (let i = LAYERS - 1; i > 0; i--) {
      const above = i > 1 ? Math.sqrt(-2 * Math.log(area / x + height(x))) : 0;
      width[i] = x / BITS;
      limit[i] = (above / x) * BITS;
      top[i] = height(x);
      x = above;
    }
    return { width, limit, top };
  }

  /**
   * Standard normal deviates of a NumPy generator.
   * @param {{state: string, increment: string, area: number}} stream where PCG64 starts (hexadecimal)
   * @param {number} count how many
   * @returns {Float64Array}
   */
  function standardNormal(stream, count) {
    const { width, limit, top } = buildZiggurat(stream.area);
    const increment = BigInt(stream.increment);
    let state = BigInt(stream.state);
    const nextWord = () => {
      state = (state * MULTIPLIER + increment) & DOUBLE_WORD;
      const word = (state >> 64n) ^ (state & WORD), turn = state >> 122n;
      return ((word >> turn) | (word << (64n - turn))) & WORD;
    };
    const uniform = () => Number(nextWord() >> 11n) / 2 ** 53;
    const one = () => {
      for (;;) {
        const word = nextWord();
        const low = Number(word & 0x1ffn), layer = low & 255, sign = low > 255 ? -1 : 1;
        const bits = Number((word >> 9n) & 0xfffffffffffffn);
        const x = bits * width[layer];
        if (bits < limit[layer]) return sign * x;
        if (layer > 0) {
          if ((top[layer - 1] - top[layer]) * uniform() + top[layer] < Math.exp(-0.5 * x * x)) return sign * x;
          continue;
        }
        for (;;) { // the tail; its sign is another bit of the same word
          const out = -Math.log1p(-uniform()) / EDGE, test = -Math.log1p(-uniform());
          if (test + test > out * out) return Math.floor(bits / 256) % 2 ? -(EDGE + out) : EDGE + out;
        }
      }
    };
    return Float64Array.from({ length: count }, one);
  }

  const CENTRE = [
    [3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
      45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727],
    [1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
      39307.89580009271061, 28729.085735721942674, 5226.495278852854561],
  ];
  const FLANK = [
    [1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
      1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4],
    [1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
      0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9],
  ];
  const TAIL = [
    [6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
      0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
    [1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
      1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15],
  ];

  /** Ratio of two polynomials of degree 7. */
  function ratio([over, under], x) {
    let a = over[7], b = under[7];
    for (let i = 6; i >= 0; i--) {
      a = a * x + over[i];
      b = b * x + under[i];
    }
    return a / b;
  }

  /**
   * Quantile of the standard normal distribution.
   * @param {number} p probability, 0 to 1
   */
  function normalQuantile(p) {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
    const rest = q < 0 ? p : 1 - p;
    if (!(rest > 0)) return rest === 0 ? Math.sign(q) * Infinity : NaN;
    const r = Math.sqrt(-Math.log(rest));
    return Math.sign(q) * (r <= 5 ? ratio(FLANK, r - 1.6) : ratio(TAIL, r - 5));
  }

  rlscale.draws = { standardNormal, normalQuantile };
})();
