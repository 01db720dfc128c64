"""One turn of the event loop, for whoever has to let others go first.

Takes:  nothing; runs in a task
Gives:  `turn()`, after which every callback that was ready has run
Never:  minds being cancelled meanwhile: a future that is made here and given its result by
        the loop would complain about that, on stderr and to nobody

Source: ours; asyncio documentation, "Event.wait".
"""

import asyncio


async def turn() -> None:
    """Let every callback run that is ready, and what the network has to say as well."""
    passed = asyncio.Event()
    asyncio.get_running_loop().call_soon(passed.set)
    await passed.wait()
