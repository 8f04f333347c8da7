# SPDX-License-Identifier: Apache-2.0
"""The results of benchmarks: one JSON object for each figure, and the table of the terminal."""
import json
import math
import unicodedata


def percentile(values, share):
    """The percentile `share`: the smallest value that at least `share` per cent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def rounded(number):
    """The number, rounded to three significant digits."""
    if not isinstance(number, float) or number == 0:
        return number
    return round(number, max(0, 2 - math.floor(math.log10(abs(number)))))


class Figure(dict):
    """A figure, which becomes one line of JSON."""

    def __init__(self, group, name, unit, **more):
        super().__init__(group=group, name=name, unit=unit, **more)

    @classmethod
    def of(cls, group, name, unit, values, **more):
        """A figure of single measurements."""
        p50, p99 = rounded(float(percentile(values, 50))), rounded(float(percentile(values, 99)))
        return cls(group, name, unit, p50=p50, p99=p99, count=len(values), **more)

    def against(self, reference):
        """Adds the ratio to another figure of the same run."""
        self["reference"] = reference["name"]
        for ratio, key in (("ratioP50", "p50"), ("ratioP99", "p99")):
            self[ratio] = rounded(self[key] / reference[key])
        return self

    def budget(self, words, holds):
        self["budget"], self["withinBudget"] = words, bool(holds)
        return self


def missed(figures):
    """The exit code: 3 if a figure misses its budget. Python itself exits with 1 after an error."""
    return 3 if any(not figure.get("withinBudget", True) for figure in figures) else 0


def text(number):
    return "" if number is None else f"{number:,}" if isinstance(number, int) else f"{rounded(float(number)):g}" \
        if abs(number) < 10_000 else f"{number:,.0f}"


def mark(figure):
    return {True: "kept", False: "**missed**", None: ""}[figure.get("withinBudget")]


HEADER = ["what", "p50", "p99", "other", "of the reference: p50", "p99", "budget", ""]


def columns(figure):
    unit = figure.get("unit", "")

    def with_unit(key):
        return f"{text(figure[key])} {unit}".strip() if key in figure else ""

    other = [with_unit("value")] if "value" in figure else []
    for key, words in (("perSecond", "/s"), ("perCoreSecond", "/s and core")):
        if key in figure:
            other.append(f"{text(figure[key])}{words}")
    if "processorTime" in figure:
        other.append(f"{text(figure['processorTime'])} µs of processor time")
    if "databaseTime" in figure:
        other.append(f"{text(figure['databaseTime'])} µs of PostgreSQL's")
    ratios = [text(figure.get("ratioP50", figure.get("ratio"))), text(figure.get("ratioP99"))]
    return [figure["name"], with_unit("p50"), with_unit("p99"), ", ".join(other), *ratios, figure.get("budget", ""),
            mark(figure)]


def width(words):
    return sum(0 if unicodedata.combining(letter) else 1 for letter in words)


def table(figures):
    """A table for people, as lines."""
    rows = [HEADER] + [columns(figure) for figure in figures]
    widths = [max(width(row[column]) for row in rows) for column in range(len(HEADER))]
    return ["  ".join(cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths)).rstrip() for row in rows]


def show(figures, as_json):
    """Prints the figures, as lines of JSON or as a table."""
    for line in [json.dumps(figure, ensure_ascii=False) for figure in figures] if as_json else table(figures):
        print(line, flush=True)
