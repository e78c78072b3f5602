"""The scripts as the site ships them: the same behaviour in about half of the bytes.

The readable source in ``book/_static/interactive/`` is what people read and change. The built page carries
what this module makes of it: without comments and spaces, with short local names.

The minifier (2.24.12) merges declarations that follow one another, and moves one that takes an array apart to
the front: ``const a = f(); const [b] = g(a);`` then fails. Tests run the short scripts against Python; when
they fail and those of the source do not, look for that, and write ``const b = g(a)[0]``.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from ..errors import BookError, MissingExtraError
from .page import FOLDER

#: The maintainer of the minifier publishes no wheel for Apple Silicon, and its source needs a Go compiler.
#: Pages built there carry the readable scripts, and the build says so.
HAS_MINIFIER = not (sys.platform == "darwin" and platform.machine() == "arm64")
_ADVICE = "pip install 'rlscale[book]'"


def shorten_script(name: str, source: str) -> str:
    """Return a script as the site ships it.

    Parameters
    ----------
    name : str
        File name, for the first line and for the error.
    source : str
        Readable text of a classic script.

    Returns
    -------
    str
        One line that says where the source is, then the short text, which ends in ``;`` so that scripts
        may be joined.

    Raises
    ------
    MissingExtraError
        If the minifier is not installed where there is one.
    BookError
        If the source cannot be parsed as JavaScript.

    Examples
    --------
    >>> shorten_script("a.js", "const half = ( x ) => x / 2;").splitlines()
    ['// Source: book/_static/interactive/a.js', 'const half=e=>e/2;']
    """
    head = f"// Source: book/_static/{FOLDER}/{name}\n"
    if not HAS_MINIFIER:
        return head + source
    try:
        import minify
    except ImportError as error:
        raise MissingExtraError(f"scripts of pages cannot be shortened: {error}; {_ADVICE}") from error
    if "\0" in source:  # the minifier hands its text over as a C string, which would end there
        raise BookError(f"{name}: a NUL character stands in the script; write it as \\0")
    try:
        minify.config({"js-keep-var-names": False, "js-precision": 0, "js-version": 2022})
        short = minify.string("application/javascript", source)
    except ValueError as error:
        raise BookError(f"{name}: the script cannot be shortened: {error}") from error
    return f"{head}{short.rstrip(';')};\n"


def ship_scripts(static: Path, source: Path) -> list[Path]:
    """Write the short text of each script over its copy in the site.

    Parameters
    ----------
    static : Path
        Folder of the scripts in the site.
    source : Path
        Folder of the readable scripts.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    BookError
        If a script is not JavaScript or its copy is absent. Nothing is written then.
    """
    texts = {}
    for path in sorted(source.glob("*.js")):
        if not (static / path.name).is_file():
            raise BookError(f"{static / path.name}: Sphinx has not copied this script of the pages")
        texts[static / path.name] = shorten_script(path.name, path.read_text(encoding="utf-8"))
    for copy, text in texts.items():
        copy.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)
