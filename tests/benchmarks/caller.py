"""A process that stops at three points, so that its memory can be read from outside.

Says so in a line and waits for one: bare, with one peer connected, after so many calls.
"""

import sys


def stop() -> None:
    """Say that the next point is reached, and wait."""
    sys.stdout.write("here\n")
    sys.stdout.flush()
    sys.stdin.readline()


def main(calls: int) -> None:
    """Go through the three points."""
    stop()
    import asyncio
    import os

    from workbench import AsyncMultiServerClient

    here = os.path.dirname(os.path.abspath(__file__))

    async def work() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server(
                "yardstick", [sys.executable, os.path.join(here, "yardstick.py"), "1", "fast"]
            )
            await client.call("echo", {"q": "tea"})
            stop()
            for _ in range(calls):
                await client.call("echo", {"q": "tea"})
            stop()

    asyncio.run(work())


if __name__ == "__main__":
    main(int(sys.argv[1]))
