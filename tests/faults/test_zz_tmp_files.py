import random
from pathlib import Path
import pytest, shutil
from tests.faults.test_kill_writers import kill_and_verify
from tests.faults.test_many_processes import write_together
from tests.faults.ledger import Ledger, verify
from tests.faults.processes import children
from tests.faults.writers import open_at_once
from tests.faults.test_many_processes import gather
from sojourn.store import open_store
import asyncio

@pytest.mark.anyio
@pytest.mark.timeout(500)
@pytest.mark.parametrize("seed", range(12))
async def test_kill(tmp_path: Path, seed: int) -> None:
    await kill_and_verify(f"files:{tmp_path/'f'}", random.Random(seed+1000), rounds=10)

@pytest.mark.anyio
@pytest.mark.timeout(300)
async def test_four(tmp_path: Path) -> None:
    await write_together(f"files:{tmp_path/'f'}", processes=4, turns=100)

@pytest.mark.anyio
@pytest.mark.parametrize("repetition", range(5))
async def test_eight(tmp_path: Path, repetition: int) -> None:
    location, ledger = f"files:{tmp_path/'new'/'f'}", Ledger()
    with children(8, open_at_once, location) as started:
        await asyncio.to_thread(gather, started, ledger)
    async with open_store(location) as store:
        await verify(store, ledger)
