"""A pool that gets one number at a time."""

import multiprocessing


def square(number):
    return number * number


if __name__ == "__main__":
    total = 0
    with multiprocessing.Pool(2) as pool:
        for _ in range(4):
            total += sum(pool.imap_unordered(square, range(40000)))
    print(total)
