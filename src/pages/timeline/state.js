// What happens in one time unit: stages in a pipeline, waiting requests, states of warps. See section 3 of the definition.
import { by_lane, upper_bound } from "./read.js";

/**
 * The stages of a request. A discrete unit takes the k-th distinct address of each bank in stage k, a unified unit one
 * address group a stage. Each stage has its words in order of lanes: address, lanes that name it, and the value; a
 * concurrent write stores the value of the highest lane (section 2). Where lanes access several words, a discrete unit takes
 * them in pieces of as many lanes as have a word of each bank, one after the other (section 10).
 */
export const stages_of = (model, request) => {
  let stages = model.stages.get(request);
  if (!stages) {
    if (model.stages.size >= most_kept) model.stages.clear();
    model.stages.set(request, (stages = split(model, request)));
  }
  return stages;
};

const most_kept = 2000; // requests whose stages are kept: more than are under way

const split = (model, request) => {
  const { requests, units, width } = model;
  const addresses = by_lane(requests.addresses[request], width);
  const values = by_lane(requests.values[request], width);
  const unit = units[requests.unit[request]];
  const unified = unit.kind === "unified";
  const count = requests.words?.[request] ?? 1;
  const lanes_of_piece = unified ? width : Math.max(1, Math.floor(width / count));
  let words = new Map(), depth = new Map(), first = 0, piece = 0;
  const groups = new Map();
  const stages = [];
  const add = (address, lane) => {
    let word = words.get(address);
    if (!word) {
      word = { address, bank: address % width, lanes: [], value: undefined };
      words.set(address, word);
      let stage;
      if (unified) {
        const group = Math.floor(address / (unit.group ?? width));
        if (!groups.has(group)) groups.set(group, groups.size);
        stage = groups.get(group);
      } else {
        stage = first + (depth.get(word.bank) ?? 0);
        depth.set(word.bank, stage - first + 1);
      }
      (stages[stage] ??= []).push(word);
    }
    word.lanes.push(lane);
    if (values[lane] !== undefined) word.value = values[lane];
  };
  addresses.forEach((address, lane) => {
    if (address === null || address === undefined) return;
    if (Math.floor(lane / lanes_of_piece) !== piece) {
      piece = Math.floor(lane / lanes_of_piece);
      first = stages.length;
      words = new Map();
      depth = new Map();
    }
    for (let k = 0; k < count; ++k) add(address + k, lane);
  });
  // An atomic takes more stages than its words have: the others are empty.
  while (stages.length < requests.stages[request]) stages.push([]);
  return stages;
};

/** Requests that wait at the port at `time`, in order of dispatch. Each warp waits for one at most. */
export const waiting_at = (model, unit, time) => {
  const { dispatched, issued } = model.requests;
  const list = unit.requests;
  const first = upper_bound(list, time, (i) => dispatched[list[i]]);
  const waiting = [];
  for (let i = first; i < Math.min(list.length, first + model.rows.length); ++i)
    if (issued[list[i]] <= time) waiting.push(list[i]);
  return waiting;
};

/**
 * Where a stage is at `time`: 1 if it enters now, up to the unit's latency; latency + 1 once it is over; 0 or less while it waits
 * behind others of its request. Atomics that are served, and address groups behind an own port, may take longer: their stages stay
 * at the latency. Reads of what a block has read may take less.
 */
export const position_of = (model, unit, request, stage, time) =>
  time >= model.leaves(request, stage) ? unit.latency + 1 : Math.min(unit.latency, time - model.enters(request, stage) + 1);

/** All stages of a unit that are under way at `time` or over now, with their `position`. */
export const stages_at = (model, unit, time) => {
  const found = [];
  const { dispatched, stages } = model.requests;
  const to = upper_bound(unit.requests, time, (i) => dispatched[unit.requests[i]]);
  let from = to;
  while (from > 0 && unit.until[from - 1] >= time) --from;
  for (const request of unit.requests.slice(from, to))
    for (let stage = 0; stage < stages[request]; ++stage)
      if (time <= model.leaves(request, stage)) found.push({ request, stage, position: position_of(model, unit, request, stage, time) });
  return found;
};

const latest_place = (model, row, time) => upper_bound(row.requests, time, (i) => model.requests.issued[row.requests[i]]) - 1;

/** The request that a row's warp made last, up to `time`; -1: none. */
export const latest_request = (model, row, time) => row.requests[latest_place(model, row, time)] ?? -1;

/** The entry of sorted intervals that is open at `time`; -1: none. */
const open_at = (list, from, to, time) => {
  for (let i = upper_bound(list, time, (k) => from[list[k]]) - 1, tries = 0; i >= 0 && tries < 4; --i, ++tries)
    if (to[list[i]] === null || time < to[list[i]]) return list[i];
  return -1;
};

/** Whether a request of the row's warp is in a pipeline at `time`, of those up to `place` in its list. */
const has_flight = (model, row, place, time) => {
  for (let i = place, tries = 0; i >= 0 && tries < 64; --i, ++tries)
    if (time < model.requests.completed[row.requests[i]]) return true;
  return false;
};

/**
 * What a row does at `time`: {state, request, source, line}, with the request and the place of its latest one; -1: none. The
 * state is one of waits, enters, extra (a stage after its request's first), flight, barrier, computes, done (waits for the end
 * of its block), idle, empty (no block is there).
 */
export const state_at = (model, row, time) => {
  const { json, requests } = model;
  const request = latest_request(model, row, time);
  const found = (state, stage) => ({ state, stage, request, source: requests.source[request], line: requests.line[request] });
  if (request >= 0 && time < requests.dispatched[request]) return found("waits");
  if (request >= 0 && time <= model.enters(request, requests.stages[request] - 1))
    return found(time > requests.dispatched[request] ? "extra" : "enters");
  const waits = row.waiting.find((i) => json.waiting.issued[i] <= time);
  if (waits !== undefined) return { state: "waits", request: -1, source: json.waiting.source[waits], line: json.waiting.line[waits] };
  if (open_at(row.barriers, json.barriers.arrived, json.barriers.released, time) >= 0) return found("barrier");
  const compute = open_at(row.computes, json.computes.issued, json.computes.to, time);
  if (compute >= 0) return time < json.computes.from[compute] ? { state: "waits", request: -1 } : found("computes");
  const block = open_at(row.blocks, json.blocks.from, json.blocks.to, time);
  if (block < 0 && row.blocks.length > 0) return found("empty");
  const over = row.done.some((i) => json.done.launch[i] === json.blocks.launch[block] && json.done.block[i] === json.blocks.block[block] && json.done.from[i] <= time);
  if (over) return found("done");
  return found(has_flight(model, row, latest_place(model, row, time), time) ? "flight" : "idle");
};

/** The place in json.blocks of the block that a row's warp belongs to at `time`; -1: none. */
export const block_at = (model, row, time) => open_at(row.blocks, model.json.blocks.from, model.json.blocks.to, time);

/** The launch that runs at `time`; null between launches. */
export const launch_at = (model, time) =>
  model.json.launches.find((launch) => launch.begin <= time && (launch.end === null || time < launch.end)) ?? null;
