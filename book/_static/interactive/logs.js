/* Training logs as CSV or JSON lines: columns, steps in order, axes of compute, series, and the curve of one of
   them. The same rules as rlscale/logs for these formats; names and patterns come with the page. Nothing here
   trusts a file: text stays text, and what is ambiguous is asked about. */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { Refusal, median, round, show } = rlscale.numerics;
  const LARGEST = 1e60; // nothing that a log measures is larger
  const LONGEST_NAME = 500, LONGEST_TEXT = 120, MOST_TEXTS = 5000, MOST_COLUMNS = 20000, MOST_RUNS = 1000;
  const MOST_BYTES = 400e6, MOST_WHOLE = 100e6, HEAD = 1 << 18;
  const MISSING = new Set(['', 'nan', 'none', 'null', 'na', 'n/a', '<na>', '-', '--']);
  const WRAPPED = /^(?:np\.|numpy\.)?(?:float|int|uint|bool_?|tensor|array)\d*\(\s*([^(),]+)(?:,.*)?\)$/;

  const compiled = new Map();
  /** A pattern of the package (Python's syntax) as one that a whole name must match, or a part of it. */
  function rule(source, part = '') {
    const key = part + source;
    if (!compiled.has(key)) {
      const body = source.replace('(?i)', '').replaceAll('(?P<', '(?<');
      compiled.set(key, new RegExp(part ? body : `^(?:${body})$`, source.startsWith('(?i)') ? 'i' : ''));
    }
    return compiled.get(key);
  }

  /** A cell as a number; NaN where it is missing, null where it is a text. */
  function toNumber(value) {
    if (typeof value === 'number') return value;
    if (value === null || value === undefined) return NaN;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value !== 'string') return null;
    const text = value.trim(), low = text.toLowerCase();
    if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(low)) return Number(text);
    if (MISSING.has(low)) return NaN;
    if (/^[-+]?(inf|infinity|nan)$/.test(low)) return low.endsWith('nan') ? NaN : low[0] === '-' ? -Infinity : Infinity;
    if (low === 'true' || low === 'false') return low === 'true' ? 1 : 0;
    const wrapped = WRAPPED.exec(text);
    if (wrapped) return toNumber(wrapped[1]);
    if (!/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/.test(low)) return null;
    const time = Date.parse(text.replace(' ', 'T')) / 1000;
    return Number.isNaN(time) ? null : time;
  }

  /** Parse JSON that may hold NaN and Infinity, which loggers write; undefined when it is none. */
  function parseJson(text) {
    try {
      return JSON.parse(text);
    } catch {
      try {
        return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (m) => (m[0] === '"' ? m : 'null')));
      } catch {
        return undefined;
      }
    }
  }

  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

  /** Rows of unequal keys become columns of numbers, and of short texts. */
  class Table {
    rows = 0;
    held = new Map();

    put(key, value, depth = 0) {
      if (key.length > LONGEST_NAME || Array.isArray(value)) return;
      if (isObject(value)) {
        if (depth < 4) for (const [inner, item] of Object.entries(value)) this.put(`${key}/${inner}`, item, depth + 1);
        return;
      }
      let column = this.held.get(key);
      if (!column) this.held.set(key, (column = { values: new Float64Array(256).fill(NaN), texts: 0, codes: new Map(), words: new Map(), logged: false }));
      if (this.rows >= column.values.length) {
        const longer = new Float64Array(2 * this.rows).fill(NaN);
        longer.set(column.values);
        column.values = longer;
      }
      const number = toNumber(value);
      if (number !== null) {
        column.values[this.rows] = number;
        column.logged = true;
        return;
      }
      column.first ??= [this.rows, value.slice(0, 60)];
      column.texts++;
      if (!column.codes) return;
      if (value.length > LONGEST_TEXT || column.words.size >= MOST_TEXTS) column.codes = null; // prompts and answers
      else {
        if (!column.words.has(value)) column.words.set(value, value);
        column.codes.set(this.rows, column.words.get(value));
      }
    }

    add(row) {
      for (const key of Object.keys(row)) this.put(key, row[key]);
      this.rows++;
    }

    /** Numbers, texts, texts that stand among numbers, and infinite values, by column. */
    finish() {
      const out = { rows: this.rows, numbers: new Map(), texts: new Map(), bad: new Map(), notFinite: new Map() };
      for (const [key, column] of this.held) {
        const values = new Float64Array(this.rows).fill(NaN);
        values.set(column.values.subarray(0, this.rows));
        let finite = 0, infinite = 0;
        values.forEach((v, i) => {
          if (Number.isFinite(v)) finite++;
          if (Math.abs(v) > LARGEST) (values[i] = NaN), infinite++;
        });
        if (column.texts > finite) {
          if (column.codes) out.texts.set(key, column.codes);
          continue;
        }
        if (!column.logged) continue;
        out.numbers.set(key, values);
        if (column.texts) out.bad.set(key, { count: column.texts, first: column.first });
        if (infinite) out.notFinite.set(key, infinite);
      }
      return out;
    }
  }

  /** Some columns (new name → old name) of some rows; columns that are empty there are left out. */
  function take(columns, rows, names = new Map([...columns.numbers.keys()].map((key) => [key, key]))) {
    const out = { rows: rows.length, numbers: new Map(), texts: new Map(), bad: new Map(), notFinite: columns.notFinite };
    for (const [name, old] of names) {
      const values = Float64Array.from(rows, (i) => columns.numbers.get(old)[i]);
      if (values.some((v) => !Number.isNaN(v))) out.numbers.set(name, values);
      if (columns.bad.has(old)) out.bad.set(name, columns.bad.get(old));
    }
    return out;
  }

  const filledRows = (columns, keys) => Array.from({ length: columns.rows }, (_, i) => i).filter((i) => keys.some((key) => !Number.isNaN(columns.numbers.get(key)[i])));

  // ---- files ------------------------------------------------------------------------------------------------

  /** The name of a file without its ending. */
  const stemOf = (name) => name.replace(/^.*[\\/]/, '').replace(/(.)\.[^.]*$/, '$1');

  /** Say what a file is that is no text. */
  function refuseBinary(head, name) {
    const begins = (...bytes) => bytes.every((b, i) => head[i] === b);
    const archive = begins(0x1f, 0x8b) ? 'gzip' : begins(0x50, 0x4b, 3, 4) ? 'zip' : begins(0x42, 0x5a, 0x68) ? 'bzip2' : begins(0xfd, 0x37) ? 'xz' : begins(0x28, 0xb5, 0x2f, 0xfd) ? 'zstd' : '';
    if (archive) throw new Refusal(`${name} is a ${archive} archive: unpack it first.`);
    const odd = head.reduce((sum, b) => sum + (b < 32 && b !== 9 && b !== 10 && b !== 12 && b !== 13 && b !== 27 ? 1 : 0), 0);
    if (odd > Math.max(8, 0.02 * head.length)) {
      throw new Refusal(`${name} is a binary file. This page reads CSV and JSON lines; the command rlscale forecast also reads TensorBoard, wandb, parquet and SQLite files.`);
    }
  }

  /** Visit the lines of a Blob without holding more than a piece of it. */
  async function eachLine(blob, encoding, visit, progress) {
    const reader = blob.stream().getReader(), decoder = new TextDecoder(encoding);
    let rest = '', done = 0;
    for (;;) {
      const piece = await reader.read();
      const text = rest + (piece.done ? decoder.decode() : decoder.decode(piece.value, { stream: true })).replaceAll('\0', '');
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) visit(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (piece.done) break;
      progress?.((done += piece.value.length) / blob.size);
    }
    if (rest) visit(rest.replace(/\r$/, ''));
  }

  /** The cells of a line of CSV; null when a quoted cell goes on in the next line. */
  function splitCells(line, delimiter) {
    if (!line.includes('"')) return line.split(delimiter);
    const cells = [];
    let cell = '', quoted = false;
    for (let i = 0; i < line.length; i++) {
      const sign = line[i];
      if (quoted) {
        if (sign !== '"') cell += sign;
        else if (line[i + 1] === '"') cell += line[++i];
        else quoted = false;
      } else if (sign === '"' && !cell.trim()) (quoted = true), (cell = '');
      else if (sign === delimiter) cells.push(cell), (cell = '');
      else cell += sign;
    }
    return quoted ? null : [...cells, cell];
  }

  const delimiterOf = (line) => [',', '\t', ';', '|'].reduce((best, d) => (line.split(d).length > line.split(best).length ? d : best));

  /** Read a CSV whose first line that is not blank is its header. */
  async function readCsv(blob, encoding, name, progress) {
    const table = new Table();
    let header = null, delimiter = ',', open = '', ragged = 0;
    await eachLine(blob, encoding, (line) => {
      if (!header && !line.trim()) return;
      delimiter = header ? delimiter : delimiterOf(line);
      const text = open ? `${open}\n${line}` : line, cells = text.length < 1e6 ? splitCells(text, delimiter) : text.split(delimiter);
      open = cells ? '' : text;
      if (!cells || !text.trim()) return;
      if (!header) {
        header = cells.map((cell) => cell.trim());
        header = header.map((cell, i) => (cell === '' ? `Unnamed: ${i}` : header.indexOf(cell) < i ? null : cell));
        if (header.length > MOST_COLUMNS) throw new Refusal(`The first line of ${name} has more than ${MOST_COLUMNS} cells; that is no header of a log.`);
        return;
      }
      if (cells.length > header.length && cells.slice(header.length).some((cell) => cell.trim())) return void ragged++;
      for (let i = 0; i < header.length; i++) if (header[i] !== null) table.put(header[i], cells[i]);
      table.rows++;
    }, progress);
    if (!table.rows) throw new Refusal(`${name} has a header and no rows; give a log with at least two measurements.`);
    const warnings = ragged ? [{ code: 'lines-skipped', message: `${ragged} lines have more cells than the header; left out.` }] : [];
    return { columns: table.finish(), warnings, header };
  }

  /** Read JSON, one object a line. */
  async function readLines(blob, encoding, name, progress) {
    const table = new Table();
    let good = 0, bad = 0, number = 0, first = 0, last = 0;
    await eachLine(blob, encoding, (line) => {
      number++;
      const row = parseJson(line);
      if (isObject(row)) {
        good++;
        // the file loggers of verl and rllm put the numbers one level down
        const nested = isObject(row.data) && Object.keys(row).length === 2 && 'step' in row;
        table.add(nested ? { ...row.data, step: row.step } : row);
      } else if (line.trim()) {
        bad++;
        first ||= number;
        last = number;
      }
    }, progress);
    if (bad > good) throw new Refusal(`Line ${first} of ${name} is no JSON object, nor are ${bad} of ${good + bad} lines; give one object a line.`);
    const what = bad === 1 && last === number ? 'the last line is torn' : `${bad} lines are no JSON object (first: line ${first})`;
    return { columns: table.finish(), warnings: bad ? [{ code: 'lines-skipped', message: `${what}; left out.` }] : [] };
  }

  const fromRows = (rows) => {
    const table = new Table();
    for (const row of rows) if (isObject(row)) table.add(row);
    return table.finish();
  };

  /** Read a file that is one JSON value: a state of TRL, a list of rows, an object of lists, a dump by step. */
  async function readWhole(blob, encoding, name, R) {
    if (blob.size > MOST_WHOLE) throw new Refusal(`${name} is one JSON value of ${show(blob.size / 1e6, 3)} MB; this page reads up to ${MOST_WHOLE / 1e6} MB of that kind. Give JSON lines, or use rlscale forecast.`);
    const stem = stemOf(name), found = parseJson(new TextDecoder(encoding).decode(await blob.arrayBuffer()));
    if (Array.isArray(found)) {
      if (!found.every((item) => Array.isArray(item) && item.length === 3)) return asRuns(stem, fromRows(found), R, { json: true });
      const [, run, tag] = /^(?:run-)?(.*)-tag-(.*)$/.exec(stem) ?? [0, stem, stem];
      return [{ name: run, columns: fromRows(found.map(([time, step, value]) => ({ 'Wall time': time, Step: step, [tag]: value }))), step: 'Step' }];
    }
    if (!isObject(found)) throw new Refusal(`${name} begins like JSON and is damaged, or cut off; give the whole file.`);
    const planned = (...keys) => keys.map((key) => [toNumber(found[key]), key]).find(([v]) => v > 0);
    if (Array.isArray(found.log_history)) {
      const columns = fromRows(found.log_history.filter((row) => isObject(row) && !('train_runtime' in row)));
      return [{ name: stem, columns, step: columns.numbers.has('step') ? 'step' : '', unit: 'updates', framework: 'TRL', planned: planned('max_steps') }];
    }
    const entries = Object.entries(found), lists = entries.filter(([, v]) => Array.isArray(v) && isObject(v[0]));
    if (lists.length) return lists.map(([key, rows]) => ({ name: lists.length === 1 ? stem : key, columns: fromRows(rows), planned: planned('steps', 'max_steps') }));
    const columns = entries.filter(([, v]) => Array.isArray(v) && v.length > 1 && toNumber(v[0]) !== null), length = columns[0]?.[1].length;
    if (columns.length > 1 && columns.every(([, v]) => v.length === length)) {
      return [{ name: stem, columns: fromRows(Array.from({ length }, (_, i) => Object.fromEntries(columns.map(([key, v]) => [key, v[i]])))) }];
    }
    if (entries.length && entries.every(([, v]) => isObject(v) && Object.keys(v).every((key) => /^\d{1,15}$/.test(key)))) {
      const steps = [...new Set(entries.flatMap(([, v]) => Object.keys(v).map(Number)))].sort((a, b) => a - b);
      const rows = steps.map((step) => Object.fromEntries([['step', step], ...entries.map(([key, v]) => [key, v[step]])]));
      return [{ name: stem, columns: fromRows(rows), step: 'step', unit: 'rollout_steps', framework: 'NeMo-RL' }];
    }
    throw new Refusal(`${name} is a JSON object without a list of rows; give JSON lines, or a list of objects with a step each.`);
  }

  /** Runs of a CSV of the web page of wandb: “run - metric” columns. */
  function wandbRuns({ columns, header, warnings }, facts) {
    const [x] = header.filter((key) => columns.numbers.has(key)), groups = new Map();
    for (const key of header) {
      if (key === x || !columns.numbers.has(key) || /__(MIN|MAX)$/.test(key)) continue;
      const at = key.lastIndexOf(' - '), run = at < 0 ? key : key.slice(0, at);
      if (!groups.has(run)) groups.set(run, new Map());
      groups.get(run).set(at < 0 ? key : key.slice(at + 3), key);
    }
    return [...groups].map(([name, metrics]) => {
      const refused = new Map(), value = (key) => columns.numbers.get(key);
      for (const [metric, key] of metrics) {
        for (const ending of ['__MIN', '__MAX']) {
          const bound = value(key + ending), differ = bound ? value(key).filter((v, i) => Math.abs(v - bound[i]) > 1e-9 * Math.max(1, Math.abs(v))).length : 0;
          if (differ) refused.set(metric, `${differ} values differ from their ${ending} column, so they are means of several runs or of thinned points; export one run ungrouped`);
        }
      }
      const rows = filledRows(columns, [...metrics.values()]);
      return { name, columns: take(columns, rows, new Map([[x, x], ...metrics])), step: metrics.has('_step') && x !== 'Step' ? '_step' : x.toLowerCase() === 'step' ? x : '', refused, warnings, ...facts };
    }).filter((raw) => raw.columns.rows);
  }

  /** Rows of each run of a long table, when the steps fall and a column of names tells why. */
  function splitByRun(columns, R) {
    const step = findCounters([...columns.numbers.keys()], frameworkOf(columns, '', R), R).find(([, c]) => c.how === 'position')?.[0];
    const at = columns.numbers.get(step);
    if (!at || rises(at.filter(Number.isFinite), 0)) return [];
    const named = (key) => rule(R.runColumn).test(key);
    const labels = [
      ...[...columns.texts].map(([key, codes]) => [key, (i) => codes.get(i)]),
      ...[...columns.numbers].filter(([key]) => named(key)).map(([key, values]) => [key, (i) => (Number.isNaN(values[i]) ? undefined : show(values[i]))]),
    ].sort(([a], [b]) => named(b) - named(a)).slice(0, 8).map(([, label]) => label);
    const pairs = labels.flatMap((one, i) => labels.slice(i + 1).map((other) => (r) => one(r) && other(r) && `${one(r)}, ${other(r)}`));
    for (const tolerance of [0, 0.1]) {
      for (const label of [...labels, ...pairs]) {
        const groups = new Map();
        for (let i = 0; i < columns.rows && groups.size <= MOST_RUNS; i++) {
          const name = label(i) ?? '';
          if (!groups.has(name)) groups.set(name, []);
          groups.get(name).push(i);
        }
        const steps = [...groups.values()].map((rows) => rows.map((i) => at[i]).filter(Number.isFinite)), all = steps.reduce((sum, s) => sum + s.length, 0);
        if (groups.size < 2 || groups.size > MOST_RUNS || groups.has('') || all < 2 * groups.size) continue;
        if (steps.every((s) => s.length && rises(s, tolerance))) return [...groups].map(([name, rows]) => ({ name: String(name), columns: take(columns, rows) }));
      }
    }
    return [];
  }

  /** Whether steps rise, but for a few places (a run that was resumed). */
  function rises(step, tolerance) {
    let falls = 0;
    for (let i = 1; i < step.length; i++) if (step[i] <= step[i - 1]) falls++;
    return falls <= (tolerance ? Math.max(1, tolerance * step.length) : 0);
  }

  /** Runs of rows: by a column of names; or one, in which training and evaluation rows become separate series. */
  function asRuns(stem, columns, R, more = {}) {
    const key = R.splitKeys.find((k) => columns.texts.has(k)), runs = key && more.json ? [] : splitByRun(columns, R);
    if (runs.length) return runs.map((run) => ({ ...run, ...more }));
    const words = key && more.json ? new Map([...columns.texts.get(key)].map(([i, word]) => [i, word.toLowerCase()])) : new Map(), known = [...new Set(words.values())].sort();
    const raw = { name: stem, columns, ...more };
    if (known.length < 2 || !known.every((word) => R.splitWords.includes(word))) return [raw];
    const numbers = new Map(), counts = new Map(), counters = findCounters([...columns.numbers.keys()], frameworkOf(columns, '', R), R);
    const shared = new Set(counters.filter(([, c]) => c.how === 'position' || c.how === 'clock').map(([k]) => k));
    const step = columns.numbers.get(counters.find(([, c]) => c.how === 'position')?.[0]);
    for (const [name, values] of columns.numbers) if (shared.has(name)) numbers.set(name, values);
    for (const word of known) {
      for (const [name, values] of columns.numbers) {
        if (shared.has(name)) continue;
        const own = values.map((v, i) => (words.get(i) === word ? v : NaN)), per = new Map();
        if (own.every(Number.isNaN)) continue;
        numbers.set(`${word}/${name}`, own);
        if (step) own.forEach((v, i) => !Number.isNaN(v) && !Number.isNaN(step[i]) && per.set(step[i], (per.get(step[i]) ?? 0) + 1));
        const each = [...per.values()], usual = each.length ? median(each) : 0;
        if (usual && each.filter((n) => n === usual).length > 0.9 * each.length) counts.set(`${word}/${name}`, Math.trunc(usual));
      }
    }
    return [{ ...raw, columns: { ...columns, numbers }, rowsAPoint: counts }];
  }

  /** Each column a run, where the names are no metrics and all values lie in [0, 1]. */
  function wideRuns(columns, R) {
    const keys = [...columns.numbers.keys()], generic = R.frameworks.at(-1), [step, ...names] = keys;
    const counters = findCounters(keys, generic, R).filter(([, c]) => c.how === 'position');
    if (counters.length !== 1 || step !== counters[0][0] || names.length < 2 || names.length >= MOST_RUNS || columns.texts.size) return [];
    const isRun = (key) => parseName(key, '', R).kind === 'other' && !rule(R.noMetric).test(key);
    if (!names.every((key) => isRun(key) && columns.numbers.get(key).every((v) => !(v < 0 || v > 1)))) return [];
    return names.map((name) => ({ name, columns: take(columns, filledRows(columns, [name]), new Map([[step, step], [name, name]])), step, wide: true }));
  }

  /** Runs of a file, before steps are put in order. */
  async function readRaw(blob, name, R, progress) {
    if (blob.size > MOST_BYTES) throw new Refusal(`${name} has ${show(blob.size / 1e6, 3)} MB; this page reads up to ${MOST_BYTES / 1e6} MB. The command rlscale forecast reads it.`);
    const head = new Uint8Array(await blob.slice(0, HEAD).arrayBuffer()), wide = (head[0] === 0xff && head[1] === 0xfe) || (head.length > 8 && head[1] === 0 && head[3] === 0);
    const encoding = wide ? 'utf-16le' : 'utf-8';
    if (!wide) refuseBinary(head, name);
    const text = new TextDecoder(encoding).decode(head).replaceAll('\0', ''), lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim()), stem = stemOf(name);
    if (!lines.length) throw new Refusal(`${name} is empty; give a log that holds at least two measurements.`);
    if (/^\s*(\{|\[\s*[[{\]])/.test(text)) {
      const first = lines.slice(0, 50).filter((line) => /^\s*\{.*\}\s*$/.test(line)).map(parseJson).find((row) => isObject(row) && Object.keys(row).length);
      if (text.trimStart()[0] === '[' || !first || 'log_history' in first) return readWhole(blob, encoding, name, R);
      const { columns, warnings } = await readLines(blob, encoding, name, progress), keys = Object.keys(first);
      const tinker = ('step' in first && ('progress/batch' in first || 'optim/kl_sample_train_v1' in first)) || keys.some((key) => /^(test\/)?env\/all\//.test(key));
      if (tinker) return [{ name: stem, columns, warnings, step: columns.numbers.has('step') ? 'step' : '', unit: 'rollout_steps', framework: 'tinker-cookbook' }];
      if (isObject(first.data) && keys.length === 2) return [{ name: stem, columns, warnings, step: 'step', unit: 'rollout_steps' }];
      return asRuns(stem, columns, R, { warnings, json: true });
    }
    const header = splitCells(lines[0], delimiterOf(lines[0])) ?? [], named = header.filter((cell) => /[A-Za-z_]/.test(cell));
    const alike = /\.[ct]sv$/i.test(name) || lines.slice(0, 20).slice(0, -1).every((line) => line.split(delimiterOf(lines[0])).length === header.length);
    if (header.length < 2 || named.length < Math.max(2, 0.5 * header.length) || !alike) {
      throw new Refusal(`${name} is no CSV with a header and no JSON lines (it begins: “${lines[0].trim().slice(0, 60)}”). The command rlscale forecast also reads the console logs of trainers.`);
    }
    const csv = await readCsv(blob, encoding, name, progress), { columns, warnings } = csv, lower = csv.header.map((cell) => (cell ?? '').toLowerCase());
    if (csv.header.some((cell) => /__(MIN|MAX)$/.test(cell)) || csv.header.slice(1).every((cell) => (cell ?? '').includes(' - '))) return wandbRuns(csv);
    if (lower.join() === 'wall time,step,value') {
      const [, run, tag] = /^(?:run-)?(.*)-tag-(.*)$/.exec(stem) ?? [0, stem, stem];
      const names = new Map(csv.header.map((cell) => [cell.toLowerCase() === 'value' ? tag : cell, cell]));
      return [{ name: run, columns: take(columns, filledRows(columns, csv.header), names), warnings, step: 'Step' }];
    }
    if (lower.includes('_step') && (lower.includes('_timestamp') || lower.includes('_runtime'))) {
      for (const key of [...columns.numbers.keys()]) if (key.startsWith('Unnamed:')) columns.numbers.delete(key);
      return [{ name: stem, columns, warnings }];
    }
    const wideOnes = splitByRun(columns, R).length ? [] : wideRuns(columns, R);
    return wideOnes.length ? wideOnes : asRuns(stem, columns, R, { warnings });
  }

  // ---- names ------------------------------------------------------------------------------------------------

  /** The framework of that name, else the one that wrote these keys, else the general one. */
  function frameworkOf(columns, name, R) {
    const keys = [...columns.numbers.keys()], known = R.frameworks.slice(0, -1);
    return known.find((f) => name && f.name === name) ?? known.find((f) => keys.some((key) => rule(f.signs).test(key))) ?? R.frameworks.at(-1);
  }

  /** Keys that measure compute, with what they count, in order of preference. */
  function findCounters(keys, framework, R) {
    const found = [], taken = new Set(), generic = R.frameworks.at(-1);
    for (const counter of [...framework.steps, ...framework.spent, ...generic.steps, ...generic.spent]) {
      for (const key of keys) {
        if (taken.has(key) || !rule(counter.key).test(key)) continue;
        found.push([key, counter]);
        taken.add(key);
      }
    }
    return found;
  }

  /** What a name says about samples: mean, any or majority of k. */
  function parseMetric(key, R) {
    const all = [...key.matchAll(new RegExp(rule(R.metric, 'g').source, 'gi'))].at(-1);
    if (!all) return /pass_at_(n|k)\b|pass_k\b|pass@k\b/i.test(key) ? { metric: 'any', k: null } : { metric: '', k: null };
    const k = /^\d{1,6}$/.test(all[2]) ? Number(all[2]) : null, metric = R.metrics[all[1].toLowerCase()];
    return { metric: metric === 'any' && k === 1 ? 'mean' : metric, k };
  }

  /** What the name of a series says. */
  function parseName(key, framework, R) {
    const base = { key, kind: 'other', dataset: '', heldout: null, rank: 9, factor: 1, note: '', biased: false, ...parseMetric(key, R) };
    for (const [pattern, fields] of R.traps[framework] ?? []) {
      const match = rule(pattern).exec(key);
      if (match) return { ...base, dataset: match.groups?.dataset ?? '', ...fields };
    }
    const series = parsePlain(key, base, R);
    const one = framework === 'TRL' && series.heldout === null ? { ...series, heldout: false } : series;
    // of held-out series it may be the name of the data
    const kept = /^train_(pass_rate|reward)$/.test(one.kind) && key.toLowerCase().split(/[^0-9a-z@]+/).includes('filtered');
    return kept ? { ...one, biased: true, note: R.filtered } : one;
  }

  function parsePlain(key, base, R) {
    const low = key.toLowerCase(), tokens = low.split(/[^0-9a-z@]+/).filter(Boolean), has = (words) => words.some((word) => tokens.includes(word));
    const heldout = has(R.heldout) || low.startsWith('eval_') ? true : has(R.train) ? false : null;
    const dataset = R.datasets.map((pattern) => rule(pattern, 'part').exec(key)?.[1]).find(Boolean) ?? '';
    const plain = { ...base, heldout, dataset }, side = heldout ? 'heldout' : 'train';
    if (/__(min|max)$/.test(low)) return plain;
    if (rule(R.length, 'part').test(key)) return { ...plain, kind: 'length' };
    const spread = /^(std|max|min|var|sum|count)$/.test(tokens.at(-1) ?? '');
    if (!spread) {
      if (base.metric === 'any' || base.metric === 'majority') return { ...plain, kind: 'pass_at_k', rank: 6 };
      const rank = rankName(tokens, low, has);
      if (rank && !has(R.other)) {
        if (base.metric === 'mean' && !has(R.right) && has(['reward', 'score'])) return { ...plain, kind: `${side}_reward` };
        return { ...plain, kind: `${side}_pass_rate`, rank, factor: has(['percent', 'percentage', 'pct']) || low.includes('%') ? 0.01 : 1 };
      }
      if (base.metric === 'mean' && heldout) return { ...plain, kind: 'heldout_pass_rate', rank: 2 };
    }
    if (rule(R.reward, 'part').test(key) && !spread && !has(R.noReward)) return { ...plain, kind: `${side}_reward`, rank: 8 };
    return plain;
  }

  /** 1 for names that say a whole answer was right, 2 for plain accuracy, 0 for anything else. */
  function rankName(tokens, low, has) {
    if (has(['step', 'prm', 'grounded', 'format', 'structural'])) return 0;
    if (/(answer|solve|success|win|match|pass)_?(rate|acc|accuracy|percent)/.test(low)) return 1;
    if (has(['correct', 'correctness', 'solved', 'passrate']) || (has(['exact']) && has(['match']))) return 1;
    if (has(['final']) && has(['ans', 'answer', 'acc', 'accuracy'])) return 1;
    return has(['accuracy', 'acc']) || /accuracy|correctness/.test(low) ? 2 : 0;
  }

  /** Count, range and scale of the values of a series. */
  function describe(series, values) {
    let points = 0, low = Infinity, high = -Infinity;
    for (const v of values) {
      if (Number.isNaN(v)) continue;
      points++;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    const factor = high > 1 ? series.factor : 1;
    const scale = low * factor >= 0 && high * factor <= 1 ? 'unit' : low >= 0 && high > 1 && high <= 100 && series.kind.endsWith('pass_rate') ? 'percent' : low >= -1 && low < 0 && high <= 1 ? 'signed' : 'other';
    return { ...series, values, points, low, high, factor, scale };
  }

  // ---- steps ------------------------------------------------------------------------------------------------

  /** Key, unit, what is taken for granted, and values of the step of each row. */
  function findStep(raw, framework, R, x) {
    const { numbers } = raw.columns, keys = [...numbers.keys()], generic = R.frameworks.at(-1), assumed = generic.steps.find((c) => c.note).note;
    if (raw.step && numbers.has(raw.step)) {
      const counter = findCounters(keys, framework, R).find(([key, c]) => key === raw.step && c.how === 'position')?.[1] ?? { unit: 'rollout_steps', note: assumed };
      return { key: raw.step, unit: raw.unit || counter.unit, note: raw.unit ? '' : counter.note, values: numbers.get(raw.step) };
    }
    for (const counter of [...framework.steps, ...generic.steps]) {
      const [key, ...others] = keys.filter((name) => rule(counter.key).test(name));
      if (!key) continue;
      // train/global_step and eval/global_step stand in different rows
      const values = numbers.get(key).map((v, i) => [v, ...others.map((o) => numbers.get(o)[i])].find((u) => !Number.isNaN(u)) ?? NaN);
      return { key, unit: raw.unit || counter.unit, note: counter.note, values };
    }
    for (const [key, counter] of findCounters(keys, framework, R)) {
      const values = numbers.get(key);
      if (counter.how === 'position' || counter.how === 'each' || !values.every((v, i) => !i || v >= values[i - 1])) continue;
      const start = counter.how === 'clock' ? values[0] : 0, seconds = counter.unit === 'seconds';
      return { key, unit: seconds ? 'wall_hours' : counter.unit, note: '', values: seconds ? values.map((v) => (v - start) / 3600) : values };
    }
    if (x && numbers.has(x)) return { key: x, unit: 'rollout_steps', note: assumed, values: numbers.get(x) };
    throw Object.assign(new Refusal('No column says that it counts steps. If one does, choose it.'), { columns: keys });
  }

  /** Rows in the order of writing become one row a step: the last segment wins, rows of a step are averaged or merged. */
  function stitch(step, numbers, R) {
    const keys = [...numbers.keys()], own = keys.filter((key) => !rule(R.bookkeeping).test(key)), n = step.length, warnings = [];
    const warn = (code, message) => warnings.push({ code, message });
    let rising = true, falling = false;
    for (let i = 1; i < n; i++) (rising &&= step[i] > step[i - 1]), (falling ||= step[i] < step[i - 1]);
    if (rising) return { step, numbers, segment: new Int32Array(n), warnings };
    let segment = new Int32Array(n), current = 0;
    const filled = own.map((key) => numbers.get(key));
    if (falling) {
      let top = -Infinity, last = filled.map(() => -Infinity);
      for (let row = 0; row < n; row++) {
        const at = step[row], has = filled.flatMap((v, c) => (Number.isNaN(v[row]) ? [] : [c]));
        // logging again what was logged at that step or later is a resume; other keys are a late evaluation
        if (at < top && (!has.length || has.some((c) => last[c] >= at))) {
          current++;
          last = last.map(() => -Infinity);
          top = -Infinity;
        }
        top = Math.max(top, at);
        for (const c of has) last[c] = Math.max(last[c], at);
        segment[row] = current;
      }
    }
    if (current && new Set(step).size === n && isShuffled(step, segment, current + 1)) {
      warn('rows-sorted', `${current} rows stood out of order; all were sorted by step.`);
      segment = new Int32Array(n);
      current = 0;
    }
    const keep = lastSegmentWins(step, segment, current + 1, filled, warn);
    const order = Int32Array.from(keep).sort((a, b) => step[a] - step[b] || a - b), firsts = [];
    order.forEach((row, i) => (!i || step[row] > step[order[i - 1]]) && firsts.push(i));
    return { ...mergeSteps(order, firsts, numbers, own, R, warn), step: Float64Array.from(firsts, (i) => step[order[i]]), segment: Int32Array.from(firsts, (i, j) => segment[order[(firsts[j + 1] ?? order.length) - 1]]), warnings };
  }

  /** Tell rows out of order from a resume: no two pieces run side by side. */
  function isShuffled(step, segment, pieces) {
    if (pieces !== 2) return true;
    const first = step.filter((_, i) => segment[i] === 0), second = step.filter((_, i) => segment[i] === 1);
    const low = second.reduce((a, b) => Math.min(a, b)), high = first.reduce((a, b) => Math.max(a, b));
    return Math.min(first.filter((v) => v >= low).length, second.filter((v) => v <= high).length) < 2;
  }

  /** Rows that stay when a later segment replaces everything earlier from its first step on. */
  function lastSegmentWins(step, segment, pieces, filled, warn) {
    let keep = Array.from(step.keys()), replaced = 0, abandoned = 0, restarts = 0;
    const starts = [];
    for (let piece = 1; piece < pieces; piece++) {
      const rows = keep.filter((i) => segment[i] === piece), start = rows.reduce((low, i) => Math.min(low, step[i]), Infinity);
      const gone = keep.filter((i) => segment[i] < piece && step[i] >= start), again = new Set(rows.map((i) => step[i]));
      starts.push(show(start));
      if (!gone.length) continue;
      const left = keep.filter((i) => segment[i] >= piece || step[i] < start), whole = !left.some((i) => segment[i] < piece);
      keep = left;
      const equal = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));
      if (whole && gone.length === rows.length && gone.every((i, j) => step[i] === step[rows[j]] && filled.every((v) => equal(v[i], v[rows[j]])))) {
        warn('block-repeated', `${gone.length} rows stand in the file twice; one copy is kept.`);
        continue;
      }
      restarts += whole;
      const twice = gone.filter((i) => again.has(step[i])).length;
      replaced += twice;
      abandoned += gone.length - twice;
    }
    if (replaced || abandoned) {
      warn('steps-replaced', `The step falls back (to ${starts.slice(0, 5).join(', ')}${starts.length > 5 ? ' …' : ''}): ${replaced} rows replaced by those of the later segment${abandoned ? `, ${abandoned} rows of the abandoned part left out` : ''}. Last segment wins.`);
    }
    if (restarts) warn('restarted', `The step starts again from the beginning ${restarts} time${restarts > 1 ? 's' : ''}; only the last start is used.`);
    return keep;
  }

  /** One row of all rows of a step. */
  function mergeSteps(order, firsts, source, own, R, warn) {
    const numbers = new Map(), ends = [...firsts.slice(1), order.length], single = firsts.length === order.length;
    let averaged = 0, repeated = 0;
    for (const [key, values] of source) {
      const merged = new Float64Array(firsts.length).fill(NaN), sums = new Float64Array(firsts.length), counts = new Int32Array(firsts.length);
      firsts.forEach((from, g) => {
        for (let i = from; i < ends[g]; i++) {
          const v = values[order[i]];
          if (Number.isNaN(v)) continue;
          merged[g] = v; // the last one wins
          sums[g] += v;
          counts[g]++;
        }
      });
      numbers.set(key, merged);
      const several = counts.filter((c) => c > 1);
      if (single || !own.includes(key) || !several.length) continue;
      if (several.length > 0.5 * counts.filter((c) => c > 0).length && several.length > 1 && !rule(R.running).test(key)) {
        counts.forEach((c, g) => c > 1 && (merged[g] = sums[g] / c));
        averaged = Math.max(averaged, Math.trunc(median(several)));
      } else repeated = Math.max(repeated, several.length);
    }
    if (averaged) warn('rows-averaged', `A step has about ${averaged} rows each (micro-batches, games or questions); their mean is used, each row with the same weight.`);
    if (repeated) warn('rows-repeated', `${repeated} steps are logged twice; the last row is kept.`);
    return { numbers };
  }

  // ---- axes -------------------------------------------------------------------------------------------------

  /** A running total without its falls: after one the counter goes on from where it was. */
  function rebase(values) {
    let offset = 0, before = NaN;
    return values.map((v) => {
      if (Number.isNaN(v)) return v;
      if (v < before) offset += before;
      before = v;
      return v + offset;
    });
  }

  /** What was spent up to each row, from what each row spent; steps between rows are taken to cost the same. */
  function sumAmounts(amount, position) {
    const known = [...amount.keys()].filter((i) => !Number.isNaN(amount[i])), gaps = known.slice(1).map((i, j) => position[i] - position[known[j]]);
    const usual = gaps.length ? median(gaps) : 1, early = position[known[0]] <= 0; // the row describes the steps after it
    const width = early ? [...gaps, usual] : [Math.min(position[known[0]], usual), ...gaps], filled = new Map();
    let total = 0, last = 0;
    known.forEach((i, j) => {
      const after = total + amount[i] * width[j];
      filled.set(i, early ? total : after);
      total = after;
    });
    return amount.map((_, i) => (last = filled.get(i) ?? last));
  }

  /** Hours since the first row, without the pauses between segments. */
  function elapsed(clock, segment) {
    const known = [...clock.keys()].filter((i) => !Number.isNaN(clock[i])), out = new Float64Array(clock.length).fill(NaN);
    const gaps = known.slice(1).map((i, j) => [clock[i] - clock[known[j]], segment[i] > segment[known[j]]]), steady = gaps.filter(([, pause]) => !pause).map(([gap]) => gap);
    const usual = steady.length ? median(steady) : 0;
    let total = 0;
    known.forEach((i, j) => {
      if (j) total += gaps[j - 1][1] ? usual : Math.max(gaps[j - 1][0], 0);
      out[i] = total / 3600;
    });
    return out;
  }

  /** Every axis of compute that a log offers, the step first. */
  function buildAxes(main, numbers, segment, framework, R) {
    const axes = [main];
    for (const [key, { how: said, unit, note }] of findCounters([...numbers.keys()], framework, R)) {
      const values = numbers.get(key), known = values.filter((v) => !Number.isNaN(v)), rising = known.slice(1).filter((v, i) => v >= known[i]).length / (known.length - 1);
      if (key === main.key || known.length < 2 || known.some((v) => v < 0)) continue;
      const how = said !== 'auto' ? said : unit === 'seconds' && known[0] > 1e8 ? 'clock' : known.at(-1) > known[0] && rising >= 0.9 ? 'total' : 'each';
      let axis = { key, unit, values, note };
      if (how === 'position' ? known.some((v, i) => i && v <= known[i - 1]) : how === 'clock' && known[0] < 1e8) continue;
      if (how === 'clock') axis = { ...axis, unit: 'wall_hours', values: elapsed(values, segment) };
      else if (how !== 'position') {
        let total = how === 'total' ? rebase(values) : sumAmounts(values, main.values);
        if (how === 'each' && unit === 'seconds') {
          for (const extra of R.leftOut[framework.name] ?? []) {
            let sum = 0;
            if (numbers.has(extra)) total = total.map((v, i) => v + (sum += numbers.get(extra)[i] || 0));
          }
        }
        axis = unit === 'seconds' ? { ...axis, unit: 'wall_hours', values: total.map((v) => v / 3600) } : { ...axis, values: total };
      }
      if (!axes.some((a) => a.key === axis.key && a.unit === axis.unit)) axes.push(axis);
    }
    return axes;
  }

  // ---- runs and curves --------------------------------------------------------------------------------------

  /** A run: its axes, its series, and which would be fitted. */
  function buildRun(raw, R, x) {
    const framework = frameworkOf(raw.columns, raw.framework, R), found = findStep(raw, framework, R, x), warnings = [...(raw.warnings ?? [])];
    const rows = [...found.values.keys()].filter((i) => !Number.isNaN(found.values[i]));
    if (!rows.length) throw new Refusal(`“${found.key}” holds no number; give a log with steps.`);
    const whole = rows.length === found.values.length, pick = (v) => (whole ? v : Float64Array.from(rows, (i) => v[i])), at = pick(found.values);
    if (!whole) warnings.push({ code: 'rows-without-step', message: `${found.values.length - rows.length} rows have no “${found.key}” and were left out.` });
    if (at.length > 1 && at.every((v) => v === at[0])) {
      throw Object.assign(new Refusal(`“${found.key}” is ${show(at[0])} in all ${at.length} rows, so it does not count steps; if another column does, choose it.`), { columns: [...raw.columns.numbers.keys()] });
    }
    const { step, numbers, segment, warnings: stitched } = stitch(at, new Map([...raw.columns.numbers].map(([key, v]) => [key, pick(v)])), R);
    warnings.push(...stitched);
    if (found.note) warnings.push({ code: 'unit-assumed', message: `${found.key}: ${found.note}.` });
    for (const [key, count] of raw.columns.notFinite) if (numbers.has(key)) warnings.push({ code: 'not-finite', message: `${key}: ${count} infinite or absurdly large values were taken as missing.` });
    const axes = buildAxes({ key: found.key, unit: found.unit, values: step, note: '' }, numbers, segment, framework, R), taken = new Set(axes.map((axis) => axis.key));
    let series = [...numbers].filter(([key]) => !taken.has(key) && key !== R.segmentKey).map(([key, values]) => {
      const named = parseName(key, framework.name, R);
      return describe(raw.wide && named.kind === 'other' ? { ...named, kind: 'train_pass_rate', rank: 5, note: R.wideNote } : named, values);
    });
    if (framework.name === 'TRL') series = series.map((one) => nameSum(one, series));
    series = series.filter((one) => one.points);
    const choice = chooseSeries(series.filter((s) => !raw.refused?.has(s.key))), text = [...raw.columns.texts].find(([key]) => parseName(key, framework.name, R).kind.endsWith('pass_rate'));
    if (!choice.y && text) choice.why = `Column “${text[0]}” holds text (“${String([...text[1].values()][0]).slice(0, 40)}”) where numbers were expected. ${choice.why}`;
    return { ...raw, axes, series, segment, numbers, warnings, framework: framework.name, assumed: Boolean(found.note), choice };
  }

  /** The reward of TRL is the weighted sum of several functions, and no pass rate. */
  function nameSum(one, series) {
    const prefix = one.key.startsWith('eval_') ? 'eval_' : '';
    const parts = new Set(series.filter((s) => s.key.startsWith(`${prefix}rewards/`) && !s.key.endsWith('/std')).map((s) => s.key.replace(/\/mean$/, '')));
    return one.key === `${prefix}reward` && parts.size > 1 ? { ...one, biased: true, note: `the weighted sum of ${parts.size} reward functions` } : one;
  }

  /** Which series may be taken without asking, and why; y is null when the reader must say. */
  function chooseSeries(series) {
    const fit = series.filter((s) => /^(heldout|train)_pass_rate$/.test(s.kind) && s.scale === 'unit' && !s.biased && s.points >= 2);
    const by = (kind) => fit.filter((s) => s.kind === kind).sort((a, b) => a.rank - b.rank), most = (list) => list.reduce((n, s) => Math.max(n, s.points), 0);
    const heldout = by('heldout_pass_rate'), train = by('train_pass_rate'), few = 8;
    let pool = heldout, why = '';
    if (!heldout.length || (most(heldout) < few && most(train) > few)) {
      if (heldout.length) why = `; the held-out “${heldout[0].key}” has only ${heldout[0].points} points`;
      pool = train;
    } else if (train.length) pool = heldout.filter((s) => s.points >= Math.min(few, most(heldout)));
    if (!pool.length) return { y: null, why: explainNone(series) };
    let best = pool.filter((s) => s.rank === pool[0].rank);
    const whole = best.filter((s) => [s.dataset, s.key.toLowerCase().split('/').at(-2)].some((word) => /^(all|average|overall)$/.test(word ?? '')));
    if (best.length > 1 && whole.length === 1) best = whole;
    if (best.length > 1 && new Set(best.map((s) => `${s.points} ${s.low} ${s.high}`)).size > 1) {
      return { y: null, why: `${best.length} series are equally good: choose one.` };
    }
    return { y: best[0].key, why: (best[0].kind === 'heldout_pass_rate' ? 'held-out pass rate' : 'pass rate of the training batch') + why };
  }

  /**
   * Where the list of series has one: 0 held-out, 1 of training or not said, 2 another inside [0, 1], 3 another that needs
   * a word on its scale, and -1 what can be no pass rate: constants, lengths, times, losses, values outside all scales.
   */
  function shelfOf(s, R) {
    if (s.kind.endsWith('pass_rate')) return s.kind.startsWith('held') ? 0 : 1;
    const words = s.key.toLowerCase().split(/[^0-9a-z@]+/), never = s.kind === 'length' || words.some((word) => R.noRate.includes(word));
    return never || s.points < 2 || s.low === s.high || s.low < -1 || s.high > (s.low < 0 ? 1 : 100) ? -1 : s.scale === 'unit' ? 2 : 3;
  }

  /** Why nothing is taken without asking. */
  function explainNone(series) {
    const known = series.filter((s) => s.points >= 2), rates = known.filter((s) => s.kind.endsWith('pass_rate')), range = (s) => `“${s.key}” runs from ${show(s.low)} to ${show(s.high)}`;
    const percent = rates.find((s) => s.scale === 'percent'), odd = rates.find((s) => s.scale !== 'unit'), rewards = known.filter((s) => s.kind.endsWith('reward')), reward = rewards.find((s) => !s.biased) ?? rewards[0];
    if (percent) return `${range(percent)}, like per cent: if it is, choose it and say so.`;
    if (odd) return `${range(odd)}: no pass rate; choose another series.`;
    if (rates.length) return `“${rates[0].key}” is no plain pass rate: ${rates[0].note}.`;
    const inside = known.filter((s) => s.kind.endsWith('reward') && s.scale === 'unit' && !s.biased);
    if (inside.length) return `No series says that it is a pass rate; inside 0 to 1, but maybe with format or partial credit: ${inside.slice(0, 6).map((s) => `“${s.key}”`).join(', ')}. If one is the share solved, choose it.`;
    if (reward && reward.low === reward.high) return `No pass rate: “${reward.key}” is ${show(reward.low)} in all ${reward.points} rows.`;
    if (reward?.scale === 'signed') return `No pass rate: ${range(reward)}. If every single reward is −1 or 1, choose it and say so.`;
    if (reward) return `No pass rate: ${range(reward)} (${reward.note || 'a sum of rewards or a shaped one'}). Log the share of problems solved.`;
    if (known.length) return 'No series says that it is a pass rate. If one is the share of problems solved, choose it.';
    return series.length ? 'Each series has one point only; a curve needs at least two, a forecast about eight.' : 'No series holds a number.';
  }

  /** Where a curve has its best point and where it collapses for good; null when it does not. */
  function findCollapse(y) {
    const n = y.length, max = (v) => v.reduce((a, b) => Math.max(a, b), -Infinity), min = (v) => v.reduce((a, b) => Math.min(a, b), Infinity);
    if (n < 6) return null;
    if (n > 4000) { // a long log in blocks: the place is then known to a block
      const width = Math.ceil(n / 2000), blocks = [];
      for (let i = 0; i < n; i += width) blocks.push(y.slice(i, i + width).reduce((a, b) => a + b) / Math.min(width, n - i));
      const found = findCollapse(blocks);
      return found && found.map((i) => i * width);
    }
    const smooth = y.map((v, i) => (i && i < n - 1 ? median(y.slice(i - 1, i + 2)) : v)), best = smooth.indexOf(max(smooth.slice(0, -1)));
    const peak = smooth[best], rise = peak - min(smooth.slice(0, best + 1)), last = max(y.slice(-2));
    if (last >= peak - 0.5 * Math.max(0.1, 0.3 * rise)) return null;
    const second = Array.from(y.slice(2), (v, i) => Math.abs(v - 2 * y[i + 1] + y[i])), noise = (1.4826 * median(second)) / Math.sqrt(6);
    const least = Math.max(0.1, 0.3 * rise, 5 * noise), low = [...y.keys()].filter((i) => i > best && y[i] < peak - least);
    // one stray point at the end is no collapse
    if (low.length < 2 || last >= peak - 0.5 * least) return null;
    const deepest = min(smooth.slice(best));
    if (median(y.slice(-Math.max(2, Math.floor(n / 20)))) > peak - 0.5 * (peak - deepest) && y[n - 1] > peak - least) return null;
    let [first] = low;
    while (first < n - 1 && median(y.slice(first, first + 3)) >= peak - least) first = low.find((i) => i > first) ?? n;
    if (first >= n) return null;
    return [y.indexOf(max(y.slice(0, first))), first];
  }

  /** Values as pass rates, or the reason why they are none. */
  function asPassRate(y, series, scale) {
    const low = y.reduce((a, b) => Math.min(a, b), Infinity), high = y.reduce((a, b) => Math.max(a, b), -Infinity), said = `“${series.key}” runs from ${show(low)} to ${show(high)}`;
    if (scale === 'percent') {
      if (low < 0 || high > 100) throw new Refusal(`${said}; per cent lies between 0 and 100.`);
      return y.map((v) => v / 100);
    }
    if (scale === 'signed') {
      if (low < -1 || high > 1) throw new Refusal(`${said}; a reward of −1 or 1 lies between −1 and 1.`);
      return y.map((v) => (v + 1) / 2);
    }
    if (series.factor !== 1) return y.map((v) => v * series.factor);
    if (low >= 0 && high <= 1) return y;
    if (low >= 0 && high <= 100 && series.kind.endsWith('pass_rate')) throw Object.assign(new Refusal(`${said}, expected 0 to 1. It looks like per cent: if it is, say so.`), { scale: 'percent' });
    if (low >= -1 && high <= 1) throw Object.assign(new Refusal(`${said}, expected 0 to 1. If every single reward is −1 or 1, say so; otherwise log the share of problems solved.`), { scale: 'signed' });
    throw new Refusal(`${said}, outside 0 to 1, so it is no pass rate (${series.kind === 'length' ? 'a length' : 'a sum of rewards, or a shaped one'}); choose another series.`);
  }

  /** The usual value of a column of counts. */
  function usual(run, key) {
    const values = run.numbers.get(key)?.filter((v) => !Number.isNaN(v)) ?? [];
    const value = values.length ? median(values) : 0;
    return value >= 1 && value < 1e9 ? Math.trunc(value) : null;
  }

  /** Problems and samples a problem behind a point, where the log says them. */
  function countsOf(run, { key, k }) {
    if (run.framework === 'tinker-cookbook' && key.endsWith('/correct')) {
      const episodes = usual(run, key.replace(/correct$/, 'total_episodes')), groups = usual(run, 'time/compute_group_rewards:count'), test = key.startsWith('test/');
      if (episodes && test) return { n: episodes, k: k || 1 };
      return episodes && groups && episodes % groups === 0 && !test ? { n: groups, k: episodes / groups } : { n: null, k };
    }
    if (run.rowsAPoint?.get(key)) return { n: run.rowsAPoint.get(key), k: 1 };
    const prefix = key.slice(0, Math.max(key.lastIndexOf('/'), key.lastIndexOf('_')) + 1);
    const names = [`${prefix}n_samples`, 'n_samples', `${prefix}n_scored`, 'num_problems', `${prefix}num_problems`];
    return { n: names.map((name) => usual(run, name)).find(Boolean) ?? null, k };
  }

  /** Planned length in the unit of an axis: from the log, or in proportion to the steps. */
  function plannedOf(run, axis) {
    let [planned, from] = run.planned ?? [];
    const main = run.axes[0].values, done = run.numbers.get('progress/done_frac'), row = done ? done.findLastIndex((v) => v > 0) : -1;
    if (planned === undefined && row >= 0 && done[row] <= 1) [planned, from] = [round((main[row] + 1) / done[row]), 'progress/done_frac'];
    if (!(planned > 0)) return {};
    const end = axis.values.filter((v) => !Number.isNaN(v)).at(-1);
    if (axis.key === run.axes[0].key) return { planned, plannedFrom: from };
    return main.at(-1) > 0 && end > 0 ? { planned: (end * planned) / main.at(-1), plannedFrom: `${from}, in proportion to the steps` } : {};
  }

  /**
   * The curve of a series over an axis.
   * @param {object} run from `readRuns`. @param {{x, unit, y, scale}} pick keys; unit and scale '' where nothing is said.
   */
  function curveOf(run, pick, R) {
    const axis = run.axes.find((a) => a.key === pick.x && (!pick.unit || a.unit === pick.unit)) ?? run.axes.find((a) => a.key === pick.x);
    const series = run.series.find((s) => s.key === pick.y), warnings = [...run.warnings], warn = (code, message) => warnings.push({ code, message });
    const words = series.key.toLowerCase().split(/[^0-9a-z@]+/);
    if (series.kind === 'other' && words.some((word) => R.timer.includes(word))) throw new Refusal(`“${series.key}” is a time, no pass rate; choose another series.`);
    if (run.refused?.has(series.key)) throw new Refusal(`“${series.key}”: ${run.refused.get(series.key)}.`);
    for (const key of [series.key, axis.key]) {
      const { count, first } = run.columns.bad.get(key) ?? {};
      if (count) throw new Refusal(`Column “${key}”: ${count} cells hold text, first in row ${first[0] + 1}: “${first[1]}”. A number was expected: mend or drop those rows.`);
    }
    const rows = [...series.values.keys()].filter((i) => !Number.isNaN(series.values[i]) && !Number.isNaN(axis.values[i])), lost = series.points - rows.length;
    if (lost) warn('points-without-axis', `${lost} points have no “${axis.key}” and were left out.`);
    let x = Float64Array.from(rows, (i) => axis.values[i]), y = asPassRate(Float64Array.from(rows, (i) => series.values[i]), series, pick.scale);
    if (x.length < 2) throw new Refusal(`“${series.key}” has ${x.length} point${x.length === 1 ? '' : 's'}; a curve needs at least two, a forecast about eight.`);
    const order = Int32Array.from(x.keys()).sort((a, b) => x[a] - x[b] || a - b), last = order.filter((at, i) => i === order.length - 1 || x[order[i + 1]] > x[at]);
    if (last.length < x.length) warn('points-merged', `${x.length - last.length} points share their “${axis.key}” with the next; the later value is kept.`);
    [x, y] = [x, y].map((v) => Float64Array.from(last, (i) => v[i]));
    if (x.length < 2) throw new Refusal(`There is one point on the axis “${axis.key}”; a curve needs at least two.`);
    if (x[0] < 0) throw new Refusal(`“${axis.key}” goes down to ${show(x[0])}; compute cannot be negative.`);
    const fallen = findCollapse(y), collapsed = fallen ? x[fallen[1]] : undefined, after = y.length;
    if (fallen) {
      warn('collapse', `${series.key} falls from ${show(y[fallen[0]], 3)} (best, at ${show(x[fallen[0]])}) and does not come back; the ${after - fallen[1]} points after the fall are left out of the curve. Go back to the best checkpoint.`);
      [x, y] = [x.slice(0, fallen[1]), y.slice(0, fallen[1])];
    }
    if (y.every((v) => v === y[0])) throw new Refusal(`All ${y.length} values of “${series.key}” are ${show(y[0])}; there is no curve to fit.`);
    if (series.kind === 'other') warn('name-not-known', `${series.key}: taken for a pass rate, as you say; its name does not.`);
    if (series.biased) warn('not-a-pass-rate', `${series.key}: ${series.note || 'not the plain pass rate'}.`);
    else if (series.note) warn('series-assumed', `${series.key}: ${series.note}.`);
    const unit = pick.unit || axis.unit;
    return { compute: x, passRate: y, unit, label: R.units[unit], kind: series.kind, collapsed, warnings, ...countsOf(run, series), ...plannedOf(run, axis) };
  }

  /**
   * The runs of a file.
   * @param {Blob} blob the file. @param {string} name its name. @param {object} R names and patterns of the package.
   * @param {string} [x] column that counts the steps, where no name says so.
   */
  async function readRuns(blob, name, R, x, progress) {
    const raws = (await readRaw(blob, name, R, progress)).filter((raw) => raw.columns.numbers.size);
    if (!raws.length) throw new Refusal(`${name} holds no row of numbers; give a log with measurements.`);
    return raws.map((raw) => buildRun(raw, R, x));
  }

  rlscale.logs = { curveOf, findCollapse, parseName, readRuns, shelfOf, toNumber };
})();
