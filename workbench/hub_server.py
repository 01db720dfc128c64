"""`python -m workbench.hub_server`: the server of one user of a JupyterHub, ended in order.

Takes:  the options of JupyterHub's own `jupyterhub.singleuser`, which it becomes
Gives:  that server, for which SIGINT means what SIGTERM does
Never:  leaves a kernel, or the files of one, behind because of the signal that ended it

JupyterHub ends the processes it starts by SIGINT. Jupyter Server takes that for Ctrl-C, and
where it has no terminal it is gone at once: its kernels notice later, their sockets and
connection files stay in the user's home for ever. SIGTERM it obeys in order.

Source: ours; `ServerApp.init_signal` of jupyter_server 2.21, `LocalProcessSpawner.stop` of
JupyterHub 5.5.
"""

import runpy
import signal
from typing import Any, Final

SERVER: Final = "jupyterhub.singleuser"


def main(module: str = SERVER) -> None:
    """Become the server.

    Args:
        module: which is run as a program, with the arguments of this one.
    """
    signal.signal(signal.SIGINT, _end_in_order)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_in_order(number: int, frame: Any) -> None:
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
