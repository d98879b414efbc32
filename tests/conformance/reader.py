"""The times of the first cases from sections 2 and 3: one memory, one launch of one block, reads and writes alone."""
import json, pathlib

folder = pathlib.Path(__file__).parent / "papers"

def stages(machine, addresses):
    words, w = {a for a in addresses if a is not None}, machine["width"]
    if machine["model"] == "umm":
        return len({a // w for a in words})
    return max((sum(a % w == bank for a in words) for bank in range(w)), default=0)

def time(machine, warps):  # of each warp, the stages of its requests in order
    waits = [0] * len(warps)  # when a warp's next request begins to wait
    port, latest = 0, -1  # when the port is free, and the warp that was dispatched last
    while any(warps):
        port = max(port, min(at for at, requests in zip(waits, warps) if requests))
        order = [(latest + 1 + k) % len(warps) for k in range(len(warps))]
        latest = next(k for k in order if warps[k] and waits[k] <= port)
        port += warps[latest].pop(0)
        waits[latest] = port - 1 + machine["latency"]
    return max(waits)

cases = json.loads((folder / "cases.json").read_text())[:32]
right = 0
for case in cases:
    machine = json.loads((folder / case["machine"]).read_text())
    header, *lines = map(json.loads, (folder / case["trace"]).read_text().splitlines())
    warps = [[] for _ in range(-(-header["threads"] // machine["width"]))]
    for line in lines[:-1]:
        if count := stages(machine, line["addresses"]):
            warps[line["warp"]].append(count)
    right += time(machine, warps) == case["time"]
print(f"{right} of {len(cases)} cases are right")
