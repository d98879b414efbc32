// memlane explain nsight: names of Nsight Compute beside memlane's.
#include "explain.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {

namespace {

struct Counter {
  std::string_view nsight;  ///< its short name, as Nsight's pages say it
  std::string_view metrics; ///< what `ncu --metrics` calls it; empty: several
  std::string_view memlane; ///< the count beside it; empty: none
  std::string_view relation;
};

// Requests, sectors, wavefronts: the L1TEX unit of NVIDIA's GPUs since Volta.
constexpr Counter counters[] = {
    {"requests, global", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, …_op_st.sum",
     "requests of the global memory, read and write",
     "Equal, except where ptxas merged or removed accesses. memlane counts an atomic as a write; "
     "Nsight "
     "has counters of its own for them."},
    {"sectors, global", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, …_op_st.sum",
     "sectors (--details; --format json)",
     "Equal where no cache merges requests: in 30 of 36 published counts, the others differ by at "
     "most 9.5 %. With --set global.group=8 the stages of 4-byte accesses are their sectors."},
    {"sectors, excessive", "", "sectors − needed",
     "The same idea: sectors beyond those that as many bytes side by side would touch."},
    {"requests, shared", "smsp__inst_executed_op_shared_ld.sum, …_op_shared_st.sum",
     "requests of the shared memory, read and write",
     "Equal, except where ptxas merged accesses (four reads of 4 bytes become one of 16)."},
    {"wavefronts, shared", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
     "stages of the shared memory",
     "The same rule: words in one bank are served one after the other. Not held against "
     "measurements; "
     "their conflicts are. With --set shared.least_stages=1, as bank conflicts."},
    {"bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum, …_op_st.sum",
     "stages lost to conflicts, shared memory",
     "Equal in 36 of 36 published counts of kernels without atomics. Conflicts of atomics are "
     "counted by "
     "another rule on each GPU; shared.atomic_cost stands for it. Where a machine has "
     "shared.least_stages above 1, which is about time, count with --set shared.least_stages=1: "
     "else a conflict within the least stages is not lost."},
    {"wavefronts, excessive", "", "stages lost to conflicts, by source line",
     "The same idea, on Nsight's source page."},
    {"instructions executed", "smsp__inst_executed.sum", "steps (--format json)",
     "Not equal: memlane executes PTX, and ptxas makes fewer or more instructions of it."},
    {"registers, blocks per SM", "launch__registers_per_thread, launch__occupancy_limit_…",
     "registers of a thread; blocks that a multiprocessor holds",
     "Registers are read from the executable. The blocks follow from them on a machine with "
     "registers, "
     "max_threads and shared.capacity."},
    {"duration", "gpu__time_duration.sum", "time",
     "Not equal: time units of the model. Compare kernels with kernels, and ratios with ratios."},
    {"hit rates, L2, DRAM", "lts__…, dram__…", "", "memlane has no caches."},
    {"stall reasons", "smsp__…_issue_stalled_…", "idle time by cause (--details)",
     "Not equal. Nsight counts warps that wait, memlane the time units in which a memory idles, "
     "each for the wait that ends next. In flight are at most requests_in_flight requests of a "
     "warp; with 1, it waits for each. On machines with own ports, operations or more in flight, "
     "a table names the cause: value is like long or short scoreboard, operation like a pipe or a "
     "fixed latency, port like a throttle, barrier like barrier."},
};

} // namespace

Result<std::string> explain_nsight(const ExplainRequest& request, Sources&) {
  if (request.words.size() > 1) return error_in("", "explain nsight takes no further words");
  std::string text =
      "Counters of NVIDIA Nsight Compute, and what memlane ptx and memlane cuda count beside "
      "them.\n"
      "A GPU executes machine code; memlane executes PTX, from which ptxas makes it.\n";
  for (const Counter& counter : counters) {
    text += fmt::format("\n{}\n", counter.nsight);
    if (!counter.metrics.empty()) text += labelled_lines("  ncu", std::string(counter.metrics), 12);
    if (!counter.memlane.empty())
      text += labelled_lines("  memlane", std::string(counter.memlane), 12);
    text += labelled_lines("", std::string(counter.relation), 12);
  }
  return text +
         "\nPublished counts: Muller & Hoffmann, POPL 2021 (RaCUDA), kernels of NVIDIA's SDK.\n";
}

} // namespace memlane::cli
