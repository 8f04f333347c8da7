# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG, without a library."""
import html
import math

from figures import text

WIDTH, MARGIN, LEFT = 1000, 20, 500
COLOURS = ["#1f6feb", "#bf5700", "#1a7f37", "#8250df", "#cf222e", "#57606a", "#0a7ea4", "#9a6700"]
STYLE = "font-family='sans-serif' font-size='13'"


def svg(height, parts):
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' "
        f"{STYLE}>",
        f"<rect width='{WIDTH}' height='{height}' fill='#ffffff'/>", *parts, "</svg>", ""])


def label(x, y, words, anchor="start", colour="#1f2328"):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}'>{html.escape(words)}</text>"


def line(x1, y1, x2, y2, colour="#d0d7de", dashes=""):
    more = f" stroke-dasharray='{dashes}'" if dashes else ""
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}'{more}/>"


def steps(highest, count=5):
    """Round numbers from 0 to at least `highest`."""
    size = 10 ** math.floor(math.log10(highest / count))
    size = next(size * factor for factor in (1, 2, 5, 10) if size * factor * count >= highest)
    return [size * number for number in range(math.ceil(highest / size) + 1)]


def bars(title, figures):
    """The bars of each figure: the ratios to its reference."""
    keys = {"ratioP50": " (p50)", "ratioP99": " (p99)", "ratio": ""}
    ratios = [[(figure[key], words) for key, words in keys.items() if key in figure] for figure in figures]
    ticks = steps(max(ratio for several in ratios for ratio, _ in several))
    row, top = 42, 50
    height = top + row * len(figures) + 30

    def x(value):
        return LEFT + (WIDTH - LEFT - 60) * value / ticks[-1]

    parts = [label(MARGIN, 25, title)]
    for tick in ticks:
        parts += [line(x(tick), top - 8, x(tick), height - 28), label(x(tick), height - 10, text(tick), "middle")]
    for number, (figure, several) in enumerate(zip(figures, ratios)):
        y = top + row * number
        parts.append(label(LEFT - 8, y + 20, figure["name"], "end"))
        for place, ((ratio, words), colour) in enumerate(zip(several, COLOURS)):
            parts.append(f"<rect x='{LEFT}' y='{y + 15 * place + 2}' width='{x(ratio) - LEFT:.1f}' height='13' "
                         f"fill='{colour}'/>")
            parts.append(label(x(ratio) + 5, y + 15 * place + 13, text(ratio) + words))
    parts.append(line(x(1), top - 8, x(1), height - 28, "#57606a", "4 3"))
    return svg(height, parts)


def curves(figures, unit):
    """A curve for each figure; the horizontal axis is logarithmic if the numbers span more than two decades."""
    numbers = sorted({point["n"] for figure in figures for point in figure["points"]})
    highest = max(point["value"] for figure in figures for point in figure["points"])
    ticks = steps(highest or 1)
    left, right, top, bottom = 80, WIDTH - 30, 30, 330
    height = bottom + 45 + 20 * len(figures)
    logarithmic = numbers[0] > 0 and numbers[-1] >= 100 * numbers[0]

    def x(number):
        place = math.log10(number) if logarithmic else number
        low, high = (math.log10(numbers[0]), math.log10(numbers[-1])) if logarithmic else (numbers[0], numbers[-1])
        return left + (right - left) * ((place - low) / (high - low) if high > low else 0.5)

    def y(value):
        return bottom - (bottom - top) * value / ticks[-1]

    parts = [label(left, 18, unit)]
    for tick in ticks:
        parts += [line(left, y(tick), right, y(tick)), label(left - 8, y(tick) + 4, text(tick), "end")]
    last = -100.0
    for number in numbers:
        if x(number) - last < 30:
            continue
        last = x(number)
        parts.append(label(last, bottom + 20, text(number), "middle"))
    for number, figure in enumerate(figures):
        colour = COLOURS[number % len(COLOURS)]
        places = sorted((x(point["n"]), y(point["value"])) for point in figure["points"])
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{a:.1f}' cy='{b:.1f}' r='3' fill='{colour}'/>" for a, b in places]
        parts += [line(left, bottom + 42 + 20 * number, left + 24, bottom + 42 + 20 * number, colour),
                  label(left + 32, bottom + 46 + 20 * number, figure["name"])]
    return svg(height, parts)
