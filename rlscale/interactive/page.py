"""The apps of the book: which scripts a page needs, and the JSON that stands in it.

A chapter holds ``<div class="rlscale-app" data-rlscale="explorer" data-static="fig-x"></div>`` directly after
the figure that stands where scripts are off. The Sphinx extension ``_ext/interactive_pages.py`` finds the
app, and adds the scripts and the JSON to that page alone. Nothing is fetched: from disk a page may not fetch.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

from ..errors import BookError, suggest_names

#: Folder of scripts and style under ``_static``.
FOLDER = "interactive"
STYLE = f"{FOLDER}/interactive.css"


@dataclass(frozen=True)
class App:
    """One page that computes.

    Attributes
    ----------
    name : str
        As in ``data-rlscale``; also the module of this package whose ``page_data()`` gives the JSON.
    scripts : tuple of str
        Files in the folder, in the order in which they run; ``controls.js`` comes before them by itself.
    inline : tuple of str
        Files among them that stand in the page rather than being linked, in ``<script data-rlscale-file=…>``.
        A worker can be started from their text: from disk no script can be read in another way.
    """

    name: str
    scripts: tuple[str, ...]
    inline: tuple[str, ...] = ()


# what the worker of the forecaster is made of, in the order in which it runs
_ENGINE = ("numerics.js", "fit.js", "posterior.js", "verdict.js", "forecast.js", "logs.js", "work.js")

APPS: Mapping[str, App] = MappingProxyType(
    {
        app.name: app
        for app in (
            App("explorer", ("law.js", "explorer.js")),
            App("calculator", ("draws.js", "scenario.js", "cost.js", "calculator.js")),
            App("forecaster", (*_ENGINE, "forecaster.js"), inline=_ENGINE),
        )
    }
)


def find_app(name: str) -> App:
    """Return the app of a name.

    Raises
    ------
    BookError
        If there is none; the message suggests one.

    Examples
    --------
    >>> find_app("explorer").scripts
    ('law.js', 'explorer.js')
    """
    if name not in APPS:
        raise BookError(f"no app is called {name!r}; {suggest_names(name, APPS)}")
    return APPS[name]


def list_apps(html: str) -> list[App]:
    """Return the apps that a page asks for.

    Parameters
    ----------
    html : str
        Body of a page.

    Returns
    -------
    list of App
        In the order of the page.

    Raises
    ------
    BookError
        If a name is not known or stands twice: an app has one state, in the page's address.

    Examples
    --------
    >>> [app.name for app in list_apps('<div class="rlscale-app" data-rlscale="explorer"></div>')]
    ['explorer']
    >>> list_apps("<p>none</p>")
    []
    """
    names = re.findall(r'<div class="rlscale-app" data-rlscale="([^"]*)"', html)
    for name in names:
        if names.count(name) > 1:
            raise BookError(
                f"the page holds the app {name!r} twice; keep one, its state is the page's address"
            )
    return [find_app(name) for name in names]


def read_data(name: str) -> dict[str, Any]:
    """Return what the script of an app is given: ``title`` and whatever else it needs.

    Raises
    ------
    BookError
        If there is no such app.
    """
    data: dict[str, Any] = import_module(f"{__package__}.{find_app(name).name}").page_data()
    return data


def render_data(name: str, data: Mapping[str, Any]) -> str:
    r"""Return the element that carries the JSON of an app.

    Parameters
    ----------
    name : str
        Name of the app.
    data : mapping
        What JSON can hold; NaN and infinity are refused, since JSON has no word for them.

    Returns
    -------
    str
        HTML. ``<``, ``>`` and ``&`` are written as escapes, so no text in the data can end the element.

    Raises
    ------
    BookError
        If the data holds what JSON cannot say.

    Examples
    --------
    >>> render_data("x", {"a": "</p>"})
    '<script type="application/json" class="rlscale-data" data-rlscale="x">{"a":"\\u003c/p\\u003e"}</script>'
    """
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise BookError(f"the data of the app {name!r} cannot be written as JSON: {error}") from None
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" class="rlscale-data" data-rlscale="{name}">{text}</script>'


def render_inline(name: str, source: str) -> str:
    """Return an element that carries a script in the page itself.

    Parameters
    ----------
    name : str
        File name.
    source : str
        Its text.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    BookError
        If the text would end the element.

    Examples
    --------
    >>> render_inline("a.js", "f()")
    '<script data-rlscale-file="a.js">f()</script>'
    """
    if re.search(r"</script|<!--", source, re.I):
        raise BookError(f"{name} holds '</script' or '<!--', which would end the element that carries it")
    return f'<script data-rlscale-file="{name}">{source}</script>'


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it: None where there is none.

    Examples
    --------
    >>> finite(float("nan")), finite(2.0)
    (None, 2.0)
    """
    return float(value) if math.isfinite(value) else None
