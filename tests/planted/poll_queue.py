"""Work on jobs that arrive in a folder, and look for the next one every 50 ms."""

import math
import os
import tempfile
import time


def work(number):
    return sum(math.sin(number * k) for k in range(20000))


with tempfile.TemporaryDirectory() as folder:
    total = 0.0
    for number in range(50):
        while not os.path.exists(os.path.join(folder, "job-%d" % number)):
            time.sleep(0.05)
            open(os.path.join(folder, "job-%d" % number), "w").close()
        total += work(number)
print("%.3f" % total)
