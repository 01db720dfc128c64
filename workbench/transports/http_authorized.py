"""The way to a peer that asks who we are: credentials with each request, and once more.

Takes:  a request
Gives:  its response; after a 401 or 403 that new credentials may help, the next one
Never:  sends a request a third time, and never counts the time somebody spends on signing
        in as silence of the peer

Spec: 2026-07-28 basic/authorization, "Error Handling", "Step-Up Authorization Flow".
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Final

from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.transports.base import Clock
from workbench.transports.http_address import Address
from workbench.transports.http_credentials import Asked, Credentials, NoCredentials, Reply
from workbench.transports.http_errand import pairs, run_errand
from workbench.transports.http_way import Got, HttpWay, Lost

_REFUSALS: Final = (401, 403)


class Hold:
    """How long a transport has been busy with authorization; overlaps count once.

    Args:
        clock: source of time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._depth = 0
        self._since = 0.0
        self._before = 0.0

    @property
    def seconds(self) -> float:
        """Time spent so far, in seconds; grows while a hold lasts."""
        return self._before + (self._clock.now() - self._since if self._depth else 0.0)

    def __enter__(self) -> None:
        if self._depth == 0:
            self._since = self._clock.now()
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._depth == 1:
            self._before = self.seconds
        self._depth -= 1


class AuthorizedWay(HttpWay):
    """An `HttpWay` with credentials.

    Args:
        address: where to.
        credentials: the peer's.
        clock: times the holds.
        environ: where proxies are named.
    """

    def __init__(
        self, address: Address, credentials: Credentials, clock: Clock, environ: Mapping[str, str]
    ) -> None:
        super().__init__(address)
        self._hold = Hold(clock)
        self._credentials = credentials
        self._environ = environ

    @property
    def held_s(self) -> float:
        """Seconds spent on authorization, on signing in above all."""
        return self._hold.seconds

    async def request(self, method: str, headers: dict[str, str], body: bytes | None = None) -> Got:
        """Send one request, and once more with better credentials when it is refused.

        Raises:
            Lost: if there is no response, or the credentials cannot be had.
        """
        asked = Asked(method, self._address.url, headers)
        try:
            with self._hold:
                given = await self._credentials.current(asked, self._errand)
        except NoCredentials as problem:
            raise _lost(problem, None) from problem
        got = await super().request(method, {**headers, **given}, body)
        if got.response.status not in _REFUSALS:
            return got
        try:
            with self._hold:
                # The body stays unread: whoever shows the refusal may want it.
                refusal = Reply(got.response.status, pairs(got.response))
                anew = await self._credentials.renewed(asked, given, refusal, self._errand)
        except NoCredentials as problem:
            got.response.close()
            raise _lost(problem, got.response.status) from problem
        except BaseException:
            got.response.close()
            raise
        if anew is None:
            return got
        got.response.close()
        return await super().request(method, {**headers, **anew}, body)

    async def _errand(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Reply:
        assert self._session is not None
        request = (method, url, headers, body)
        return await run_errand(self._session, self._address.url, self._environ, request)


def _lost(problem: NoCredentials, status: int | None) -> Lost:
    so = "was not asked, because" if status is None else "and"
    how = f"{so} authorization failed: {problem}"
    return Lost(ExchangeEnd(request_id=None, trouble=Trouble.AUTH, how=how, status=status))
