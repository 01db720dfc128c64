"""What several tests of the core need."""

from collections.abc import Iterator

import pytest

from workbench.core.text import shown
from workbench.views.display import frame_of, html_of


@pytest.fixture
def views() -> Iterator[None]:
    """Register the renderers for one test and put back what was there."""
    frame, html = shown.plug("frame", frame_of), shown.plug("html", html_of)
    yield
    shown.restore("frame", frame)
    shown.restore("html", html)
