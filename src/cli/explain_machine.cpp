#include "explain.hpp"

#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct Choice {
  std::string_view subject;
  int section; ///< of configs/README.md
  std::string_view text;
  enum { of_all, not_of_mmm, of_mmm } machines = not_of_mmm;
};

/// Each **Choice** of configs/README.md, and what a reader needs beside them.
constexpr Choice choices[] = {
    {"arrays", 1, "Arrays lie in the order of their declaration. Each begins at a multiple of w."},
    {"addresses", 2, "Equal addresses of one request count once."},
    {"concurrent writes", 2,
     "If several threads of one request write the same word, the highest-numbered\n"
     "thread wins. The count concurrent_writes is the number of such words."},
    {"requests", 2,
     "Each array element in the text is a request; none is cached or removed. A\n"
     "request without an active thread takes no time and is not counted."},
    {"divergence", 2,
     "Where an if divides a warp, the then-branch runs before the else-branch, and\n"
     "all threads continue together after the if. A warp leaves a loop when no\n"
     "thread is active in it.",
     Choice::of_all},
    {"dispatch", 3,
     "A free port dispatches the next warp in cyclic order that has a request\n"
     "waiting. The order is by multiprocessor, then by the block's slot on it, then\n"
     "by warp. Each launch begins at the first warp."},
    {"lockstep", 3,
     "false: warps run freely. true: a round begins when no request is on its way;\n"
     "each warp that has a request then makes one."},
    {"launches", 3,
     "On a DMM, a UMM or an HMM, launches inside concurrent { … } run one after the\n"
     "other, in the order of main."},
    {"blocks", 4,
     "static: block g runs on multiprocessor g mod d, and each multiprocessor starts\n"
     "its blocks in increasing order. dynamic: the next block goes to the\n"
     "multiprocessor with the fewest resident blocks, the lowest-numbered one of\n"
     "equals."},
    {"idle time", 5,
     "A time unit in which no stage enters the pipeline is idle_latency if a warp has\n"
     "a request on its way and will make another one, else idle_barrier if a warp\n"
     "waits at a barrier, else idle_drain if a request is on its way, else idle_empty."},
    {"AGPU", 6,
     "[K] counts up to a constant factor; the constants are chosen. Each execution\n"
     "of a statement with data by a warp costs max(1, operators + global operands),\n"
     "and a unit for each stage beyond the first of each request. Stages are those\n"
     "of groups of w words and of w banks, without shared.least_stages and\n"
     "shared.atomic_cost. A call of a fn that is an expression is one operator. A\n"
     "launch takes the time of its slowest multiprocessor; block g runs on number g\n"
     "mod k. A block is one warp of b threads. Shared memory is erased at the start\n"
     "of each block, or with volatile=false belongs to the multiprocessor, as far as\n"
     "it is declared at a program's top level. Registers are not shared words."},
    {"MMM", 8,
     "[HMX] counts a local access as a local operation in section 2.1, and not in its\n"
     "analyses: work is counted operators, local_accesses is counted apart. A word that\n"
     "a thread reads or writes in global memory counts once for each access; accesses\n"
     "are not merged. The path is counted in blocks. A greedy schedule is carried out:\n"
     "the multiprocessor that is free first takes the next block. Threads and shared\n"
     "words of a block are at most Z each. Two threads of one request that write one\n"
     "word are an error (CREW). Lanes are those of warps of 32.",
     Choice::of_mmm},
    {"PRAM, BSP", 9,
     "A PRAM's steps are rounds as in lockstep with all blocks resident. On BSP's p\n"
     "multiprocessors, block g is on number g mod p; a launch is a superstep.\n"
     "Launches inside concurrent { … } run one after the other.",
     Choice::of_all},
    {"tensor units", 10,
     "A tensor unit multiplies registers: the elements of its tiles are read and\n"
     "written by requests, which take stages of the memories beside the unit's\n"
     "s^2 + l time units."},
    {"operators", 6,
     "instruction_cost, 0 by default, delays a warp for each counted operator that it\n"
     "executes. 'memlane explain counts instructions' says which operators count."},
};

std::string origin_of(const Setting& setting, const Sources& sources) {
  if (setting.origin.kind == OriginKind::default_value) return "default";
  if (setting.origin.kind == OriginKind::option) return "--set";
  const Position position = sources.begin(setting.origin.span);
  return fmt::format("{}:{}", sources.path(setting.origin.span.file), position.line);
}

} // namespace

std::string machine_choices(std::optional<Model> model) {
  std::string text =
      "configs/README.md defines the machines. In short, and where the papers leave a\n"
      "choice open:\n";
  for (const Choice& choice : choices) {
    const auto other = model == Model::mmm ? Choice::not_of_mmm : Choice::of_mmm;
    if (model && choice.machines == other) continue;
    text += fmt::format("\n{} (section {})\n  ", choice.subject, choice.section);
    for (char c : choice.text) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text += '\n';
  }
  return text;
}

std::string machine_page(const LoadedMachine& machine, const Sources& sources,
                         std::size_t columns) {
  TextTable table({Align::left, Align::left, Align::left, Align::prose});
  for (const Setting& setting : machine.settings) {
    if (setting.key->kind == KeyKind::lines || !setting.key->fetch) continue;
    table.add({std::string(setting.key->path), on_one_line(text_of(setting.value), 60),
               origin_of(setting, sources), std::string(setting.key->meaning)});
  }
  std::string text = machine.spec.name.empty() ? machine.path : machine.spec.name;
  text += '\n';
  if (!machine.spec.notes.empty()) text += paragraph_text(machine.spec.notes, 0);
  return text + '\n' + table.text(0, columns);
}

} // namespace memlane::cli
