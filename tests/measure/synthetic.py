#!/usr/bin/env python3
"""Writes synthetic.jsonl: NOT measurements, but the simulator's own times on a machine that is known,
made into nanoseconds with a known launch cost, a known unit and a little noise that is the same each
time.  A fit to them has to find the machine again.

usage: synthetic.py MEMLANE > synthetic.jsonl
"""
import hashlib, json, pathlib, statistics, subprocess, sys

UNIT_NS, LAUNCH_NS = 0.8, 2500.0
TRUTH = ["shared.latency=24", "global.latency=200", "global.ports=4", "shared.ports=1"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
HMM = {"model": "hmm", "width": 32, "multiprocessors": 4, "threads": 256}
UMM = {"model": "umm", "width": 32, "multiprocessors": 1, "threads": 256}
POINTS = [  # program, machine, parameters, sizes
    ("sum", UMM, {}, [256, 1024, 4096, 16384]),
    ("sum_hmm", HMM, {}, [1024, 4096, 16384]),
    ("prefix_simple", UMM, {}, [256, 1024]),
    ("strided", UMM, {"s": 32}, [1024, 4096]),
    ("transpose", HMM, {}, [32, 64, 96]),
    ("transpose --layout t=rows", HMM, {}, [32, 64, 96]),
    ("transpose_direct", HMM, {}, [32, 64, 96]),
]
DEVICE = {"name": "synthetic, not a measurement", "multiprocessors": 4, "compute_capability": "0.0", "peak_bandwidth_gbps": 640}
PROBLEMS = {"transpose_direct": "transpose", "sum_hmm": "sum", "prefix_simple": "prefix sums"}
BYTES = {"prefix_simple": lambda n: 8 * n, "transpose": lambda n: 8 * n * n, "transpose_direct": lambda n: 8 * n * n}


def simulated(memlane, program, options, machine, parameters):
    umm = machine["model"] == "umm"
    keys = [k.removeprefix("global.") for k in TRUTH if k.startswith("global.")] if umm else TRUTH
    keys = keys + [f"{k}={machine[k]}" for k in ("width", "threads")]
    if not umm:
        keys.append(f"multiprocessors={machine['multiprocessors']}")
    command = [memlane, "run", program, "-m", "umm-w32" if umm else "hmm-h200-plain", "--format", "json"]
    command += options + [f"--set={k}" for k in keys] + [f"-D{n}={v}" for n, v in parameters.items()]
    counts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["counts"]
    return counts["time"], counts["launches"]


def noise(text, i):
    """Within one per cent to both sides; of the median, since samples follow it, within half."""
    digest = hashlib.sha256(f"{text} {i}".encode()).digest()
    return (int.from_bytes(digest[:4], "big") / 2**32 - 0.5) * 0.01


def main():
    for words, machine, extra, sizes in POINTS:
        program, *options = words.split(" ", 1)
        sha256 = hashlib.sha256(next(ROOT.glob(f"programs/*/{program}.lane")).read_bytes()).hexdigest()
        for n in sizes:
            parameters = {"n": n, **extra}
            time, launches = simulated(sys.argv[1], program, options[0].split(" ") if options else [], machine, parameters)
            middle = (time * UNIT_NS + launches * LAUNCH_NS) * (1 + noise(words + str(n), 0))
            samples = [round(middle * (1 + noise(words + str(n), i)), 1) for i in range(1, 6)]
            print(json.dumps({
                "memlane_measurement": 1, "problem": PROBLEMS.get(program, program), "program": program, "sha256": sha256, "variant": "emitted",
                "parameters": parameters, "replaced": options, "machine": machine, "seed": 1,
                "device": DEVICE, "compiler": "none", "fmad": False, "launches": launches, "samples_ns": samples,
                "median_ns": statistics.median(samples),
                "priced_clock": "events", "priced_ns": statistics.median(samples),
                "array_bytes": BYTES.get(program, lambda n: 4 * n)(n), "verify": "none"}))


main()
