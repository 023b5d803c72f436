"""Two profilers on one target: is a frame's inclusive share the same? A two-sample test that allows
for clumped samples.

Each side's run is cut into ten windows; the variance of the share between them, if larger than the
binomial one, is what its standard error is made of. The difference then follows a t distribution
with Welch's degrees of freedom.
"""

import dataclasses
import math

WINDOWS = 10


@dataclasses.dataclass
class Share:
    hits: int
    samples: int
    share: float
    variance: float  # of the share


def share_of(hits, samples):
    """A share from hits and samples per window."""
    total, count = sum(samples), sum(hits)
    share = count / total
    squares = sum((hit - share * sample) ** 2 for hit, sample in zip(hits, samples))
    windowed = len(samples) / (len(samples) - 1) * squares / total**2
    return Share(count, total, share, max(windowed, share * (1 - share) / total))


def p_value(ours, theirs):
    """Of the hypothesis that both shares are the same."""
    variance = ours.variance + theirs.variance
    if variance == 0:
        return 1.0 if ours.share == theirs.share else 0.0
    df = variance**2 * (WINDOWS - 1) / (ours.variance**2 + theirs.variance**2)
    return student_two_sided(abs(ours.share - theirs.share) / math.sqrt(variance), df)


def holm(values):
    """Holm-adjusted p values, in the order given."""
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, values[index] * (len(values) - rank)))
        adjusted[index] = highest
    return adjusted


def student_two_sided(t, df):
    """P(|T| > t)."""
    return incomplete_beta(df / (df + t * t), df / 2, 0.5)


def incomplete_beta(x, a, b):
    """Regularised, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = (
        math.exp(
            math.lgamma(a + b)
            - math.lgamma(a)
            - math.lgamma(b)
            + a * math.log(x)
            + b * math.log(1 - x)
        )
        / a
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / ((1 + numerator * d) or tiny), (1 + numerator / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * value


def count_windows(samples, begin, end):
    """{frame: hits per window} and samples per window, of (time, set of frames, count) between
    begin and end.
    """
    totals, frames = [0] * WINDOWS, {}
    for time, names, count in samples:
        if not begin <= time < end:
            continue
        window = min(WINDOWS - 1, int((time - begin) / (end - begin) * WINDOWS))
        totals[window] += count
        for name in names:
            frames.setdefault(name, [0] * WINDOWS)[window] += count
    return frames, totals
