"""Real RLVR in a quarter minute of one core: a tiny transformer, a task with a verifier, the recipes.

It needs PyTorch (extra ``lab``) only to train. Reading, comparing and plotting the runs that are shipped in
``data/lab`` does not.
"""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError


def import_torch() -> Any:
    """Return the module ``torch``, or say how to install it.

    Raises
    ------
    MissingExtraError
        If PyTorch is not installed.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError(
            "training in the laboratory needs PyTorch, which is not installed: pip install 'rlscale[lab]' "
            "(the runs shipped with the book can be read without it)"
        ) from None
    return torch
