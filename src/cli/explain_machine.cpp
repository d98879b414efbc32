#include "explain.hpp"

#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct Choice {
  std::string_view subject;
  std::string_view text;
};

/// Where the papers leave a choice open and memlane has made it, for the machines it runs.
constexpr Choice choices[] = {
    {"arrays", "Every array starts at a word whose number is a multiple of w, in the order of\n"
               "declaration."},
    {"addresses", "Equal addresses of one request are merged: they are asked for once."},
    {"concurrent writes", "If several threads of one request write one word, the highest-numbered\n"
                          "one wins, and the result says how many words that were."},
    {"requests", "Every array element in the text is a request; none is cached or left out. A\n"
                 "request with no active thread costs nothing and is not counted."},
    {"dispatch",
     "When a port is free, the next warp in cyclic order that has a request waiting\n"
     "gets it. The order goes by multiprocessor, place of the block on it, and warp; it\n"
     "starts afresh with every launch."},
    {"divergence",
     "Where the threads of a warp part, the then-path runs before the else-path, and\n"
     "they meet again behind the if. A loop goes on until no thread is active."},
    {"blocks",
     "Block g runs on multiprocessor g mod d, the blocks of one multiprocessor in rising\n"
     "order."},
    {"operators",
     "instruction_cost delays a warp once for every counted operator that it executes.\n"
     "'memlane explain counts instructions' says which operators count. It is 0 unless\n"
     "a machine says otherwise, as in the papers."},
    {"lockstep", "Off: warps run freely. On: a round begins when the memory is empty, and every\n"
                 "warp makes one request in it."},
    {"idle time",
     "A time unit in which no stage enters the pipeline is idle_latency if some warp\n"
     "waits for its request and has another to come, else idle_barrier if one waits at\n"
     "a barrier, else idle_drain if a request is on its way, else idle_empty."},
    {"random numbers",
     "Number k is a function of the seed, the stream and k alone, so a run can be\n"
     "repeated anywhere to the bit."},
};

std::string origin_of(const Setting& setting, const Sources& sources) {
  if (setting.origin.kind == OriginKind::standard) return "default";
  if (setting.origin.kind == OriginKind::option) return "--set";
  const Position position = sources.begin(setting.origin.span);
  return fmt::format("{}:{}", sources.path(setting.origin.span.file), position.line);
}

} // namespace

std::string machine_choices() {
  std::string text = "Where the papers leave a choice open, memlane does this:\n";
  for (const Choice& choice : choices) {
    text += fmt::format("\n{}\n  ", choice.subject);
    for (char c : choice.text) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text += '\n';
  }
  return text;
}

std::string machine_page(const LoadedMachine& machine, const Sources& sources) {
  TextTable table({Align::left, Align::left, Align::left, Align::left});
  for (const Setting& setting : machine.settings) {
    if (setting.key->kind == KeyKind::lines || !setting.key->fetch) continue;
    table.add({std::string(setting.key->path), on_one_line(shown(setting.value), 60),
               std::string(setting.key->meaning), origin_of(setting, sources)});
  }
  std::string text = machine.spec.name.empty() ? machine.path : machine.spec.name;
  text += '\n';
  if (!machine.spec.notes.empty()) text += machine.spec.notes + '\n';
  return text + '\n' + table.text();
}

} // namespace memlane::cli
