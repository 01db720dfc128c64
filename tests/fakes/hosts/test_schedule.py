from fakes.hosts.schedule import Schedule


def test_entries_come_by_time_and_in_their_order_at_one_time() -> None:
    """Ours: an event loop promises no order among timers of one time."""
    schedule: Schedule[str] = Schedule()
    assert schedule.next_at is None and schedule.pop(99.0) == []
    for at, entry in ((2.0, "c"), (1.0, "a"), (2.0, "d"), (1.0, "b"), (3.0, "e")):
        schedule.add(at, entry)
    assert schedule.next_at == 1.0
    taken = []
    while due := schedule.pop(2.0):
        taken += due
    assert (taken, schedule.next_at) == (["a", "b", "c", "d"], 3.0)


def test_entries_can_be_dropped() -> None:
    """Ours: what was cancelled is never said."""
    schedule: Schedule[int] = Schedule()
    for number in range(6):
        schedule.add(-number, number)
    schedule.drop(lambda one: one % 2 == 0)
    taken = []
    while due := schedule.pop(0.0):
        taken += due
    assert taken == [5, 3, 1]
    schedule.add(0.0, 1)
    schedule.clear()
    assert schedule.next_at is None
