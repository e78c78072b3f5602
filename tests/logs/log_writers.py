"""Writers of known curves, one a format, with the format's own keys and oddities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from log_writers_containers import (
    mlflow_files,
    mlflow_sqlite,
    swanlab_csv,
    swanlab_store,
    tensorboard_csv,
    tensorboard_json,
    tensorboard_nemo,
    tensorboard_openrlhf,
    tensorboard_skyrl,
    tensorboard_slime,
    trackio_parquet,
    trackio_sqlite,
    wandb_history_csv,
    wandb_offline,
    wandb_parquet,
    wandb_ui,
)
from log_writers_frameworks import (
    forge_console,
    nemo_json,
    open_instruct_csv,
    openrlhf_console,
    prime_jsonl,
    slime_console,
    tinker_console,
    tinker_jsonl,
)
from log_writers_loops import (
    counted_lines,
    episodes_jsonl,
    json_list,
    long_csv,
    plain_jsonl,
    titled_lines,
    wide_csv,
)
from log_writers_trl import trl_completions, trl_console, trl_state
from log_writers_verl import rllm_file, verl_console, verl_console_old, verl_dumps, verl_file
from log_writing import Written

WRITERS: dict[str, Callable[[Path], Written]] = {
    f.__name__: f
    for f in (
        trl_state,
        trl_console,
        trl_completions,
        verl_console,
        verl_console_old,
        verl_file,
        rllm_file,
        verl_dumps,
        tinker_jsonl,
        tinker_console,
        prime_jsonl,
        nemo_json,
        openrlhf_console,
        slime_console,
        forge_console,
        open_instruct_csv,
        wandb_ui,
        wandb_history_csv,
        wandb_parquet,
        wandb_offline,
        tensorboard_nemo,
        tensorboard_openrlhf,
        tensorboard_skyrl,
        tensorboard_slime,
        tensorboard_csv,
        tensorboard_json,
        mlflow_files,
        mlflow_sqlite,
        trackio_sqlite,
        trackio_parquet,
        swanlab_store,
        swanlab_csv,
        long_csv,
        wide_csv,
        plain_jsonl,
        json_list,
        episodes_jsonl,
        counted_lines,
        titled_lines,
    )
}
