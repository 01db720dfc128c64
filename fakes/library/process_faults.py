"""Peers that will not go away; their fault shows only as a process.

Takes:  nothing
Gives:  name -> `Fake` of row C14
"""

from fakes.fake import Fake
from fakes.library.honest import modern
from fakes.script import on_input_end, on_start
from fakes.steps import delay, exit_, grandchild, silence, stubborn


def process_faults() -> dict[str, Fake]:
    """Return the fakes of row C14."""
    deaf = on_input_end().then(silence())
    return {
        "C14-ignores-eof": modern().script(deaf).described("goes on after the end of its input"),
        "C14-ignores-sigterm": modern()
        .script(on_start().then(stubborn()), deaf)
        .described("goes on after the end of its input, and after SIGTERM"),
        "C14-grandchild": modern()
        .script(on_start().then(grandchild()))
        .described("ends well, but a child of its own holds stdout for a minute"),
        "C14-slow-goodbye": modern()
        .script(on_input_end().then(delay(1.0), exit_(0)))
        .described("needs a second to end, and then ends well"),
    }
