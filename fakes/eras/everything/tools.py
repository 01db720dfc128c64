"""The tools: what they are called, in which era they exist, what a call does.

Takes:  one `tools/call`
Gives:  steps: notifications, requests to the client where the era has them, a result

The names are those the official conformance suite asks a server for.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from fakes.eras.everything import samples
from fakes.eras.everything.rounds import TOOLS as ROUNDS
from fakes.eras.everything.rounds import form, lacking, next_round, sample
from fakes.eras.session import Scene
from fakes.http_steps import HangUp
from fakes.steps import PROGRESS_TOKEN, Ask, Delay, Error, Notify, Reply, Step
from workbench.core.wire.keys import CAPABILITIES_KEY, INVALID_PARAMS, LOG_LEVEL_KEY
from workbench.core.wire.message import Request

Era: TypeAlias = Literal["modern", "legacy"]
Handler: TypeAlias = Callable[[Request], tuple[Step, ...]]

PAUSE_S: Final = 0.01
"""Between two notifications, so that a client sees them come one by one."""
_STRING: Final[dict[str, Any]] = {"type": "string"}


class Tool(Struct, frozen=True, kw_only=True):
    """One tool."""

    about: str
    handler: Handler
    properties: dict[str, Any] = {}
    keywords: dict[str, Any] = {}
    """What else its input schema says."""
    eras: tuple[Era, ...] = ("modern", "legacy")


def definitions() -> tuple[dict[str, Any], ...]:
    """Return every tool as it is declared, whatever the era."""
    known: dict[str, tuple[str, dict[str, Any]]] = {
        **{
            name: (tool.about, {"properties": tool.properties, **tool.keywords})
            for name, tool in TOOLS.items()
        },
        **{
            name: (f"Needs input: {', '.join(_keys(name))}.", {"properties": {}}) for name in ROUNDS
        },
    }
    return tuple(
        {"name": name, "description": about, "inputSchema": {"type": "object", **schema}}
        for name, (about, schema) in known.items()
    )


def exists(name: str, era: Era) -> bool:
    """Say whether a tool is one of an era."""
    if name in ROUNDS:
        return era == "modern"
    return name not in TOOLS or era in TOOLS[name].eras


def call_tool(request: Request, era: Era, scene: Scene) -> tuple[Step, ...] | None:
    """Return what a call does; None for a tool that is not one of these."""
    name = request.params.get("name")
    if not isinstance(name, str):
        return None
    if not exists(name, era):
        return (Error(code=INVALID_PARAMS, message=f"Unknown tool: {name}"),)
    if name in ROUNDS:
        more = next_round(ROUNDS[name], request, scene)
        if more is None:
            return says(f"{name} is complete.")
        return (more if isinstance(more, Error) else Reply(result=more),)
    return TOOLS[name].handler(request) if name in TOOLS else None


def says(words: str, *, is_error: bool = False) -> tuple[Step, ...]:
    """Return a result that holds one text."""
    return shows(samples.text(words), is_error=is_error)


def shows(*content: dict[str, Any], is_error: bool = False) -> tuple[Step, ...]:
    """Return a result that holds these blocks."""
    return (Reply(result={"content": list(content), "isError": is_error}),)


def _keys(name: str) -> list[str]:
    return [key for inputs in ROUNDS[name].asked for key in inputs]


def _constant(*steps: Step) -> Handler:
    return lambda request: steps


def _progress(request: Request) -> tuple[Step, ...]:
    meta = request.params.get("_meta")
    wanted = isinstance(meta, dict) and "progressToken" in meta
    steps: list[Step] = []
    for progress in (0, 50, 100) if wanted else ():
        params = {"progressToken": PROGRESS_TOKEN, "progress": progress, "total": 100}
        steps += [Notify("notifications/progress", params), Delay(PAUSE_S)]
    return (*steps, *says("Three steps done."))


def _log(words: str) -> Notify:
    return Notify("notifications/message", {"level": "info", "logger": "fake", "data": words})


def _logging(request: Request) -> tuple[Step, ...]:
    notes = [step for number in (1, 2, 3) for step in (_log(f"note {number}"), Delay(PAUSE_S))]
    return (*notes, *says("Three notes written."))


def _logging_on_demand(request: Request) -> tuple[Step, ...]:
    wanted = LOG_LEVEL_KEY in request.params["_meta"]
    return (*([_log("a note")] if wanted else []), *says("Logged what was asked for."))


def _missing_capability(request: Request) -> tuple[Step, ...]:
    if "sampling" not in request.params["_meta"][CAPABILITIES_KEY]:
        return (lacking({"sampling": {}}),)
    return says("The client can sample.")


def _asks(inputs: dict[str, Any], words: str) -> tuple[Step, ...]:
    return (Ask(inputs["method"], inputs["params"], wait=True), *says(words))


def _sampling(request: Request) -> tuple[Step, ...]:
    return _asks(sample(str(_argument(request, "prompt"))), "The client has sampled.")


def _elicitation(request: Request) -> tuple[Step, ...]:
    asked = form(
        str(_argument(request, "message")),
        username={"type": "string", "description": "Your name"},
        email={"type": "string", "description": "Your address"},
    )
    return _asks(asked, "The client has answered.")


def _argument(request: Request, name: str) -> Any:
    arguments = request.params.get("arguments")
    return arguments.get(name) if isinstance(arguments, dict) else None


_DEFAULTS: Final = form(
    "Check these, please.",
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_TITLED: Final = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
_OPTIONS: Final = ["option1", "option2", "option3"]
_ENUMS: Final = form(
    "Choose, please.",
    untitledSingle={"type": "string", "enum": _OPTIONS},
    titledSingle={"type": "string", "oneOf": _TITLED},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
)


def _changed(what: str) -> Handler:
    news = Notify(f"notifications/{what}/list_changed", listeners=True)
    return _constant(news, *says(f"Said that the {what} have changed."))


TOOLS: Final[dict[str, Tool]] = {
    "test_simple_text": Tool(about="Returns text.", handler=_constant(*says("A simple text."))),
    "test_image_content": Tool(about="Returns an image.", handler=_constant(*shows(samples.IMAGE))),
    "test_audio_content": Tool(about="Returns a sound.", handler=_constant(*shows(samples.AUDIO))),
    "test_embedded_resource": Tool(
        about="Returns a resource.", handler=_constant(*shows(samples.embedded()))
    ),
    "test_multiple_content_types": Tool(
        about="Returns text, an image and a resource.",
        handler=_constant(*shows(samples.text("Several."), samples.IMAGE, samples.embedded())),
    ),
    "test_error_handling": Tool(
        about="Fails, as tools do.",
        handler=_constant(*says("This tool always fails.", is_error=True)),
    ),
    "test_tool_with_progress": Tool(about="Reports progress three times.", handler=_progress),
    "test_x_mcp_header": Tool(
        about="Wants its region repeated in a header.",
        handler=_constant(*says("The headers fit.")),
        properties={"region": {**_STRING, "x-mcp-header": "Region"}, "query": _STRING},
    ),
    "json_schema_2020_12_tool": Tool(
        about="Has a schema of many keywords, which a client passes on as it is.",
        handler=_constant(*says("The schema was kept.")),
        properties=samples.ADDRESSED,
        keywords=samples.KEYWORDS,
    ),
    "test_missing_capability": Tool(
        about="Needs a client that can sample.", handler=_missing_capability, eras=("modern",)
    ),
    "test_logging_tool": Tool(
        about="Logs if the request asks for it.", handler=_logging_on_demand, eras=("modern",)
    ),
    "test_trigger_tool_change": Tool(
        about="Says that the tools have changed.", handler=_changed("tools")
    ),
    "test_trigger_prompt_change": Tool(
        about="Says that the prompts have changed.", handler=_changed("prompts")
    ),
    "test_tool_with_logging": Tool(about="Writes three notes.", handler=_logging, eras=("legacy",)),
    "test_sampling": Tool(
        about="Asks the client to sample.",
        handler=_sampling,
        properties={"prompt": _STRING},
        eras=("legacy",),
    ),
    "test_elicitation": Tool(
        about="Asks the user.",
        handler=_elicitation,
        properties={"message": _STRING},
        eras=("legacy",),
    ),
    "test_elicitation_sep1034_defaults": Tool(
        about="Asks with a default for each kind of field.",
        handler=_constant(*_asks(_DEFAULTS, "The client has answered.")),
        eras=("legacy",),
    ),
    "test_elicitation_sep1330_enums": Tool(
        about="Asks with each kind of choice.",
        handler=_constant(*_asks(_ENUMS, "The client has answered.")),
        eras=("legacy",),
    ),
    "test_reconnection": Tool(
        about="Ends its stream and answers on the next one.",
        handler=_constant(HangUp(retry_ms=500), *says("Found again.")),
        eras=("legacy",),
    ),
}
"""Tools by name, in the order of their listing."""
