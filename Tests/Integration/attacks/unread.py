"""Requests whose answers are never read."""

import socket

from .connections import head, keep


def unread_answers(host, port, seconds, count=100, path="/", headers=None, source=None):
    """Many requests on each connection, so that small answers fill the server's buffers too."""
    opening = (head("GET", path, headers) + b"\r\n") * 20
    return keep(host, port, seconds, count, _is_open, opening=opening, receive_buffer=4096, source=source)


def _is_open(made):
    """Whether the connection stands, without taking anything from it."""
    if made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
        return False
    # The state TCP_ESTABLISHED, the first byte of tcp_info.
    return made.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1
