"""Builds a graph of objects, and collects garbage after each block: the collector looks at all of them."""

import gc

import pitwall


class Node:
    def __init__(self, key):
        self.key, self.links = key, [key]


nodes = []
for block in range(110):
    with pitwall.span("block"):
        with pitwall.span("insert"):
            nodes.extend(Node(i) for i in range(5000))
        with pitwall.span("collect"):
            gc.collect()
print(len(nodes))
