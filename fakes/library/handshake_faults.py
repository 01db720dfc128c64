"""Peers by their answer to `initialize`, after an ambiguous answer to the probe.

Takes:  nothing
Gives:  name -> `Fake` of rows L01 to L13; every one refuses the probe with -32601
"""

from typing import Any, Final

from fakes.fake import Fake
from fakes.library.honest import legacy
from fakes.script import on
from fakes.steps import Step, answer_default, close, error, silence
from workbench.core.wire.keys import INITIALIZE, INTERNAL_ERROR
from workbench.core.wire.versions import LATEST_MODERN

_BOTH: Final = {"error": {"code": INTERNAL_ERROR, "message": "Internal error"}}


def handshake_faults() -> dict[str, Fake]:
    """Return the fakes of rows L01 to L13."""
    fakes = {"L01-valid": legacy().described("valid InitializeResult")}
    for name, (about, step) in _answers().items():
        fakes[name] = legacy().script(on(INITIALIZE).then(step)).described(f"initialize: {about}")
    return fakes


def _answers() -> dict[str, tuple[str, Step]]:
    return {
        "L02-silence": ("silence", silence()),
        "L03-id-other": ("another id", answer_default(id="other")),
        "L03-id-string": ("its id as a string", answer_default(id="string")),
        "L03-id-null": ("id null", answer_default(id=None)),
        "L04-error": ("an error", error(INTERNAL_ERROR, "Internal error")),
        "L05-result-and-error": ("result and error", answer_default(envelope=_BOTH)),
        "L06-neither": ("no result, no error", answer_default(envelope_without=("result",))),
        "L07-no-capabilities": ("no capabilities", answer_default(without=("capabilities",))),
        "L07-capabilities-null": _patched("capabilities", None),
        "L07-capabilities-list": _patched("capabilities", ["tools"]),
        "L07-capabilities-string": _patched("capabilities", "tools"),
        "L08-no-server-info": ("no serverInfo", answer_default(without=("serverInfo",))),
        "L09-name-empty": _patched("serverInfo", {"name": "", "version": "1.0.0"}),
        "L09-name-number": _patched("serverInfo", {"name": 7, "version": "1.0.0"}),
        "L09-version-empty": _patched("serverInfo", {"name": "legacy", "version": ""}),
        "L09-version-number": _patched("serverInfo", {"name": "legacy", "version": 1.0}),
        "L10-unknown-revision": _patched("protocolVersion", "1999-12-31"),
        "L11-modern-revision": _patched("protocolVersion", LATEST_MODERN),
        "L12-no-jsonrpc": ("no jsonrpc", answer_default(envelope_without=("jsonrpc",))),
        "L12-jsonrpc-1.0": ("jsonrpc 1.0", answer_default(envelope={"jsonrpc": "1.0"})),
        "L13-close": ("closes before the answer", close()),
    }


def _patched(member: str, value: Any) -> tuple[str, Step]:
    return f"{member} is {value!r}", answer_default(patch={member: value})
