"""As many requests of one path as go."""

from .answers import ask


def flood(host, port, seconds, count=8, path="/", headers=None, method="GET", body=None, source=None):
    """`count` connections that ask one request after the other."""
    return ask(host, port, seconds, count, method, path, headers, body, most=200_000, source=source)
