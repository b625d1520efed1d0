"""What bench/frontier prints and draws."""

LEVELS = (0.90, 0.95, 0.98, 0.99)


def fastest(points, level, mode):
    """The seconds of a query, and the setting."""
    return min(((p[mode], s) for s, p in points.items() if p["recall"] >= level and mode in p), default=None)


def rated(best, first):
    """Queries per second, and how many times as many the first side answers."""
    if not best:
        return "-"
    return f"{1 / best[0]:,.0f}" + (f" ({best[0] / first[0]:.2f})" if first else "")


def speed_table(sides, points, k, threads):
    modes = [f"batch{count}" for count in threads] + ["single"]
    titles = [f"batch, {count} thread{'s' if count > 1 else ''}" for count in threads]
    lines = ["", f"{k} of {k}: queries per second, and in brackets how many times as many the first side answers", "",
             "| recall >= | side | " + " | ".join(titles) + " | one by one | of which 99% below, µs | setting in a batch | one by one |",
             "|---" * (len(modes) + 5) + "|"]
    for level in LEVELS:
        first = {mode: fastest(points[sides[0].name], level, mode) for mode in modes}
        for side in sides:
            best = {mode: fastest(points[side.name], level, mode) for mode in modes}
            cells = [rated(best[mode], first[mode]) for mode in modes]
            slow = points[side.name][best["single"][1]].get("slow") if best["single"] else None
            cells.append(f"{1e6 * slow:,.0f}" if slow else "-")
            cells += [side.describe(best[mode][1]) if best[mode] else "-" for mode in (modes[0], "single")]
            lines.append(f"| {level:.2f} | {side.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def size_table(sides, rows):
    lines = ["| side | bytes of a vector | seconds to build | CPU seconds |", "|---|---|---|---|"]
    lines += [f"| {side.name} | {side.bytes / rows:,.0f} | {side.built['seconds']:,.0f} | {side.built['cpu_seconds']:,.0f} |"
              for side in sides]
    return "\n".join(lines)


def cold_table(side, rows):
    lines = [f"{side.name}, one by one, no vector in the cache of the system", "",
             "| recall >= | recall | setting | pages read for a query | for a candidate | mean, µs | 99% below, µs |",
             "|---|---|---|---|---|---|---|"]
    for level, setting, taken, found, count in rows:
        lines.append(f"| {level:.2f} | {found:.3f} | {side.describe(setting)} | {taken.pages:.0f} | {taken.pages / setting[2]:.2f} | "
                     f"{1e6 * taken.seconds / count:,.0f} | {1e6 * taken.slow:,.0f} |")
    return "\n".join(lines)


def plot(path, title, sides, points):
    """A panel for each k."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"svg.hashsalt": "summand", "font.size": 10})
    figure, panels = pyplot.subplots(1, len(points), figsize=(6.5 * len(points), 4.2), squeeze=False)
    for axes, (k, of_sides) in zip(panels[0], points.items()):
        for side in sides:
            own = sorted((p["recall"], 1 / p["batch1"]) for p in of_sides[side.name].values())
            best = [(r, q) for r, q in own if r >= 0.8 and all(q > other for recall_of, other in own if recall_of > r)]
            if best:
                axes.plot(*zip(*best), marker="o", markersize=3, linewidth=2.2 if side is sides[0] else 1.2, label=side.name)
        axes.set(xlabel=f"recall: share of the {k} nearest among {k} answers", ylabel="queries per second", yscale="log",
                 title=title)
        axes.grid(True, which="both", alpha=0.25)
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
