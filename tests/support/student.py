"""A student of a JupyterHub without a browser: logs in by the form, runs cells, saves.

Takes:  a hub that runs, and a name
Gives:  `Student`, who has cookies and no token, and `Cells`, a connection to a kernel
Never:  waits without a bound
"""

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any, Final

import requests
from jupyter_hub import Hub
from kernels import Ran, eventually
from websocket import WebSocket, WebSocketTimeoutException, create_connection

from workbench.lessons import FIRST

STEP_S: Final = 60.0
CELLS_S: Final = 120.0
OPENED: Final = f"/lab/tree/{FIRST}"


class Student:
    """Somebody in front of the hub's door.

    Args:
        hub: which runs.
        name: of the user.
    """

    def __init__(self, hub: Hub, name: str) -> None:
        self.name = name
        self._hub, self._web = hub, requests.Session()
        self._web.trust_env = False
        self._prefix = f"/user/{name}"
        self._connections: list[WebSocket] = []

    def close(self) -> None:
        """Go away; server and kernels stay."""
        for connection in self._connections:
            connection.close()
        self._web.close()

    # -- the way in --------------------------------------------------------------------

    def log_in(self) -> str:
        """Fill in the form; return the page it leads to, below the user's prefix.

        A server is started where there is none.
        """
        self._get("/hub/login")
        form = {"username": self.name, "password": self._hub.password, "_xsrf": self._xsrf("/hub/")}
        self._checked(self._web.post(f"{self._hub.address}/hub/login", form, timeout=STEP_S))
        self.start()
        landed = self._get(f"{self._prefix}/")
        return str(landed.url).removeprefix(f"{self._hub.address}{self._prefix}")

    def start(self) -> None:
        """Ask for a server, and follow its progress until it is ready."""
        self._get(f"/hub/spawn/{self.name}")
        path = f"/hub/api/users/{self.name}/server/progress"
        with self._get(path, headers=self._hub_headers(), stream=True) as progress:
            for line in progress.iter_lines():
                event = json.loads(line.removeprefix(b"data:")) if line.startswith(b"data:") else {}
                assert not event.get("failed"), f"{event}\n{self._hub.said()}"
                if event.get("ready"):
                    return
        raise AssertionError(f"no server for {self.name}:\n{self._hub.said()}")

    def stop(self) -> None:
        """End the server, as the button of the hub's page does, and wait for the end."""
        url = f"{self._hub.address}/hub/api/users/{self.name}/server"
        self._checked(self._web.delete(url, headers=self._hub_headers(), timeout=STEP_S))
        assert eventually(lambda: not self.has_server(), STEP_S), "the server does not end"

    # -- what is there -----------------------------------------------------------------

    def has_server(self) -> bool:
        """Say whether the hub knows of a server of this user, be it on its way up or down."""
        about = self._get(f"/hub/api/users/{self.name}", headers=self._hub_headers()).json()
        return bool(about["servers"] or about["pending"])

    def status(self, path: str) -> int:
        """Return the HTTP status of a page, wherever it leads to."""
        answer = self._web.get(f"{self._hub.address}{path}", timeout=STEP_S)
        return int(answer.status_code)

    def read(self, path: str) -> dict[str, Any]:
        """Return a file of the user's own folder, as the server sees it."""
        found: dict[str, Any] = self._get(f"{self._prefix}/api/contents/{path}").json()
        return found

    def save(self, path: str, notebook: dict[str, Any]) -> None:
        """Save a notebook, as JupyterLab does."""
        self._own("PUT", f"contents/{path}", {"type": "notebook", "content": notebook})

    def cells(self, path: str = FIRST) -> "Cells":
        """Connect to the kernel of a notebook; one is started where it has none."""
        asked = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = self._own("POST", "sessions", asked)["kernel"]["id"]
        address = f"{self._hub.address}{self._prefix}/api/kernels/{kernel}/channels"
        cookies = self._web.cookies.get_dict()
        connection = create_connection(
            address.replace("http", "ws", 1),
            timeout=STEP_S,
            origin=self._hub.address,
            cookie="; ".join(f"{name}={value}" for name, value in cookies.items()),
        )
        self._connections.append(connection)
        return Cells(connection)

    # -- inside ------------------------------------------------------------------------

    def _own(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        url = f"{self._hub.address}{self._prefix}/api/{path}"
        headers = {"X-XSRFToken": self._xsrf(f"{self._prefix}/")}
        answer = self._web.request(method, url, json=body, headers=headers, timeout=STEP_S)
        found: dict[str, Any] = self._checked(answer).json()
        return found

    def _get(self, path: str, **options: Any) -> requests.Response:
        url = f"{self._hub.address}{path}"
        return self._checked(self._web.get(url, timeout=STEP_S, **options))

    def _checked(self, answer: requests.Response) -> requests.Response:
        assert answer.ok, f"{answer.url}: {answer.status_code}\n{self._hub.said()}"
        return answer

    def _hub_headers(self) -> dict[str, str]:
        return {"X-XSRFToken": self._xsrf("/hub/")}

    def _xsrf(self, path: str) -> str:
        return next(c.value or "" for c in self._web.cookies if (c.name, c.path) == ("_xsrf", path))


class Cells:
    """A connection to a kernel through the hub's proxy.

    Args:
        connection: to its channels, all on one.
    """

    def __init__(self, connection: WebSocket) -> None:
        self._connection = connection
        self._cells: dict[str, Ran] = {}

    def run_all(self, sources: Sequence[str]) -> list[Ran]:
        """Queue cells, as Run All does, and wait until the last has ended."""
        begun = [self._begin(source) for source in sources]
        ends_at = time.monotonic() + CELLS_S
        while not all(ran.finished for ran in begun):
            self._connection.settimeout(max(ends_at - time.monotonic(), 0.001))
            try:
                message = json.loads(self._connection.recv())
            except WebSocketTimeoutException:
                break
            cell = self._cells.get(message["parent_header"].get("msg_id", ""))
            if cell is not None and message["channel"] == "iopub":
                cell.take(message["msg_type"], message["content"])
        return begun

    def _begin(self, source: str) -> Ran:
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "username": "",
            "session": "student", "date": "", "version": "5.4"}  # fmt: skip
        content = {"code": source, "silent": False, "store_history": True,
            "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}  # fmt: skip
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content,
            "channel": "shell", "buffers": []}  # fmt: skip
        ran = self._cells[number] = Ran()
        self._connection.send(json.dumps(message))
        return ran
