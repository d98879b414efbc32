// Sentences about time units: what the live line says, and what marks mean where colours do not reach.
import { stages_at, stages_of, waiting_at, launch_at } from "./state.js";

export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Whether the memory has banks; the other kind delivers address groups, in which no words conflict. */
export const has_banks = (unit) => unit.kind === "discrete";
/** What requests of several stages are called. */
export const slow_request = (model) => {
  const banks = model.units.filter(has_banks).length;
  return banks === model.units.length ? "conflict" : banks === 0 ? "uncoalesced request" : "request of several stages";
};
/** What a stage of a memory without banks delivers; at a multiprocessor's own port to global memory that is a line. */
export const group_noun = (unit) => (unit.own_port ? "line" : "address group");
/** The words of one, and of a row of banks. */
export const group_words = (model, unit) => (has_banks(unit) ? model.width : unit.group ?? model.width);
/** Where a word is: "bank 3", "address group 2" or "line 2". */
export const place_of_word = (model, unit, address) =>
  has_banks(unit) ? `bank ${address % model.width}` : `${group_noun(unit)} ${Math.floor(address / group_words(model, unit))}`;
/** Why a request has stages without words. accessed.cpp in the room timeline says the same. */
export const empty_words = (filled, stages) =>
  `its words need ${counted(filled, "stage")}, and the request takes ${stages}: lanes of an atomic take turns, or the unit takes more stages of each request.`;

/** "1, 2 and 5". */
export const joined = (texts) =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;

/** "0–3 and 7"; at most `most` parts. */
export const ranges = (numbers, most = 6) => {
  const parts = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  const texts = parts.slice(0, most).flatMap(([a, b]) => (b > a + 1 ? [`${a}–${b}`] : b > a ? [`${a}`, `${b}`] : [`${a}`]));
  return parts.length > most ? `${texts.join(", ")}, …` : joined(texts);
};

export const value_text = (value) =>
  value === undefined ? "" : value === null ? "–" : Array.isArray(value) ? value.map(value_text).join(", ") : String(value);

const name_of_warp = (model, block, warp) => (model.one_block ? `warp ${warp}` : `warp ${warp} of block ${block}`);
export const warp_name = (model, request) =>
  name_of_warp(model, model.requests.block[request], model.requests.warp[request]);
export const action = (model, request) => (model.requests.write[request] ? "write" : "read");
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const place_words = (words) => words.length === 0 ? " without a word" :
  `: ${words.length === 1 ? "word" : "words"} ${ranges(words.map((word) => word.address))}`;

/** Why a request has several stages. */
const conflict_words = (model, unit, stages) => {
  const words = stages.flat(), filled = stages.filter((all) => all.length > 0);
  const texts = filled.length < stages.length ? [capital(empty_words(filled.length, stages.length))] : [];
  if (unit.kind === "unified") {
    const groups = new Set(words.map((word) => Math.floor(word.address / group_words(model, unit))));
    texts.unshift(`It touches ${counted(groups.size, group_noun(unit))}: ${ranges(groups)}.`);
  } else if (filled.length > 1) {
    const worst = words.filter((word) => word.bank === filled[filled.length - 1][0].bank);
    texts.unshift(`Bank ${worst[0].bank} has ${worst.length} of its words (${ranges(worst.map((word) => word.address), 4)}): a conflict.`);
  }
  return texts.join(" ");
};

/** The stages of one request that enter together: several only through several ports. */
/** "line 7", with its file where the page has several. */
export const line_words = (model, line, source) => {
  const { sources } = model.json;
  return `line ${line}${sources.length > 1 && sources[source] ? ` of ${sources[source].path.replace(/.*\//, "")}` : ""}`;
};
/** The same of a request. */
export const line_of_request = (model, request) => line_words(model, model.requests.line[request], model.requests.source[request]);

const enters_words = (model, unit, request, entering) => {
  const stages = stages_of(model, request);
  const count = stages.length;
  const whose = `${warp_name(model, request)}'s ${action(model, request)} (${line_of_request(model, request)})`;
  const words = entering.flatMap((stage) => stages[stage] ?? []);
  const which = place_words(words);
  if (count <= 1) return `${capital(whose)} enters the pipeline in one stage${which}.`;
  const text = entering.length > 1
    ? `Stages ${ranges(entering.map((stage) => stage + 1))} of ${count} of ${whose} enter the pipeline${which}`
    : `Stage ${entering[0] + 1} of ${count} of ${whose} enters the pipeline${which}`;
  if (entering[0] === 0) return `${text}. ${conflict_words(model, unit, stages)}`;
  if (unit.kind === "unified" || words.length === 0) return `${text}.`;
  const banks = new Set(words.map((word) => word.bank));
  return `${text}, which had to wait for ${banks.size === 1 ? `bank ${[...banks][0]}` : "their banks"}.`;
};

const at_port = (model, unit, stages, waiting) => {
  const flying = new Set(stages.filter((one) => one.position <= unit.latency).map((one) => one.request));
  const text = waiting.length === 0 ? "" : waiting.length === 1
    ? ` ${capital(warp_name(model, waiting[0]))} waits at the port.` : ` ${waiting.length} warps wait at the port.`;
  const entering = new Map();
  for (const one of stages)
    if (one.position === 1) entering.has(one.request) ? entering.get(one.request).push(one.stage) : entering.set(one.request, [one.stage]);
  if (entering.size > 0) {
    const texts = [...entering].slice(0, 2).map(([request, list]) => enters_words(model, unit, request, list));
    if (entering.size > 2) texts.push(`So do stages of ${counted(entering.size - 2, "more request")}, through ${unit.ports} ports.`);
    return texts.join(" ") + text;
  }
  if (flying.size > 0) return `No stage enters the pipeline: ${counted(flying.size, "request")} on the way.${text}`;
  return `No stage enters the pipeline, and none is in it.${text}`;
};

const warps_words = (model, list, columns) => {
  const blocks = new Set(list.map((i) => columns.block[i]));
  const warps = list.map((i) => columns.warp[i]);
  const of = model.one_block ? "" : blocks.size === 1 ? ` of block ${[...blocks][0]}` : ` of ${blocks.size} blocks`;
  return blocks.size > 1 ? `${counted(list.length, "warp")}${of}` : `${list.length === 1 ? "warp" : "warps"} ${ranges(warps)}${of}`;
};

const barrier_words = (model, time) => {
  const { barriers } = model.json;
  const leave = model.releases.get(time) ?? [];
  const arrive = (model.arrivals.get(time) ?? []).filter((i) => barriers.released[i] !== time);
  const texts = [];
  if (arrive.length) texts.push(`${capital(warps_words(model, arrive, barriers))} ${arrive.length === 1 ? "arrives" : "arrive"} at a barrier.`);
  if (leave.length) texts.push(`The barrier releases ${warps_words(model, leave, barriers)}.`);
  return texts;
};

const completed_words = (model, unit, stages) => {
  const over = [...new Set(stages.filter((one) => one.position === unit.latency + 1 && one.stage === model.requests.stages[one.request] - 1)
    .map((one) => one.request))];
  if (over.length === 0) return [];
  if (over.length > 1) return [`${over.length} requests are completed.`];
  return [`${capital(warp_name(model, over[0]))}'s ${action(model, over[0])} is completed.`];
};

/** What happens in a time unit at one unit of memory, in a few sentences. */
export const sentence = (model, unit, time) => {
  const { json } = model;
  const texts = [];
  const begins = json.launches.filter((launch) => launch.begin === time);
  for (const launch of begins)
    texts.push(`Launch ${launch.launch} begins: kernel ${launch.kernel}, ${counted(launch.blocks, "block")} of ${counted(launch.threads, "thread")}.`);
  if (unit && model.count > 0) {
    const stages = stages_at(model, unit, time);
    texts.push(...completed_words(model, unit, stages), ...barrier_words(model, time));
    if (time === json.time) texts.push(`The run is over: it took ${counted(time, "time unit")}.`);
    else if (time === model.to && model.to > model.from) texts.push("The window ends here; the run goes on.");
    else texts.push(at_port(model, unit, stages, waiting_at(model, unit, time)));
  } else texts.push(...barrier_words(model, time), "No request is in this timeline.");
  if (!launch_at(model, time) && json.launches.length > 1 && time < model.to) texts.push("No kernel runs.");
  return texts.join(" ");
};

/** What a warp does. */
export const does_words = {
  waits: "waits at the port", enters: "has a stage that enters", extra: "has a further stage that enters",
  flight: "has a request in the pipeline", barrier: "waits at a barrier", computes: "computes", done: "has ended", idle: "has no request", empty: "is not there",
};

/** What a mark of the chart means. */
export const state_words = {
  waits: "waits at the port", enters: "a stage enters", extra: "a further stage enters", flight: "in the pipeline",
  barrier: "waits at a barrier", computes: "computes", done: "has ended", idle: "has no request", empty: "no block is here",
};
