"""A plain function of the application, run without stopping the loop.

Takes:  a function and its argument
Gives:  what it returns, to a coroutine
Never:  keeps the interpreter from ending: a function that waits for a person who never
        comes runs on a daemon thread, unlike the threads of a pool
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any


async def in_own_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """Call `function(argument)` on a thread of its own and wait for it.

    Raises:
        Exception: what the function raised; what is no `Exception`, or none a future
            carries, comes as a RuntimeError.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, problem: BaseException | None) -> None:
        if done.done():
            return
        if problem is not None:
            done.set_exception(problem)
        else:
            done.set_result(value)

    def work() -> None:
        value: Any = None
        problem: BaseException | None = None
        try:
            value = function(argument)
        except Exception as raised:
            # A future refuses to carry this one.
            stopped = isinstance(raised, StopIteration)
            problem = RuntimeError(repr(raised)) if stopped else raised
        except BaseException as raised:  # it would end the loop, and every peer with it
            problem = RuntimeError(repr(raised))
        try:
            loop.call_soon_threadsafe(settle, value, problem)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=work, name="mcp-workbench handler", daemon=True).start()
    return await done
