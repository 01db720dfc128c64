"""Variables in the text of a configuration field.

Takes:  one field's text, and the environment as a mapping
Gives:  the text with its variables replaced, and the values that were put in
Never:  shows a value in an error, turns an undefined variable into nothing, or looks inside
        a replaced value again

=================== ===========================================================
written             means
=================== ===========================================================
`${VAR}`            the variable; undefined is an error, defined and empty is ""
`${env:VAR}`        the same
`${VAR:-default}`   the variable, or `default` when it is not defined
`$${`               a literal `${`
`$VAR`, `$$`, `$`   themselves
=================== ===========================================================

A defined but empty variable stays empty also with a default: this is what other readers of
the same file do, and not what a shell does.
Source: design section 5; case N14.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from workbench.core.config.place import Place
from workbench.core.errors import ConfigError
from workbench.core.text.visible import visible

VARIABLE: Final = "CONF-04"

_OPEN: Final = re.compile(r"\$?\$\{")
_BODY: Final = re.compile(
    r"(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.ASCII | re.DOTALL
)
_SCHEME: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9_.-]{0,30}):(?![-+=?])", re.ASCII)
_EDITORS: Final = frozenset(
    {"cwd", "file", "pathSeparator", "userHome", "workspaceFolder", "workspaceFolderBasename"}
    | {"workspaceRoot"}
)
"""Names that an editor fills in by itself; here they are variables like any other."""


class Expanded(Struct, frozen=True):
    """A text after its variables were replaced."""

    text: str
    secrets: frozenset[str] = frozenset()
    """Values that came from the environment; any of them may be secret."""

    def __repr__(self) -> str:
        """Return a text without the values."""
        return f"<Expanded with {len(self.secrets)} values>"

    def __rich_repr__(self) -> list[tuple[str, int]]:
        """Show no more than `repr` does."""
        return [("values", len(self.secrets))]


def expand(text: str, environ: Mapping[str, str], place: Place) -> Expanded:
    """Replace the variables in `text`.

    Args:
        text: the field as written.
        environ: where variables are looked up; nothing else is read.
        place: the field, for the error.

    Raises:
        ConfigError: if a variable is undefined, nested, unclosed or of an unknown scheme.
    """
    pieces: list[str] = []
    secrets: set[str] = set()
    at = 0
    while opened := _OPEN.search(text, at):
        pieces.append(text[at : opened.start()])
        at = opened.end()
        if opened[0] == "$${":
            pieces.append("${")
            continue
        end = text.find("}", at)
        if end < 0:
            raise _wrong(place, 'a "${" is not closed', _LITERAL)
        body = text[at:end]
        at = end + 1
        if "${" in body:
            raise _wrong(place, 'a "${" stands inside another', "Give the variable its own field.")
        value, is_secret = _value_of(body, environ, place)
        pieces.append(value)
        if is_secret:
            secrets.add(value)
    pieces.append(text[at:])
    return Expanded("".join(pieces), frozenset(secrets))


_LITERAL: Final = 'Close it with "}", or write "$${" for a literal "${".'


def _value_of(body: str, environ: Mapping[str, str], place: Place) -> tuple[str, bool]:
    found = _BODY.fullmatch(body)
    if found is None:
        raise _unreadable(body, place)
    name, default = found["name"], found["default"]
    value = environ.get(name)
    if value is not None:
        return value, True
    if default is not None:
        return default, False
    if name in _EDITORS:
        raise _wrong(
            place,
            f"${{{name}}} is filled in by an editor, and no variable of that name is defined",
            "Write the path itself, or define the variable.",
        )
    raise _wrong(
        place,
        f"the variable {name} is not defined",
        f"Set {name}, or give a default: ${{{name}:-…}}.",
    )


def _unreadable(body: str, place: Place) -> ConfigError:
    scheme = _SCHEME.match(body)
    if scheme is None:
        return _wrong(place, 'a "${" is not followed by the name of a variable', _LITERAL)
    return _wrong(
        place,
        f"${{{visible(scheme['scheme'])}:…}} belongs to another program; "
        "only ${VAR}, ${env:VAR} and ${VAR:-default} are known",
        "Put the value into an environment variable.",
    )


def _wrong(place: Place, sentence: str, hint: str) -> ConfigError:
    return place.fault(sentence, hint, VARIABLE)
