/*
 * The cost calculator: inputs with their 90 % ranges, two bills with their parts, where they cross, what moves
 * them, and the same as a file, in Python and on the command line. All arithmetic is in cost.js, all numbers come
 * from the page's JSON (rlscale/interactive/calculator.py).
 */
(() => {
  'use strict';
  const { controls, cost, scenario: scenarios } = globalThis.rlscale;
  const { element, svg, formatNumber, formatAmount, makeScale } = controls;

  const NEEDED = ['steps', 'prompts', 'group_size', 'mean_length'];
  const TOTALS = ['total_tinker', 'total_self_hosted'];
  const LARGEST = 1e15;
  const DIGITS = 6; // kept of an end of a range that moves with its centre
  const isSpread = (field) => field.kind === 'spread' || field.kind === 'share';
  const money = (value) => formatAmount(value, '$');
  const span = ({ median, lo, hi }, sign = '') => (lo === hi ? formatAmount(median, sign)
    : `${formatAmount(median, sign)} (${formatAmount(lo, sign)} to ${formatAmount(hi, sign)})`);
  const percent = (share) => `${(100 * share).toFixed(0)} %`;

  // ---- fields ---------------------------------------------------------------------------------------------

  /** What a text input may be: a list from the tables, with a word for an empty one. */
  function listOptions(data, name) {
    const days = [...Object.values(data.token_prices), ...Object.values(data.gpu_prices).flatMap(Object.values)].flat().map(([day]) => day);
    const own = Object.values(data.presets).map((p) => p.values[name]).filter(Boolean);
    const lists = {
      tinker_model: ['none: no bill by the token', Object.keys(data.token_prices)],
      model: ['none', Object.keys(data.models)],
      gpu: ['none: no bill of own GPUs', Object.keys(data.gpus)],
      provider: ['all that are known', Object.values(data.gpu_prices).flatMap(Object.keys).sort()],
      date: [`the newest known (${data.newest_day})`, [...days, ...own].sort().reverse()],
      sandbox_provider: [null, Object.keys(data.sandbox_prices)],
    };
    const [empty, values] = lists[name];
    const options = [...new Set(values)].filter(Boolean).map((value) => ({ value, label: value }));
    return empty ? [{ value: '', label: empty }, ...options] : options;
  }

  /** Values of all fields for a scenario: an uncertain input has three, its ends under the names …_lo and …_hi. */
  function spreadOut(data, scenario) {
    return Object.fromEntries(data.fields.filter((f) => f.name !== 'name' && f.name !== 'note').flatMap((f) => {
      const value = scenario[f.name] ?? '';
      return isSpread(f) ? ['_lo', '', '_hi'].map((end, i) => [f.name + end, value === '' ? '' : value[i]]) : [[f.name, value]];
    }));
  }

  /** Answers are no longer than the longest, and the longest is no shorter than the high end of their mean. */
  function boundsOf({ name }) {
    if (name === 'mean_length') return { bounds: (s) => [0, s.max_length === '' ? LARGEST : s.max_length], because: 'the longest answer, under More inputs, is set to that' };
    if (name === 'max_length') return { bounds: (s) => [Math.max(1, s.mean_length_hi), LARGEST], because: 'that is the high end of the mean' };
    return {};
  }

  /** The fields of the page, with what a link without a key means. */
  function listFields(data, open) {
    const presets = Object.entries(data.presets).map(([value, { title }]) => ({ value, label: title }));
    const made = data.fields.filter((f) => f.name !== 'name' && f.name !== 'note').flatMap((f) => {
      const base = { key: f.name, label: f.label, help: f.help };
      if (f.kind === 'flag') return [{ ...base, kind: 'flag' }];
      if (f.kind === 'choice') return [{ ...base, kind: 'choice', options: f.choices.map((value) => ({ value, label: value })) }];
      if (f.kind === 'text') return [{ ...base, kind: 'choice', options: listOptions(data, f.name) }];
      const [low, high, step] = f.slider ?? [];
      const blank = f.default === undefined && !NEEDED.includes(f.name) ? { blank: '', placeholder: 'not given' } : {};
      const number = { ...base, ...blank, kind: 'number', unit: f.unit, min: f.least, max: f.most ?? LARGEST, integer: f.whole, ...boundsOf(f) };
      const slider = step === 'log' ? { log: true, slide: [low, high] } : step ? { step, slide: [low, high] } : {};
      if (!isSpread(f)) return [{ ...number, ...slider }];
      const centre = (s, none) => (s[f.name] === '' ? none : s[f.name]);
      const end = (side, bounds, word) => ({ ...number, placeholder: '–', unit: '', key: `${f.name}_${side}`, label: `${f.label}, ${word} end`, bounds, because: 'the ends lie on either side of the centre' });
      return [{ ...number, ...slider }, end('lo', (s) => [number.min, centre(s, number.max)], 'low'),
        end('hi', (s) => [centre(s, number.min), number.bounds ? number.bounds(s)[1] : number.max], 'high')];
    });
    return [{ key: 'preset', label: 'Start from', kind: 'choice', options: presets }, ...made]
      .map((spec) => ({ ...spec, default: open[spec.key], frozen: data.link_v1[spec.key] }));
  }

  // ---- parts ----------------------------------------------------------------------------------------------

  // colour and hatch of a part; what means the same looks the same in both bills
  const LOOKS = [
    [/generat|throughput|as given/, 'blue', ''], [/read/, 'sky', 'dots'], [/train/, 'orange', 'rising'],
    [/sandbox/, 'green', 'cross'], [/services/, 'pink', 'falling'], [/./, 'grey', 'level'],
  ];
  const lookOf = (part) => LOOKS.find(([pattern]) => pattern.test(part.replace(/^[^:]*: /, '')));
  const HATCHES = { dots: 'M2,2h2v2h-2Z', rising: 'M0,8L8,0', falling: 'M0,0L8,8', cross: 'M0,8L8,0M0,0L8,8', level: 'M0,4H8' };

  /** Patterns that go over a colour, so that it is not the only mark of a part. */
  const hatches = () => svg('defs', {}, ...Object.entries(HATCHES).map(([name, d]) => svg('pattern', { id: `rlscale-${name}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
    svg('path', { d, class: 'rlscale-hatch' }))));

  /** A filled box with the look of a part. */
  function box(part, place) {
    const [, colour, hatch] = lookOf(part);
    return [svg('rect', { ...place, style: `fill: var(--rl-${colour})` }), hatch ? svg('rect', { ...place, fill: `url(#rlscale-${hatch})` }) : ''];
  }

  /** Parts of a bill in all, sandbox and storage included; `share` is what each is of the sum. */
  function partsOf(result, branch) {
    const own = { total_tinker: 'tinker: ', total_self_hosted: 'self-hosted: ' }[branch];
    const found = Object.entries(result.parts).filter(([name, usd]) => usd > 0 && (name.startsWith(own) || !/: /.test(name)));
    const sum = found.reduce((total, [, usd]) => total + usd, 0);
    return found.map(([name, usd]) => ({ name, label: name.replace(own, ''), usd, share: usd / sum }));
  }

  const swingHeight = (width) => (width < 300 ? 56 : 40);

  /** A round number at or above a value: the axis moves in steps, so that the eye can compare. */
  function roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((m) => m * power >= value) * power;
  }

  // ---- the app --------------------------------------------------------------------------------------------

  function build(root, data) {
    const byName = new Map(data.fields.map((f) => [f.name, f]));
    const open = { preset: data.first, ...spreadOut(data, scenarios.fromPreset(data, data.first)) };
    let last = open, address = null, failed = null, shown = null;
    const drawn = new Map();

    /** Do what fills a place unless the same already stands there: most moves leave most places as they are. */
    function refill(place, content, fill) {
      const text = JSON.stringify(content);
      if (drawn.get(place) === text) return;
      drawn.set(place, text);
      fill();
    }

    /** The scenario of the fields. */
    function toScenario(s) {
      const value = (f) => {
        if (f.name === 'name') return data.presets[s.preset].title;
        if (f.name === 'note') return '';
        if (s[f.name] === '' && f.kind !== 'text') return null;
        const ends = (end) => (s[f.name + end] === '' ? s[f.name] : s[f.name + end]);
        return isSpread(f) ? [ends('_lo'), s[f.name], ends('_hi')] : s[f.name];
      };
      return Object.fromEntries(data.fields.map((f) => [f.name, value(f)]));
    }

    /** Today by the reader's clock. */
    function today() {
      const now = new Date();
      return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
    }

    /** Other fields that have to follow one that the reader changed, or null. */
    function followers(s, key) {
      if (key === 'preset') return spreadOut(data, scenarios.fromPreset(data, s.preset));
      if (key === 'gpu') return s.provider && !(s.provider in (data.gpu_prices[s.gpu] ?? {})) ? { provider: '' } : null;
      const name = key.replace(/_(lo|hi)$/, ''), field = byName.get(name);
      if (!field || !isSpread(field)) return null;
      if (key !== name) return s[name] === '' ? { [name]: s[key], [`${name}_lo`]: s[key], [`${name}_hi`]: s[key] } : s[key] === '' ? { [key]: s[name] } : null;
      const [centre, from] = [s[name], last[name]], whole = field.whole ? Math.round : (v) => v;
      const move = (end) => (centre === '' || !(from > 0) ? centre : whole(Number((last[name + end] * centre / from).toPrecision(DIGITS))));
      const most = name === 'mean_length' && s.max_length !== '' ? s.max_length : field.most ?? LARGEST;
      return { [`${name}_lo`]: centre === '' ? '' : Math.min(move('_lo'), centre), [`${name}_hi`]: centre === '' ? '' : Math.min(most, Math.max(move('_hi'), centre)) };
    }

    function change(s, keys) {
      if (keys.length === 1) {
        const follow = followers(s, keys[0]);
        const changes = Object.entries(follow ?? {}).filter(([key, value]) => s[key] !== value);
        if (changes.length) {
          last = s;
          form.setAll({ ...Object.fromEntries(changes), [keys[0]]: follow[keys[0]] ?? s[keys[0]] });
          return;
        }
      }
      last = s;
      render(s);
      address?.changed();
    }

    const form = controls.makeForm(listFields(data, open), change);
    const note = element('p', { class: 'rlscale-note', role: 'status' });
    const about = element('p', { class: 'rlscale-about' });
    const verdict = element('p', { class: 'rlscale-verdict' });
    const warnings = element('div', {});
    const spoken = controls.announcer();
    const bars = controls.makeDrawing('', () => 30 + 74 * Math.max(1, branches().length), drawBars);
    const strip = controls.makeDrawing('', 104, drawStrip);
    const swings = TOTALS.map((branch) => controls.makeDrawing('', (width) => 40 + swingHeight(width) * Math.max(1, swingsOf(branch).length), (node, width) => drawSwings(node, width, branch)));
    const [tables, priceRows, priceCount] = [element('div', { class: 'rlscale-pair' }), element('div', {}), element('summary', {})];
    const assumed = element('ul', {});
    const codes = { python: element('code', {}), command: element('code', {}) };
    const branches = () => (shown ? [...TOTALS, 'sandbox'].filter((b) => shown.result.usd[b] && (b !== 'sandbox' || !TOTALS.some((t) => shown.result.usd[t]))) : []);
    const swingsOf = (branch) => (shown ? shown.result.swings.filter((w) => w.branch === branch).slice(0, 5) : []);

    // ---- drawings ----

    /** Both bills as stacked bars of their mean parts, with the 90 % range below. */
    function drawBars(node, width) {
      const { result } = shown, left = 2, right = width - 12;
      const top = Math.max(...branches().map((b) => result.usd[b].hi));
      const x = makeScale(0, roundUp(top > 0 ? top : 1), left, right, { count: width < 480 ? 3 : 6 });
      const bottom = 74 * branches().length + 4;
      const parts = [hatches(), ...x.ticks().flatMap((tick) => [
        svg('line', { x1: x(tick), x2: x(tick), y1: 0, y2: bottom, class: 'rlscale-grid' }),
        svg('text', { x: x(tick), y: bottom + 18, 'text-anchor': tick === 0 ? 'start' : x(tick) > right - 20 ? 'end' : 'middle' }, money(tick)),
      ])];
      branches().forEach((branch, row) => {
        const y = 74 * row, total = result.usd[branch];
        parts.push(svg('text', { x: left, y: y + 18, class: 'rlscale-strong' }, `${data.parts[branch]}: ${width < 420 ? money(total.median) : span(total, '$')}`));
        let at = 0;
        for (const part of partsOf(result, branch)) {
          const from = x(at), wide = x(at + part.usd) - from;
          at += part.usd;
          parts.push(svg('g', {}, ...box(part.name, { x: from, y: y + 26, width: Math.max(wide - 1, 0.5), height: 26 }), svg('title', {}, `${part.label}: ${money(part.usd)}`)));
          if (wide > 8 * part.label.length + 12) {
            parts.push(svg('text', { x: from + 6, y: y + 44, class: 'rlscale-inside', style: `stroke: var(--rl-${lookOf(part.name)[1]})` }, part.label));
          }
        }
        const line = y + 60;
        parts.push(svg('path', { d: `M${x(total.lo)},${line - 4}v8M${x(total.lo)},${line}H${x(total.hi)}M${x(total.hi)},${line - 4}v8`, class: 'rlscale-whisker' }),
          svg('path', { d: `M${x(total.median)},${line - 6}l5,6l-5,6l-5,-6Z`, class: 'rlscale-middle' }));
      });
      node.replaceChildren(...parts);
    }

    /** Throughput: where the bills cross, and what is expected. */
    function drawStrip(node, width) {
      const { break_even: crossing, tokens_per_s_per_gpu: reached } = shown.result;
      if (!crossing || !reached) return;
      const even = crossing.tokens_per_s_per_gpu;
      const x = makeScale(Math.min(even, reached.lo) / 1.6, Math.max(even, reached.hi) * 1.6, 8, width - 12, { log: true, count: 5 });
      const side = (at) => (at > width * 0.6 ? { 'text-anchor': 'end', dx: -8 } : { 'text-anchor': 'start', dx: 8 });
      // the last digits of a rate move with the number of steps, and no eye sees them
      const seen = [even, reached.lo, reached.median, reached.hi].map((rate) => Number(rate.toPrecision(DIGITS + 2)));
      refill(node, [width, ...seen], () => node.replaceChildren(
        ...x.ticks().flatMap((tick) => [svg('line', { x1: x(tick), x2: x(tick), y1: 8, y2: 62, class: 'rlscale-grid' }), svg('text', { x: x(tick), y: 80, 'text-anchor': 'middle' }, formatNumber(tick))]),
        svg('rect', { x: x(reached.lo), width: x(reached.hi) - x(reached.lo), y: 40, height: 14, class: 'rlscale-expected' }),
        svg('path', { d: `M${x(reached.median)},38v18`, class: 'rlscale-whisker' }),
        svg('path', { d: `M${x(even)},8V62`, class: 'rlscale-crossing' }),
        svg('text', { x: x(reached.median), y: 34, 'text-anchor': 'middle' }, 'expected'),
        svg('text', { x: width / 2, y: 100, 'text-anchor': 'middle', class: 'rlscale-name' }, 'generated tokens per second and GPU'),
        svg('text', { x: x(even), y: 18, class: 'rlscale-strong', ...side(x(even)) }, `break-even ${formatAmount(even)}`)));
    }

    /** What each input does to a bill from its low to its high end. */
    function drawSwings(node, width, branch) {
      const found = swingsOf(branch), centre = shown.result.central[branch] ?? null;
      refill(node, [width, found, centre], () => fillSwings(node, width, branch, found, centre));
    }

    function fillSwings(node, width, branch, found, centre) {
      const parts = [svg('text', { x: 0, y: 16, class: 'rlscale-strong' }, `What moves it most: ${data.parts[branch.replace('total_', '')].replace(/^./, (letter) => letter.toLowerCase())}`)];
      if (!found.length) parts.push(svg('text', { x: 0, y: 44 }, centre === null ? 'no such bill' : 'every input is known exactly'));
      const ends = found.flatMap((w) => [w.usd_at_lo, w.usd_at_hi]);
      const x = makeScale(Math.min(...ends, centre), Math.max(...ends, centre), 4, width - 6);
      const each = swingHeight(width), lower = each - 40; // a narrow drawing has the dollars below the name
      if (found.length) parts.push(svg('path', { d: `M${x(centre)},${40 + lower}V${20 + each * found.length}`, class: 'rlscale-whisker' }));
      found.forEach((w, i) => {
        const y = 36 + each * i;
        const bar = (to, colour) => svg('rect', { x: Math.min(x(to), x(centre)), width: Math.abs(x(to) - x(centre)), y: y + lower + 6, height: 12, style: `fill: var(--rl-${colour})` });
        parts.push(svg('text', { x: 0, y }, byName.get(w.input).label),
          svg('text', { x: lower ? 0 : width - 2, y: y + lower, 'text-anchor': lower ? 'start' : 'end' }, `${money(w.usd_at_lo)} to ${money(w.usd_at_hi)}`),
          bar(w.usd_at_lo, 'sky'), bar(w.usd_at_hi, 'orange'));
      });
      node.replaceChildren(...parts);
    }

    // ---- words and tables ----

    /** Which is cheaper, in words. */
    function judge(r) {
      const p = r.p_self_hosted_cheaper;
      if (r.cheaper === null) return ['', r.usd.tinker || r.usd.self_hosted ? 'Only one of the two bills applies.' : 'Only the sandboxes are billed.'];
      const own = `own GPUs cost less in ${percent(p)} of ${formatNumber(data.draws)} draws`;
      return { undecided: ['Undecided. ', `The ranges overlap: ${own}.`], self_hosted: ['Own GPUs are cheaper: ', `they cost less in ${percent(p)} of ${formatNumber(data.draws)} draws.`],
        tinker: ['By the token is cheaper: ', `${own}.`] }[r.cheaper];
    }

    /** What the run takes, in one sentence. */
    function describe(r) {
      const said = [];
      if (r.tokens) said.push(`${formatAmount(r.tokens.generated)} generated tokens`);
      if (r.gpu_hours) said.push(`${span(r.gpu_hours)} GPU-hours`);
      if (r.wall_hours) said.push(`${span(r.wall_hours)} hours on the clock`);
      return said.join(', ');
    }

    function crossing(r) {
      if (!r.break_even) return '';
      const reached = r.tokens_per_s_per_gpu ? `; expected are ${span(r.tokens_per_s_per_gpu)}` : '';
      return `The two bills cross at ${formatAmount(r.break_even.tokens_per_s_per_gpu)} generated tokens per second and GPU${reached}.`;
    }

    const swatch = (part) => svg('svg', { width: 16, height: 12, 'aria-hidden': 'true' }, ...box(part, { x: 0, y: 0, width: 16, height: 12 }));

    function fillTables(r) {
      const bills = branches().map((branch) => [branch, partsOf(r, branch), r.usd[branch]]);
      refill(tables, bills, () => tables.replaceChildren(...bills.map(([branch, parts, usd]) => {
        const rows = branch === 'sandbox' ? [] : parts.map((p) => [element('span', {}, swatch(p.name), ` ${p.label}`), money(p.usd), percent(p.share)]);
        return controls.table(data.parts[branch], ['part', 'mean', 'share'], [...rows, [element('strong', {}, 'in all'), money(rows.length ? parts.reduce((sum, p) => sum + p.usd, 0) : usd.median), ''],
          ['median', money(usd.median), ''], ['90 % range', `${money(usd.lo)} to ${money(usd.hi)}`, '']]);
      })));
      const prices = r.prices.map((p) => [p.what, `${formatNumber(p.value)} ${p.unit}`, p.as_of, p.source]);
      refill(priceRows, prices, () => {
        priceCount.textContent = `Prices and their days (${prices.length})`;
        priceRows.replaceChildren(controls.table('Prices', ['what', 'price', 'listed', 'source'], prices));
      });
    }

    /** Warnings, those of the same words about several prices on one line. */
    function fillWarnings(found) {
      const groups = new Map();
      for (const text of found) {
        const [, what, rest] = /^(.*?): (listed .*)$/.exec(text) ?? [null, '', text];
        groups.set(rest, [...(groups.get(rest) ?? []), what]);
      }
      warnings.replaceChildren(...[...groups].map(([rest, whats]) => element('p', { class: 'rlscale-warning' },
        whats[0] ? element('strong', {}, 'Old price. ') : '', whats[0] ? `${whats.join('; ')}: ${rest}.` : rest)));
    }

    /** The prices that were looked up, beside what they were looked up for. */
    function tagPrices(r) {
      const values = (unit) => r.prices.filter((p) => p.unit === unit).map((p) => formatNumber(p.value, 3));
      const rent = r.spreads.gpu_price, tokens = values('USD per million tokens');
      form.tag('tinker_model', tokens.length ? `$${tokens.join(' / ')} a million read / generated / trained` : '');
      form.tag('provider', rent ? `$${formatNumber(rent[1], 3)} an hour${rent[0] < rent[2] ? ` (${formatNumber(rent[0], 3)} to ${formatNumber(rent[2], 3)})` : ''}` : '');
    }

    function render(s) {
      const scenario = toScenario(s);
      if (failed) form.say(failed, '');
      failed = null;
      try {
        for (const f of data.fields) if (f.least !== undefined && scenario[f.name] !== null) scenarios.check(f, scenario[f.name]);
        shown = { scenario, preset: s.preset, result: cost.estimate(scenario, data, { today: today() }) };
      } catch (error) {
        if (!(error instanceof scenarios.InputError)) throw error;
        failed = error.field || 'steps';
        form.say(failed, error.message);
        for (const details of groups.flatMap((g) => [...g.querySelectorAll('details')])) if (details.contains(form.row(failed))) details.open = true;
        verdict.replaceChildren(element('strong', {}, 'An input cannot be used. '), `${byName.get(failed).label}: ${error.message}. What stands below belongs to the last inputs that could.`);
        root.classList.add('rlscale-stale');
        return;
      }
      root.classList.remove('rlscale-stale');
      const { result: r } = shown, [strong, rest] = judge(r);
      about.textContent = data.presets[s.preset].note;
      verdict.replaceChildren(element('strong', {}, strong), rest);
      refill(warnings, r.warnings, () => fillWarnings(r.warnings));
      refill(tagPrices, [s.tinker_model, s.provider, r.prices, r.spreads.gpu_price], () => tagPrices(r));
      const bills = branches().map((b) => `${data.parts[b]} ${span(r.usd[b], '$')}`).join('; ');
      const words = `${bills}. ${strong}${rest} ${crossing(r)} It takes ${describe(r)}.`;
      spoken.say(words);
      bars.node.setAttribute('aria-label', `Bills by part. ${bills}`);
      strip.node.setAttribute('aria-label', crossing(r) || 'no throughput');
      strip.node.parentNode.hidden = !(r.break_even && r.tokens_per_s_per_gpu);
      swings.forEach((drawing, i) => {
        drawing.node.setAttribute('aria-label', `What moves ${data.parts[TOTALS[i]]} most: ${swingsOf(TOTALS[i]).map((w) => `${byName.get(w.input).label}, ${money(w.usd_at_lo)} to ${money(w.usd_at_hi)}`).join('; ') || 'nothing'}`);
      });
      refill(assumed, r.assumptions, () => assumed.replaceChildren(...r.assumptions.map((text) => element('li', {}, text))));
      fillTables(r);
      codes.python.textContent = python();
      codes.command.textContent = command();
      for (const drawing of [bars, strip, ...swings]) drawing.redraw();
    }

    // ---- ways out ----
    const python = () => scenarios.toPython(shown.scenario, data, shown.preset);
    const command = () => scenarios.toCommand(shown.scenario, data, shown.preset);
    const toml = () => scenarios.toToml(shown.scenario, data, data.presets[shown.preset].title);
    function csv() {
      const { scenario, result: r } = shown;
      const interval = (kind, name, i, unit) => (i ? [[kind, name, i.lo, i.median, i.hi, unit, '', '']] : []);
      const inputs = data.fields.filter((f) => scenario[f.name] !== null && scenario[f.name] !== '' && f.name !== 'note')
        .map((f) => ['input', f.name, ...(isSpread(f) ? scenario[f.name] : ['', scenario[f.name], '']), f.unit ?? '', '', '']);
      return controls.toCsv([['kind', 'name', 'lo', 'middle', 'hi', 'unit', 'as_of', 'source'], ...inputs,
        ...Object.entries(r.usd).flatMap(([name, i]) => interval('result', name, i, 'USD')),
        ...interval('result', 'gpu_hours', r.gpu_hours, 'GPU-hours'), ...interval('result', 'wall_hours', r.wall_hours, 'hours'),
        ...interval('result', 'tokens_per_s_per_gpu', r.tokens_per_s_per_gpu, 'tokens/s/GPU'),
        ...(r.break_even ? [['result', 'break_even', '', r.break_even.tokens_per_s_per_gpu, '', 'tokens/s/GPU', '', '']] : []),
        ...Object.entries(r.tokens ?? {}).map(([name, value]) => ['tokens', name, '', value, '', 'tokens', '', '']),
        ...Object.entries(r.parts).map(([name, usd]) => ['part (mean)', name, '', usd, '', 'USD', '', '']),
        ...r.prices.map((p) => ['price', p.what, '', p.value, '', p.unit, p.as_of, p.source])]);
    }

    // ---- layout ----
    /** A field; one with a range has its two ends in a line below. */
    function place(name) {
      const field = byName.get(name);
      if (!isSpread(field)) return form.row(name);
      return element('div', { class: 'rlscale-spread' }, form.row(name), element('div', { class: 'rlscale-ends' },
        element('span', { 'aria-hidden': 'true' }, '90 % from'), form.row(`${name}_lo`), element('span', { 'aria-hidden': 'true' }, 'to'), form.row(`${name}_hi`)));
    }
    const fields = (names) => element('div', { class: 'rlscale-fields' }, ...names.map(place));
    const groups = data.groups.map(({ title, shown: first, more }) => element('fieldset', {}, element('legend', {}, title), fields(first),
      element('details', {}, element('summary', {}, `More inputs (${more.length})`), fields(more))));

    address = controls.tieAddress(form, note);
    const plot = (...drawings) => drawings.map((drawing) => element('div', { class: 'rlscale-plot' }, drawing.node));
    root.append(note, form.row('preset'), about, verdict, warnings, ...plot(bars), ...plot(strip), element('div', { class: 'rlscale-inputs' }, ...groups),
      spoken.node, element('div', { class: 'rlscale-pair' }, ...plot(...swings)), tables, element('details', {}, priceCount, priceRows),
      element('details', {}, element('summary', {}, 'What is taken for granted'), assumed),
      element('details', {}, element('summary', {}, 'The same on the command line, and in Python'), element('pre', { tabindex: 0 }, codes.command), element('pre', { tabindex: 0 }, codes.python)),
      element('div', { class: 'rlscale-bar' }, controls.copyButton('Copy link', address.link), controls.copyButton('Copy command', command), controls.copyButton('Copy Python', python),
        controls.saveButton('Save scenario (TOML)', 'scenario.toml', 'application/toml', toml), controls.saveButton('Save numbers (CSV)', 'cost.csv', 'text/csv', csv),
        element('button', { type: 'button', click: () => form.setAll(open) }, 'Start again')));
    render(open);
    address.read();
    return { state: form.state, set: form.set, setAll: form.setAll, result: () => shown.result, python, command, toml, csv, link: address.link };
  }

  controls.mount('calculator', build);
})();
