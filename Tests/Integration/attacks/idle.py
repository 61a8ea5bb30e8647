"""Connections on which nothing is ever sent."""

from .connections import has_ended, keep


def idle_sockets(host, port, seconds, count=400, source=None):
    return keep(host, port, seconds, count, lambda made: not has_ended(made), source=source)
