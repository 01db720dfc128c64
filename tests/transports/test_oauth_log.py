"""The SDK's log, cleaned while our flow runs and left alone otherwise."""

import logging

import pytest

from workbench.core.text.redact import MARK, Redactor
from workbench.transports.oauth_log import LOGGER, cleaned_log

KEY = "verifier-4711"


def refused(logger: logging.Logger) -> None:
    """Log a refusal as the SDK does."""
    try:
        raise ValueError(f"Token exchange failed: {KEY}")
    except ValueError:
        logger.exception("OAuth flow error of %s", KEY)


def test_a_line_and_its_traceback_are_cleaned_inside_the_block(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Field case X01: the record itself is clean, whatever formats it."""
    redactor = Redactor()
    with cleaned_log(redactor):
        redactor.add(KEY)
        refused(logging.getLogger(LOGGER))
    assert KEY not in caplog.text and KEY not in repr(vars(caplog.records[0]))
    assert f"OAuth flow error of {MARK}" in caplog.text
    assert f"ValueError: Token exchange failed: {MARK}" in caplog.text


def test_what_the_sdk_logs_for_somebody_else_is_left_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: and the test above can fail."""
    with cleaned_log(Redactor([KEY])), cleaned_log(Redactor([KEY])):
        pass
    refused(logging.getLogger(LOGGER))
    assert caplog.text.count(KEY) == 2 and caplog.records[0].exc_info
    assert len(logging.getLogger(LOGGER).filters) == 1
