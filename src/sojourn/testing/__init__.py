"""What tests of Sojourn, and of stores for Sojourn, are made with. Public, and imported by nothing else.

`store_suite` checks that a store keeps its promises; `clock` has a clock that moves when told to; `factories` makes
events and journals; `fingerprint` reads back all that a store shows. `strategies` needs Hypothesis and is therefore
imported by those who want it, not here.
"""

from sojourn.testing.clock import FakeClock
from sojourn.testing.fingerprint import Fingerprint, fingerprint
from sojourn.testing.store_suite import CONFORMANCE, run_store_conformance
from sojourn.testing.suite.check import Backend, Check, MakeStore, Storage

__all__ = [
    "CONFORMANCE",
    "Backend",
    "Check",
    "FakeClock",
    "Fingerprint",
    "MakeStore",
    "Storage",
    "fingerprint",
    "run_store_conformance",
]
