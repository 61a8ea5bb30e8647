"""Requests that never end: a byte of the head, or of the body, now and then."""

from .connections import has_ended, head, keep, send_now


def slow_heads(host, port, seconds, count=200, path="/", source=None):
    opening = head("GET", path) + b"X-Slow: "
    return keep(host, port, seconds, count, _dribble, opening=opening, source=source)


def slow_bodies(host, port, seconds, count=200, path="/", headers=None, length=1 << 20, source=None):
    opening = head("POST", path, {**(headers or {}), "Content-Length": length}) + b"\r\n"
    return keep(host, port, seconds, count, _dribble, opening=opening, source=source)


def _dribble(made):
    return not has_ended(made) and send_now(made, b"a") is not None
