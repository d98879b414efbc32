#!/usr/bin/env python3
"""Holds memlane's times of configs/kernels against measured times: Kendall's τ-b within each problem,
the median error, and that with one free unit of time a GPU, fitted on half of its times and judged on
the other half (configs/README-gpus.md, "Measured times").

usage: kernel_times.py MEMLANE TIMES.csv [KEY=VALUE…]

The rows have the columns problem (array_add, histogram, mat_mat_mul, reduction), gpu (1650, 3060,
3080), benchmark, axes (NAME=VALUE;…) and ms. KEY=VALUE changes the machines (--set).
"""
import csv, itertools, json, math, pathlib, statistics, subprocess, sys

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "configs" / "kernels"
MACHINES = {"1650": "hmm-gtx1650", "3060": "hmm-rtx3060", "3080": "hmm-rtx3080"}
SUMS = {  # benchmark: kernel, numbers that a thread loads
    "Simple Reduction": ("divergent", 1),
    "Reduction - Adjacent Threads": ("conflicting", 1),
    "Reduction - Sequential Addressing": ("sequential", 1),
    "Reduction - Two Loads per Thread": ("two_loads", 2),
    "Reduction - Unroll Last Warp": ("last_warp", 2),
    "Reduction - Completely Unrolled": ("unrolled", 2),
    "Reduction - Multiple Loads": ("many_loads", 2),
}
ROWS, PRICED = 4096, 256  # of products; of the columns of the first factor, so many are priced


def sums(benchmark, axes):
    kernel, loads = SUMS[benchmark]
    n, threads = int(axes["Array Size"]), int(axes["Num Threads"])
    launches, level = [], 0
    while n > 1:
        blocks = -(-n // (threads * loads))
        source = f"x{level}" if level else f"x0: uint[{n}]"
        launches.append(f"{kernel}<<<{blocks},{threads},{4 * threads}>>>(x{level + 1}: uint[{blocks}], {source}, {n})")
        n, level = blocks, level + 1
    return "reductions", 600, launches


def launches_of(problem, benchmark, axes):
    """The file of the kernels, about how many blocks are executed, and the launches."""
    if problem == "reduction":
        return sums(benchmark, axes)
    if problem == "array_add":
        n = int(axes["Axis Size"])
        kernel = "add_down_columns" if benchmark.startswith("Not") else "add_along_rows"
        arrays = ", ".join(f"{name}: uint[{n * n}]" for name in "cab")
        return "matrices", 600, [f"{kernel}<<<({n // 16},{n // 16}),(16,16)>>>({arrays}, {n}, {n})"]
    threads = int(axes["Num Threads"])
    if problem == "histogram":
        n = int(axes["Array Size"])
        shared = benchmark.startswith("Histogram Shared")
        kernel = f"shared_bins<<<{n // threads},{threads},2048>>>" if shared else f"global_bins<<<{n // threads},{threads}>>>"
        return "histograms", 600, [f"{kernel}(bins: uint[512], in: uint[{n}], {n}" + (", 512)" if shared else ")")]
    side, words = ROWS // threads, ROWS * PRICED
    return "matrices", 100, [
        f"tiled_product_{threads}<<<({side},{side}),({threads},{threads})>>>"
        f"(c: uint[{ROWS * ROWS}], a: uint[{words}], b: uint[{words}], {ROWS}, {PRICED}, {ROWS})"
    ]


def milliseconds(memlane, changes, row):
    axes = dict(axis.split("=", 1) for axis in row["axes"].split(";"))
    file, blocks, launches = launches_of(row["problem"], row["benchmark"].split(" (")[0], axes)
    command = [memlane, "ptx", f"{KERNELS / file}.ptx", "-m", MACHINES[row["gpu"]], "--format", "json"]
    command += ["--races", "off", "--max-memory", "8G", "--sample-blocks", str(blocks)]
    command += [f"--set={change}" for change in changes] + [f"--launch={launch}" for launch in launches]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    time = (result["estimated"] or result["counts"])["time"]
    return time / result["machine"]["clock"] * 1e3 * (ROWS // PRICED if row["problem"] == "mat_mat_mul" else 1)


def sign(a, b):
    return (a > b) - (a < b)


def tau(pairs):
    """Kendall's τ-b; 0 where all are tied."""
    signs = [(sign(a[0], b[0]), sign(a[1], b[1])) for a, b in itertools.combinations(pairs, 2)]
    untied = math.sqrt(sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs))
    return sum(x * y for x, y in signs) / untied if untied else 0.0


def error(pairs, unit=1.0):
    return [abs(unit * priced / measured - 1) for measured, priced in pairs]


def errors_of_halves(pairs):
    found = []
    for half in (0, 1):
        unit = math.exp(statistics.median(math.log(measured / priced) for measured, priced in pairs[half::2]))
        found += error(pairs[1 - half :: 2], unit)
    return found


def main(memlane, times, *changes):
    rows = list(csv.DictReader(open(times, encoding="utf-8")))
    pairs = [(float(row["ms"]), milliseconds(memlane, changes, row)) for row in rows]
    for row, (measured, priced) in zip(rows, pairs):
        print(f"{priced / measured:5.2f}  {row['gpu']}  {row['benchmark']}  {row['axes']}")
    taus, with_unit = [], []
    for problem in sorted({row["problem"] for row in rows}):
        for gpu in MACHINES:
            chosen = [pair for row, pair in zip(rows, pairs) if (row["problem"], row["gpu"]) == (problem, gpu)]
            if len(chosen) < 2:
                continue
            taus.append(tau(chosen))
            print(f"{problem:12} {gpu}  tau {taus[-1]:5.2f}  error {statistics.median(error(chosen)):.3f}")
    for gpu in MACHINES:
        with_unit += errors_of_halves([pair for row, pair in zip(rows, pairs) if row["gpu"] == gpu])
    print(f"mean tau {statistics.mean(taus):.3f}  error {statistics.median(error(pairs)):.3f}", end="  ")
    print(f"with a unit a GPU {statistics.median(with_unit):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
