"""Who is still alive after a test."""

import time

import psutil


def survivors(marker: str, within_s: float = 5.0) -> list[str]:
    """Return the command lines that still hold `marker` after at most `within_s` seconds.

    Waits on the processes themselves, so that it returns as soon as none is left.
    """
    deadline = time.monotonic() + within_s
    while found := _holding(marker):
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return [" ".join(process.info["cmdline"]) for process in found]
        psutil.wait_procs(found, timeout=left_s)
    return []


def _holding(marker: str) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE
        and any(marker in part for part in process.info["cmdline"] or ())
    ]
