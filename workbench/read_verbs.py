"""The verbs for what is no tool, in both colours: resources, prompts, suggestions.

Takes:  the reads of a client (`workbench.reads`)
Gives:  two classes the clients inherit from, with the same verbs
Never:  decides anything

Source: design section 4.
"""

from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from workbench.calls import OnLog, OnProgress, Wishes, misuse
from workbench.core.menu.offers import PROMPTS, RESOURCES, TEMPLATES, Offers
from workbench.core.results.reading import Completion, PromptRead, ResourceRead, ServerRead
from workbench.reads import Reads

T = TypeVar("T")


class AsyncReadVerbs:
    """Coroutines; the client sets `_reads` and brings peers up when none was."""

    _reads: Reads

    async def _connected(self) -> None:
        raise NotImplementedError

    async def list_prompts(self) -> dict[str, Offers]:
        """List the prompts of each ready peer that has some, from the cache where fresh."""
        return await self._reads.offers(PROMPTS)

    async def list_resources(self) -> dict[str, Offers]:
        """List the resources of each ready peer that has some, from the cache where fresh."""
        return await self._reads.offers(RESOURCES)

    async def list_resource_templates(self) -> dict[str, Offers]:
        """List the URI templates of each ready peer that has some."""
        return await self._reads.offers(TEMPLATES)

    async def discover_server(
        self, peer: str, *, timeout_s: float | None = None, trace: Mapping[str, str] | None = None
    ) -> ServerRead:
        """Read what a server says about itself, from the cache while it is fresh.

        A modern server is asked with `server/discover`; of a legacy one, the handshake is
        told. Neither changes the era or the revision in use: those last as long as the
        connection.

        Args:
            peer: name of the peer.
            timeout_s: as for `call`.
            trace: W3C trace context for the peer.

        Raises:
            MenuError: if there is no such peer, or it is not ready.
            WorkbenchError: as for `read_resource`.
        """
        await self._connected()
        return await self._reads.server(peer, Wishes(timeout_s=timeout_s, trace=trace))

    async def read_resource(
        self,
        uri: str,
        peer: str | None = None,
        *,
        timeout_s: float | None = None,
        max_timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        log_level: str | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> ResourceRead:
        """Read a resource, from the cache while it is fresh.

        Args:
            uri: as listed, or made from a template.
            peer: who has it; None means the one peer that lists it, or the only peer with
                resources.
            timeout_s: as for `call`, and so are the wishes after it.
            max_timeout_s: seconds of waiting altogether, whatever progress there is.
            on_progress: called with each `Progress`.
            on_log: called with each `LogMessage` of the peer meanwhile.
            log_level: asks the peer for log messages of this severity and above.
            trace: W3C trace context for the peer.

        Raises:
            MenuError: if no peer, or more than one, has the URI, or its peer is not ready.
            WorkbenchError: as for `call`; a read is repeated once after a broken transport.
        """
        await self._connected()
        wishes = Wishes(
            timeout_s=timeout_s,
            max_timeout_s=max_timeout_s,
            on_progress=on_progress,
            on_log=on_log,
            log_level=log_level,
            trace=trace,
        )
        return await self._reads.resource(uri, peer, wishes)

    async def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] | None = None,
        peer: str | None = None,
        *,
        timeout_s: float | None = None,
        max_timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        log_level: str | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> PromptRead:
        """Get a prompt, filled in.

        Args:
            name: the prompt's name when one peer has it, `<peer>/<name>`, or the name at `peer`.
            arguments: texts by name.
            peer: who has it.
            timeout_s: as for `call`, and so are the wishes after it.
            max_timeout_s: seconds of waiting altogether, whatever progress there is.
            on_progress: called with each `Progress`.
            on_log: called with each `LogMessage` of the peer meanwhile.
            log_level: asks the peer for log messages of this severity and above.
            trace: W3C trace context for the peer.

        Raises:
            MenuError: if no peer, or more than one, has the name, or its peer is not ready.
            MisuseError: if an argument is no text.
            WorkbenchError: as for `call`; a read is repeated once after a broken transport.
        """
        await self._connected()
        wishes = Wishes(
            timeout_s=timeout_s,
            max_timeout_s=max_timeout_s,
            on_progress=on_progress,
            on_log=on_log,
            log_level=log_level,
            trace=trace,
        )
        return await self._reads.prompt(name, arguments, peer, wishes)

    async def complete(
        self,
        argument: str,
        value: str,
        *,
        prompt: str | None = None,
        template: str | None = None,
        context: Mapping[str, str] | None = None,
        peer: str | None = None,
        timeout_s: float | None = None,
        max_timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        log_level: str | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> Completion:
        """Ask for suggestions for an argument of a prompt or of a resource template.

        Args:
            argument: its name.
            value: what has been typed so far.
            prompt: the prompt, as for `get_prompt`; give this or `template`.
            template: the URI template.
            context: arguments that are already known, texts by name.
            peer: who has it, where the name alone does not say.
            timeout_s: as for `call`, and so are the wishes after it.
            max_timeout_s: seconds of waiting altogether, whatever progress there is.
            on_progress: called with each `Progress`.
            on_log: called with each `LogMessage` of the peer meanwhile.
            log_level: asks the peer for log messages of this severity and above.
            trace: W3C trace context for the peer.

        Raises:
            MisuseError: unless exactly one of `prompt` and `template` is given.
            WorkbenchError: as for `get_prompt`.
        """
        if (prompt is None) == (template is None):
            hint = "Say which prompt, or which template."
            raise misuse("complete() takes either prompt=… or template=…", hint)
        await self._connected()
        reference = (TEMPLATES, template or "") if prompt is None else (PROMPTS, prompt)
        asked = {"name": argument, "value": value}
        wishes = Wishes(
            timeout_s=timeout_s,
            max_timeout_s=max_timeout_s,
            on_progress=on_progress,
            on_log=on_log,
            log_level=log_level,
            trace=trace,
        )
        return await self._reads.completion(reference, asked, context, peer, wishes)


class ReadVerbs:
    """The same verbs without async and await."""

    _inner: AsyncReadVerbs

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError

    def list_prompts(self) -> dict[str, Offers]:
        """List the prompts of each ready peer that has some, from the cache where fresh."""
        return self._wait(self._inner.list_prompts())

    def list_resources(self) -> dict[str, Offers]:
        """List the resources of each ready peer that has some, from the cache where fresh."""
        return self._wait(self._inner.list_resources())

    def list_resource_templates(self) -> dict[str, Offers]:
        """List the URI templates of each ready peer that has some."""
        return self._wait(self._inner.list_resource_templates())

    def discover_server(self, peer: str, **wishes: Any) -> ServerRead:
        """Read what a server says about itself; see `AsyncMultiServerClient.discover_server`.

        Args:
            peer: name of the peer.
            wishes: timeout_s, trace.

        Raises:
            WorkbenchError: one subclass for each way a read can end without a result.
        """
        return self._wait(self._inner.discover_server(peer, **wishes))

    def read_resource(self, uri: str, peer: str | None = None, **wishes: Any) -> ResourceRead:
        """Read a resource; see `AsyncMultiServerClient.read_resource`.

        Args:
            uri: as listed, or made from a template.
            peer: who has it.
            wishes: timeout_s, max_timeout_s, on_progress, on_log, log_level, trace.

        Raises:
            WorkbenchError: one subclass for each way a read can end without a result.
        """
        return self._wait(self._inner.read_resource(uri, peer, **wishes))

    def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] | None = None,
        peer: str | None = None,
        **wishes: Any,
    ) -> PromptRead:
        """Get a prompt, filled in; see `AsyncMultiServerClient.get_prompt`.

        Args:
            name: the prompt's name.
            arguments: texts by name.
            peer: who has it.
            wishes: as for `read_resource`.

        Raises:
            WorkbenchError: one subclass for each way a read can end without a result.
        """
        return self._wait(self._inner.get_prompt(name, arguments, peer, **wishes))

    def complete(self, argument: str, value: str, **how: Any) -> Completion:
        """Ask for suggestions; see `AsyncMultiServerClient.complete`.

        Args:
            argument: its name.
            value: what has been typed so far.
            how: prompt, template, context, peer, and what `read_resource` takes.

        Raises:
            WorkbenchError: one subclass for each way a read can end without a result.
        """
        return self._wait(self._inner.complete(argument, value, **how))
