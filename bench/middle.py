"""A mean for measurements with outliers."""

import statistics


def middle(numbers):
    """The mean of the middle half, and its standard error (that of the numbers with their ends pulled in)."""
    numbers = sorted(numbers)
    quarter = len(numbers) // 4
    inner = numbers[quarter:len(numbers) - quarter]
    pulled = [inner[0]] * quarter + inner + [inner[-1]] * quarter
    return statistics.fmean(inner), statistics.stdev(pulled) / (0.5 * len(numbers) ** 0.5)
