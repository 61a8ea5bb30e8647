"""Requests whose answers are counted by status, by several threads at a time."""

import collections
import http.client
import threading
import time

from .connections import check


def ask(host, port, seconds, threads, method, path, headers, body, most, source=None):
    """Sends one request after the other in each thread until time or `most` requests are over."""
    check(host, threads, source)
    end = time.monotonic() + seconds
    outcomes = collections.Counter()
    left = [most]
    lock = threading.Lock()

    def work():
        connection = None
        while time.monotonic() < end:
            with lock:
                if left[0] <= 0:
                    break
                left[0] -= 1
            try:
                if connection is None:
                    connection = http.client.HTTPConnection(
                        host, port, timeout=max(1.0, end - time.monotonic()),
                        source_address=(source, 0) if source else None)
                connection.request(method, path, body, headers or {})
                answer = connection.getresponse()
                answer.read()
                outcome = str(answer.status)
                if answer.getheader("Connection", "").lower() == "close":
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                outcome = type(error).__name__
                if connection is not None:
                    connection.close()
                connection = None
                time.sleep(0.01)
            with lock:
                outcomes[outcome] += 1
        if connection is not None:
            connection.close()

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(seconds + 30)
    return dict(sorted(outcomes.items()))
