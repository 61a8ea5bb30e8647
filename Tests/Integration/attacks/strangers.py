"""Requests of callers who prove nothing: heads that HTTP forbids, forms, and sign-ins from other addresses."""

import http.client
import http.cookiejar
import socket
import urllib.request

from .connections import check


def raw(host, port, data, source=None, timeout=10):
    """Sends bytes as they are, and returns the first line of the answer."""
    check(host, 1, source)
    with socket.create_connection((host, port), timeout, (source, 0) if source else None) as made:
        made.sendall(data)
        answer = b""
        while b"\r\n" not in answer:
            piece = made.recv(4096)
            if not piece:
                break
            answer += piece
    return answer.split(b"\r\n")[0].decode()


class FromAddress(urllib.request.HTTPHandler):
    """HTTP from an address of loopback."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def http_open(self, request):
        def connection(host, **more):
            return http.client.HTTPConnection(host, source_address=(self.source, 0), **more)

        return self.do_open(connection, request)


def browser_from(browser, source, stay):
    """Gives a browser of the tests a new jar, and an address to come from."""
    browser.opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), stay(),
        FromAddress(source))
    return browser
