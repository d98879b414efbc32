// Reads a timeline (its JSON Schema is `timeline`) and indexes it once, so that each time unit is found quickly.
import { element } from "./dom.js";

export const timeline_version = 1;

/** First index of the ascending list whose value is above `value`. */
export const upper_bound = (list, value, at = (i) => list[i], from = 0, to = list.length) => {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (at(middle) > value) to = middle;
    else from = middle + 1;
  }
  return from;
};

const ascending = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

/** base + stride * k. Integers that a double cannot hold are texts, here as in the JSON. */
const progressed = (base, stride, k) => {
  if (stride === 0 || k === 0) return base; // also of what is no number
  const value = Number(base) + stride * k;
  if (typeof base === "number" && Number.isSafeInteger(value)) return value;
  return String(BigInt.asIntN(64, BigInt(base) + BigInt(stride) * BigInt(k)));
};

/**
 * The list with a value for each lane, null for an inactive one. `{base, stride, lanes: [first, last]}` is an arithmetic
 * progression; null is an empty list.
 */
export const by_lane = (list, width) => {
  if (Array.isArray(list)) return list;
  if (!list) return [];
  const lanes = new Array(width).fill(null);
  const [first, last] = list.lanes;
  for (let lane = first; lane <= last; ++lane) lanes[lane] = progressed(list.base, list.stride, lane - first);
  return lanes;
};

/** Units of memory with the requests that each takes, in order of dispatch. */
const read_units = (json) => {
  const alone = json.units.length === 1;
  return json.units.map((unit, index) => ({
    ...unit, index, requests: [], until: [], ports: unit.ports ?? 1, own_port: unit.unit === "global" && unit.multiprocessor !== null,
    name: alone ? "memory" : `${unit.unit} memory${unit.multiprocessor === null ? "" : ` of multiprocessor ${unit.multiprocessor}`}`,
    short: alone ? "memory" : unit.multiprocessor === null ? unit.unit : `${unit.unit} ${unit.multiprocessor}`,
    ...(unit.unit === "global" && unit.multiprocessor !== null
      ? { name: `port of multiprocessor ${unit.multiprocessor}`, short: `port ${unit.multiprocessor}` } : {}),
  }));
};

const most_unit_rows = 32;

/**
 * Where units are that no request names, rows of what enters them and the own ports, of multiprocessors that run blocks: a row for
 * each port with its `label` and its `bars` [from, to, block, warp], by begin.
 */
const read_unit_rows = ({ json, requests, units, rows }) => {
  if (!json.other_units) return [];
  const found = new Map();
  const used = new Set(rows.map((row) => row.place[0]));
  const add = (unit, label, port, bar) => {
    if (unit.multiprocessor !== null && !used.has(unit.multiprocessor)) return;
    const key = `${label}${unit.ports > 1 ? ` ${port}` : ""}`;
    if (!found.has(key)) found.set(key, { label: key, bars: [] });
    found.get(key).bars.push(bar);
  };
  const { entries } = json;
  for (const unit of units)
    if (unit.own_port)
      for (const i of unit.requests)
        add(unit, unit.short, 0, [requests.dispatched[i], requests.last[i] + 1, requests.block[i], requests.warp[i]]);
  json.other_units.forEach((unit, index) => {
    const label = unit.multiprocessor === null ? unit.name : `${unit.name} ${unit.multiprocessor}`;
    for (let port = 0; port < unit.ports; ++port)
      entries.unit.forEach((of, i) => {
        if (of === index && entries.port[i] === port) add(unit, label, port, [entries.from[i], entries.to[i], entries.block[i], entries.warp[i]]);
      });
  });
  return [...found.values()].slice(0, most_unit_rows);
};

const most_idle_warps = 4096;

/** Places where warps run, in order: (multiprocessor, slot of a block, warp); blocks come to them in turn. */
const read_rows = (model) => {
  const { json } = model;
  const slots = new Map();
  const block_key = (launch, block) => `${launch},${block}`;
  json.blocks.launch.forEach((launch, i) => slots.set(block_key(launch, json.blocks.block[i]), i));
  const place_of = (launch, block, warp, multiprocessor = 0) => {
    const i = slots.get(block_key(launch, block));
    return i === undefined ? [multiprocessor, 0, warp] : [json.blocks.multiprocessor[i], json.blocks.slot[i], warp];
  };
  const rows = new Map();
  const row_at = (place) => {
    const key = place.join();
    if (!rows.has(key)) rows.set(key, { place, requests: [], waiting: [], barriers: [], computes: [], done: [], blocks: [] });
    return rows.get(key);
  };
  const each = (columns, list) => columns.launch.map((launch, i) => {
    const row = row_at(place_of(launch, columns.block[i], columns.warp[i], columns.multiprocessor?.[i]));
    row[list].push(i);
    return row;
  });
  const of_requests = each(json.requests, "requests");
  for (const list of ["waiting", "barriers", "computes", "done"]) each(json[list], list);
  // Warps that make no request have a row, too.
  const shapes = new Map(json.launches.map((launch) => [launch.launch, launch]));
  json.blocks.launch.forEach((launch, i) => {
    const warps = Math.min(most_idle_warps, shapes.get(launch)?.warps ?? 0);
    for (let warp = 0; warp < warps; ++warp)
      row_at([json.blocks.multiprocessor[i], json.blocks.slot[i], warp]).blocks.push(i);
  });
  const ordered = [...rows.values()].sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1] || a.place[2] - b.place[2]);
  ordered.forEach((row, i) => {
    row.index = i;
    const sort = (list, times) => list.sort((a, b) => times[a] - times[b]);
    sort(row.requests, json.requests.issued), sort(row.barriers, json.barriers.arrived), sort(row.computes, json.computes.from);
    sort(row.blocks, json.blocks.from), sort(row.done, json.done.from);
  });
  return { rows: ordered, row_of: of_requests.map((row) => row.index) };
};

const name_rows = (rows) => {
  const several = (k) => rows.some((row) => row.place[k] !== rows[0].place[k]);
  const [processors, slots] = [several(0), several(1)];
  for (const row of rows) {
    const [processor, slot, warp] = row.place;
    row.label = `${processors ? `M${processor} ` : ""}${slots ? `S${slot} ` : ""}W${warp}`;
    row.name = [processors && `multiprocessor ${processor}`, slots && `slot ${slot}`, `warp ${warp}`].filter(Boolean).join(", ");
  }
};

const required = ["window", "width", "units", "arrays", "placements", "launches", "requests", "waiting", "barriers", "computes", "done", "blocks",
  "host_writes", "sources", "notes"];

/** Throws an Error with a sentence for the reader if the timeline is of another version, or none. */
const read_timeline = (json) => {
  if (json === null || typeof json !== "object" || !("memlane_timeline" in json))
    throw new Error("This is no timeline of memlane: it lacks the member memlane_timeline.");
  if (json.memlane_timeline !== timeline_version)
    throw new Error(`This timeline is of version ${json.memlane_timeline}; this page reads version ${timeline_version}.`);
  for (const name of required)
    if (!(name in json)) throw new Error(`This timeline is damaged: it lacks the member ${name}.`);
  const model = { json, width: json.width, requests: json.requests, units: read_units(json), stages: new Map() };
  const { requests, units } = model;
  json.computes.issued ??= json.computes.from; // of versions that did not tell it
  requests.unit.forEach((unit, i) => {
    const { requests: list, until } = units[unit]; // `until`: when the requests up to each one are completed
    list.push(i), until.push(Math.max(until.at(-1) ?? 0, requests.completed[i]));
  });
  model.count = requests.unit.length;
  model.from = json.window.from;
  model.to = Math.max(json.window.from, json.time === null ? json.window.to : Math.min(json.window.to, json.time));
  // A unit with several ports takes so many stages in a time unit; what does not fit enters in the next ones (definition of
  // the machines, section 3). `port` has the stages that entered before the request's own in its first time unit.
  model.enters = (i, stage) => requests.dispatched[i] + Math.floor((requests.port[i] + stage) / units[requests.unit[i]].ports);
  // Its last stage leaves the pipeline when the request is completed, the others before it as they have entered.
  model.leaves = (i, stage) => requests.completed[i] - (requests.last[i] - model.enters(i, stage));
  Object.assign(model, read_rows(model));
  name_rows(model.rows);
  model.unit_rows = read_unit_rows(model);
  const within = (times) => ascending(times).filter((time) => time >= model.from && time <= model.to);
  const conflicts = [];
  for (let i = 0; i < model.count; ++i) if (requests.stages[i] > 1) conflicts.push(i);
  model.conflicts = within(conflicts.map((i) => model.enters(i, 1)));
  model.conflict_requests = new Map(conflicts.reverse().map((i) => [model.enters(i, 1), i])); // the first of each time
  model.barriers = within([...json.barriers.arrived, ...json.barriers.released].filter((time) => time !== null));
  const by_time = (times) => {
    const found = new Map();
    times.forEach((time, i) => found.has(time) ? found.get(time).push(i) : found.set(time, [i]));
    return found;
  };
  model.arrivals = by_time(json.barriers.arrived);
  model.releases = by_time(json.barriers.released);
  model.one_block = new Set(json.blocks.block).size <= 1;
  return model;
};

/** The timeline that `host` is to show; of another version, or of none, it shows a sentence instead, and this returns null. */
export const read_or_refuse = (host, json) => {
  try {
    return read_timeline(json);
  } catch (error) {
    const text = error instanceof TypeError ? "This timeline is damaged: its members are not those of its schema." : error.message;
    host.replaceChildren(element("p", { class: "mt-refused", role: "alert" }, text));
    return null;
  }
};

/** The times at which requests of a line are dispatched. */
export const times_of_line = (model, source, line) => {
  const times = [];
  for (let i = 0; i < model.count; ++i)
    if (model.requests.line[i] === line && model.requests.source[i] === source) times.push(model.requests.dispatched[i]);
  return ascending(times).filter((time) => time >= model.from && time <= model.to);
};
