"""Checks of modern requests: rules LINT-05 to LINT-07, and LINT-12.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  judges a header that was not recorded: a record without headers has none to judge
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.headers import (
    METHOD_HEADER,
    NAME_HEADER,
    NAMED,
    VERSION_HEADER,
    annotated_parameters,
    annotation_fault,
    decode_header_value,
    parameter_text,
)
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    TOOLS_CALL,
    VERSION_KEY,
)
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Life

FORMS: Final = ("application/json", "text/event-stream")


def check_metadata(life: Life) -> Seen:
    """LINT-05: version and capabilities on every modern request."""
    for asked in _modern(life):
        if not isinstance(asked.frame.meta.get(VERSION_KEY), str):
            yield asked.frame, f"{_name(asked)} has no version in _meta"
        if not isinstance(asked.frame.meta.get(CAPABILITIES_KEY), dict):
            yield asked.frame, f"{_name(asked)} has no client capabilities in _meta"


def check_identity(life: Life) -> Seen:
    """LINT-06: the client's name on every modern request."""
    for asked in _modern(life):
        info = asked.frame.meta.get(CLIENT_INFO_KEY)
        if not (isinstance(info, dict) and info.get("name") and info.get("version")):
            yield asked.frame, f"{_name(asked)} does not name the client"


def check_headers(life: Life) -> Seen:
    """LINT-07: headers that repeat the body."""
    for asked in _modern(life):
        headers = asked.frame.facts.headers
        if headers:
            for what in (*header_faults(asked, headers), *_param_faults(life, asked, headers)):
                yield asked.frame, what


def check_no_requests(life: Life) -> Seen:
    """LINT-12: no requests from a modern server."""
    for asked in life.of("server"):
        if life.era != "legacy":
            yield asked.frame, f"the server asks {_name(asked)}"


def header_faults(asked: Asked, headers: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the headers of one modern request, names in lower case."""
    accepted = headers.get("accept")
    for form in FORMS:
        if accepted is not None and form not in accepted and "*/*" not in accepted:
            yield f"accept does not list {form}"
    media = headers.get("content-type", FORMS[0]).partition(";")[0].strip().lower()
    if media != FORMS[0]:
        yield f"content-type is {visible(media, 60)}"
    wanted = {VERSION_HEADER: asked.version, METHOD_HEADER: asked.request.method}
    named = asked.request.params.get(NAMED.get(asked.request.method, ""))
    if isinstance(named, str):
        wanted[NAME_HEADER] = named
    for name, value in wanted.items():
        given = headers.get(name.lower())
        if value is None:
            continue
        if given is None:
            yield f"{name} is missing"
        elif (decode_header_value(given) if name == NAME_HEADER else given) != value:
            yield f"{name} is {visible(given, 60)}, the body says {visible(value, 60)}"


def _param_faults(life: Life, asked: Asked, headers: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the arguments that the called tool wants in headers."""
    schema = _declared(life, asked).get("inputSchema")
    if annotation_fault(schema) is not None:
        return
    for wanted in annotated_parameters(schema):
        value: Any = asked.request.params.get("arguments")
        for key in wanted.path:
            value = value.get(key) if isinstance(value, dict) else None
        given = headers.get(wanted.header.lower())
        try:
            text = parameter_text(value)
        except ValueError:
            text = None
        if (None if given is None else decode_header_value(given)) != text:
            yield f"{visible(wanted.header, 60)} does not say what the argument says"


def _declared(life: Life, asked: Asked) -> dict[str, Any]:
    """Return the latest declaration of the tool a request calls, or nothing."""
    if asked.request.method != TOOLS_CALL:
        return {}
    name = asked.request.params.get("name")
    found: dict[str, Any] = {}
    for place, tools in life.listings:
        if place < asked.frame.place:
            same = (one for one in tools if isinstance(one, dict) and one.get("name") == name)
            found = next(same, found)
    return found


def _modern(life: Life) -> Iterator[Asked]:
    return (asked for asked in life.of("client") if life.is_modern(asked))


def _name(asked: Asked) -> str:
    return visible(asked.request.method, 60)
