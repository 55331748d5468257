"""Which addresses of the net may be asked: this machine and its private neighbours, and hosts that somebody named.

A name is looked up once, and what is asked is the address that was found and allowed then: a name that leads elsewhere
a moment later leads nowhere.
"""

import ipaddress
import socket
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

import anyio

from sojourn.errors import InvalidInputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_LOCAL: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)


class Addresses:
    """What may be asked. *hosts* widens it: names, `*.names`, addresses, or `*` for all."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self._hosts = tuple(host.casefold().rstrip(".") for host in hosts)

    async def of(self, host: str, port: int) -> list[str]:
        """Return the addresses of *host* that may be asked, in the order in which to try them.

        Raises:
            InvalidInputError: there is none.
        """
        try:
            found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise InvalidInputError(f"the host {host!r:.100} is not known: {error}") from error
        addresses = list(dict.fromkeys(str(place[4][0]) for place in found))
        allowed = [address for address in addresses if self.allows(host, address)]
        if not allowed:
            wider = f", and of others only: {', '.join(self._hosts)}" if self._hosts else ""
            raise InvalidInputError(
                f"{host!r:.100} may not be asked: only hosts of this machine and its network{wider}"
            )
        return allowed

    def allows(self, host: str, address: str) -> bool:
        """Tell whether *host*, found at *address*, may be asked."""
        plain = _plain(address)
        name = host.casefold().rstrip(".").strip("[]")
        if plain.is_link_local or plain.is_multicast or plain.is_unspecified:
            # Where clouds keep their keys: only for who asks for it, and was allowed it, to the letter.
            return name == str(plain) and name in self._hosts
        if any(plain in network for network in _LOCAL):
            return True
        return any(fnmatchcase(name, pattern) for pattern in self._hosts)


def _plain(address: str) -> Address:
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found
