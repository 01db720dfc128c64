"""A whole fake as one value: name, server, rules. Its JSON form is what `--script` reads.

Takes:  a name, a `Server`, rules
Gives:  a `Program`, checked
"""

from msgspec import Struct

from fakes.errors import ScriptError
from fakes.script import Rule, check_rules
from fakes.server import Server


class Program(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything a host needs to play a fake."""

    name: str
    """The name the server gives itself."""
    server: Server = Server()
    rules: tuple[Rule, ...] = ()
    about: str = ""
    """One line for `--list`."""

    def __post_init__(self) -> None:
        """Check the program as a whole.

        Raises:
            ScriptError: if it has no name, or one rule hides another.
        """
        if not self.name:
            raise ScriptError("a fake needs a name")
        check_rules(self.rules)

    @property
    def http_only(self) -> bool:
        """Whether a rule, or a recording, holds something that only an HTTP host can do."""
        tape = self.server.tape
        return any(rule.http_only for rule in self.rules) or (tape is not None and tape.http_only)
