"""What the tables of hardware and of prices promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schemas import Rule, Table, number, source_columns, text, whole

if TYPE_CHECKING:
    import pandas as pd

_OFFERS = ("on-demand", "spot", "community", "secure", "median of providers")
_CPU_UNITS = ("vCPU", "physical core", "machine")
_BILLED_BY = ("allocated", "active CPU", "max of request and use")
_GPU_SPECS = ["hbm_gb", "bandwidth_tb_s", "bf16_dense_tflops", "spec_source"]


def _speedup_is_ratio(table: pd.DataFrame) -> pd.Series:
    ratio = table["gpu_tokens_per_s_per_gpu"] / table["baseline_tokens_per_s_per_gpu"]
    return ~((ratio - table["speedup"]).abs() > 0.01)


def _example_adds_up(table: pd.DataFrame) -> pd.Series:
    cpu = table["vcpu_usd_per_hour"] * table["example_vcpu"]
    memory = table["memory_usd_per_gib_hour"] * table["example_memory_gib"]
    return ~((cpu + memory - table["example_usd_per_hour"]).abs() > 0.001)


GPUS = Table(
    "gpus",
    "one price of one GPU on one day. The specification of the GPU stands beside it, the same in each of its "
    "rows. A GPU that only the reference runs need has a row without a price",
    (
        text("gpu", "name of the GPU, one device", filled=True),
        whole("hbm_gb", "memory, in GB", filled=True),
        number("bandwidth_tb_s", "memory bandwidth, in TB/s"),
        number("bf16_dense_tflops", "dense BF16 compute, in TFLOP/s"),
        text("spec_source", "who gives memory, bandwidth and compute", filled=True),
        text("provider", "who rents it out; empty where the row has no price"),
        text(
            "offer",
            "kind of offer",
            allowed=("on-demand", "spot", "community", "secure", "median of providers"),
        ),
        number("price_usd_per_gpu_hour", "price of one GPU for one hour, in US dollars", lo=0.01),
        *source_columns(day=True),
    ),
    (
        Rule(
            "one_specification",
            "gpu",
            lambda t: t.groupby("gpu")[_GPU_SPECS].transform("nunique", dropna=False).max(axis=1) == 1,
            "the same memory, bandwidth, compute and spec_source in each row of a GPU",
        ),
        Rule(
            "priced_by_someone",
            "provider",
            lambda t: t["price_usd_per_gpu_hour"].isna() == (t["provider"] == ""),
            "a provider in a row with a price, and none in a row without",
        ),
    ),
)

GPU_SPEEDUPS = Table(
    "gpu_speedups",
    "one measurement of a whole RL step on two kinds of GPU: how much faster one device is than one H100",
    (
        text("gpu", "the faster GPU, as in `gpus.csv`", filled=True),
        text("baseline_gpu", "the GPU it is compared with", filled=True, allowed=("H100 SXM",)),
        text("model", "what was trained", filled=True),
        text("setting", "on-policy or one step off, and which number of GPUs", filled=True),
        number("gpu_tokens_per_s_per_gpu", "throughput of the whole step"),
        number("baseline_tokens_per_s_per_gpu", "throughput of the whole step on the baseline"),
        number("speedup", "throughput of one GPU against one baseline GPU", filled=True, lo=0.01),
        *source_columns(),
    ),
    (
        Rule(
            "speedup_is_the_ratio",
            "speedup",
            lambda t: (
                ~(
                    (t["gpu_tokens_per_s_per_gpu"] / t["baseline_tokens_per_s_per_gpu"] - t["speedup"]).abs()
                    > 0.01
                )
            ),
            "gpu_tokens_per_s_per_gpu divided by baseline_tokens_per_s_per_gpu",
        ),
    ),
)

TINKER_PRICES = Table(
    "tinker_prices",
    "what one model cost on one day at one context length, in US dollars per million tokens",
    (
        text("model", "name of the model on Tinker", filled=True),
        text("context", "the tier of context length", filled=True, allowed=("standard", "long")),
        number("prefill_usd_per_mtok", "prompt tokens read when sampling", filled=True, lo=0.001),
        number("sample_usd_per_mtok", "tokens generated", filled=True, lo=0.001),
        number("train_usd_per_mtok", "tokens trained on; empty where the list has no such column", lo=0.001),
        text("discount", "why a price is not the full price"),
        *source_columns(day=True),
    ),
    (
        Rule(
            "one_price_a_day",
            "as_of",
            lambda t: ~t.duplicated(["model", "context", "discount", "as_of", "source"], keep=False),
            "one row a model, context, discount, day and source",
        ),
    ),
)

SANDBOX_PRICES = Table(
    "sandbox_prices",
    "what an isolated machine that runs generated code costs at one provider on one day",
    (
        text("provider", "who runs the sandbox", filled=True),
        number("vcpu_usd_per_hour", "price of one unit of CPU for one hour"),
        number("memory_usd_per_gib_hour", "price of one GiB of memory for one hour"),
        text(
            "cpu_unit",
            "what the price of CPU counts",
            filled=True,
            allowed=_CPU_UNITS,
        ),
        text(
            "billed_by",
            "what is billed",
            filled=True,
            allowed=_BILLED_BY,
        ),
        number("example_vcpu", "size of the example, in units of CPU"),
        number("example_memory_gib", "size of the example, in GiB"),
        number("example_usd_per_hour", "price of the example for one hour", filled=True),
        *source_columns(),
    ),
    (
        Rule(
            "example_adds_up",
            "example_usd_per_hour",
            _example_adds_up,
            "CPU times its price plus memory times its price",
        ),
    ),
)
