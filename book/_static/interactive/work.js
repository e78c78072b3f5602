/* What the worker of the forecaster does: read a file, then fit and forecast the curve that is asked for. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const DRAWN = 500; // points that are handed back for the drawing
  const PLACES = 60; // of the band

  /** At most so many points: a long log is thinned by its extremes, so that scatter stays visible. */
  function thin(x, y) {
    if (x.length <= DRAWN) return Array.from(x, (v, i) => [v, y[i]]);
    const size = x.length / (DRAWN / 2);
    return Array.from({ length: DRAWN / 2 }, (_, b) => {
      const rows = Array.from({ length: Math.floor((b + 1) * size) - Math.floor(b * size) }, (_, i) => Math.floor(b * size) + i);
      const by = (better) => rows.reduce((best, i) => (better(y[i], y[best]) ? i : best));
      return [by((a, c) => a < c), by((a, c) => a > c)].sort((a, c) => a - c).map((i) => [x[i], y[i]]);
    }).flat();
  }

  /**
   * A worker's answers to messages: {open: {blob, name, x}} reads a file, {forecast: {pick, ask}} forecasts a curve of it.
   * Each answer has one of: progress, runs, fit, forecast, refused (a sentence).
   */
  function makeWork({ engine: k, rules: R }, answer) {
    let runs = [];

    async function open({ blob, name, x }) {
      runs = await rlscale.logs.readRuns(blob, name, R, x, (share) => answer({ progress: share }));
      answer({
        runs: runs.map((run) => ({
          name: run.name, choice: run.choice, assumed: run.assumed, axes: run.axes.map(({ key, unit }) => ({ key, unit })),
          series: run.series.map((s) => {
            const { key, kind, points, low, high, scale, factor, rank } = s;
            return { key, kind, points, low, high, scale, factor, rank, shelf: rlscale.logs.shelfOf(s, R) };
          }),
        })),
      });
    }

    function forecast({ pick, ask }) {
      const curve = rlscale.logs.curveOf(runs[pick.run], pick, R), { compute, passRate, label, kind, n, k: samples } = curve;
      const seen = compute.at(-1), budget = ask.budget === null && curve.planned > seen ? curve.planned : null;
      const about = { points: compute.length, first: compute[0], seen, label, kind, n, samples, warnings: curve.warnings, planned: budget };
      let fit = null;
      try {
        fit = rlscale.fit.fitLaw(compute, passRate, k);
      } catch (error) {
        if (!(error instanceof rlscale.numerics.Refusal)) throw error; // too few places for a fit; the forecast says what can be said
        about.noFit = error.message;
      }
      answer({ fit, about, dots: thin(compute, passRate) });
      const { belief, ...told } = rlscale.forecast.forecastRun(curve, ask, k);
      const end = told.budget.at / seen, places = Array.from({ length: PLACES + 1 }, (_, i) => Math.max((end * i) / PLACES, 1e-4 * end));
      const band = rlscale.posterior.drawBand(belief, [...new Set([...places, 1])].sort((a, b) => a - b), ask.level, k);
      answer({ forecast: { ...told, noise: told.noise.note, band: band.map((b) => ({ ...b, at: b.at * seen })), warnings: [...curve.warnings, ...told.warnings] } });
    }

    return async ({ id, ...message }) => {
      const say = answer;
      answer = (content) => say({ id, ...content });
      try {
        if (message.open) await open(message.open);
        else forecast(message.forecast);
      } catch (error) {
        const known = error instanceof rlscale.numerics.Refusal;
        answer({ refused: known ? error.message : `This cannot be computed (${error.message}).`, columns: error.columns, scale: error.scale });
      }
      answer = say;
      answer({ id, done: true });
    };
  }

  rlscale.work = { makeWork };
})();
