"""Requests that wait for another service, which answers after some milliseconds."""

import socket
import threading
import time

import pitwall

client, server = socket.socketpair()


def answer():
    while server.recv(64) != b"quit":
        time.sleep(0.008)
        server.send(b"done")


thread = threading.Thread(target=answer)
thread.start()
for _ in range(300):
    with pitwall.span("request"):
        with pitwall.span("parse"):
            fields = [number * 3 for number in range(8000)]
        with pitwall.span("ask_backend"):
            client.send(b"get")
            client.recv(64)
        with pitwall.span("render"):
            page = ",".join(map(str, fields))
client.send(b"quit")
thread.join()
print(len(page))
