"""Foreign bytes never crash, stall or fill a reader; and the search for such bytes finds some."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from fuzzing.mangling import LONGEST, behind_each_colon, nested
from fuzzing.running import MOST_FINDINGS, REFUSED, Target, nth_input, read_once, run
from fuzzing.targets import TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import ConfigError
from workbench.core.journal.jsonl import read_jsonl
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.message import Fault, Malformed

FUZZ = Path(__file__).with_name("fuzz.py")
SUPPORT = Path(__file__).resolve().parents[1] / "support"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_a_thousand_inputs_of_each_reader_end_as_documented() -> None:
    """Ours: `make fuzz` runs a hundred times as many. A process of its own, so that the most
    memory it ever held says something about the readers."""
    done = subprocess.run(
        [sys.executable, FUZZ, "--inputs", "1000"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(TARGETS)
    assert all("1,000 inputs" in line and line.endswith(" 0 findings") for line in lines)


@given(JSON)
@settings(max_examples=50)
def test_any_json_in_any_place_ends_as_documented(value: object) -> None:
    """Ours: property; valid JSON that is nothing a reader waits for."""
    try:
        frame = encode({"jsonrpc": "2.0", "id": 1, "result": value})
        bare = encode({"mcpServers": value, "peers": value, "version": 1, "seal": value})
    except (OverflowError, UnicodeEncodeError):
        return  # no JSON on a wire
    for target in TARGETS:
        for data in (frame, bare):
            try:
                target.read(data)
            except target.documented:
                pass


def _bomb(levels: int) -> bytes:
    """Return a schema in which each definition names the next one twice."""
    defs = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2, "properties": {"a": {}}}
        for n in range(levels)
    }
    return json.dumps({"type": "object", "$ref": "#/$defs/d0", "$defs": defs}).encode()


CATEGORIES: Final[dict[str, bytes]] = {
    "nested, and just read": b"[" * 900 + b"]" * 900,
    "nested": b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    "nested without end": b"[" * 10_000,
    "huge integer": b"9" * 5_000,
    "beyond every float": b"1e999999",
    "duplicate keys": b'{"type":"object","type":"array","name":1,"name":"x","a":{"b":1,"b":2}}',
    "lone surrogate": b'"\\ud800 \\udfff\\ud800"',
    "lone surrogate in bytes": b'"\xed\xa0\x80"',
    "lone surrogate as a key": b'{"\\ud800":{"\\udfff":[]}}',
    "schema bomb": _bomb(25),
    "schema that names itself": b'{"$ref":"#","allOf":[{"$ref":"#"},{"$ref":"#"}]}',
    "pattern bomb": b'{"type":"object","properties":{"q":{"type":"string","pattern":"(x+x+)+y"}}}',
    "a hundred alternatives": b'{"anyOf":[' + b'{"not":{}},' * 100 + b"{}]}",
}


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_each_kind_of_trouble_meets_each_reader(target: Target, category: str) -> None:
    """Design 7.9 and 7.10: chance tries more, and this in every run."""
    for sample in target.samples:
        for data in behind_each_colon(sample, CATEGORIES[category]):
            assert read_once(target, data) in ("", REFUSED), data[:200]


def _crash(data: bytes) -> None:
    if b"\xed\xa0\x80" in data:
        raise KeyError("planted")


def _refuse(data: bytes) -> None:
    raise ValueError("as documented")


def _hang(data: bytes) -> None:
    while len(data) > 40:
        pass


SAMPLES = (b'{"a": [1, 2, {"b": "text"}]}',)


def test_a_planted_crash_is_found_and_its_input_made_again() -> None:
    """Ours: a search that finds nothing must be able to find something."""
    target = Target("crash", _crash, SAMPLES, (ValueError,))
    figures = run(target, 3_000)
    assert len(figures.findings) == MOST_FINDINGS
    assert figures.inputs < 3_000
    found = figures.findings[0]
    assert "raised KeyError: 'planted'" in found.line()
    assert nth_input(target, 0, found.number) == found.data


def test_a_documented_refusal_is_counted_and_no_finding() -> None:
    """Ours."""
    figures = run(Target("refuse", _refuse, SAMPLES, (ValueError,)), 20)
    assert (figures.inputs, figures.refused, figures.findings) == (20, 20, ())


def test_one_reading_says_what_was_wrong_with_it() -> None:
    """Ours: the check of the kinds of trouble can fail."""
    assert "planted" in read_once(Target("crash", _crash, SAMPLES), b'"\xed\xa0\x80"')
    assert "processor seconds" in read_once(Target("hang", _hang, SAMPLES), b"x" * 41, 0.05)
    assert read_once(Target("refuse", _refuse, SAMPLES, (ValueError,)), b"") == REFUSED


def test_a_planted_hang_is_ended_and_found() -> None:
    """Ours: by processor time, so that no load of the machine can make one."""
    figures = run(Target("hang", _hang, SAMPLES), 500, most_s=0.05)
    assert len(figures.findings) == MOST_FINDINGS
    assert "processor seconds" in figures.findings[0].what


def test_a_planted_hoarder_is_found() -> None:
    """Ours: in a process of its own, whose high-water mark is low."""
    script = (
        f"import sys; sys.path.insert(0, {str(SUPPORT)!r})\n"
        "from fuzzing.running import Target, run\n"
        "sample = b'{\"a\": 1}'\n"
        "read = lambda data: b'x' * (10 if data == sample else 100_000_000)\n"
        "print(run(Target('hoarder', read, (sample,)), 9).findings)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.count("bytes of memory") == 1


def test_no_input_is_long_and_most_are_spoilt() -> None:
    """Ours."""
    for target in TARGETS:
        made = [nth_input(target, 1, number) for number in range(100)]
        assert max(map(len, made)) <= LONGEST
        assert len(set(made)) > 50


@pytest.mark.parametrize("opened, closed", [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_depth_that_can_just_be_read_never_fails_in_the_showing(
    opened: bytes, closed: bytes
) -> None:
    """Ours: the message about a wrong id used to fail one level below the interpreter's limit."""
    seen = set()
    for levels in range(900, sys.getrecursionlimit() + 20):
        deep = opened * levels + b"1" + closed * levels
        for member in (b'"jsonrpc":%s', b'"jsonrpc":"2.0","id":%s,"result":1'):
            message = decode(b"{" + member % deep + b"}")
            assert isinstance(message, Malformed)
            seen.add(message.fault)
    assert Fault.TOO_DEEP in seen or sys.version_info >= (3, 12)


@pytest.mark.parametrize("line", ['{"x":' + "[" * 9_000 + "]" * 9_000 + "}", '{"x":"\udc80"}'])
def test_a_journal_line_nobody_can_read_is_named(line: str) -> None:
    """Ours: both used to end in an exception nobody documents."""
    head = '{"journal":"mcp-client-workbench","format":1}\n'
    with pytest.raises(ConfigError, match="journal line 2"):
        read_jsonl(head + line)


def test_nesting_is_as_deep_as_it_says() -> None:
    """Ours: the levels about the limits are what finds faults there."""
    assert nested(3, random.Random(1)).count(b"[") + nested(3, random.Random(1)).count(b"{") >= 3
