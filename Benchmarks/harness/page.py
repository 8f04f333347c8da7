# SPDX-License-Identifier: Apache-2.0
"""The page of results, with its plots."""
from figures import columns, HEADER, text
from plots import bars, curves

TITLES = {
    "device": ("Device", """\
An app's calls through `MSAL` and the broker, and the broker itself (`scripts/measure/device`). The cached calls are
measured in turns with a bare round trip of as many bytes, written in C, and with `oidc-agent` of Debian, through its
own library. The app runs on one processor, the broker, the other end of the bare round trip and `oidc-agent` on the
other."""),
    "hand-over": ("Hand-over", """\
From the request to sign out until the device is ready for the next worker, with 0 to 200 connected apps. Each app is a
process of its own and has registered an eraser (`scripts/measure/handover`). The worker signs in without a browser,
except where the table says otherwise. The keys are gone when the session process has ended. The last two rows are by
`scripts/measure/revocation` and `scripts/measure/handover-touch`."""),
    "server": ("Server", """\
The identity platform's grants and sign-ins (`scripts/measure/servers server`), with references that do only the
unavoidable part of the work."""),
    "mdm": ("Device management", "The MDM server's durable queue (`scripts/measure/servers mdm`)."),
    "nodes": ("Nodes on PostgreSQL", """\
One, two and four nodes of `baton-server` over one PostgreSQL server, with four clients over HTTPS for each node
(`scripts/measure/nodes`). All of them share the machine, so more nodes cannot answer more requests; the limit is the
processor time of all nodes for one grant. Each client sends its next request to the next node. The database has 20,000
sessions. PostgreSQL's own benchmark, `pgbench`, commits transactions of one updated row. A statement is a round trip to
PostgreSQL; `BEGIN` and `COMMIT` count."""),
    "scaling": ("Scaling", """\
The cost of each operation as the organisation grows (`scripts/measure/servers scaling`)."""),
}

BUSY = 0.7  # load on an otherwise idle machine: the setup that ended a moment ago

INTRODUCTION = """\
<!-- Written by scripts/measure/bench from results.json. Change the benchmarks or Benchmarks/harness/page.py instead. -->

# Benchmarks

`make bench` measures these figures and writes this page; `BENCH=NAME` runs one benchmark, `BENCH=scaling` the long one.
[Performance](../performance.md) explains the limits and how Baton keeps them.

Times depend on the machine and on what else it does. Compare the ratios to the reference, which was measured in the
same run, rather than the times. p50 is the median; 99 of 100 measurements are not above p99.
"""


def cells(row):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def section(name, result, folder):
    title, introduction = TITLES[name]
    machine = result["machine"]
    lines = [f"## {title}", "", introduction, "",
             f"Measured on {result['date']} at commit `{result['commit']}`, in {result['seconds']} s, with load "
             f"{result['load']} before the start, on {machine['processors']}, {machine['memory']} of memory, "
             f"{machine['system']}.", ""]
    if result["load"] > BUSY:
        lines += ["**The machine was busy, so these figures say little.**", ""]
    figures = result["figures"]
    single = [figure for figure in figures if "points" not in figure]
    if single:
        rows = [columns(figure) for figure in single]
        used = [column for column in range(len(HEADER)) if column == 0 or any(row[column] for row in rows)]
        lines += [cells([HEADER[column] for column in used]), "|" + "---|" * len(used)]
        lines += [cells([row[column] for column in used]) for row in rows]
        lines.append("")
    for plot, (words, drawing) in plots(name, figures).items():
        (folder / plot).write_text(drawing)
        lines += [f"![{words}]({plot})", ""]
    with_points = [figure for figure in figures if "points" in figure]
    if with_points:
        lines += points(with_points)
    return lines


def points(figures):
    """The values behind the curves."""
    numbers = sorted({point["n"] for figure in figures for point in figure["points"]})
    rows = [["", *map(text, numbers), "budget", ""]]
    for figure in figures:
        values = {point["n"]: point["value"] for point in figure["points"]}
        rows.append([figure["name"], *(f"{text(values[n])} {figure['unit']}" if n in values else "" for n in numbers),
                     figure.get("budget", ""), columns(figure)[-1]])
    return [cells(rows[0]), "|" + "---|" * len(rows[0]), *map(cells, rows[1:]), ""]


def plots(name, figures):
    """The plots of a benchmark: a description and a drawing for each file name."""
    found = {}
    compared = [figure for figure in figures if {"ratioP50", "ratio"} & set(figure) and "points" not in figure]
    if compared:
        words = "Ratios to the reference"
        found[f"{name}-ratios.svg"] = (words, bars(words, compared))
    by_unit = {}
    for figure in figures:
        if "points" in figure:
            by_unit.setdefault(figure["unit"], []).append(figure)
    for number, (unit, several) in enumerate(by_unit.items()):
        words = f"Curves in {unit}"
        found[f"{name}-curves{number or ''}.svg"] = (words, curves(several, unit))
    return found


def write_page(results, folder):
    for old in folder.glob("*.svg"):
        old.unlink()
    lines = [INTRODUCTION]
    for name, result in sorted(results.items(), key=lambda item: list(TITLES).index(item[0])):
        lines += section(name, result, folder)
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n")
