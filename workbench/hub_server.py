"""`python -m workbench.hub_server`: the server of one user of a JupyterHub, ended in order.

Takes:  the options of JupyterHub's own `jupyterhub.singleuser`, which it becomes
Gives:  that server, started in half the time, for which SIGINT means what SIGTERM does
Never:  leaves a kernel, or the files of one, behind because of the signal that ended it

JupyterHub ends the processes it starts by SIGINT. Jupyter Server takes that for Ctrl-C, and
where it has no terminal it is gone at once: its kernels notice later, their sockets and
connection files stay in the user's home for ever. SIGTERM it obeys in order.

And a class comes at once: every second of a start is paid by each student, one after the
other. More than half of it went into a grammar of internationalized addresses, read by a
package that jsonschema does without where it is not installed; nothing here asks for one.

Source: ours; `ServerApp.init_signal` of jupyter_server 2.21, `LocalProcessSpawner.stop` of
JupyterHub 5.5.
"""

import runpy
import signal
import sys
from typing import Any, Final

SERVER: Final = "jupyterhub.singleuser"
_SLOW: Final = "rfc3987_syntax"
"""Importing it takes 1.9 s; jsonschema needs it for the format "iri" alone."""


def main(module: str = SERVER) -> None:
    """Become the server.

    Args:
        module: which is run as a program, with the arguments of this one.
    """
    sys.modules[_SLOW] = None  # type: ignore[assignment]  # as if it were not installed
    signal.signal(signal.SIGINT, _end_in_order)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_in_order(number: int, frame: Any) -> None:
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
