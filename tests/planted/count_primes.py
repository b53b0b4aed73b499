"""Counts primes in a pool of threads."""

from concurrent.futures import ThreadPoolExecutor


def primes(low, high):
    found = 0
    for number in range(low, high):
        factor = 2
        while factor * factor <= number and number % factor:
            factor += 1
        found += factor * factor > number
    return found


with ThreadPoolExecutor(4) as pool:
    parts = [pool.submit(primes, low, low + 8000) for low in range(8000, 400000, 8000)]
    print(sum(part.result() for part in parts))
