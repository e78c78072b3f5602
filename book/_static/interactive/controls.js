/*
 * What all pages that compute share: fields, the address, drawing, and how an app takes its place on the page.
 *
 * An app is one script that ends in  rlscale.controls.mount("name", build).  The chapter holds, directly after
 * the static figure of the same case,
 *   <div class="rlscale-app" data-rlscale="name" data-static="fig-label"></div>
 * mount() puts that div into the figure: above its caption, in place of its picture. The picture stands again in
 * print, and it is all there is without scripts. build(root, data) fills the div and returns
 * {state(), set(key, value), result()}, which tests find under rlscale.apps.name. `data` is the JSON that
 * rlscale/interactive/ wrote into the page.
 *
 * Text reaches the page as text nodes only, so no file and no address can bring markup with it.
 */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  rlscale.apps ??= {};

  const SVG = 'http://www.w3.org/2000/svg';
  const LINK_VERSION = 1;
  const LOG_STEPS = 400; // places of a slider that moves in log space

  // ---- elements ---------------------------------------------------------------------------------------------

  /** Set attributes (a function is a listener, false and null are left out) and append children. */
  function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === 'function') node.addEventListener(key, value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  /** Make an HTML element: element('p', {class: 'x', click: f}, 'text', otherElement). */
  const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

  /** Make an SVG element in the same way. */
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** Make a table from a caption, names of columns and rows of cells (text or elements); the first cell heads its row. */
  function table(caption, head, rows) {
    const cells = (row) => row.map((cell, i) => element(i ? 'td' : 'th', i ? {} : { scope: 'row' }, cell));
    return element('div', { class: 'rlscale-table', tabindex: 0, role: 'group', 'aria-label': caption },
      element('table', {},
        element('caption', {}, caption),
        element('thead', {}, element('tr', {}, ...head.map((name) => element('th', { scope: 'col' }, name)))),
        element('tbody', {}, ...rows.map((row) => element('tr', {}, ...cells(row))))));
  }

  /**
   * A table of which only the numbers change: its names of rows stand, fill(head, rows) writes the rest.
   * Cells that already hold the text are left alone, so a screen reader and a scrolled box stay where they are.
   * `quiet`: the caption is for screen readers only.
   */
  function liveTable(caption, columns, names, quiet = false) {
    const node = table(caption, Array(columns + 1).fill(''), names.map((name) => [name, ...Array(columns).fill('')]));
    if (quiet) node.classList.add('rlscale-quiet');
    const write = (cells, texts) => texts.forEach((text, i) => { if (cells[i].textContent !== text) cells[i].textContent = text; });
    return {
      node,
      fill(head, rows) {
        write(node.querySelectorAll('thead th'), head);
        node.querySelectorAll('tbody tr').forEach((row, i) => write([...row.cells].slice(1), rows[i]));
      },
    };
  }

  // ---- numbers ----------------------------------------------------------------------------------------------

  /** Read what a person typed: 2542, 2,542, 1e4, .5; NaN for anything else, infinite included. */
  function parseNumber(text) {
    const plain = String(text).trim().replace(/(\d),(?=\d{3}(?!\d))/g, '$1').replace('−', '-');
    const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
    return Number.isFinite(value) ? value : NaN;
  }

  /** Write a number with at most so many significant digits and commas between thousands. */
  function formatNumber(value, digits = 4) {
    if (!Number.isFinite(value)) return value > 0 ? 'never' : '–';
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e');
    const rounded = size >= 10 ** digits ? Math.round(value) : Number(value.toPrecision(digits));
    // toLocaleString would do this, and take most of the time of a redraw
    const [whole, part] = String(rounded).split('.');
    return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? `.${part}` : '');
  }

  /** Write an amount in three digits with K, M, B or T, as rlscale.amounts.number does: formatAmount(27806.78, '$') is $27.8K. */
  function formatAmount(value, sign = '') {
    if (!Number.isFinite(value)) return value > 0 ? 'never' : '–';
    for (const [limit, letter] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'K']]) {
      if (Math.abs(value) < limit * 0.9995) continue;
      const short = value / limit;
      const digits = Math.abs(short) < 9.995 ? 2 : Math.abs(short) < 99.95 ? 1 : 0;
      return sign + short.toFixed(digits) + letter;
    }
    return sign + Number(value.toPrecision(3));
  }

  // ---- fields -----------------------------------------------------------------------------------------------

  let fieldCount = 0;

  /**
   * Why a value may not stand, in words, or '' when it may.
   * `spec.bounds(state)` may narrow min and max by what the other fields hold. `given`: the reader typed it, so that
   * a 0 is a wrong number and no empty field.
   */
  function complain(spec, value, state, given = false) {
    if (spec.kind === 'choice') {
      return spec.options.some((o) => o.value === value) ? '' : `“${value}” is not on the list`;
    }
    if (spec.kind !== 'number') return '';
    if (value === spec.blank && !given) return '';
    if (typeof value !== 'number' || !Number.isFinite(value)) return `Give a number, such as ${formatNumber(spec.default || 1, 6)}`;
    if (spec.integer && !Number.isInteger(value)) return `Give a whole number, such as ${formatNumber(Math.max(1, Math.round(value)), 6)}`;
    const [low, high] = limits(spec, state);
    const unit = spec.unit ? ` ${spec.unit}` : '';
    if (value <= 0 && (low === 0 ? spec.blank === 0 : low > 0 && low < 1e-3)) return `Give more than 0${spec.blank === 0 ? ', or leave the field empty' : ''}`;
    if (value < low) return `Give ${formatNumber(low, 6)}${unit} or more${reason(spec, low, spec.min)}`;
    if (value > high) return `Give ${formatNumber(high, 6)}${unit} or less${reason(spec, high, spec.max)}`;
    return '';
  }

  /** Say why a bound is narrower than usual. */
  const reason = (spec, bound, usual) => (bound !== usual && spec.because ? `: ${spec.because}` : '');

  /** Smallest and largest value that a field may hold now. */
  function limits(spec, state) {
    const [low, high] = spec.bounds ? spec.bounds(state) : [spec.min, spec.max];
    return [Math.max(low, spec.min), Math.min(high, spec.max)];
  }

  /** Position of a slider for a value, and back; a log slider moves through equal ratios. */
  function slides(spec) {
    const [low, high] = spec.slide ?? [spec.min, spec.max];
    if (!spec.log) {
      return { attributes: { min: low, max: high, step: spec.step }, place: (value) => value, value: (place) => Number(Number(place).toPrecision(12)) };
    }
    return {
      attributes: { min: 0, max: LOG_STEPS, step: 1 },
      place: (value) => Math.round(LOG_STEPS * Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)))),
      value(place) {
        const at = place <= 0 ? low : place >= LOG_STEPS ? high : Number((low * (high / low) ** (place / LOG_STEPS)).toPrecision(3));
        return spec.integer ? Math.round(at) : at;
      },
    };
  }

  /** The control of a number: a text field for digits and, with `spec.step` or `spec.log`, a slider tied to it. */
  function numberControl(spec, id, errorId, enter) {
    const words = (value) => `${formatNumber(value, spec.digits ?? 5)}${spec.unit ? ` ${spec.unit}` : ''}`;
    const unit = element('span', { class: 'rlscale-unit' }, spec.unit ?? '');
    let slide = spec.step || spec.log ? slides(spec) : null;
    const step = (sign) => {
      const at = field.dataset.good * 1;
      let next = slide && spec.log ? slide.value(slide.place(at) + sign) : at + sign * (spec.step ?? 1);
      if (spec.integer && sign * (next - at) < 1) next = at + sign; // places of a slider are closer than whole numbers
      enter(Math.min(spec.max, Math.max(spec.min, Number(next.toPrecision(12)))));
    };
    const given = () => field.value.trim() !== '';
    const typed = () => (spec.blank !== undefined && !given() ? spec.blank : parseNumber(field.value));
    const field = element('input', {
      type: 'text', inputmode: 'decimal', id, placeholder: spec.placeholder, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': errorId,
      // half-typed numbers are wrong numbers: say so only when the reader pauses
      input: () => enter(typed(), { typing: true, given: given() }),
      change: () => enter(typed(), { given: given() }),
      keydown: (event) => {
        const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (sign) { event.preventDefault(); step(sign); }
      },
    });
    const range = slide && element('input', {
      type: 'range', ...slide.attributes, 'aria-label': `${spec.label}, slider`, 'aria-describedby': errorId,
      input: () => enter(slide.value(Number(range.value))),
    });
    return {
      nodes: [
        element('span', { class: 'rlscale-entry' }, spec.sign ? element('span', { class: 'rlscale-unit' }, spec.sign) : null, field,
          unit),
        range,
      ],
      adjust() {
        unit.textContent = spec.unit ?? '';
        if (slide) slide = slides(spec);
      },
      show(value, { typing } = {}) {
        field.dataset.good = value;
        if (!typing) field.value = value === spec.blank ? '' : formatNumber(value, 12);
        if (!range) return;
        range.value = slide.place(value);
        range.setAttribute('aria-valuetext', words(value));
      },
      focusable: field,
    };
  }

  /** The control of a choice, with options in groups when they name one. */
  function choiceControl(spec, id, errorId, enter) {
    const field = element('select', { id, 'aria-describedby': errorId, change: () => enter(field.value) });
    const groups = new Map();
    for (const option of spec.options) {
      const home = option.group ? groups.get(option.group) ?? element('optgroup', { label: option.group }) : field;
      if (option.group && !groups.has(option.group)) { groups.set(option.group, home); field.append(home); }
      home.append(element('option', { value: option.value }, option.label));
    }
    return { nodes: [field], show: (value) => { field.value = value; }, focusable: field };
  }

  /** The control of something that is on or off. */
  function flagControl(spec, id, errorId, enter) {
    const field = element('input', { type: 'checkbox', id, 'aria-describedby': errorId, change: () => enter(field.checked) });
    return { nodes: [field], show: (value) => { field.checked = value; }, focusable: field };
  }

  const CONTROLS = { number: numberControl, choice: choiceControl, flag: flagControl };

  /**
   * Make the fields of an app.
   *
   * A spec: {key, label, kind: 'number' | 'choice' | 'flag', default, frozen?, help?} and, for a number,
   * {min, max, step? (linear slider), log? (slider in log space), slide? ([low, high] of the slider where it is
   * narrower than min and max), unit?, sign?, digits?, integer?,
   * bounds?(state) → [low, high], because?}; for a choice {options: [{value, label, group?}]}.
   * `frozen` is what a link of version 1 means when it does not name the key; it must never change, whatever
   * happens to `default`.
   *
   * `change(state, keys)` is called after every valid change. Returns
   *   row(key)          the field with its label, to be placed
   *   state()           a copy of all values: the last good ones
   *   set(key, value)   as if the reader had entered it; returns what is wrong with it, or ''
   *   setAll(values)    several at once, checked together; returns what is wrong, or ''
   *   hash()            '#v=1&…' with what differs from `frozen`
   *   read(hash)        take over an address; returns messages on what had to be changed, null if it is not ours
   *   setOptions(key, options)   a choice gets another list
   *   say(key, message) what else is wrong with a field, '' for nothing
   *   tag(key, text)    a word beside the label, such as the kind of the number
   *   adjust(key, {unit, slide})   a number gets another unit or another span of its slider
   */
  function makeForm(specs, change) {
    const byKey = new Map(specs.map((spec) => [spec.key, spec]));
    const state = Object.fromEntries(specs.map((spec) => [spec.key, spec.default]));
    const rows = new Map();

    const show = (key, how) => rows.get(key).control.show(state[key], how);
    const say = (key, message) => {
      const row = rows.get(key);
      clearTimeout(row.timer);
      row.error.textContent = message;
      row.control.focusable.setAttribute('aria-invalid', message ? 'true' : 'false');
    };

    const enter = (key, value, how = {}) => {
      const message = complain(byKey.get(key), value, state, how.given);
      const row = rows.get(key);
      clearTimeout(row.timer);
      if (message) {
        if (how.typing) row.timer = setTimeout(() => say(key, message), 600);
        else say(key, message);
        return message;
      }
      say(key, '');
      if (state[key] === value && how.typing) return '';
      state[key] = value;
      show(key, how);
      change({ ...state }, [key]);
      return '';
    };

    for (const spec of specs) {
      const id = `rlscale-${++fieldCount}`;
      const error = element('span', { class: 'rlscale-error', id: `${id}-error`, role: 'status' });
      const control = CONTROLS[spec.kind](spec, id, `${id}-error`, (value, how) => enter(spec.key, value, how));
      const tag = element('span', { class: 'rlscale-tag' });
      const label = element('label', { for: id, title: spec.help }, spec.label, tag);
      const node = element('div', { class: `rlscale-field rlscale-${spec.kind}`, 'data-key': spec.key }, label, ...control.nodes, error);
      rows.set(spec.key, { node, control, error, tag, timer: 0 });
      show(spec.key);
    }

    const setAll = (values) => {
      const next = { ...state, ...values };
      const wrong = Object.keys(values).map((key) => [key, complain(byKey.get(key), next[key], next)]).filter(([, m]) => m);
      for (const [key, message] of wrong) say(key, message);
      if (wrong.length) return wrong[0][1];
      Object.assign(state, values);
      for (const key of Object.keys(values)) { say(key, ''); show(key); }
      change({ ...state }, Object.keys(values));
      return '';
    };

    const frozen = (spec) => (spec.frozen === undefined ? spec.default : spec.frozen);
    const hash = () => {
      const parts = specs.filter((spec) => state[spec.key] !== frozen(spec))
        .map((spec) => `${spec.key}=${encodeURIComponent(spec.kind === 'flag' ? Number(state[spec.key]) : state[spec.key])}`);
      return `#${[`v=${LINK_VERSION}`, ...parts].join('&')}`;
    };

    const read = (text) => {
      const given = new URLSearchParams(String(text).replace(/^#/, ''));
      if (!given.has('v')) return null;
      const messages = [];
      if (given.get('v') !== String(LINK_VERSION)) messages.push(`The link has a version that this page does not know: ${short(given.get('v'))}.`);
      const next = Object.fromEntries(specs.map((spec) => [spec.key, frozen(spec)]));
      const named = (spec) => given.has(spec.key);
      const keepWithin = (spec, low, high) => {
        const kept = Math.max(low, Math.min(high, next[spec.key]));
        if (kept === next[spec.key] || next[spec.key] === spec.blank) return;
        messages.push(`${spec.label}: ${formatNumber(next[spec.key])} in the link is out of range; ${show1(spec, kept)} stands instead.`);
        next[spec.key] = kept;
      };
      for (const spec of specs.filter(named)) {
        const found = readValue(spec, given.get(spec.key));
        if (found === undefined) {
          messages.push(`${spec.label}: “${short(given.get(spec.key))}” in the link cannot be used; ${show1(spec, next[spec.key])} stands instead.`);
        } else next[spec.key] = found;
        if (spec.kind === 'number') keepWithin(spec, spec.min, spec.max);
      }
      // what the link does not name gives way to what it names
      for (const spec of [...specs.filter((s) => !named(s)), ...specs.filter(named)]) {
        if (spec.kind === 'number') keepWithin(spec, ...limits(spec, next));
      }
      Object.assign(state, next);
      for (const spec of specs) { say(spec.key, ''); show(spec.key); }
      change({ ...state }, specs.map((spec) => spec.key));
      return messages;
    };

    return {
      row: (key) => rows.get(key).node,
      state: () => ({ ...state }),
      set: (key, value) => (byKey.has(key) ? enter(key, value) : `there is no field ${key}`),
      setAll,
      hash,
      read,
      say,
      tag(key, text) { rows.get(key).tag.textContent = text ? ` ${text}` : ''; },
      adjust(key, changes) {
        Object.assign(byKey.get(key), changes);
        rows.get(key).control.adjust();
        show(key);
      },
      setOptions(key, options) {
        byKey.get(key).options = options;
        const row = rows.get(key);
        const control = choiceControl(byKey.get(key), row.control.focusable.id, row.error.id, (value) => enter(key, value));
        row.control.focusable.replaceWith(control.focusable);
        row.control = control;
        show(key);
      },
    };
  }

  const short = (text) => (text.length > 24 ? `${text.slice(0, 24)}…` : text);
  const show1 = (spec, value) => (spec.kind === 'number' ? formatNumber(value) : String(value));

  /** The value that an address gives for a field, or undefined when it gives none that could stand. */
  function readValue(spec, text) {
    if (spec.kind === 'number') {
      if (text === '' && spec.blank !== undefined) return spec.blank;
      const value = parseNumber(text);
      return Number.isNaN(value) ? undefined : value; // a fraction of an old link keeps its meaning
    }
    if (spec.kind === 'flag') return { 0: false, 1: true }[text];
    return spec.options.some((option) => option.value === text) ? text : undefined;
  }

  // ---- address, clipboard, files ----------------------------------------------------------------------------

  /**
   * Tie a form to the address: read it now and whenever it changes, write it (a little later) after a change.
   * Messages on what could not be used go to `note`, an element. Returns {changed(), link()}.
   */
  function tieAddress(form, note) {
    let timer = 0;
    const read = () => {
      clearTimeout(timer);
      const messages = form.read(window.location.hash);
      clearTimeout(timer);
      if (messages) note.textContent = messages.join(' ');
    };
    window.addEventListener('hashchange', read);
    const link = () => window.location.href.split('#')[0] + form.hash();
    return {
      read,
      link,
      changed() {
        clearTimeout(timer);
        timer = setTimeout(() => {
          note.textContent = '';
          try {
            window.history.replaceState(null, '', form.hash());
          } catch (error) { // some browsers do not let a page from disk change its address
            if (!(error instanceof DOMException)) throw error;
          }
        }, 300);
      },
    };
  }

  /** A button that copies what text() returns; where the browser forbids it, the text stands selected in a field. */
  function copyButton(label, text) {
    const said = element('span', { class: 'rlscale-said', role: 'status' });
    const button = element('button', {
      type: 'button',
      async click() {
        try {
          await navigator.clipboard.writeText(text());
          said.textContent = 'Copied';
          setTimeout(() => { said.textContent = ''; }, 2000);
        } catch {
          const field = element('textarea', { readonly: true, 'aria-label': `${label}: copy it from here`, rows: 2 });
          field.value = text();
          said.replaceChildren(field);
          field.select();
        }
      },
    }, label);
    return element('span', { class: 'rlscale-copy' }, button, said);
  }

  /** A button that saves what text() returns as a file. */
  function saveButton(label, name, type, text) {
    return element('button', {
      type: 'button',
      click() {
        const address = URL.createObjectURL(new Blob([text()], { type }));
        element('a', { href: address, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
      },
    }, label);
  }

  /** Rows of values as CSV; a cell is quoted where it has to be. */
  const toCsv = (rows) => rows.map((row) => row.map((cell) => {
    const text = String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }).join(',')).join('\n') + '\n';

  /** An output that is read aloud only when the reader pauses: say(text). */
  function announcer() {
    const node = element('output', { class: 'rlscale-spoken', 'aria-live': 'polite' });
    let timer = 0;
    return {
      node,
      say(text) {
        clearTimeout(timer);
        timer = setTimeout(() => { if (node.textContent !== text) node.textContent = text; }, 400);
      },
    };
  }

  // ---- drawing ----------------------------------------------------------------------------------------------

  /** A scale from [low, high] to pixels [from, to], with `invert` and `ticks()`; log: true for equal ratios. */
  function makeScale(low, high, from, to, { log = false, count = 6 } = {}) {
    const [a, b] = log ? [Math.log(low), Math.log(high)] : [low, high];
    const scale = (value) => from + ((log ? Math.log(value) : value) - a) / (b - a) * (to - from);
    scale.invert = (pixel) => {
      const at = a + (pixel - from) / (to - from) * (b - a);
      return log ? Math.exp(at) : at;
    };
    scale.ticks = () => (log ? logTicks(low, high, count) : linearTicks(low, high, count));
    return scale;
  }

  /** Round places between two numbers, about so many. */
  function linearTicks(low, high, count) {
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= raw * 0.999);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  }

  /** Powers of ten, and 2 and 5 between them where few are in view. */
  function logTicks(low, high, count) {
    const ticks = [];
    const every = Math.max(1, Math.ceil(Math.log10(high / low) / count));
    const parts = Math.log10(high / low) < count / 2.5 ? [1, 2, 5] : [1];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power += every) {
      for (const part of parts) {
        const tick = Number(`${part}e${power}`);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
      }
    }
    return ticks;
  }

  /** The path through points [[x, y], …]; a place without a finite number breaks it. */
  function path(points) {
    let pen = 'M';
    let text = '';
    for (const [x, y] of points) {
      if (!Number.isFinite(x) || !Number.isFinite(y)) { pen = 'M'; continue; }
      text += `${pen}${x.toFixed(1)},${y.toFixed(1)}`;
      pen = 'L';
    }
    return text;
  }

  /** A band between two curves [[x, low, high], …] as one path. */
  const bandPath = (points) => `${path(points.map(([x, low]) => [x, low]))}${path(points.map(([x, , high]) => [x, high]).reverse()).replace('M', 'L')}Z`;

  /** Grid, tick labels and names of both axes, as one group. `box` is {left, right, top, bottom} in pixels. */
  function drawAxes(box, x, y, { xLabel, yLabel, xFormat = formatNumber, yFormat = formatNumber }) {
    const group = svg('g', { class: 'rlscale-axes', 'aria-hidden': 'true' });
    for (const tick of y.ticks()) {
      group.append(svg('line', { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), class: 'rlscale-grid' }),
        svg('text', { x: box.left - 8, y: y(tick), dy: '0.32em', 'text-anchor': 'end' }, yFormat(tick)));
    }
    for (const tick of x.ticks()) {
      group.append(svg('line', { x1: x(tick), x2: x(tick), y1: box.top, y2: box.bottom, class: 'rlscale-grid' }),
        svg('text', { x: x(tick), y: box.bottom + 18, 'text-anchor': 'middle' }, xFormat(tick)));
    }
    group.append(
      svg('line', { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: 'rlscale-axis' }),
      svg('text', { x: (box.left + box.right) / 2, y: box.bottom + 38, 'text-anchor': 'middle', class: 'rlscale-name' }, xLabel),
      svg('text', { x: box.left - 8, y: box.top - 12, 'text-anchor': 'start', class: 'rlscale-name', dx: -28 }, yLabel));
    return group;
  }

  /**
   * A drawing that is as wide as its place and is drawn again when that changes.
   * draw(node, width, height) fills the <svg>. Returns {node, redraw()}.
   */
  function makeDrawing(label, height, draw) {
    const node = svg('svg', { class: 'rlscale-drawing', role: 'img', 'aria-label': label });
    const tall = typeof height === 'function' ? height : () => height;
    let width = 0;
    const redraw = () => {
      if (!width) return;
      const size = { width, height: tall(width) };
      // the same size written again would lay out the page anew
      for (const [name, value] of Object.entries(size)) if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
      draw(node, width, size.height);
    };
    const measure = () => {
      const found = Math.floor(node.parentNode?.clientWidth ?? 0);
      if (found && found !== width) { width = found; redraw(); }
    };
    // the node has a fixed width of its own: its place is what grows. Drawing waits for the next frame, since a drawing
    // that changes the size that is being watched is an error of the browser's
    let place = null;
    const watch = new ResizeObserver(() => {
      if (node.parentNode && node.parentNode !== place) { place = node.parentNode; watch.observe(place); }
      requestAnimationFrame(measure);
    });
    watch.observe(node);
    return { node, redraw: () => { if (width) redraw(); else measure(); } };
  }

  // ---- the page ---------------------------------------------------------------------------------------------

  /** Put an app in its place on the page, as the head of this file says. */
  function mount(name, build) {
    const start = () => {
      const root = document.querySelector(`.rlscale-app[data-rlscale="${name}"]`);
      if (!root || rlscale.apps[name]) return;
      const data = JSON.parse(document.querySelector(`script.rlscale-data[data-rlscale="${name}"]`).textContent);
      const figure = root.dataset.static && document.getElementById(root.dataset.static);
      if (root.dataset.static && !figure) throw new Error(`${name}: no figure is called ${root.dataset.static}`);
      if (figure) {
        const picture = figure.querySelector('img');
        (picture.closest('a, picture') ?? picture).classList.add('rlscale-replaced');
        figure.insertBefore(root, figure.querySelector('figcaption'));
        figure.classList.add('rlscale-figure');
      }
      root.setAttribute('role', 'region');
      root.setAttribute('aria-label', data.title);
      rlscale.apps[name] = build(root, data);
      root.classList.add('rlscale-ready');
    };
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
    else start();
  }

  rlscale.controls = {
    element, svg, table, liveTable, parseNumber, formatNumber, formatAmount, makeForm, tieAddress, copyButton, saveButton, toCsv,
    announcer, makeScale, linearTicks, logTicks, path, bandPath, drawAxes, makeDrawing, mount,
  };
})();
