"""Pages are fetched by four tasks of an event loop and counted as they come."""

import asyncio
import collections
import socket
import threading
import time

import pitwall

words = collections.Counter()


def answer(server):
    while (number := server.recv(64)) != b"quit":
        time.sleep(0.012)
        server.send(b" ".join(b"%d" % (int(number) * k % 97) for k in range(300)))


async def crawl(loop, first):
    client, server = socket.socketpair()
    client.setblocking(False)
    threading.Thread(target=answer, args=(server,)).start()
    for number in range(first, 800, 4):
        with pitwall.span("page"):
            with pitwall.span("fetch"):
                await loop.sock_sendall(client, b"%d" % number)
                text = await loop.sock_recv(client, 4096)
            with pitwall.span("count"):
                for _ in range(8):
                    words.update(text.split())
    await loop.sock_sendall(client, b"quit")


async def main():
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(crawl(loop, first) for first in range(4)))


asyncio.run(main())
print(len(words))
