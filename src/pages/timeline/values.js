// The values of memory at any time: a cursor in the list of all stages, with what each write replaced, to go back.
import { by_lane, upper_bound } from "./read.js";
import { stages_of } from "./state.js";

/** A word that the page does not know, as against null, which nothing has written. */
export const unknown = undefined;

/** Where initial contents were left out, the first access to a word shows its value, if it is a read. */
const learn_contents = (model, contents) => {
  const { requests, json } = model;
  const seen = json.arrays.map((array) => (array.initial ? null : new Set()));
  for (let request = 0; request < model.count; ++request) {
    const array = requests.array[request];
    if (array === null || !seen[array]) continue;
    const { first } = json.arrays[array];
    for (const word of stages_of(model, request).flat()) {
      if (seen[array].has(word.address)) continue;
      seen[array].add(word.address);
      if (!requests.write[request] && word.value !== undefined) contents[array][word.address - first] = word.value;
    }
  }
};

/**
 * A stage's words are read or written when it leaves the pipeline; earlier if a later write of its array does, so that the values
 * are those of the order of dispatch (section 7 of the definition).
 */
export const make_values = (model) => {
  const { requests, json } = model;
  const contents = json.arrays.map((array) => by_lane(array.initial, 0).slice());
  const landings = []; // {time, array, request, stage} or {time, array, words}
  for (let request = 0; request < model.count; ++request) {
    const array = requests.array[request];
    if (array === null || !requests.write[request]) continue;
    for (let stage = 0; stage < requests.stages[request]; ++stage)
      landings.push({ request, stage, array, time: model.leaves(request, stage), before: null });
  }
  const soonest = json.arrays.map(() => Infinity);
  for (const landing of [...landings].reverse()) landing.time = soonest[landing.array] = Math.min(soonest[landing.array], landing.time);
  learn_contents(model, contents);
  json.host_writes.time.forEach((time, i) => landings.push({ time, array: json.host_writes.array[i], before: null,
    words: [{ address: json.arrays[json.host_writes.array[i]].first + json.host_writes.word[i], value: json.host_writes.value[i] }] }));
  landings.sort((a, b) => a.time - b.time); // stable: the host writes when all requests are over
  let done = 0; // landings that have happened

  const words_of = (landing) => landing.words ?? stages_of(model, landing.request)[landing.stage] ?? [];
  const happen = (landing) => {
    const content = contents[landing.array], { first } = json.arrays[landing.array];
    const words = words_of(landing);
    landing.before = words.map((word) => content[word.address - first]);
    for (const word of words) if (word.value !== undefined) content[word.address - first] = word.value;
  };
  const undo = (landing) => {
    const { first } = json.arrays[landing.array];
    words_of(landing).forEach((word, i) => (contents[landing.array][word.address - first] = landing.before[i]));
  };

  return {
    /** Goes to the state at the begin of a time unit, forward or backward; costs the stages in between. */
    go(time) {
      const target = upper_bound(landings, time, (i) => landings[i].time);
      while (done < target) happen(landings[done++]);
      while (done > target) undo(landings[--done]);
    },
    /** Of a word of an array: a value, null for an unwritten word, or `unknown`. */
    at: (array, word) => contents[array][word] ?? (json.arrays[array].initial ? null : unknown),
  };
};
