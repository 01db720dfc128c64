"""State that travels through the client and comes back unchanged, or not at all.

Takes:  a secret, who asks, what is asked, the time, and a small value to remember
Gives:  text only this process can have made
Never:  trusts what comes back: every part is checked, in constant time where it matters

Spec: 2026-07-28 basic/patterns/mrtr, server requirements 4 and 5. Seed card "MRTR round
for Sampling" (HMAC, principal, digest of the arguments, expiry) and "Defaults" (300 s).
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import Struct

from fakes.eras.session import Scene

EXPIRY_S: Final = 300.0
"""Seconds after which a state is no longer accepted."""


class _Sealed(Struct, frozen=True, array_like=True):
    principal: str
    digest: str
    expires_at: float
    value: int


def digest(method: str, params: dict[str, Any]) -> str:
    """Return a digest of what a retry must repeat: method, name or URI, and arguments."""
    salient = [method, params.get("name"), params.get("uri"), params.get("arguments")]
    return sha256(msgspec.json.encode(salient, order="deterministic")).hexdigest()


def seal(scene: Scene, request_digest: str, value: int) -> str:
    """Return a state that holds `value`, for this requester and this request only."""
    body = msgspec.json.encode(
        _Sealed(_principal(scene), request_digest, scene.now + EXPIRY_S, value)
    )
    return f"{_text(body)}.{_text(_mac(scene, body))}"


def unseal(scene: Scene, request_digest: str, state: Any) -> int | None:
    """Return the value inside, or None when anything about the state is wrong."""
    if not isinstance(state, str):
        return None
    head, _, tail = state.partition(".")
    try:
        body = urlsafe_b64decode(head.encode("ascii"))
        if not hmac.compare_digest(_text(_mac(scene, body)).encode(), tail.encode()):
            return None
        sealed = msgspec.json.decode(body, type=_Sealed)
    except (ValueError, msgspec.MsgspecError):
        return None
    mine = (sealed.principal, sealed.digest) == (_principal(scene), request_digest)
    return sealed.value if mine and scene.now <= sealed.expires_at else None


def _principal(scene: Scene) -> str:
    # A digest: the state is no secret, and a token must not leave in it.
    return sha256(scene.principal.encode()).hexdigest()


def _mac(scene: Scene, body: bytes) -> bytes:
    return hmac.digest(scene.secret, body, "sha256")


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode("ascii")
