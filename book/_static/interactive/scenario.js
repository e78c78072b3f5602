/*
 * A cost scenario as rlscale.scenario checks it, and its ways out of the page: TOML, a Python line, a command.
 *
 * A scenario is an object with one entry an input. An uncertain number is [low, central, high], a 90 % interval;
 * an input that is left open is null. `data` is what rlscale/interactive/calculator.py wrote into the page.
 */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});

  /** What is wrong with an input, in words, and which input it is. */
  class InputError extends Error {
    constructor(field, message) {
      super(message);
      this.field = field;
    }
  }

  const isSpread = (field) => field.kind === 'spread' || field.kind === 'share';
  const TOKEN_PRICES = ['price_prefill', 'price_sample', 'price_train'];

  /** Return a number or spread that may stand, or say why it may not. */
  function check(field, value) {
    const refuse = (message) => { throw new InputError(field.name, message); };
    const numbers = isSpread(field) ? value : [value];
    const [low, , high = numbers[0]] = numbers;
    if (!numbers.every(Number.isFinite) || numbers.some((number) => number < 0)) refuse('give a finite number of 0 or more');
    if (numbers.some((number, i) => number < numbers[i - 1])) refuse('the three must rise: low, central, high');
    if ((field.kind === 'share' || ['cached_share', 'trainer_share'].includes(field.name)) && high > 1) {
      refuse('it is a share from 0 to 1 (divide percent by 100)');
    }
    if (['mfu', 'decode_efficiency', 'throughput'].includes(field.name) && low <= 0) refuse('it must be above 0');
    if (['gpus', 'gpus_per_replica', 'max_length', 'group_size', 'turns'].includes(field.name) && low < 1) refuse('it is 1 or more');
    if (field.kind === 'token price') {
      if (low > 0 && low < 1e-3) refuse(`far too little for a million tokens; if it is the price of one token, give ${Number((low * 1e6).toPrecision(6))}`);
      if (low > 1e4) refuse('prices are US dollars a million tokens: divide a price a billion by 1,000');
    }
    if (field.name === 'gpu_price') {
      if (numbers[1] > 0 && numbers[1] < 0.05) refuse('too little for an hour; is it a price a minute or a second?');
      if (numbers[1] > 60) refuse('prices are for one GPU: divide by the GPUs of the machine');
    }
    return value;
  }

  /** Refuse a scenario whose inputs contradict each other or leave out what is needed. */
  function checkTogether(s) {
    const refuse = (field, message) => { throw new InputError(field, message); };
    if (s.gpu_hours === null || s.tinker_model || s.price_sample !== null) {
      for (const need of ['steps', 'prompts', 'group_size', 'mean_length']) {
        if (s[need] === null) refuse(need, 'is missing; tokens need steps, prompts, completions and a length');
      }
    }
    const given = TOKEN_PRICES.filter((name) => s[name] !== null);
    if (given.length % 3 && !s.tinker_model) {
      refuse(TOKEN_PRICES.find((name) => s[name] === null), 'give all three prices, or a model on Tinker for the rest');
    }
    if (s.max_length !== null && s.mean_length !== null && s.mean_length[2] > s.max_length) {
      refuse('mean_length', `goes up to ${s.mean_length[2]}, above the longest answer ${s.max_length}; lower one`);
    }
    if (s.gpu && s.gpu_hours === null && s.throughput === null) {
      if (s.gpus === null) refuse('gpus', 'is missing; say how many, or give GPU-hours or throughput');
      if (!s.model) refuse('model', 'is missing; choose a shape, or give GPU-hours or throughput');
    }
    return s;
  }

  /** The scenario of a preset with all inputs, those that it leaves open at their defaults. */
  function fromPreset(data, name) {
    const values = data.presets[name].values;
    return Object.fromEntries(data.fields.map((f) => [f.name, f.name in values ? values[f.name] : f.default ?? (f.kind === 'text' ? '' : null)]));
  }

  /** An input as a person writes it: "80:120:200", "64", "true", "" for an open one. */
  function show(value) {
    if (value === null) return '';
    if (!Array.isArray(value)) return String(value);
    return value[0] === value[2] ? String(value[1]) : value.join(':');
  }

  const same = (a, b) => show(a) === show(b);
  const quote = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\u0000-\u001f\u007f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

  /** An input in a language that writes a list in brackets: TOML, or Python with other words for flags. */
  function write(value, flags) {
    if (value === null) return '"none"';
    if (typeof value === 'string') return quote(value);
    if (typeof value === 'boolean') return flags[Number(value)];
    return Array.isArray(value) && value[0] !== value[2] ? `[${value.join(', ')}]` : show(value);
  }

  /** Names of the inputs that differ from a preset. */
  function changed(scenario, data, preset) {
    const start = fromPreset(data, preset);
    return data.fields.map((f) => f.name).filter((name) => name !== 'note' && name !== 'name' && !same(scenario[name], start[name]));
  }

  /** The scenario as a file that `rlscale cost FILE` takes; inputs at their default are left out. */
  function toToml(scenario, data, title) {
    const lines = data.fields.filter((f) => f.name !== 'name' && f.name !== 'note'
      && !same(scenario[f.name], f.default ?? (f.kind === 'text' ? '' : null)))
      .map((f) => `${f.name} = ${write(scenario[f.name], ['false', 'true'])}${f.unit ? `  # ${f.unit}` : ''}`);
    return [`# A scenario of rlscale: rlscale cost FILE. [low, central, high] is a 90 % interval.`, `name = ${quote(title)}`, ...lines, ''].join('\n');
  }

  /** The lines of Python that give the same numbers. */
  function toPython(scenario, data, preset) {
    const changes = changed(scenario, data, preset).map((name) => `${name}=${write(scenario[name], ['False', 'True'])}`);
    return ['import rlscale as rs', '', `scenario = rs.load_scenario(${[quote(preset), ...changes].join(', ')})`, 'cost = rs.estimate_cost(scenario)', 'print(cost.to_dict()["usd"])', ''].join('\n');
  }

  /** The command that gives the same numbers. */
  function toCommand(scenario, data, preset) {
    const kinds = Object.fromEntries(data.fields.map((f) => [f.name, f.kind]));
    const option = (name) => `--${name.replaceAll('_', '-')}`;
    const words = changed(scenario, data, preset).map((name) => {
      if (kinds[name] === 'flag') return scenario[name] ? option(name) : `--no-${option(name).slice(2)}`;
      const text = show(scenario[name]) || 'none';
      return `${option(name)} ${/^[\w.:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`}`;
    });
    return ['rlscale cost', preset, ...words].join(' ');
  }

  rlscale.scenario = { InputError, check, checkTogether, fromPreset, show, same, changed, toToml, toPython, toCommand };
})();
