"""What the tables of model shapes and of cost checks promise; listed with the others in schema_list."""

from __future__ import annotations

from .schemas import ID, Rule, Table, number, source_columns, text, whole

MODELS = Table(
    "models",
    "the shape of one language model, as far as cost depends on it",
    (
        text("model", "name without the maker", filled=True, unique=True),
        number("params_total_b", "parameters, in billions", filled=True),
        number("params_active_b", "parameters used for a token, in billions", filled=True),
        whole("layers", "layers", filled=True),
        whole("hidden", "width of the residual stream", filled=True),
        whole("kv_layers", "layers whose cache grows with every token", filled=True),
        whole("kv_heads", "key and value heads a layer", filled=True, lo=0.0),
        whole("head_dim", "size of a head", filled=True, lo=0.0),
        whole(
            "kv_latent_dim",
            "size of the compressed vector that is cached instead, else 0",
            filled=True,
            lo=0.0,
        ),
        *source_columns(),
    ),
    (
        Rule(
            "active_within_total",
            "params_active_b",
            lambda t: ~(t["params_active_b"] > t["params_total_b"]),
            "no more than params_total_b",
        ),
        Rule(
            "has_cache",
            "kv_heads",
            lambda t: (t["kv_latent_dim"] > 0) | (t["kv_heads"] * t["head_dim"] > 0),
            "kv_heads and head_dim above 0, or kv_latent_dim above 0: something must be cached",
        ),
    ),
)

COST_CHECKS = Table(
    "cost_checks",
    "what the calculator needs to predict one real run, or one measured step. Cells that `reference_runs` "
    "holds for the same id are empty here",
    (
        ID,
        text(
            "what",
            "a whole run (in GPU-hours) or one step (in seconds)",
            filled=True,
            allowed=("run", "step"),
        ),
        text("reference", "id of the run in `reference_runs`; empty for a step"),
        text(
            "counts",
            "whether it counts; no: a second reading of the same run",
            filled=True,
            allowed=("yes", "no"),
        ),
        text("model", "shape of the model, as in `models`", filled=True),
        text("gpu", "as in `gpus`"),
        whole("gpus", "GPUs in all"),
        whole("gpus_per_replica", "GPUs that share one copy of the weights in generation, where stated"),
        text(
            "mode",
            "whether generation and training take turns or overlap",
            filled=True,
            allowed=("sync", "async"),
        ),
        number("trainer_share", "share of the GPUs that train, where stated", hi=1.0),
        whole("rollout_steps", "rollout steps"),
        whole("prompts", "prompts a rollout step"),
        whole("group_size", "completions a prompt"),
        number("prompt_tokens", "mean tokens of a prompt, observations of an agent included", filled=True),
        whole("max_length", "longest completion, in tokens"),
        number("length_lo", "mean tokens of a completion: low end", filled=True),
        number("length_mid", "mean tokens of a completion: central value", filled=True),
        number("length_hi", "mean tokens of a completion: high end", filled=True),
        text("length_basis", "where the mean length comes from", filled=True),
        number("wait_s", "seconds that a completion waits for its environment", filled=True),
        text(
            "passes",
            "scoring passes besides training",
            filled=True,
            allowed=("none", "old", "old and reference"),
        ),
        text("method", "what is trained", filled=True, allowed=("full", "lora")),
        number("actual", "GPU-hours of the run, or seconds of the step"),
        text("reason", "why the prediction is off, where it is off by more than a factor 2"),
        *source_columns(),
    ),
    (
        Rule(
            "length_order",
            "length_mid",
            lambda t: (t["length_lo"] <= t["length_mid"]) & (t["length_mid"] <= t["length_hi"]),
            "length_lo ≤ length_mid ≤ length_hi",
        ),
        Rule(
            "length_fits",
            "length_hi",
            lambda t: ~(t["length_hi"] > t["max_length"]),
            "no more than max_length",
        ),
    ),
)
