// memlane explain model: what each model of computation counts, and what it leaves out.
#include "explain.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// The page of a model; lines are cut where the text has line ends.
struct ModelPage {
  std::string_view name;
  std::string_view title;
  std::string_view source;
  std::string_view counts;
  std::string_view leaves_out;
  std::string_view get; ///< how memlane gives it
};

constexpr ModelPage pages[] = {
    {"dmm", "Discrete Memory Machine", "Nakano 2014 [N]; configs/README.md sections 1 to 5",
     "time units of one memory of w banks. A request of a warp takes as many stages\n"
     "as addresses of one bank differ (bank conflicts); one stage enters in a time\n"
     "unit, and a request completes l time units after its last stage.",
     "operators (unless instruction_cost is set), a second level of memory, caches.",
     "run PROGRAM -m dmm-w32: time, stages, conflicts, idle time"},
    {"umm", "Unified Memory Machine", "Nakano 2014 [N]; configs/README.md sections 1 to 5",
     "time units of one memory of w words a row. A request of a warp takes as many\n"
     "stages as it has address groups (uncoalesced access); one stage enters in a\n"
     "time unit, and a request completes l time units after its last stage.",
     "operators (unless instruction_cost is set), shared memory, caches.",
     "run PROGRAM -m umm-w32: time, stages, conflicts, idle time"},
    {"hmm", "Hierarchical Memory Machine",
     "Nakano & Ito 2014 [NI]; configs/README.md sections 1 to 5",
     "time units of d multiprocessors. Each has a shared memory, a DMM of latency l,\n"
     "and all have one global memory, a UMM of latency L. The run ends with its last\n"
     "request; blocks go to multiprocessors in turn, resident_blocks at a time.",
     "operators (unless instruction_cost is set), caches, registers, traffic to the host.",
     "run PROGRAM -m hmm-teaching: time of each unit, line and launch, latency hiding"},
    {"agpu", "Abstract GPU", "Koike 2015 [K]; configs/README.md section 6",
     "time: of each launch, the costs of the statements on its slowest\n"
     "multiprocessor. I/O: blocks of b words that requests to global memory touch.\n"
     "Multiplicity M/m: how many blocks fit into a shared memory.",
     "latency and when a request happens: nothing is overlapped, nothing waits.",
     "run PROGRAM -m agpu-teaching; on other machines agpu_time, agpu_io, … too, for\n"
     "blocks of w threads"},
    {"mmm", "Many-core Machine Model",
     "S. A. Haque, M. Moreno Maza, N. Xie [HMX]; configs/README.md section 8",
     "work: operators of all threads. Span: those of the longest path of blocks,\n"
     "each with its longest thread. Overhead: of each block, the most words read and\n"
     "the most words written by a thread, U time units a word.",
     "bank conflicts, coalescing, and how latency is hidden: all are in U.",
     "run PROGRAM -m mmm-teaching: mmm_work, mmm_span, mmm_overhead, the time of the\n"
     "greedy schedule, and the bounds of Theorem 1 and Corollary 1"},
    {"pram", "Parallel Random Access Machine",
     "S. Fortune, J. Wyllie [FW]; configs/README.md section 9",
     "steps: rounds in which every warp that has a request makes one, all blocks\n"
     "resident. Work: active threads, summed over the rounds. Class: the weakest of\n"
     "EREW, CREW and CRCW that the accesses of a round need, with the line.",
     "operators, latency, conflicts, shared memory: every access takes one step.",
     "run PROGRAM --pram: pram_steps, pram_work, pram_class, pram_line; claims may use\n"
     "pram_steps and pram_work"},
    {"pem", "Parallel External Memory",
     "L. Arge, M. T. Goodrich, M. Nelson, N. Sitchinava [AGNS]; Koike 2015 [K] section 2.6.2",
     "t + lambda*q + sigma for each launch, summed: t and q are its AGPU time and I/O,\n"
     "lambda time units an I/O, sigma a synchronization.",
     "which I/Os happen at the same time, latency that is hidden, bank conflicts\n"
     "beyond those in the AGPU's time.",
     "run PROGRAM --price pem:lambda=400,sigma=10, for blocks of w threads"},
    {"bsp", "Bulk Synchronous Parallel", "L. G. Valiant [V]; configs/README.md section 9",
     "w + g*h + l for each launch, a superstep, summed: w the operators and h the\n"
     "words of global memory, read or written, of the multiprocessor with the most of\n"
     "each. Block g is on multiprocessor g mod p. Operators count once for each warp.",
     "coalescing, conflicts, barriers inside a block, and the order in a superstep.",
     "run PROGRAM --price bsp:g=10,l=400,p=14"},
    {"io", "I/O model", "A. Aggarwal, J. S. Vitter [AV]; Koike 2015 [K] Theorem 3.5",
     "transfers of blocks of b words between a memory of M words and a disk. By the\n"
     "theorem, a program on a volatile AGPU makes as many there as its I/O counts.",
     "computation, parallelism, latency: only transfers cost.",
     "run PROGRAM --price io, for blocks of w threads and volatile shared memory"},
    {"graham_brent", "Graham-Brent bound",
     "R. L. Graham [G]; R. P. Brent [Br]; configs/README.md section 9",
     "an upper bound of the time of any greedy schedule on p processors:\n"
     "T_p <= span + (work - span)/p. Span and work are the PRAM's steps and work.",
     "all that the PRAM leaves out, and what scheduling itself costs.",
     "run PROGRAM --price graham_brent:p=128"},
    {"tmm", "Threaded Many-core Memory model",
     "L. Ma, K. Agrawal, R. D. Chamberlain, cited by S. A. Haque, M. Moreno Maza, N. Xie [HMX]",
     "nothing: memlane does not compute it. The paper with its definition was not at\n"
     "hand, and what cites it does not give the running time with all its parameters. A\n"
     "number from a guessed formula would not be the model's.",
     "not known here. The model is said to have the throughput of the memory and the\n"
     "size of coalesced accesses among its parameters.",
     "near to it: the HMM (explain model hmm) has width, latency and threads"},
};

const ModelPage* page_named(std::string_view name) {
  std::string written(name);
  std::replace(written.begin(), written.end(), '-', '_');
  for (const ModelPage& page : pages)
    if (page.name == written) return &page;
  return nullptr;
}

void add_part(std::string& text, std::string_view head, std::string_view part) {
  for (std::size_t end = 0; end != std::string_view::npos; head = "") {
    end = part.find('\n');
    text += fmt::format("{:<14}{}\n", head, part.substr(0, end));
    if (end != std::string_view::npos) part.remove_prefix(end + 1);
  }
}

std::string text_of(const ModelPage& page) {
  std::string text;
  add_part(text, page.name, page.title);
  add_part(text, "source", page.source);
  add_part(text, "counts", page.counts);
  add_part(text, "leaves out", page.leaves_out);
  add_part(text, page.name == "tmm" ? "instead" : "in memlane", page.get);
  return text;
}

} // namespace

Result<std::string> explain_model(const ExplainRequest& request, Sources&) {
  const std::vector<std::string>& words = request.words;
  if (words.size() > 2) return error_in("", "explain model takes one model");
  TextTable table({Align::left, Align::left, Align::prose});
  std::vector<std::string> names;
  for (const ModelPage& page : pages) {
    table.add({std::string(page.name), std::string(page.title), std::string(page.source)});
    names.emplace_back(page.name);
  }
  if (words.size() < 2) return table.text(0, request.columns);
  if (const ModelPage* page = page_named(words[1])) return text_of(*page);
  std::vector<std::string> help = did_you_mean(words[1], names);
  help.emplace_back("'memlane explain model' lists them all");
  return error_in("", fmt::format("no model is named '{}'", words[1]), help);
}

} // namespace memlane::cli
