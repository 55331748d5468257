"""Which processes have ended, as far as anybody can tell."""

import subprocess
import sys

from sojourn.store.process import this_process


def test_the_process_that_asks_is_not_gone() -> None:
    here = this_process()

    assert not here.is_gone(seen_from=here)


def test_a_process_that_ended_is_gone_even_as_a_zombie() -> None:
    here = this_process()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    there = here._replace(pid=child.pid, pid_start=here.pid_start)
    assert child.stdin is not None
    child.stdin.close()
    child.wait()

    assert there.is_gone(seen_from=here)


def test_a_pid_that_was_given_again_is_another_process() -> None:
    here = this_process()

    assert here._replace(pid_start=here.pid_start - 1).is_gone(seen_from=here)


def test_nobody_can_tell_of_another_machine_or_another_container() -> None:
    here = this_process()
    gone = here._replace(pid=2**22 + 1)

    assert gone.is_gone(seen_from=here)
    assert not gone._replace(boot_id="another").is_gone(seen_from=here)
    assert not gone._replace(pid_space="pid:[1]").is_gone(seen_from=here)
