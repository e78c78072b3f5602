"""A decoder-only transformer that trains in seconds: dense or mixture of experts, full or with adapters.

What makes it fast on one core is the layout. The answers of a group share their prompt, so prompt and answers
of a group are one sequence, ``prompt | answer 1 | answer 2 | ...``, with a mask that lets each answer see the
prompt and itself only. Prompt tokens are then computed once a group, in sampling and in training.
"""

from __future__ import annotations

import functools
import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .settings import LabSettings
from .tasks import SYMBOLS, Task


class LoRALinear(nn.Module):
    """A frozen linear map plus a trained one of low rank: W x + (alpha / r) B A x; B = 0 at the start."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        for parameter in base.parameters():
            parameter.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        """Apply the map."""
        return self.base(x) + F.linear(F.linear(x, self.down), self.up) * self.scale


class Mlp(nn.Module):
    """Two linear maps with a GELU between."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.enter = nn.Linear(width, hidden)
        self.leave = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the maps to (..., width)."""
        return self.leave(F.gelu(self.enter(x), approximate="tanh"))


class Experts(nn.Module):
    """Top-1 mixture: a router picks one MLP a token; its probability scales the output, so that it learns."""

    def __init__(self, width: int, hidden: int, count: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, count, bias=False)
        self.mlps = nn.ModuleList(Mlp(width, hidden) for _ in range(count))

    def forward(self, x: Tensor) -> Tensor:
        """Send each token of (..., width) to one expert."""
        flat = x.reshape(-1, x.shape[-1])
        gate, choice = self.router(flat).softmax(-1).max(-1)
        out = torch.zeros_like(flat)
        for index, mlp in enumerate(self.mlps):
            rows = (choice == index).nonzero().squeeze(1)
            if len(rows):
                out = out.index_copy(0, rows, mlp(flat[rows]))
        return (out * gate[:, None]).view_as(x)


class Block(nn.Module):
    """Attention and MLP, each after a layer norm and added to its input."""

    def __init__(self, settings: LabSettings) -> None:
        super().__init__()
        width = settings.width
        self.heads = settings.heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp: nn.Module = (
            Mlp(width, settings.mlp)
            if settings.experts == 1
            else Experts(width, settings.mlp, settings.experts)
        )

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        return query, key, value

    def _finish(self, x: Tensor, attended: Tensor) -> Tensor:
        x = x + self.out(attended.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the new states of (rows, length, width), and the keys and values met on the way."""
        query, key, value = self._project(x)
        return self._finish(x, F.scaled_dot_product_attention(query, key, value, attn_mask=mask)), key, value

    def decode(self, x: Tensor, keys: Tensor, values: Tensor, at: int) -> Tensor:
        """Advance one token a row: write its key and value at ``at`` of the cache, attend to all up to it."""
        query, key, value = self._project(x)
        keys[:, :, at], values[:, :, at] = key[:, :, 0], value[:, :, 0]
        attended = F.scaled_dot_product_attention(query, keys[:, :, : at + 1], values[:, :, : at + 1])
        return self._finish(x, attended)


class TinyTransformer(nn.Module):
    """The policy: learned positions, ``layers`` blocks, untied head without bias.

    Parameters
    ----------
    settings : LabSettings
        Shape of the network.
    task : Task
        Length of prompt and answer.
    """

    def __init__(self, settings: LabSettings, task: Task) -> None:
        super().__init__()
        self.prefix_length, self.answer_length = task.prefix_length, task.answer_length
        self.token = nn.Embedding(len(SYMBOLS), settings.width)
        self.position = nn.Embedding(task.length, settings.width)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.width)
        self.head: nn.Module = nn.Linear(settings.width, len(SYMBOLS), bias=False)
        for embedding in (self.token, self.position):
            nn.init.normal_(embedding.weight, std=0.2)

    def answer_logits(self, prefix: Tensor, answers: Tensor) -> Tensor:
        """Return the logits from which each answer token was, or would be, drawn.

        Parameters
        ----------
        prefix : Tensor, shape (prompts, prefix_length)
        answers : Tensor, shape (prompts, group_size, answer_length)

        Returns
        -------
        Tensor, shape (prompts, group_size, answer_length, symbols)
        """
        prompts, group, length = answers.shape
        inputs = torch.cat([prefix, answers[:, :, :-1].reshape(prompts, -1)], dim=1)
        places, mask = _group_layout(self.prefix_length, length - 1, group)
        x = self.token(inputs) + self.position(places)
        for block in self.blocks:
            x, _, _ = block(x, mask)
        logits = self.head(self.norm(x[:, self.prefix_length - 1 :]))
        first = logits[:, None, :1]
        rest = logits[:, 1:].view(prompts, group, length - 1, -1)
        return torch.cat([first.expand(-1, group, -1, -1), rest], dim=2)

    def start_cache(self, prefix: Tensor, group: int) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """Read the prompts once and hand each answer of a group its copy of keys and values.

        Returns
        -------
        logits : Tensor, shape (prompts * group, symbols)
            Of the first answer token.
        cache : list of (keys, values), one a layer, each (prompts * group, heads, length, width / heads)
        """
        x = self.token(prefix) + self.position.weight[: self.prefix_length]
        _, mask = _group_layout(self.prefix_length, 0, 1)
        cache = []
        for block in self.blocks:
            x, key, value = block(x, mask)
            cache.append((self._room(key, group), self._room(value, group)))
        return self.head(self.norm(x[:, -1])).repeat_interleave(group, dim=0), cache

    def _room(self, part: Tensor, group: int) -> Tensor:
        rows, heads, length, size = part.shape
        room = part.new_empty(rows, group, heads, length + self.answer_length, size)
        room[:, :, :, :length] = part[:, None]
        return room.view(rows * group, heads, -1, size)

    def next_logits(self, tokens: Tensor, at: int, cache: list[tuple[Tensor, Tensor]]) -> Tensor:
        """Return the logits after ``tokens`` (rows,) at position ``at``, and extend the cache."""
        x = (self.token(tokens) + self.position.weight[at])[:, None]
        for block, (keys, values) in zip(self.blocks, cache, strict=True):
            x = cast(Block, block).decode(x, keys, values, at)
        return self.head(self.norm(x[:, 0]))

    def add_adapters(self, rank: int, alpha: float) -> None:
        """Freeze all weights and put a trained adapter on every linear map."""
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        for module in list(self.modules()):
            for name, child in list(module.named_children()):
                if isinstance(child, nn.Linear) and not isinstance(module, LoRALinear):
                    setattr(module, name, LoRALinear(child, rank, alpha))

    def count_parameters(self, *, trained: bool = False) -> int:
        """Return the number of weights, or of those that are trained."""
        return sum(p.numel() for p in self.parameters() if p.requires_grad or not trained)


@functools.lru_cache(maxsize=64)
def _group_layout(prefix: int, answer: int, group: int) -> tuple[Tensor, Tensor]:
    """Return positions and attention mask of ``prompt | answer 1 | ... | answer G``."""
    places = torch.cat([torch.arange(prefix), torch.arange(prefix, prefix + answer).repeat(group)])
    owner = torch.cat([torch.full((prefix,), -1), torch.arange(group).repeat_interleave(answer)])
    seen = (places[None] <= places[:, None]) & ((owner[None] == -1) | (owner[None] == owner[:, None]))
    return places, torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))
