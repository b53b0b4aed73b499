"""The nearest neighbour of each city, by looking at every pair."""

import math

import numpy as np

rng = np.random.default_rng(1)
cities = rng.random((1600, 2))
names = ["city %d" % i for i in range(len(cities))]


def distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def nearest(index):
    best, least = None, float("inf")
    for other in range(len(cities)):
        if other != index and distance(cities[index], cities[other]) < least:
            best, least = other, distance(cities[index], cities[other])
    return best, least


total = 0.0
for index in range(len(cities)):
    other, gap = nearest(index)
    total += gap
print("mean gap %.5f, last %s" % (total / len(cities), names[other]))
