/*
 * The forecaster: a log comes in, a verdict goes out, and nothing leaves the page. Reading and arithmetic happen in
 * a worker made of the text of the pure scripts (a page from disk may not load a script into a worker); constants
 * come from the page's JSON (rlscale/interactive/forecaster.py). Names in a file reach the page as text only.
 */
(() => {
  'use strict';
  const { controls } = globalThis.rlscale;
  const { element, svg, formatNumber, makeScale, path, bandPath } = controls;
  const { sayCompute, sayUsd } = globalThis.rlscale.verdict;
  const { show } = globalThis.rlscale.numerics;
  const LEVEL = 0.9;
  const SIGNS = { continue: '▶', stop: '■', 'cannot tell': '?' };
  const SHELVES = ['Held-out pass rates', 'Pass rates of the training batch, or not said', 'Other series inside 0 to 1', 'Other series, on another scale'];
  const PARTS = ['numerics.js', 'fit.js', 'posterior.js', 'verdict.js', 'forecast.js', 'logs.js', 'work.js'];

  /** Start a worker from the scripts that stand in the page. */
  function startWorker(data, hear) {
    const texts = PARTS.map((name) => document.querySelector(`script[data-rlscale-file="${name}"]`).textContent);
    const tail = 'onmessage = (e) => { if (e.data.engine) { globalThis.work = rlscale.work.makeWork(e.data, postMessage); return; } globalThis.queue = (globalThis.queue ?? Promise.resolve()).then(() => work(e.data)); };';
    const address = URL.createObjectURL(new Blob([texts.join('\n;\n'), tail], { type: 'text/javascript' })), worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = (event) => hear(event.data);
    worker.onerror = (event) => hear({ refused: `The page cannot compute here: ${event.message ?? 'no worker could be started'}.` });
    worker.postMessage({ engine: data.engine, rules: data.rules });
    return worker;
  }

  /** A word of a shell, quoted where it has to be; no control character survives. */
  function quote(word) {
    const plain = String(word).replace(/[\u0000-\u001f\u007f]/g, '�');
    return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'"'"'`)}'`;
  }

  const three = (v) => v.toFixed(3);
  const span = (i, write) => [write(i.median), `${write(i.lo)} to ${write(i.hi)}`];
  const short = (v, label) => sayCompute(Number(v.toPrecision(3)), label);

  /** An interval of pass rate in percentage points; what is next to nothing is called that. */
  function sayPoints({ median, lo, hi }, by = 100) {
    const high = by * hi, write = (v) => (high >= 100 ? show(by * v, 3) : (by * v).toFixed(high >= 1 ? 1 : 2));
    return high < 0.01 ? 'less than 0.01' : `${write(median)} (${write(lo)} to ${write(hi)})`;
  }

  function build(root, data) {
    const { words } = data;
    let worker = null, job = 0, busy = false, waiting = false;
    let file = null, runs = [], pick = null, found = {}, asked = {}, column;
    let seen = 0, label = '';

    // ---- fields ----
    const form = controls.makeForm([
      { key: 'budget', label: 'Budget of the whole run', kind: 'number', min: 0, max: 1e300, blank: 0, placeholder: 'planned', help: words.budget,
        bounds: () => [seen, seen * data.engine.mostTimes || 1e300], because: 'so much is seen already' },
      { key: 'target', label: 'Pass rate you need', kind: 'number', min: 0, max: 1, step: 0.005, slide: [0, 0.995], blank: 0, placeholder: 'none', help: words.target,
        bounds: () => [0.001, 0.999], because: 'a pass rate lies between 0 and 1 (55 per cent is 0.55)' },
      { key: 'price', label: 'Price of one unit of compute', kind: 'number', min: 0, max: data.engine.mostUsd, blank: 0, placeholder: 'none', sign: '$', help: words.price },
      { key: 'value', label: 'Worth of a percentage point', kind: 'number', min: 0, max: data.engine.mostUsd, blank: 0, placeholder: 'none', sign: '$', help: words.value },
    ].map((spec) => ({ ...spec, default: data.sample.ask[spec.key], frozen: data.sample.frozen[spec.key] })), () => {
      address?.changed();
      drawing.redraw(); // the line of the target follows at once, the answer comes from the worker
      forecast();
    });
    const note = element('p', { class: 'rlscale-note', role: 'status' });
    let address = null;

    const status = element('p', { class: 'rlscale-status', role: 'status' });
    const input = element('input', { type: 'file', id: 'rlscale-log', accept: '.csv,.tsv,.txt,.json,.jsonl,.log,text/*,application/json', change: () => input.files[0] && open(input.files[0], input.files[0].name) });
    const pasted = element('textarea', { id: 'rlscale-pasted', rows: 5, spellcheck: 'false', placeholder: 'step,accuracy\n0,0.21\n10,0.26' });
    const drop = element('div', { class: 'rlscale-dropzone' },
      element('label', { for: 'rlscale-log' }, 'Drop a training log here, or choose a file'), input,
      element('p', { class: 'rlscale-hint' }, words.formats));
    for (const kind of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      drop.addEventListener(kind, (event) => {
        event.preventDefault();
        drop.classList.toggle('rlscale-over', kind === 'dragenter' || kind === 'dragover');
        if (kind === 'drop' && event.dataTransfer.files[0]) open(event.dataTransfer.files[0], event.dataTransfer.files[0].name);
      });
    }
    const paste = element('details', {}, element('summary', {}, 'or paste it'),
      element('label', { for: 'rlscale-pasted' }, 'Log as CSV or JSON lines'), pasted,
      element('div', { class: 'rlscale-bar' }, element('button', { type: 'button', click: () => open(new Blob([pasted.value]), 'pasted.csv') }, 'Read this')));
    const sampleButton = element('button', { type: 'button', click: () => openSample(true) }, 'Show the sample log');
    const picks = element('div', { class: 'rlscale-fields' }), read = element('p', { class: 'rlscale-hint' });
    const answer = element('output', { class: 'rlscale-answer', 'aria-live': 'polite' }), reasons = element('div', {}), tables = element('div', {});
    const code = element('code', {}), more = element('div', {});
    const drawing = controls.makeDrawing('', (width) => (width < 480 ? 320 : 380), draw);
    const results = element('div', { class: 'rlscale-results' }, answer, element('div', { class: 'rlscale-plot' }, drawing.node), reasons, tables, more,
      element('p', { class: 'rlscale-hint' }, 'This page does not check the health of the run (proxy reward, format reward, thinned export): ', element('code', {}, 'rlscale inspect FILE'), ' does.'),
      element('details', {}, element('summary', {}, 'The same on the command line'), element('pre', { tabindex: 0, role: 'group', 'aria-label': 'The same on the command line' }, code),
        controls.copyButton('Copy the command', () => code.textContent)));

    // ---- the worker ----
    function hear(message) {
      if (message.id !== undefined && message.id !== job) return;
      if (message.progress !== undefined) status.textContent = `Reading ${file.name}: ${Math.round(100 * message.progress)} %`;
      if (message.runs) {
        runs = message.runs;
        choose({ run: runs.length === 1 ? 0 : -1 });
      }
      if (message.about) {
        ({ seen, label } = message.about);
        found = { ...message, forecast: null, ask: asked };
      }
      if (message.forecast) found = { ...found, forecast: message.forecast };
      if (message.refused) refuse(message);
      else if (message.about || message.forecast) show();
      if (!message.done) return;
      busy = false;
      if (waiting) forecast();
    }

    function send(message) {
      job++;
      busy = true;
      worker.postMessage({ id: job, ...message });
    }

    /** Read a file; what was going on is given up, so that a long log can be abandoned. */
    function open(blob, name, x) {
      if (!worker || busy) {
        worker?.terminate();
        worker = startWorker(data, hear);
      }
      const others = !x && file?.sample === false; // what was asked of another log is not asked of this one
      file = { blob, name, sample: file?.opening ?? false };
      [runs, pick, found, column, waiting, seen] = [[], null, {}, x, false, 0];
      status.textContent = `Reading ${name} …`;
      status.classList.remove('rlscale-wrong');
      picks.replaceChildren();
      read.textContent = '';
      results.hidden = true;
      blank();
      const { budget, target } = form.state(), { ask } = data.sample;
      if (!file.sample && others) form.setAll({ budget: 0, target: 0, price: 0, value: 0 });
      else if (!file.sample && budget === ask.budget && target === ask.target) form.setAll({ budget: 0, target: 0 });
      send({ open: { blob, name, x } });
    }

    function openSample(reset) {
      [file, pick, seen] = [{ opening: true }, null, 0]; // the log before must not bound what is asked of the sample
      if (reset) form.setAll(data.sample.ask);
      open(new Blob([data.sample.text]), data.sample.name);
    }

    /** Take away the answer to another log. */
    function blank() {
      delete answer.dataset.verdict;
      for (const node of [answer, reasons, tables, more, code]) node.replaceChildren();
      results.setAttribute('aria-busy', 'true');
    }

    /** Forecast what is picked, or remember to when the worker is at work. */
    function forecast() {
      if (!pick || pick.run < 0 || !pick.y || !worker) return;
      waiting = busy;
      if (busy) return;
      const { budget, target, price, value } = form.state();
      asked = { budget: budget || null, target: target || null, price: price || null, value: value || null, level: LEVEL };
      if (results.hidden) status.textContent = 'Computing …';
      results.setAttribute('aria-busy', 'true');
      send({ forecast: { pick, ask: asked } });
    }

    // ---- what is read ----
    /** Take over a choice of run, axis, unit, series or scale, and ask for what is still open. */
    function choose(change) {
      const before = pick?.run;
      pick = { ...(pick ?? {}), ...change };
      const run = runs[pick.run];
      if (run && (pick.run !== before || pick.x === undefined)) Object.assign(pick, { x: run.axes[0].key, unit: '', y: run.choice.y ?? '', scale: '' });
      const fields = [];
      const field = (key, text, value, options, ask, hint) => {
        const id = `rlscale-pick-${key}`;
        const select = element('select', { id, change: () => choose({ [key]: key === 'run' ? Number(select.value) : select.value, ...(key === 'y' ? { scale: '' } : {}), ...(key === 'x' ? { unit: '' } : {}) }) },
          ...(ask ? [element('option', { value: key === 'run' ? -1 : '' }, ask)] : []),
          ...options.map((one) => (one instanceof Node ? one : element('option', { value: one[0] }, one[1]))));
        select.value = value;
        if (hint) select.setAttribute('aria-describedby', `${id}-hint`);
        fields.push(element('div', { class: 'rlscale-field rlscale-choice', 'data-key': key }, element('label', { for: id }, text), select,
          hint ? element('p', { class: 'rlscale-hint', id: `${id}-hint` }, hint) : ''));
      };
      if (runs.length > 1) field('run', 'Run', pick.run, runs.map((r, i) => [i, r.name]), 'choose one …');
      if (run) {
        const axes = [...new Map(run.axes.map((axis) => [axis.key, axis])).values()], axis = axes.find((a) => a.key === pick.x), series = run.series.find((s) => s.key === pick.y);
        field('x', 'Compute', pick.x, axes.map((a) => [a.key, `${a.key} (${data.rules.units[a.unit]})`]));
        if (run.assumed && axis === axes[0]) field('unit', `${axis.key} counts`, pick.unit || axis.unit, Object.entries(data.rules.units));
        const listed = (i) => run.series.filter((s) => s.shelf === i || (i === 2 && s.shelf < 0 && s.key === pick.y)).sort((a, b) => a.rank - b.rank || b.points - a.points);
        const option = (s) => element('option', { value: s.key }, `${s.key} (${formatNumber(s.points)} points, ${formatNumber(s.low, 3)} to ${formatNumber(s.high, 3)})`);
        const shelves = SHELVES.map((name, i) => [name, listed(i)]).filter(([, all]) => all.length), left = run.series.filter((s) => s.shelf < 0 && s.key !== pick.y).length;
        field('y', 'Pass rate', pick.y, shelves.map(([name, all]) => element('optgroup', { label: name }, ...all.map(option))), pick.y ? '' : shelves.length ? 'choose one …' : 'none can be one',
          left && `Not listed: ${left} that can be no pass rate (constants, times, lengths, losses, learning rates, values outside 0 to 1, −1 to 1 and 0 to 100).`);
        if (series && series.factor === 1 && (series.low < 0 || series.high > 1)) field('scale', 'Its values are', pick.scale, [['percent', 'per cent'], ['signed', 'rewards of −1 or 1']], 'say what …');
      }
      picks.replaceChildren(...fields);
      if (!run) status.textContent = `${file.name} holds ${runs.length} runs: choose one.`;
      else if (!pick.y) status.textContent = run.choice.why;
      else forecast();
      if (!run || !pick.y) results.hidden = true;
    }

    /** Say what cannot be done, and ask where an answer would help. */
    function refuse({ refused, columns }) {
      status.textContent = refused;
      status.classList.add('rlscale-wrong');
      results.hidden = true;
      found = {};
      if (!columns?.length || pick) return;
      const select = element('select', { id: 'rlscale-pick-step', change: () => open(file.blob, file.name, select.value) },
        element('option', { value: '' }, 'choose one …'), ...columns.slice(0, 500).map((key) => element('option', { value: key }, key)));
      picks.replaceChildren(element('div', { class: 'rlscale-field rlscale-choice' }, element('label', { for: 'rlscale-pick-step' }, 'Column that counts the steps'), select));
    }

    /** The command that gives the same numbers. */
    function command() {
      const { ask } = found, run = runs[pick.run], parts = ['rlscale', 'forecast', file.name.startsWith('-') ? `./${file.name}` : file.name];
      const add = (key, text) => parts.push(...(String(text).startsWith('-') ? [`--${key}=${text}`] : [`--${key}`, text]));
      if (runs.length > 1) add('run', run.name);
      if (column || pick.unit || pick.x !== run.axes[0].key) add('x', pick.unit ? `${pick.x}:${pick.unit}` : pick.x);
      if (pick.scale || pick.y !== run.choice.y) add('y', pick.scale ? `${pick.y}:${pick.scale}` : pick.y);
      for (const key of ['budget', 'target', 'price', 'value']) if (ask[key] !== null) add(key, ask[key]);
      return parts.map(quote).join(' ');
    }

    // ---- results ----
    function show() {
      const { about, fit, forecast: told, ask } = found;
      results.hidden = false;
      status.classList.remove('rlscale-wrong');
      read.textContent = `Read: ${formatNumber(about.points)} points of “${pick.y}”, from ${sayCompute(about.first)} to ${sayCompute(about.seen, about.label)}; ${words.kinds[about.kind] ?? about.kind}.`;
      results.setAttribute('aria-busy', String(!told));
      if (!told) return drawing.redraw();
      status.textContent = '';
      const at = sayCompute(told.budget.at, about.label), level = `${100 * ask.level} % interval`, known = told.state !== 'no forecast', { next } = told;
      answer.dataset.verdict = told.verdict;
      const end = known ? `At ${at} you will measure about ${three(told.end.median)} (${level} ${three(told.end.lo)} to ${three(told.end.hi)}).` : '';
      const left = told.gain && told.rest > 0 ? `Left to win: ${sayPoints(told.gain)} percentage points. That is the curve itself: what you measure scatters round it, so the interval of the end is wider.` : '';
      const buys = next ? `The next ${sayUsd(next.usd)}, to ${sayCompute(next.until, about.label)}, buy ${sayPoints(next.gain)} percentage points: ${sayPoints(next.gain, 1e5 / next.usd)} per USD 1,000.` : '';
      answer.replaceChildren(
        element('p', { class: 'rlscale-word' }, `${SIGNS[told.verdict]} ${told.verdict[0].toUpperCase()}${told.verdict.slice(1)}`),
        ...[told.why, told.also, end, left, buys, `State: ${told.state}. ${words.states[told.state]}`].filter(Boolean).map((line) => element('p', line === end ? { class: 'rlscale-end' } : {}, line)));
      reasons.replaceChildren(element('p', { class: 'rlscale-strong' }, 'Why this state'), element('ul', {}, ...told.reasons.map(({ message }) => element('li', {}, message))));
      const untold = ['cannot be told yet', ''], row = (name, i, write) => [name, ...(i ? span(i, write) : untold)];
      tables.replaceChildren(...(known ? [controls.table('The numbers', ['', 'median', level], [
        row('pass rate at the budget', told.end, three), row('R0, the start', told.R0, three), row('A, the ceiling', told.A, three), row('B, the steepness', told.B, (v) => v.toFixed(2)),
        row(`Cmid, half of the gain (${about.label})`, told.Cmid, short), row('seen so far, in multiples of Cmid', told.seenOverCmid, (v) => v.toFixed(1)),
      ])] : []), ...money(told, about));
      const fitted = fit ? `Best single sigmoid: R0 ${three(fit.R0)}, A ${three(fit.A)}, B ${fit.B.toFixed(2)}, Cmid ${short(fit.Cmid)} (${fit.status}${fit.atBounds.length ? `: ${fit.atBounds.join(', ')}` : ''}). ${words.fit}` : about.noFit;
      const pooled = told.shapes.map((s) => (s.pooled ? s.name : `${s.name} (refuted, left out)`)).join(', ');
      more.replaceChildren(
        ...(told.warnings.length ? [element('p', { class: 'rlscale-strong' }, 'Warnings'), element('ul', {}, ...told.warnings.map(({ code: c, message }) => element('li', {}, `${message} (${c})`)))] : []),
        element('details', {}, element('summary', {}, 'How it was computed'), element('ul', {}, ...[told.budget.why, told.noise, `Shapes: ${pooled}.`, `Intervals: ${data.engine.calibration.note}.`, fitted].map((text) => element('li', {}, text)))));
      code.textContent = command();
      drawing.node.setAttribute('aria-label', `${formatNumber(about.points)} measured pass rates against ${about.label}, and the forecast to ${at}. ${end || 'No forecast: the band is too wide to quote.'}`);
      drawing.redraw();
    }

    /** What going on costs and is worth. */
    function money(told, about) {
      const { price, value } = found.ask, stop = told.bestStop, worth = value && `At ${sayUsd(value)} a percentage point`, { label } = about;
      if (price === null) return [];
      const rows = [['already spent', sayCompute(about.seen, label), sayUsd(price * about.seen)], ['left of the budget', sayCompute(told.rest, label), sayUsd(price * told.rest)]];
      if (told.next) rows.push(['a tenth of what is left, to', sayCompute(told.next.until, label), sayUsd(told.next.usd)]);
      if (stop && stop.at > about.seen) rows.push(['best stop, at', sayCompute(Number(stop.at.toPrecision(4)), label), `${sayUsd(price * (stop.at - about.seen))} from here`]);
      const after = told.rest <= 0 ? 'The budget is used up: nothing is left to pay for.'
        : told.by === 'fall' ? 'The run fell, so what the rest would bring is not weighed against its price.'
          : value === null ? `Without the worth of a percentage point, money does not decide the verdict. ${told.also ?? ''}`
            : !stop ? `${worth}, going on ${told.byMoney === 'continue' ? 'pays' : 'does not pay'}, averaged over all that the pilot leaves open; no number is given.`
              : stop.at <= about.seen ? `${worth}, no further compute is expected to be worth its price.`
                : `${worth}, that is expected to be worth ${sayUsd(stop.usd)} more than stopping now.`;
      return [controls.table('The money', ['', 'compute', 'cost'], rows), element('p', { class: 'rlscale-hint' }, after)];
    }

    // ---- drawing ----
    function draw(node, width, height) {
      node.replaceChildren();
      if (!found.about) return;
      const { about, fit, forecast: told, dots } = found, { target } = form.state(), known = told && told.state !== 'no forecast', last = told ? told.budget.at : about.seen, band = told?.band ?? [];
      const ys = [...dots.map(([, v]) => v), ...band.flatMap((b) => [b.seenLo, b.seenHi]), ...(target && known ? [target] : [])], low = Math.min(...ys), high = Math.max(...ys), room = 0.06 * (high - low || 0.1);
      const box = { left: 46, right: width - (known ? 84 : 18), top: 30, bottom: height - 50 };
      const x = makeScale(0, last, box.left, box.right, { count: width < 480 ? 4 : 7 }), y = makeScale(Math.max(low - room, -0.02), Math.min(high + room, 1.02), box.bottom, box.top);
      const line = (points, name) => svg('path', { d: path(points.map(([a, b]) => [x(a), y(b)])), class: `rlscale-curve ${name}` }), say = (at, v, text, more = {}) => svg('text', { x: at, y: v, ...more }, text);
      const shade = (lo, hi, name) => svg('path', { d: bandPath(band.map((b) => [x(b.at), y(b[lo]), y(b[hi])])), class: name });
      node.classList.toggle('rlscale-refused', Boolean(told) && !known);
      node.append(controls.drawAxes(box, x, y, { xLabel: about.label, yLabel: words.kinds[about.kind] ?? 'pass rate' }));
      if (band.length) {
        node.append(shade('seenLo', 'seenHi', 'rlscale-faint'), shade('lo', 'hi', 'rlscale-believed'),
          line(band.filter((b) => b.at <= about.seen).map((b) => [b.at, b.median]), ''));
        if (known) node.append(line(band.filter((b) => b.at >= about.seen).map((b) => [b.at, b.median]), 'rlscale-dashed'));
      } else if (fit) node.append(line(Array.from({ length: 81 }, (_, i) => (about.seen * Math.max(i, 0.01)) / 80).map((c) => [c, globalThis.rlscale.fit.evaluateLaw(fit, c)]), 'rlscale-dotted'));
      const edges = last > about.seen ? [[about.seen, `seen ${sayCompute(about.seen)}`], [last, `budget ${sayCompute(last)}`]] : [[last, `all seen: ${sayCompute(last)}`]];
      edges.forEach(([at, text], i) => {
        const right = x(at) > 0.5 * (box.left + box.right) + 1; // names stand inside, in two rows: they may be near each other
        node.append(svg('line', { x1: x(at), x2: x(at), y1: box.top, y2: box.bottom, class: 'rlscale-edge' }),
          say(x(at) + (right ? -5 : 5), box.bottom - 24 + 17 * i, text, { 'text-anchor': right ? 'end' : 'start' }));
      });
      node.append(svg('g', {}, ...dots.map(([a, b]) => svg('circle', { cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: dots.length > 150 ? 1.6 : 2.8, class: 'rlscale-measured' }))));
      if (told && !known) node.append(say(0.5 * (box.left + box.right), box.top + 20, 'no forecast', { 'text-anchor': 'middle', class: 'rlscale-strong' }));
      if (!known) return;
      if (target) node.append(svg('line', { x1: box.left, x2: box.right, y1: y(target), y2: y(target), class: 'rlscale-target' }), say(box.left + 4, y(target) - 5, `target ${formatNumber(target)}`));
      const mid = told.Cmid, mark = (v) => `M${x(last) - 5},${y(v)}h10`;
      if (mid && mid.median < last) {
        const near = band.reduce((a, b) => (Math.abs(b.at - mid.median) < Math.abs(a.at - mid.median) ? b : a)), level = y(near.median);
        node.append(svg('path', { d: `M${x(mid.lo)},${level}H${x(Math.min(mid.hi, last))}`, class: 'rlscale-curve rlscale-mid' }), svg('circle', { cx: x(mid.median), cy: level, r: 5, class: 'rlscale-mid-dot' }),
          say(x(mid.median) + 8, level + 20, 'Cmid', { class: 'rlscale-mid-name' }));
      }
      node.append(svg('path', { d: `M${x(last)},${y(told.end.lo)}V${y(told.end.hi)}${mark(told.end.lo)}${mark(told.end.hi)}`, class: 'rlscale-bar-end' }),
        svg('rect', { x: x(last) - 4, y: y(told.end.median) - 4, width: 8, height: 8, class: 'rlscale-square' }),
        ...[three(told.end.median), `${three(told.end.lo)} to`, three(told.end.hi)].map((text, i) => say(x(last) + 10, y(told.end.median) + 4 + 16 * (i - 1), text, { class: i ? '' : 'rlscale-strong' })));
    }

    const link = controls.copyButton('Copy a link to this case', () => address.link());
    root.append(note,
      element('div', { class: 'rlscale-intake' }, drop, element('div', {}, sampleButton, paste, element('p', { class: 'rlscale-hint' }, words.private))),
      status, picks, element('div', { class: 'rlscale-fields' }, ...['budget', 'target', 'price', 'value'].map(form.row)), read, results, element('div', { class: 'rlscale-bar' }, link));
    openSample(false);
    address = controls.tieAddress(form, note);
    address.read();
    return {
      state: form.state, set: form.set,
      result: () => ({ ...(found.forecast ?? {}), fit: found.fit, about: found.about, command: found.forecast ? code.textContent : '', status: status.textContent, runs, pick, busy }),
      open: (text, name) => open(new Blob([text]), name), openBlob: open, choose,
    };
  }

  controls.mount('forecaster', build);
})();
