/*
 * The explorer: two laws on one log axis, a cursor that reads both, what a target costs, and the same in Python.
 * All arithmetic is in law.js; all numbers come from the page's JSON (rlscale/interactive/explorer.py).
 * The page may name a case to open with: data-case="recipes" (the default) or "lengths".
 */
(() => {
  'use strict';
  const { controls, law: laws } = globalThis.rlscale;
  const { element, svg, formatNumber, formatAmount, makeScale, path } = controls;

  const SIDES = [{ suffix: 'a', which: 'first', word: 'First' }, { suffix: 'b', which: 'second', word: 'Second' }];
  const PARAMETERS = ['R0', 'A', 'B', 'C'];
  const CURVE_POINTS = 160;
  const LARGEST = 1e15;
  const SLOPE_PER = 1000; // units of compute that a slope is told for
  // dash and marker of matplotlib's codes, as in the printed figures
  const DASHES = { '-': null, '--': '9 5', '-.': '10 4 2 4', ':': '2 5' };
  const MARKERS = {
    o: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
    s: (r) => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}Z`,
    '^': (r) => `M0,${-r * 1.2}L${r * 1.2},${r}H${-r * 1.2}Z`,
    v: (r) => `M0,${r * 1.2}L${r * 1.2},${-r}H${-r * 1.2}Z`,
    '>': (r) => `M${r * 1.2},0L${-r},${r * 1.2}V${-r * 1.2}Z`,
    D: (r) => `M0,${-r * 1.35}L${r * 1.35},0L0,${r * 1.35}L${-r * 1.35},0Z`,
    P: (r) => `M${-r / 2},${-r * 1.3}h${r}v${r * 0.8}h${r * 0.8}v${r}h${-r * 0.8}v${r * 0.8}h${-r}v${-r * 0.8}h${-r * 0.8}v${-r}h${r * 0.8}Z`,
  };

  /** The fields, with what the case opens with and what a link without a key means. */
  function listFields(data, open, frozen) {
    const presets = data.presets.map((p) => {
      const chosen = PARAMETERS.filter((key) => p.kinds[key] === 'illustrative');
      const mark = chosen.length === 4 ? 'illustrative' : `${chosen.map(symbol).join(', ')} illustrative`;
      return { value: p.id, label: chosen.length ? `${p.name} (${mark})` : p.name, group: p.group };
    });
    const number = (key, label, more) => ({ key, label, kind: 'number', ...more });
    const fields = SIDES.flatMap(({ suffix, which }) => [
      { key: which, label: 'Preset', kind: 'choice', options: presets },
      number(`R0${suffix}`, 'Start R0', { min: 0, max: 1, step: 0.005, help: 'Pass rate before any RL compute is spent',
        bounds: (s) => [0, s[`A${suffix}`]], because: 'the start cannot be above the ceiling' }),
      number(`A${suffix}`, 'Ceiling A', { min: 0, max: 1, step: 0.005, help: 'Pass rate at endless compute',
        bounds: (s) => [s[`R0${suffix}`], 1], because: 'the ceiling cannot be below the start' }),
      number(`B${suffix}`, 'Steepness B', { min: 0.05, max: 20, step: 0.01, slide: [0.3, 5], help: 'How abruptly the pass rate rises on a log axis' }),
      number(`C${suffix}`, 'Half-way Cmid', { min: 1e-6, max: LARGEST, log: true, help: 'Compute at half of the gain' }),
    ]);
    fields.push(
      number('at', 'Cursor', { min: 1e-6, max: LARGEST, log: true, help: 'Compute at which both recipes are read' }),
      number('target', 'Target pass rate', { min: 0, max: 1, step: 0.005 }),
      number('run', 'Planned run', { min: 1e-6, max: LARGEST, log: true, help: 'Its first quarter is shaded' }),
      number('price', 'Price of a GPU-hour', { min: 0, max: 10_000, sign: '$', help: `${data.price.what}, listed ${data.price.as_of}` }),
      { key: 'unit', label: 'Unit of compute', kind: 'choice', options: data.units },
      number('hours', 'GPU-hours for one', { min: 1e-12, max: 1e6, help: 'How many GPU-hours one unit of compute takes' }),
    );
    return fields.map((field) => ({ ...field, default: open[field.key], frozen: frozen[field.key] }));
  }

  const symbol = (key) => (key === 'C' ? 'Cmid' : key);

  /** Points of pass rate, with a sign where they are a difference. */
  const points = (value, signed = false) => `${signed && value > 0 ? '+' : ''}${(100 * value).toFixed(1)}`.replace('-', '−');

  function build(root, data) {
    const { open, frozen } = data.cases[root.dataset.case ?? 'recipes'];
    const presets = new Map(data.presets.map((p) => [p.id, p]));
    const units = new Map(data.units.map((u) => [u.value, u]));
    let last = open;
    let address = null;
    let shown = null; // the result that the page shows
    let explained = ''; // whose sources the page shows

    // ---- what the state means ----
    const lawOf = (s, suffix) => ({ R0: s[`R0${suffix}`], A: s[`A${suffix}`], B: s[`B${suffix}`], Cmid: s[`C${suffix}`] });
    /** The value of a preset's parameter in the unit of the page; six digits are kept when a unit is converted. */
    const presetValue = (preset, key, s) => (key === 'C' && s.hours !== 1 ? Number((preset.C / s.hours).toPrecision(6)) : preset[key]);
    const follows = (s, { suffix, which }) => PARAMETERS.every((key) => s[key + suffix] === presetValue(presets.get(s[which]), key, s));
    const takePreset = (s, { suffix, which }) => Object.fromEntries(PARAMETERS.map((key) => [key + suffix, presetValue(presets.get(s[which]), key, s)]));
    const names = (s) => {
      const found = SIDES.map(({ which }) => presets.get(s[which]).name);
      return found[0] === found[1] ? found.map((name, i) => `${name} (${i + 1})`) : found;
    };
    const marks = (s) => {
      const [one, two] = SIDES.map(({ which }) => presets.get(s[which]));
      const other = one.colour === 'vermillion' ? 'blue' : 'vermillion';
      return [one, one.colour === two.colour ? { ...two, colour: other, dash: two.dash === one.dash ? '--' : two.dash } : two];
    };
    const unitName = (s) => units.get(s.unit).label;
    /** Compute that is drawn, in the unit of the page: wider by whole decades where a Cmid lies near its end. */
    const windowOf = (s) => {
      let [low, high] = data.window.map((hours) => Number((hours / s.hours).toPrecision(6)));
      while (Math.min(s.Ca, s.Cb) < 2 * low) low /= 10;
      while (Math.max(s.Ca, s.Cb) > high / 2) high *= 10;
      return [low, high];
    };

    function result(s = form.state()) {
      const [first, second] = SIDES.map(({ suffix }) => laws.readOut(lawOf(s, suffix), s));
      return { first, second, difference: second.passRate - first.passRate,
        crossings: laws.crossings(lawOf(s, 'a'), lawOf(s, 'b'), ...windowOf(s)) };
    }

    /** The call in Python that gives the same numbers. */
    function python(s = form.state()) {
      const label = names(s);
      const make = (suffix) => `Sigmoid(R0=${s[`R0${suffix}`]}, A=${s[`A${suffix}`]}, B=${s[`B${suffix}`]}, Cmid=${s[`C${suffix}`]})`;
      return ['from rlscale import Sigmoid', 'from rlscale.recipes import compare_laws, find_crossings', '',
        `first = ${make('a')}  # ${label[0]}`, `second = ${make('b')}  # ${label[1]}`,
        'for law in (first, second):',
        `    print(law(${s.at}), law.gain(${s.at}), law.slope(${s.at}))`,
        `laws = {${JSON.stringify(label[0])}: first, ${JSON.stringify(label[1])}: second}`,
        `print(compare_laws(laws, target=${s.target}, budget=${s.at}, usd_per_unit=${s.hours === 1 ? '' : `${s.hours} * `}${s.price}))`,
        `print(find_crossings(first, second, ${windowOf(s).join(', ')}))`].join('\n');
    }

    // ---- changes ----
    function change(s, keys) {
      const [key] = keys;
      if (keys.length === 1) { // one field, by the reader's hand: others may have to follow it
        const side = SIDES.find(({ which }) => which === key);
        if (side) return form.setAll(takePreset(s, side)) || undefined;
        if (key === 'unit' || key === 'hours') {
          const hours = key === 'unit' ? units.get(s.unit).hours : s.hours;
          const next = { ...s, hours };
          const convert = (value) => Number((value * last.hours / hours).toPrecision(6));
          const follow = { hours };
          for (const one of SIDES) {
            if (follows(last, one)) follow[`C${one.suffix}`] = presetValue(presets.get(s[one.which]), 'C', next);
            else if (key === 'unit') follow[`C${one.suffix}`] = convert(s[`C${one.suffix}`]);
          }
          if (key === 'unit') Object.assign(follow, { at: convert(s.at), run: convert(s.run) });
          last = next; // so that a change of one key alone does not come back here
          return form.setAll({ ...follow, unit: s.unit }) || undefined;
        }
      }
      last = s;
      render(s);
      address?.changed();
    }

    const form = controls.makeForm(listFields(data, open, frozen), change);
    const note = element('p', { class: 'rlscale-note', role: 'status' });
    const spoken = controls.announcer();
    const counted = element('p', { class: 'rlscale-hint', role: 'status' });
    const reading = controls.liveTable('Read at the cursor', 3, ['pass rate', 'gain, points', 'share of its gain', 'slope, points per 1,000', 'GPU-hours', 'cost'], true);
    const reaching = controls.liveTable('To reach the target', 3, ['compute', 'GPU-hours', 'cost'], true);
    const code = element('code', {});
    const drawing = controls.makeDrawing('', (width) => (width < 480 ? 330 : 400), draw);
    const groups = SIDES.map(({ suffix, which, word }) => element('fieldset', {}, element('legend', {}, `${word} recipe`),
      form.row(which), ...PARAMETERS.map((key) => form.row(key + suffix))));
    const why = element('div', {});

    // ---- drawing ----
    function draw(node, width, height) {
      const s = form.state();
      const narrow = width < 480;
      const box = { left: 42, right: width - 28, top: 40, bottom: height - 48 };
      const [low, high] = windowOf(s);
      const top = Math.max(s.Aa, s.Ab, s.target) > 0.75 ? 1 : 0.8; // two heights only, so that the eye can compare
      const x = makeScale(low, high, box.left, box.right, { log: true, count: narrow ? 3 : 6 });
      const y = makeScale(0, top, box.bottom, box.top, { count: 5 });
      const inside = (value) => Math.min(box.right, Math.max(box.left, x(value)));
      const label = names(s);
      const mark = marks(s);
      const r = shown;
      const parts = [];

      const pilotEnd = inside(s.run * data.pilot);
      parts.push(svg('rect', { x: box.left, y: box.top, width: pilotEnd - box.left, height: box.bottom - box.top, class: 'rlscale-band' }));
      parts.push(controls.drawAxes(box, x, y, {
        xLabel: `compute (${s.unit === 'gpu_hours' ? `${data.hardware} ` : ''}${unitName(s)}, log scale)`, yLabel: 'pass rate',
        xFormat: (v) => (v >= 1e6 ? formatAmount(v).replace(/\.0+/, '') : formatNumber(v)),
      }));
      const upright = (at, kind) => svg('line', { x1: at, x2: at, y1: box.top, y2: box.bottom, class: kind });
      if (pilotEnd > box.left + 70) {
        if (narrow) parts.push(upright(pilotEnd, 'rlscale-edge'), svg('text', { x: box.left + 6, y: box.top + 16 }, `pilot: ${100 * data.pilot} %`));
        else parts.push(upright(pilotEnd, 'rlscale-edge'), svg('text', { x: pilotEnd - 6, y: box.bottom - 8, 'text-anchor': 'end' }, `pilot: ${100 * data.pilot} %`));
      }
      if (s.run <= high && s.run >= low && !narrow) {
        const late = x(s.run) > box.right - 96;
        parts.push(upright(x(s.run), 'rlscale-edge'), svg('text', { x: x(s.run) + (late ? -6 : 6), y: box.bottom - 8, 'text-anchor': late ? 'end' : 'start' }, 'planned run'));
      }
      parts.push(svg('line', { x1: box.left, x2: box.right, y1: y(s.target), y2: y(s.target), class: 'rlscale-target' }),
        svg('text', { x: box.left + 6, y: y(s.target) - 6 }, `target ${formatNumber(s.target)}`));

      const ends = SIDES.map(({ suffix }) => laws.passRate(lawOf(s, suffix), high));
      SIDES.forEach(({ suffix }, i) => {
        const law = lawOf(s, suffix);
        const at = (compute) => [x(compute), y(laws.passRate(law, compute))];
        const places = Array.from({ length: CURVE_POINTS }, (_, k) => x.invert(box.left + (box.right - box.left) * k / (CURVE_POINTS - 1)));
        const group = svg('g', { style: `--rl-accent: var(--rl-${mark[i].colour})` });
        group.append(svg('path', { d: path(places.map(at)), class: 'rlscale-curve', 'stroke-dasharray': DASHES[mark[i].dash] }));
        const [mx, my] = at(law.Cmid);
        group.append(svg('line', { x1: mx, x2: mx, y1: my, y2: box.bottom, class: 'rlscale-drop' }),
          svg('path', { d: MARKERS[mark[i].marker](6), transform: `translate(${mx.toFixed(1)},${my.toFixed(1)})`, class: 'rlscale-dot' },
            svg('title', {}, `Cmid of ${label[i]}`)));
        // a name stands at the end of its curve, or where the picture is narrow, below both ends, with a piece of its line
        const over = ends[i] > ends[1 - i] || (ends[i] === ends[1 - i] && i === 0);
        const line = narrow ? box.bottom - (over ? 34 : 12) : y(ends[i]) + (over ? -10 : 20);
        group.append(svg('text', { x: box.right - (narrow ? 34 : 2), y: line, 'text-anchor': 'end', class: 'rlscale-tag' }, label[i]));
        if (narrow) group.append(svg('path', { d: `M${box.right - 28},${line - 4}h26`, class: 'rlscale-curve', 'stroke-dasharray': DASHES[mark[i].dash] }));
        parts.push(group);
      });
      for (const place of r.crossings) {
        parts.push(svg('path', { d: 'M-6,-6L6,6M-6,6L6,-6', class: 'rlscale-cross', transform: `translate(${x(place)},${y(laws.passRate(lawOf(s, 'a'), place))})` },
          svg('title', {}, 'they change places')));
      }

      const cx = inside(s.at);
      parts.push(upright(cx, 'rlscale-cursor'), svg('path', { d: `M${cx - 6},${box.top - 8}h12l-6,8Z`, class: 'rlscale-grip' }),
        svg('text', { x: Math.min(box.right, Math.max(box.left + 112, cx)), y: box.top - 14, 'text-anchor': cx > box.right - 60 ? 'end' : 'middle', class: 'rlscale-strong' },
          `${formatAmountOrNumber(s.at)} ${unitName(s)}`));
      const reads = [r.first.passRate, r.second.passRate];
      const order = reads[0] > reads[1] ? [0, 1] : [1, 0];
      order.forEach((i, rank) => {
        // a rising curve leaves room to the upper left and to the lower right of each of its points
        const after = (rank === 1 && cx < box.right - (narrow ? 48 : 110)) || cx < box.left + 48;
        parts.push(svg('g', { style: `--rl-accent: var(--rl-${mark[i].colour})` },
          svg('circle', { cx, cy: y(reads[i]), r: 4.5, class: 'rlscale-read' }),
          svg('text', { x: cx + (after ? 9 : -9), y: y(reads[i]) + (rank ? 18 : -9), 'text-anchor': after ? 'start' : 'end', class: 'rlscale-tag' }, reads[i].toFixed(3))));
      });
      node.replaceChildren(...parts);
      grip = { x, box };
    }

    const formatAmountOrNumber = (v) => (v >= 1e7 ? formatAmount(v) : formatNumber(v));

    let grip = null;
    const follow = (event) => {
      if (!grip || (event.type === 'pointermove' && !drawing.node.hasPointerCapture(event.pointerId))) return;
      const pixel = event.clientX - drawing.node.getBoundingClientRect().left;
      const value = grip.x.invert(Math.min(grip.box.right, Math.max(grip.box.left, pixel)));
      form.set('at', Number(value.toPrecision(3)));
    };
    drawing.node.addEventListener('pointerdown', (event) => { drawing.node.setPointerCapture(event.pointerId); follow(event); });
    drawing.node.addEventListener('pointermove', follow);

    // ---- words and tables ----
    function say(s, r) {
      const label = names(s);
      const unit = unitName(s);
      const lead = Math.abs(r.difference) < 5e-4 ? 'no difference to speak of' : `${label[r.difference > 0 ? 1 : 0]} leads by ${points(Math.abs(r.difference))} points`;
      const reach = [r.first, r.second].map((one, i) => (one.computeToTarget === Infinity ? `${label[i]} never gets there`
        : one.computeToTarget === 0 ? `${label[i]} starts there` : `${label[i]} needs ${formatAmountOrNumber(one.computeToTarget)} ${unit} (${formatAmount(one.usdToTarget, '$')})`));
      const pilot = s.run * data.pilot;
      const seen = SIDES.map(({ suffix }, i) => `${formatNumber(pilot / s[`C${suffix}`], 2)} times the Cmid of ${label[i]}`);
      const places = r.crossings.map((place) => formatAmountOrNumber(Number(place.toPrecision(3))));
      return `At ${formatAmountOrNumber(s.at)} ${unit}: ${label[0]} is at ${r.first.passRate.toFixed(3)}, ${label[1]} at ${r.second.passRate.toFixed(3)}; ${lead}. `
        + `To ${formatNumber(s.target)}: ${reach.join('; ')}. `
        + (places.length ? `They change places at ${places.join(' and ')} ${unit}. ` : 'They do not change places in this window. ')
        + `A pilot of ${100 * data.pilot} % of the planned run (${formatAmountOrNumber(pilot)} ${unit}) sees ${seen.join(' and ')}.`;
    }

    function render(s) {
      const r = shown = result(s);
      const label = names(s);
      const mark = marks(s);
      const unit = unitName(s);
      const span = windowOf(s);
      SIDES.forEach((side, i) => {
        const preset = presets.get(s[side.which]);
        groups[i].style.setProperty('--rl-accent', `var(--rl-${mark[i].colour})`);
        for (const key of PARAMETERS) {
          form.tag(key + side.suffix, s[key + side.suffix] === presetValue(preset, key, s) ? preset.kinds[key] : key === 'A' && s[`A${side.suffix}`] === s[`R0${side.suffix}`] ? 'yours: no gain' : 'yours');
        }
      });
      for (const key of ['Ca', 'Cb', 'at', 'run']) form.adjust(key, { unit, slide: span });
      form.tag('target', s.target <= Math.min(s.R0a, s.R0b) ? 'both start there' : '');
      form.tag('price', s.price === 0 ? '0: nothing costs anything' : '');
      counted.textContent = s.hours === 1 ? '' : `Both recipes count ${unit} of ${formatNumber(s.hours)} ${data.hardware} GPU-hours each: published values of Cmid are in GPU-hours and were divided by that. A recipe with longer answers or another batch takes other hours for one; compare such recipes in GPU-hours.`;
      form.row('hours').hidden = s.unit === 'gpu_hours' && s.hours === 1;
      const both = (get, write, compare) => [write(get(r.first)), write(get(r.second)), compare ? compare(get(r.second), get(r.first)) : ''];
      const minus = (write) => (b, a) => (Number.isFinite(b - a) ? `${b - a > 0 ? '+' : ''}${write(b - a)}`.replace('-', '−') : '–');
      const ratio = (b, a) => (Number.isFinite(b / a) && b > 0 ? `× ${formatNumber(b / a, 3)}` : '–');
      reading.fill([`At ${formatAmountOrNumber(s.at)} ${unit}`, ...label, 'gap'], [
        both((o) => o.passRate, (v) => v.toFixed(3), minus((v) => v.toFixed(3))),
        both((o) => o.gain, points, minus(points)),
        both((o) => 100 * o.share, (v) => `${v.toFixed(0)} %`),
        both((o) => 100 * SLOPE_PER * o.slope, (v) => formatNumber(v, 3), minus((v) => formatNumber(v, 2))),
        both((o) => o.gpuHours, formatAmountOrNumber),
        both((o) => o.usd, (v) => formatAmount(v, '$')),
      ]);
      reaching.fill([`To ${formatNumber(s.target)}`, ...label, 'ratio'], [
        both((o) => o.computeToTarget, formatAmountOrNumber, ratio),
        both((o) => o.gpuHoursToTarget, formatAmountOrNumber, ratio),
        both((o) => o.usdToTarget, (v) => formatAmount(v, '$'), ratio),
      ]);
      code.textContent = python(s);
      const words = say(s, r);
      drawing.node.setAttribute('aria-label', `Pass rate against compute of ${label[0]} and ${label[1]}. ${words}`);
      spoken.say(words);
      if (explained !== s.first + s.second) why.replaceChildren(...SIDES.map(({ which }) => presets.get(s[which])).map((p) => element('p', {}, element('strong', {}, p.name), `: ${p.why} ${p.source}.`)),
        element('p', {}, priceNote()));
      explained = s.first + s.second;
      drawing.redraw();
    }

    /** Where the price comes from, and a warning when it is old. */
    function priceNote() {
      const { what, value, lo, hi, as_of: day, source, stale_days: most } = data.price;
      const age = Math.floor((Date.now() - Date.parse(day)) / 86_400_000);
      const old = age > most ? ` That is ${formatNumber(age)} days ago: look it up again before you rely on it.` : '';
      return `Price: ${what}, $${value} a GPU-hour ($${formatNumber(lo)} to $${formatNumber(hi)}), listed ${day} (${source}).${old}`;
    }

    address = controls.tieAddress(form, note);
    const fields = (...keys) => element('div', { class: 'rlscale-fields' }, ...keys.map(form.row));
    root.append(note,
      element('div', { class: 'rlscale-plot rlscale-drag' }, drawing.node),
      form.row('at'),
      element('div', { class: 'rlscale-fields' }, ...groups),
      element('fieldset', {}, element('legend', {}, 'What you want and what it costs'), fields('target', 'run', 'price', 'unit', 'hours'), counted),
      spoken.node, reading.node, reaching.node,
      element('details', {}, element('summary', {}, 'Where the numbers come from'), why),
      element('details', {}, element('summary', {}, 'The same in Python'), element('pre', { tabindex: 0, role: 'group', 'aria-label': 'Python code' }, code)),
      element('div', { class: 'rlscale-bar' }, controls.copyButton('Copy link', address.link), controls.copyButton('Copy Python', () => python()),
        element('button', { type: 'button', click: () => form.setAll(open) }, 'Start again')));
    render(open);
    address.read();
    return { state: form.state, set: form.set, result: () => result(), python: () => python(), link: address.link };
  }

  controls.mount('explorer', build);
})();
