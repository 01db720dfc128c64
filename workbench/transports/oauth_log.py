"""What the official SDK logs about a sign-in, without what must not be read in a log.

Takes:  a redactor, and a block in which the SDK's flow runs
Gives:  the SDK's log lines and tracebacks, cleaned, to whoever listens to its logger
Never:  touches a line that the SDK writes for anybody else

A token endpoint may repeat a code or a verifier in its refusal, and the SDK logs the refusal as
it came, in a traceback. Source: design section 5, "Secrets never reach a … exception text".
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from workbench.core.text.redact import Redactor

LOGGER: Final = "mcp.client.auth.oauth2"
_HIDES: Final[ContextVar[Redactor | None]] = ContextVar("hides", default=None)
_FORM: Final = logging.Formatter()


class _Cleans(logging.Filter):
    """Replaces the secrets of the flow that runs here in each record; keeps every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        redactor = _HIDES.get()
        if redactor is not None:
            record.msg, record.args = redactor.clean(record.getMessage()), ()
            if record.exc_info:
                # A handler would format the exception itself, and show it as it was raised.
                record.exc_text = redactor.clean(_FORM.formatException(record.exc_info))
                record.exc_info = None
        return True


_CLEANS: Final = _Cleans()


@contextmanager
def cleaned_log(redactor: Redactor) -> Iterator[None]:
    """Clean what the SDK logs in this task while the block lasts.

    Args:
        redactor: knows the secrets of the flow; may learn while it runs.
    """
    logging.getLogger(LOGGER).addFilter(_CLEANS)  # a second time changes nothing
    before = _HIDES.set(redactor)
    try:
        yield
    finally:
        _HIDES.reset(before)
