"""The inbox by which a thread gets its work."""

import threading
from pathlib import Path

from sojourn.store.sql.sqlite_inbox import Inbox

BURSTS = 300


def test_all_that_is_put_is_got_in_order_by_a_reader_that_sleeps_in_between() -> None:
    inbox = Inbox[int | None]()
    got: list[int] = []
    caught_up = threading.Semaphore(0)

    def read() -> None:
        while (item := inbox.get()) is not None:
            got.append(item)
            if inbox.is_empty():
                caught_up.release()

    reader = threading.Thread(target=read)
    reader.start()
    expected = 0
    for burst in range(BURSTS):
        for _ in range(burst % 4 + 1):
            inbox.put(expected)
            expected += 1
        while len(got) < expected:
            caught_up.acquire()
    inbox.put(None)
    reader.join()
    inbox.close()

    assert got == list(range(expected))


def test_what_is_put_when_the_reader_has_ended_reaches_no_other_file(tmp_path: Path) -> None:
    inbox = Inbox[int]()
    inbox.close()
    others = [(tmp_path / name).open("w+b", buffering=0) for name in "abcd"]

    inbox.put(1)

    for other in others:
        other.seek(0)
        assert other.read() == b""
        other.close()
