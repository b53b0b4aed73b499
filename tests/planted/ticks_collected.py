"""A simulation with many objects in cycles, collected by hand every 40 ticks."""

import gc

import pitwall


class Body:
    def __init__(self):
        self.links = [self]


bodies = [Body() for _ in range(500000)]
for tick in range(800):
    with pitwall.span("tick"):
        with pitwall.span("move"):
            sum(i * i for i in range(20000))
        with pitwall.span("collide"):
            sum(i * i for i in range(20000))
        if tick % 40 == 39:
            gc.collect()
print(len(bodies))
