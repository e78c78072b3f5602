/*
 * The bill of a run: tokens, then token prices, then GPU time from a roofline, then sandboxes, with an interval
 * and its causes. The same formulas, in the same order, as rlscale's modules tokens, roofline, lengths, speed,
 * bill, setting and cost, which say where each comes from; tests hold the two together to 1e-9.
 */
(() => {
  'use strict';
  const rlscale = (globalThis.rlscale ??= {});
  const { InputError, checkTogether } = rlscale.scenario;
  const { standardNormal, normalQuantile } = rlscale.draws;

  const Z90 = 1.6448536269514722; // the standard normal is within ± this in 90 % of draws
  const BYTES = 2; // of a weight in BF16
  const LEVELS = 32; // stretches of the length distribution while a batch drains
  const GRID = 64; // places at which the mean of a cut lognormal is taken
  const MILLION = 1e-6;
  const TABLE_INPUTS = ['gpus', 'gpu_hours', 'throughput', 'gpu_price'];

  // ---- prices of a day -------------------------------------------------------------------------------------

  /** Last entry of [[day, answer], …] on or before a day. */
  function answerOn(changes, day) {
    const before = changes.filter(([from]) => from <= day);
    return before.length ? before[before.length - 1][1] : undefined;
  }

  /** What Tinker lists on a day: {read, sample, train, as_of, source, discount}. */
  function findTokenPrice(data, model, day) {
    const changes = data.token_prices[model];
    if (!changes) throw new InputError('tinker_model', 'no price of this model is known');
    const answer = answerOn(changes, day || data.newest_day);
    if (answer === undefined) throw new InputError('date', `no price of ${model} is known on this day; the first is of ${changes[0][0]}`);
    if (answer === null) {
      const last = changes.filter(([from, found]) => found && from <= (day || data.newest_day)).pop();
      throw new InputError('tinker_model', `Tinker no longer lists it on ${day || data.newest_day} (last seen ${last[1][3]}); choose another, or an earlier day`);
    }
    const [prefill, sample, train, as_of, source, discount] = answer;
    return { prefill, sample, train, as_of, source: data.sources[source], discount };
  }

  /** What an hour of a GPU costs on a day, over the known providers or at one of them. */
  function findGpuPrice(data, gpu, day, provider) {
    const offers = data.gpu_prices[gpu];
    if (!offers) throw new InputError('gpu_price', `no price of ${gpu} is known; give one`);
    const name = Object.keys(offers).find((offer) => offer.toLowerCase() === provider.trim().toLowerCase());
    if (name === undefined) throw new InputError('provider', `no price of ${gpu} at ${provider} is known`);
    const answer = answerOn(offers[name], day || data.newest_day);
    if (!answer) throw new InputError('date', `no price of ${gpu} is known on this day; the first is of ${offers[name][0][0]}`);
    const [low, value, high, as_of, source] = answer;
    const what = name ? `${gpu} rental, ${provider}` : answer[5];
    return { spread: [low, value, high], price: { what, value, unit: 'USD per GPU-hour', as_of, source: data.sources[source] } };
  }

  /** What an hour of a sandbox of a size costs. */
  function findSandboxPrice(data, provider, vcpu, memory) {
    const row = data.sandbox_prices[provider];
    if (!row) throw new InputError('sandbox_provider', 'no price of this provider is known');
    const value = row.machine + row.vcpu * vcpu + row.memory * memory;
    const short = (number) => Number(number.toPrecision(6));
    const size = row.unit ? `${short(vcpu)} ${row.unit}, ${short(memory)} GiB` : 'machine';
    return { what: `sandbox at ${provider} (${size})`, value, unit: 'USD per hour', as_of: row.as_of, source: data.sources[row.source] };
  }

  // ---- a scenario with everything looked up ----------------------------------------------------------------

  /** Put words into the places of a sentence of data.words. */
  const say = (data, key, places = {}) => data.words[key].replace(/\{(\w+)\}/g, (_, name) => places[name]);

  /** Look up what a scenario leaves open: spreads, prices, shapes, and in words what was taken for granted. */
  function settle(s, data) {
    const spreads = {};
    const shares = new Set(data.fields.filter((f) => f.kind === 'share').map((f) => f.name));
    for (const f of data.fields) {
      if ((f.kind === 'spread' || f.kind === 'share') && s[f.name] !== null) spreads[f.name] = s[f.name];
    }
    const found = { scenario: s, data, spreads, shares, prices: [], notes: [], token: null, cachedShare: null, model: null, gpu: null };
    const note = (key, places) => found.notes.push(say(data, key, places));
    settleTokens(found, note);
    if (s.gpu) {
      if (s.gpu_price === null) {
        const { spread, price } = findGpuPrice(data, s.gpu, s.date, s.provider);
        spreads.gpu_price = spread;
        found.prices.push(price);
      } else {
        found.prices.push({ what: `${s.gpu} rental`, value: s.gpu_price[1], unit: 'USD per GPU-hour', as_of: s.date || 'given', source: 'given by the reader' });
      }
      if (s.gpu_hours !== null) note('hours given');
      else if (s.throughput !== null) note('throughput given');
      else settleRoofline(found, note);
    }
    if (s.sandbox_containers[2] > 0) {
      if (s.sandbox_price === null) {
        const price = findSandboxPrice(data, s.sandbox_provider, s.sandbox_vcpu, s.sandbox_memory_gib);
        spreads.sandbox_price = [price.value, price.value, price.value];
        found.prices.push(price);
      }
      note('sandbox');
    } else note('no sandbox');
    if (s.project_share[2] === 0) note('one run');
    if (s.overhead_share[2] === 0) note('no services');
    return found;
  }

  /** Prices by the token: from the list of the day, and from the reader where given. */
  function settleTokens(found, note) {
    const { scenario: s, data } = found;
    const own = [s.price_prefill, s.price_sample, s.price_train];
    if (!s.tinker_model && own.includes(null)) return;
    const listed = own.includes(null)
      ? findTokenPrice(data, s.tinker_model, s.date)
      : { as_of: s.date || 'given', source: 'given by the reader', discount: null };
    const token = found.token = { ...listed, prefill: own[0] ?? listed.prefill, sample: own[1] ?? listed.sample, train: own[2] ?? listed.train };
    for (const kind of ['prefill', 'sample', 'train']) {
      found.prices.push({ what: `Tinker ${kind}, ${s.tinker_model || 'given model'}`, value: token[kind], unit: 'USD per million tokens', as_of: token.as_of, source: token.source });
    }
    note(s.train_charged_on);
    // a reader who gives the read price is trusted to know of the discount
    const full = !s.prefix_cache || (s.price_prefill === null && token.discount === false);
    found.cachedShare = full ? 1 : s.cached_share;
    if (!s.prefix_cache) note('no cache');
    else if (found.cachedShare === 1) note('no cached price', token);
    else note('cached', { share: (found.cachedShare * 100).toFixed(0) });
  }

  /** Shapes of model and GPU, and the efficiencies that are usual for them. */
  function settleRoofline(found, note) {
    const { scenario: s, data, spreads } = found;
    const model = found.model = data.models[s.model], gpu = found.gpu = data.gpus[s.gpu];
    if (!model) throw new InputError('model', 'its shape is not known; choose another, or give the throughput');
    if (!gpu) throw new InputError('gpu', 'its bandwidth or peak is not published; choose another, or give the throughput');
    note('modelled', { model: s.model, gpu: s.gpu });
    const usual = { decode_efficiency: data.decode_efficiency, mfu: gpu.mfu };
    for (const name of Object.keys(usual).filter((key) => s[key] === null)) {
      const spread = spreads[name] = usual[name][model.family];
      note('usual', { name, lo: spread[0].toFixed(2), hi: spread[2].toFixed(2), family: model.family });
    }
    const passes = ['forward and backward', s.recompute && 'recomputation', s.old_logprob && 'old log-probabilities', s.reference && 'reference model'];
    note('training', { method: s.train_method, passes: passes.filter(Boolean).join(', ') });
    note(s.mode);
  }

  // ---- draws -----------------------------------------------------------------------------------------------

  /** A spread as a function of a standard normal deviate: log-linear on either side of the centre, linear from 0. */
  function makeQuantile([low, middle, high]) {
    const log = low > 0;
    const down = (log ? Math.log(middle / low) : middle - low) / Z90, up = (log ? Math.log(high / middle) : high - middle) / Z90;
    return log ? (z) => middle * Math.exp(z * (z < 0 ? down : up)) : (z) => Math.max(middle + z * (z < 0 ? down : up), 0);
  }

  const streams = new Map();

  /** The first so many deviates of a stream, drawn once. */
  function takeNormals(stream, count) {
    const known = streams.get(stream.state);
    if (known && known.length >= count) return known.subarray(0, count);
    streams.clear();
    streams.set(stream.state, standardNormal(stream, count));
    return streams.get(stream.state).subarray(0, count);
  }

  // ---- tokens of a rollout step ----------------------------------------------------------------------------

  /** Tokens of one rollout step, for one draw `v` of the inputs. */
  function countTokens(s, v) {
    const z = v.zero_variance, length = v.length;
    if (v.turns < 1) throw new InputError('turns', 'some draws lie below 1 turn; raise the low end');
    let sampled = 1, kept = 1;
    if (s.filtering === 'after') kept = 1 - z;
    else if (s.filtering !== 'none') {
      if (z >= 1) throw new InputError('zero_variance', 'with all groups without signal a batch never fills; lower it, or choose another filter');
      sampled = s.filtering === 'dynamic' ? 1 / (1 - z) : 1 + (z / (1 - z)) * (1 - v.skip_recall);
    }
    const groups = v.prompts * sampled, completions = groups * v.group_size;
    const observed = (v.turns - 1) * v.observation_tokens;
    const fresh = v.prompt_tokens + observed; // read once
    const growth = length / v.turns + v.observation_tokens; // what a turn adds to the context
    const again = v.turns * v.prompt_tokens + (growth * v.turns * (v.turns - 1)) / 2 - fresh;
    let prefill = 0, cached = 0;
    if (!s.prefix_cache) prefill = completions * (fresh + again);
    else if (completions > 0) {
      prefill = groups * v.prompt_tokens + completions * (fresh - v.prompt_tokens);
      cached = Math.max(completions * again + (completions - groups) * v.prompt_tokens, 0);
    }
    const trained = v.prompts * v.group_size * kept;
    const evaluated = v.eval_every > 0 ? (v.eval_problems * v.eval_samples) / Math.max(v.eval_every, 1e-9) : 0;
    return {
      generated: completions * length, prefill, cached, trained: trained * length, context: trained * fresh,
      evalGenerated: evaluated * length, evalPrefill: evaluated * fresh, completions,
    };
  }

  // ---- time of a rollout step ------------------------------------------------------------------------------

  /** How many sequences a replica holds in memory beside its weights. */
  function countSequences(data, model, gpu, context, gpus) {
    const free = data.usable_memory * gpu.memory_gb * 1e9 * gpus - model.total * BYTES;
    return Math.max(free, 0) / (Math.max(context, 1) * model.kv_bytes);
  }

  /** Fewest GPUs, a power of 2, that hold the weights and 8 sequences. */
  function replicaGpus(found, context) {
    let gpus = 1;
    while (countSequences(found.data, found.model, found.gpu, context, gpus) < 8) {
      gpus *= 2;
      if (gpus > 4096) throw new InputError('model', `it does not fit on thousands of ${found.scenario.gpu} with answers as long as that`);
    }
    return gpus;
  }

  /** What the decode steps of all draws share. */
  function describeDecoder({ model, gpu, data, per }) {
    return {
      bandwidth: gpu.bandwidth_tb_s * 1e12 * per, peak: gpu.bf16_tflops * 1e12 * per,
      weights: model.total * BYTES, work: BYTES * model.active, kv: model.kv_bytes,
      unread: Math.log1p(-model.active / model.total), // −∞ where all work on a token
      floor: model.layers * data.layer_floor_s,
    };
  }

  /** The seconds of one decode step of a replica. */
  function decodeSeconds(d, batch, context, efficiency) {
    const touched = 1 - Math.exp(d.unread * Math.max(batch, 1)); // an expert is read if one of the batch chose it
    const memory = (d.weights * touched + batch * context * d.kv) / d.bandwidth;
    return Math.max(memory, (d.work * batch) / d.peak) / efficiency + d.floor;
  }

  const PLACES = Float64Array.from({ length: GRID }, (_, i) => normalQuantile((i + 0.5) / GRID));
  const shape = { sigma: NaN, lengths: new Float64Array(GRID), sums: new Float64Array(GRID + 1) };

  /** Lengths at the places of the grid for location 0, and their sums from the shortest on. */
  function shapeOf(sigma) {
    if (shape.sigma !== sigma) {
      shape.sigma = sigma;
      for (let i = 0; i < GRID; i++) shape.sums[i + 1] = shape.sums[i] + (shape.lengths[i] = Math.exp(sigma * PLACES[i]));
    }
    return shape;
  }

  /**
   * Location of the lognormal whose mean, cut off at the longest length, is the one asked for. The root has a
   * closed form once it is known how many lengths are cut; the bisection of rlscale.lengths is then walked
   * through, since what it returns is its last interval's middle and not the root.
   */
  function fitLocation(mean, sigma, cut) {
    const { lengths, sums } = shapeOf(sigma);
    let scale = 0, below = GRID;
    for (; below > 0; below--) {
      scale = (GRID * mean - (GRID - below) * cut) / sums[below];
      if (scale * lengths[below - 1] <= cut) break;
    }
    // where all lie at the cut any location from here on gives the same time, whatever the last bit decides
    const root = below ? Math.log(scale) : Math.log(cut / lengths[0]);
    let low = Math.log(mean) - (sigma * sigma) / 2, high = Math.log(cut) + 6 * sigma;
    for (let step = 0; step < 30; step++) {
      const middle = (low + high) / 2;
      if (middle < root) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  const levels = { count: NaN, alive: new Float64Array(LEVELS), quantile: new Float64Array(LEVELS) };

  /** While so many completions end: the share alive in the middle of each stretch, and the quantile at its end. */
  function levelsOf(count) {
    if (levels.count === count) return levels;
    levels.count = count;
    const step = Math.exp(-Math.log(count) / LEVELS), half = Math.sqrt(step);
    for (let level = 0, alive = 1; level < LEVELS; level++) {
      levels.alive[level] = alive * half;
      levels.quantile[level] = normalQuantile(alive *= step);
    }
    return levels;
  }

  /** Seconds in which a pool generates a batch; with `drain` it waits for the longest completion. */
  function generationSeconds(found, v, completions, prompt, per, gpus, longest, drain) {
    const replicas = gpus / per, each = completions / replicas, mean = v.length, cv = v.length_cv;
    // in flight one meets long completions more often than short ones: mean of L²/2L, not half the mean
    const context = Math.min(prompt + (mean * (1 + Math.min(cv, 2) ** 2)) / 2, prompt + longest);
    const fits = countSequences(found.data, found.model, found.gpu, context, per);
    if (fits < 1) throw new InputError('gpus_per_replica', `${found.scenario.model} does not fit on ${per} ${found.scenario.gpu} with this context; give more`);
    const decoder = found.decoder, efficiency = v.decode_efficiency;
    const batch = Math.min(each, fits);
    const steady = each > 0 ? (mean / batch) * decodeSeconds(decoder, batch, context, efficiency) : 0;
    if (!drain) return each * steady;
    if (!(each > 0 && mean > 0)) return 0;
    // the barrier waits for the longest completion of all replicas: the last level is one of them all
    const sigma = Math.sqrt(Math.log1p(cv * cv)), location = fitLocation(mean, sigma, longest);
    if (batch * replicas <= 1) return each * steady; // one completion is nobody's longest
    const { alive, quantile } = levelsOf(Math.max(batch * replicas, 2)), least = Math.min(batch, 1);
    let before = 0, last = 0;
    for (let level = 0; level < LEVELS; level++) {
      const length = Math.min(Math.exp(location - sigma * quantile[level]), longest);
      last += (length - before) * decodeSeconds(decoder, Math.max(batch * alive[level], least), prompt + (length + before) / 2, efficiency);
      before = length;
    }
    return (each - batch) * steady + last;
  }

  /** Seconds in which a pool trains on some tokens. */
  function trainingSeconds(found, v, tokens, gpus) {
    const s = found.scenario;
    const passes = (s.train_method === 'full' ? 6 : 4) + 2 * s.recompute + 2 * (s.old_logprob + s.reference);
    const mfu = v.mfu * Math.max(gpus / 8, 1) ** -v.scaling_loss;
    return (found.model.active * passes * tokens) / (gpus * found.gpu.bf16_tflops * 1e12 * mfu);
  }

  /** GPU-seconds of one rollout step, for one draw: generation, training, overhead, and what a pool waits. */
  function timeStep(found, v, step) {
    const { scenario: s, per, longest } = found, total = s.gpus;
    const prompt = v.prompt_tokens + (v.turns - 1) * v.observation_tokens;
    const reading = (gpus) => (2 * found.model.active * step.prefill) / (gpus * found.gpu.bf16_tflops * 1e12 * v.mfu);
    const generate = (gpus, drain) => generationSeconds(found, v, step.completions, prompt, per, gpus, longest, drain) + reading(gpus);
    const tokens = step.trained + step.context;
    let generation, training, overhead, idle = 0;
    if (s.mode === 'sync') {
      generation = (generate(total, true) + (step.completions > 0 ? v.turns * v.environment_seconds : 0)) * total;
      training = trainingSeconds(found, v, tokens, total) * total;
      overhead = (generation + training) * v.step_overhead;
    } else {
      let share = s.trainer_share;
      if (share === null) { // the split at which both pools are busy
        let low = 0.01, high = 0.99;
        for (let i = 0; i < 12; i++) {
          share = (low + high) / 2;
          if (trainingSeconds(found, v, tokens, total * share) > generate(total * (1 - share), false)) low = share;
          else high = share;
        }
        share = (low + high) / 2;
      } else if (!(share > 0 && share < 1)) throw new InputError('trainer_share', 'give a share between 0 and 1');
      const trainers = total * share, generators = total * (1 - share);
      const makes = generate(generators, false), trains = trainingSeconds(found, v, tokens, trainers), pace = Math.max(makes, trains);
      idle = (pace - makes) * generators + (pace - trains) * trainers;
      generation = makes * generators;
      training = trains * trainers;
      overhead = pace * v.step_overhead * total;
    }
    return [generation, training, overhead, idle];
  }

  /** GPU-hours of the run by what they are spent on, for one draw. */
  function useGpus(found, v, step) {
    const [generation, training, overhead, idle] = found.times ? found.times(() => timeStep(found, v, step)) : timeStep(found, v, step);
    const hours = v.steps / 3600;
    return {
      'self-hosted: generation': generation * hours,
      'self-hosted: training': training * hours,
      'self-hosted: overhead': overhead * hours,
      'self-hosted: idle pool': idle * hours,
      'self-hosted: evaluation': step.generated > 0 ? ((generation * step.evalGenerated) / step.generated) * hours : 0,
    };
  }

  // What does not change the time of a step: these inputs may move without a new roofline.
  const BESIDE = /^(name|note|steps|tinker_model|date|train_charged_on|cached_share|provider|gpu_price|price_.*|sandbox_.*|storage_.*|overhead_share|project_share)$/;
  const remembered = { key: '', times: [] };

  /** Take the times of steps from the last estimate while nothing that they depend on has changed. */
  function rememberTimes(found, names, draws) {
    const key = JSON.stringify([draws, names, Object.entries(found.scenario).filter(([name]) => !BESIDE.test(name))]);
    const known = remembered.key === key ? remembered.times : [];
    let row = 0;
    remembered.key = ''; // until all draws are there
    found.times = (compute) => (known[row] ??= compute(), known[row++]);
    return () => { found.times = null; Object.assign(remembered, { key, times: known }); };
  }

  // ---- the bill --------------------------------------------------------------------------------------------

  /** Choose the machine once, from the ends of the inputs: it must be the same in every draw. */
  function chooseMachine(found) {
    const s = found.scenario;
    found.longest = s.max_length ?? (s.mean_length && 8 * Math.max(s.mean_length[2], 1));
    if (!found.model) return;
    found.per = s.gpus_per_replica
      || replicaGpus(found, s.prompt_tokens[2] + (s.turns[2] - 1) * s.observation_tokens[2] + found.longest);
    if (s.gpus === null) throw new InputError('gpus', 'is missing; say how many');
    found.decoder = describeDecoder(found);
    if (s.gpus < found.per) throw new InputError('gpus', `${s.gpus} GPUs cannot hold one replica of ${found.per}; give more`);
  }

  /** The bill of one draw: `put` takes amounts and dollars by name, `add` the dollars of a part. */
  function billOne(found, v, put, add) {
    const { scenario: s, token } = found;
    let step = null, tinker = null, hosted = null, hours = null, wall = null;
    if (s.mean_length && s.prompts && s.group_size && s.steps) {
      v.length = Math.min(v.mean_length, found.longest); // a draw of the mean cannot lie above the longest
      step = countTokens(s, v);
      put('generated', step.generated * v.steps);
      put('all generated', (step.generated + step.evalGenerated) * v.steps);
      put('all read', (step.prefill + step.cached + step.evalPrefill) * v.steps);
      put('trained', step.trained * v.steps);
    }
    if (token && step) {
      const scale = v.steps * MILLION;
      const trained = (step.trained + (s.train_charged_on === 'datum' ? step.context : 0)) * token.train
        + (s.train_charged_on === 'completion and prefill' ? step.context * token.prefill : 0);
      tinker = add('tinker: generated', step.generated * token.sample * scale)
        + add('tinker: read', (step.prefill + step.cached * found.cachedShare) * token.prefill * scale)
        + add('tinker: trained', trained * scale)
        + add('tinker: evaluation', (step.evalGenerated * token.sample + step.evalPrefill * token.prefill) * scale);
      put('tinker', tinker);
    }
    if (s.gpu) {
      let shares;
      if (s.gpu_hours !== null) shares = { 'self-hosted: GPU-hours as given': v.gpu_hours };
      else if (!step) throw new InputError('steps', 'GPU-hours need steps, prompts, completions and a length');
      else if (s.throughput !== null) shares = { 'self-hosted: at the given throughput': ((step.generated + step.evalGenerated) * v.steps) / v.throughput / 3600 };
      else shares = useGpus(found, v, step);
      hours = 0;
      for (const name in shares) {
        hours += shares[name];
        if (shares[name] > 0) found.spent.add(name);
        add(name, shares[name] * v.gpu_price);
      }
      hosted = hours * v.gpu_price;
      put('gpu_hours', hours);
      put('self_hosted', hosted);
      if (s.gpus !== null) put('wall_hours', wall = hours / s.gpus);
    }
    let extra = v.storage_gb * v.storage_months * v.storage_price;
    if (s.storage_gb[2] > 0) add('storage', extra);
    if (s.sandbox_containers[2] > 0) {
      const rented = s.sandbox_hours === null ? wall : v.sandbox_hours;
      if (rented === null) throw new InputError('sandbox_hours', 'is missing; without GPUs the wall time of the run is not known');
      const sandbox = add('sandbox', v.sandbox_containers * rented * (1 - v.sandbox_idle_share) * v.sandbox_price);
      put('sandbox', sandbox);
      extra += sandbox;
    }
    put('extra', extra);
    const inAll = (bill) => (bill * (1 + v.overhead_share) + extra) * (1 + v.project_share);
    if (tinker !== null) put('total_tinker', inAll(tinker));
    if (hosted !== null) put('total_self_hosted', inAll(hosted));
  }

  /**
   * Bills for rows of deviates, one column for each name in `names`.
   * @returns {{column: object, parts: object, spent: Set}} arrays with one entry a row; what GPU time goes to
   */
  function billAll(found, names, rows, z) {
    const width = names.length, column = {}, parts = {}, v = {};
    found.spent = new Set();
    const moving = [];
    names.forEach((name, i) => {
      const spread = found.spreads[name];
      v[name] = spread[1];
      // beyond its interval a share may go half of the way that is left to 1, and stays below 1 if its high end is
      const most = found.shares.has(name) ? (1 + spread[2]) / 2 : Infinity;
      if (spread[0] !== spread[2]) moving.push({ name, i, at: makeQuantile(spread), most });
    });
    let row = 0;
    const into = (store) => (name, value) => {
      (store[name] ??= new Float64Array(rows))[row] = value;
      return value;
    };
    const put = into(column), add = into(parts);
    for (; row < rows; row++) {
      for (const { name, i, at, most } of moving) v[name] = Math.min(at(z[row * width + i]), most);
      billOne(found, v, put, add);
    }
    return { column, parts, spent: found.spent };
  }

  // ---- what is read from the draws -------------------------------------------------------------------------

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /** Median and 90 % interval, each the draw that is nearest to its place. */
  function intervalOf(values) {
    const order = values.slice().sort();
    const at = (share) => {
      const place = share * (order.length - 1), floor = Math.floor(place), rest = place - floor;
      return order[rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1];
    };
    return { median: at(0.5), lo: at(0.05), hi: at(0.95) };
  }

  /** Median as the mean of the two in the middle. */
  function medianOf(values) {
    const order = values.slice().sort(), half = order.length / 2;
    return (order[Math.ceil(half) - 1] + order[Math.floor(half)]) / 2;
  }

  const BRANCHES = ['tinker', 'self_hosted', 'sandbox', 'total_tinker', 'total_self_hosted'];
  const SWUNG = ['total_tinker', 'total_self_hosted', 'sandbox'];

  const swingWidth = (w) => Math.abs(w.usd_at_hi - w.usd_at_lo);

  /** Move one input at a time from its low to its high end, all others central. */
  function findSwings(found, names) {
    const moving = names.filter((name) => found.spreads[name][0] !== found.spreads[name][2]);
    const rows = moving.flatMap((name) => [-Z90, Z90].map((end) => names.map((other) => (other === name ? end : 0))));
    const { column } = billAll(found, names, rows.length, rows.flat());
    return SWUNG.filter((branch) => column[branch]).flatMap((branch) => moving
      .map((input, i) => ({ branch, input, usd_at_lo: column[branch][2 * i], usd_at_hi: column[branch][2 * i + 1] }))
      .filter((w) => swingWidth(w) > 1e-9 * Math.max(w.usd_at_lo, w.usd_at_hi)) // less is rounding
      .sort((a, b) => swingWidth(b) - swingWidth(a)));
  }

  /** Mean dollars by part; what services and the rest of the project put on top is a part of its own. */
  function meanParts({ column, parts, spent }) {
    const means = Object.fromEntries(Object.entries(parts).map(([name, usd]) => [name, mean(usd)]));
    // GPU time that no draw spends on a thing is no part of the bill; a bill of nothing keeps one line
    const hosted = Object.keys(means).filter((name) => name.startsWith('self-hosted: '));
    const empty = hosted.filter((name) => !spent.has(name));
    for (const name of empty.length === hosted.length ? hosted.slice(1) : empty) delete means[name];
    for (const [branch, label] of [['tinker', 'tinker'], ['self_hosted', 'self-hosted']]) {
      if (!column[branch]) continue;
      const total = mean(column[`total_${branch}`]), rest = total - mean(column[branch]) - mean(column.extra);
      if (Math.abs(rest) > 1e-9 * Math.max(total, 1e-9)) means[`${label}: services, pilots and failed runs`] = rest;
    }
    return means;
  }

  /** Days between a date as YYYY-MM-DD (or YYYY-MM) and another. */
  const ageInDays = (asOf, today) => Math.round((Date.parse(today) - Date.parse(asOf)) / 864e5);

  /** Warnings on prices that have grown old and on inputs that nothing used. */
  function listWarnings(found, today) {
    const { scenario: s, data } = found, old = new Map();
    const unused = s.gpu ? [] : [...TABLE_INPUTS.filter((name) => s[name] !== null), ...(s.provider ? ['provider'] : [])];
    for (const { what, as_of } of today ? found.prices : []) {
      const days = /^\d/.test(as_of) ? ageInDays(as_of, today) : 0;
      if (days > data.stale_days) old.set(what, say(data, 'old', { what, as_of, days }));
    }
    return [...(unused.length ? [say(data, 'unused', { names: unused.join(', ') })] : []), ...old.values()];
  }

  /**
   * What a run costs, with intervals.
   * @param {object} scenario every input; see rlscale.scenario
   * @param {object} data what rlscale/interactive/calculator.py wrote
   * @param {{draws?: number, today?: string}} [how] number of draws; day of the reader's clock, YYYY-MM-DD
   * @returns {object} the fields of `rlscale cost --json`, and `central`
   * @throws {InputError} with the input that is wrong
   */
  function estimate(scenario, data, { draws = data.draws, today = '' } = {}) {
    const found = settle(checkTogether(scenario), data);
    if (!found.token && !scenario.gpu && scenario.sandbox_containers[2] === 0) {
      throw new InputError('tinker_model', 'nothing has a price; choose a model on Tinker, a GPU, or sandboxes');
    }
    chooseMachine(found);
    const names = Object.keys(found.spreads), width = names.length;
    const keep = rememberTimes(found, names, draws);
    const bills = billAll(found, names, draws, takeNormals(data.stream, draws * width)), { column } = bills;
    keep();
    const centre = billAll(found, names, 1, new Float64Array(width)).column;
    const of = (name) => (column[name] ? intervalOf(column[name]) : null);
    const { generated, gpu_hours: hours, total_tinker: tinker, total_self_hosted: hosted } = column;
    const central = Object.fromEntries(BRANCHES.filter((branch) => centre[branch]).map((branch) => [branch, centre[branch][0]]));
    const rent = found.spreads.gpu_price ? found.spreads.gpu_price[1] : 0;
    const crossing = rent > 0 && centre.generated && central.tinker > 0 ? centre.generated[0] / ((central.tinker / rent) * 3600) : 0;
    const p = tinker && hosted ? mean(hosted.map((usd, i) => Number(usd < tinker[i]))) : null;
    const result = {
      tokens: generated ? {
        generated: medianOf(column['all generated']), prefill: medianOf(column['all read']), trained: medianOf(column.trained),
      } : null,
      gpu_hours: of('gpu_hours'),
      wall_hours: of('wall_hours'),
      usd: Object.fromEntries(BRANCHES.map((branch) => [branch, of(branch)])),
      central,
      break_even: crossing ? { tokens_per_s_per_gpu: crossing } : null,
      tokens_per_s_per_gpu: hours && generated && hours.every((h) => h > 0)
        ? intervalOf(hours.map((h, i) => generated[i] / h / 3600)) : null,
      cheaper: p === null ? null : p >= data.decided ? 'self_hosted' : p <= 1 - data.decided ? 'tinker' : 'undecided',
      p_self_hosted_cheaper: p,
      parts: meanParts(bills),
      swings: findSwings(found, names),
      assumptions: found.notes,
      prices: found.prices,
      warnings: listWarnings(found, today),
      spreads: found.spreads,
    };
    checkFinite(result);
    return result;
  }

  /** Refuse a result with a number that has left the range of numbers. */
  function checkFinite(result) {
    const { tokens, gpu_hours, wall_hours, usd, central, parts, swings, tokens_per_s_per_gpu } = result;
    const shown = [tokens, gpu_hours, wall_hours, ...Object.values(usd), central, parts, tokens_per_s_per_gpu]
      .flatMap((group) => Object.values(group ?? {})).concat(swings.flatMap((w) => [w.usd_at_lo, w.usd_at_hi]));
    if (!shown.every(Number.isFinite)) {
      throw new InputError('', 'The bill has more digits than a number can hold; check the largest and the smallest inputs');
    }
  }

  rlscale.cost = { estimate };
})();
