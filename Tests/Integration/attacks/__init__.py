"""Attacks on a server of this machine, bounded in sockets, bytes and time; nothing beyond loopback is ever attacked.

Each attack is a function `(host, port, seconds, **measures)` that blocks for about `seconds` and returns a dictionary of
counts. From a shell, in Tests/Integration: python3 -m attacks idle --port 8080 --seconds 10

`costly` has small requests that would cost much, `strangers` those of callers who prove nothing, `measures` what they cost the
server and its other callers.
"""

from .bodies import large_bodies
from .flood import flood
from .idle import idle_sockets
from .slow import slow_bodies, slow_heads
from .unread import unread_answers

ATTACKS = {
    "idle": idle_sockets,
    "slow-heads": slow_heads,
    "slow-bodies": slow_bodies,
    "large-bodies": large_bodies,
    "flood": flood,
    "unread": unread_answers,
}

__all__ = [
    "ATTACKS", "flood", "idle_sockets", "large_bodies", "slow_bodies", "slow_heads", "unread_answers",
]
