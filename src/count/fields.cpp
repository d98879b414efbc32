#include "memlane/count/fields.hpp"

namespace memlane {

namespace {

bool is_unit_timed(const UnitCounts& unit) { return unit.timed; }
bool has_requests(const LineCounts& line) { return !line.mmm; }
bool is_of_mmm(const LineCounts& line) { return line.mmm.has_value(); }

} // namespace

const std::vector<Field<Counts>>& count_fields() {
  static const std::vector<Field<Counts>> fields = {
      {"time", "time units", "from the start of the run or launch to its end",
       [](const Counts& c) { return c.time.value; }, [](const Counts& c) { return c.time_known; }},
      {"launches", "launches", "kernels started by the host",
       [](const Counts& c) { return c.launches; }},
      {"barriers", "barriers", "barriers released, summed over the blocks",
       [](const Counts& c) { return c.barriers; }},
      {"instructions", "operators", "counted operators, once for each warp that executes one",
       [](const Counts& c) { return c.instructions; }},
      {"shared_words", "words",
       "largest number in a block: with spare words of layouts, without alignment gaps",
       [](const Counts& c) { return c.shared_words; }},
  };
  return fields;
}

const std::vector<Field<AgpuCounts>>& agpu_fields() {
  using A = AgpuCounts;
  static const std::vector<Field<A>> fields = {
      {"time", "time units",
       "costs of statements on the slowest multiprocessor of each launch; none where a block has "
       "other than w threads",
       [](const A& a) { return *a.time; }, [](const A& a) { return a.time.has_value(); }},
      {"io", "blocks of w words",
       "that requests to memory arrays touched, on all multiprocessors; none as for time",
       [](const A& a) { return *a.io; }, [](const A& a) { return a.io.has_value(); }},
      {"shared_words", "words", "largest number in a block",
       [](const A& a) { return a.shared_words; }},
      {"global_words", "words", "of all memory arrays; a trace does not tell",
       [](const A& a) { return *a.global_words; },
       [](const A& a) { return a.global_words.has_value(); }},
  };
  return fields;
}

const std::vector<Field<PramCounts>>& pram_fields() {
  using P = PramCounts;
  static const std::vector<Field<P>> fields = {
      {"steps", "rounds", "in each, every warp of the launch that has a request makes one",
       [](const P& p) { return p.steps; }},
      {"work", "threads", "active in the requests, summed over the rounds",
       [](const P& p) { return p.work; }},
  };
  return fields;
}

const std::vector<Field<MmmCounts>>& mmm_fields() {
  using M = MmmCounts;
  static const std::vector<Field<M>> fields = {
      {"work", "operators", "W: counted operators of all threads",
       [](const M& m) { return m.work; }},
      {"span", "operators",
       "S: of the thread with the most in each block; of a run, of the heaviest path of launches",
       [](const M& m) { return m.span; }},
      {"overhead", "time units",
       "O: (r + s)·U of each block, whose threads read at most r words and write at most s",
       [](const M& m) { return m.overhead; }},
      {"local_accesses", "accesses", "to shared arrays, by all threads; they are not in the work",
       [](const M& m) { return m.local_accesses; }},
      {"blocks", "blocks", "N: of all launches", [](const M& m) { return m.blocks; }},
      {"path", "blocks", "Λ: on the longest path of blocks that wait for each other",
       [](const M& m) { return m.path; }},
      {"antichain", "blocks", "K: the most that are independent of each other",
       [](const M& m) { return m.antichain; }},
      {"block_cost", "time units", "C: the largest S + O of a block",
       [](const M& m) { return m.block_cost; }},
      {"time", "time units", "of the greedy schedule on P multiprocessors",
       [](const M& m) { return m.time; }},
      {"sequential_time", "time units", "of the same blocks on one multiprocessor",
       [](const M& m) { return m.sequential_time; }},
      {"unbounded_time", "time units", "of the same blocks on any number of multiprocessors",
       [](const M& m) { return m.unbounded_time; }},
      {"transfer_time", "time units",
       "of the thread of each block that moves the most words: at most the overhead, inequality "
       "(1)",
       [](const M& m) { return m.transfer_time; }},
      {"thread_time", "time units",
       "of the thread of each block that takes longest: at most sequential_time, inequality (2)",
       [](const M& m) { return m.thread_time; }},
  };
  return fields;
}

const std::vector<BoundField>& mmm_bounds() {
  static const std::vector<BoundField> bounds = {
      {"theorem1", "bound of the time: (N/P + Λ)·C (time units)",
       [](const MmmCounts& m) { return std::optional(m.theorem1()); }},
      {"corollary1",
       "bound of the time: (N/K + Λ)·C; none with fewer than K multiprocessors (time units)",
       [](const MmmCounts& m) { return m.corollary1(); }},
  };
  return bounds;
}

const std::vector<Field<RunResult>>& run_fields() {
  static const std::vector<Field<RunResult>> fields = {
      {"global_words", "words",
       "of all memory arrays: with spare words of layouts, without alignment gaps",
       [](const RunResult& r) { return r.global_words; }},
      {"host_words", "words", "read and written by main itself, at no cost",
       [](const RunResult& r) { return r.host_words; }},
      {"steps", "steps", "instructions executed by the simulation",
       [](const RunResult& r) { return r.steps; }},
      {"races", "races", "races found and allowed",
       [](const RunResult& r) { return r.races.races; }},
  };
  return fields;
}

const std::vector<Field<UnitCounts>>& time_fields() {
  static const std::vector<Field<UnitCounts>> fields = {
      {"busy", "time units", "at least one stage enters the pipeline",
       [](const UnitCounts& u) { return u.busy; }, is_unit_timed},
      {"idle_latency", "time units", "a warp waits for its request and has another to come",
       [](const UnitCounts& u) { return u.idle_latency; }, is_unit_timed},
      {"idle_barrier", "time units", "else, a warp waits at a barrier",
       [](const UnitCounts& u) { return u.idle_barrier; }, is_unit_timed},
      {"idle_drain", "time units", "else, the last requests are on their way",
       [](const UnitCounts& u) { return u.idle_drain; }, is_unit_timed},
      {"idle_empty", "time units", "nothing is on its way",
       [](const UnitCounts& u) { return u.idle_empty; }, is_unit_timed},
  };
  return fields;
}

const std::vector<Field<UnitCounts>>& unit_fields() {
  static const std::vector<Field<UnitCounts>> fields = [] {
    std::vector<Field<UnitCounts>> list = {
        {"requests", "requests", "memory instructions of warps with an active thread",
         [](const UnitCounts& u) { return u.requests; }},
        {"stages", "stages", "pipeline stages that the requests took",
         [](const UnitCounts& u) { return u.stages; }},
        {"conflicts", "stages", "stages beyond the first of each request",
         [](const UnitCounts& u) { return u.conflicts(); }},
        {"reads", "requests", "requests that read", [](const UnitCounts& u) { return u.reads; }},
        {"writes", "requests", "requests that write", [](const UnitCounts& u) { return u.writes; }},
        {"concurrent_writes", "words", "words that two or more threads of one request wrote",
         [](const UnitCounts& u) { return u.concurrent_writes; }},
    };
    list.insert(list.end(), time_fields().begin(), time_fields().end());
    list.push_back({"resident_warps", "warps", "largest number resident at the same time",
                    [](const UnitCounts& u) { return u.resident_warps; }, is_unit_timed});
    return list;
  }();
  return fields;
}

const std::vector<Field<LineCounts>>& line_fields() {
  static const std::vector<Field<LineCounts>> fields = {
      {"requests", "requests", "made by the array elements of the line",
       [](const LineCounts& l) { return l.requests; }, has_requests},
      {"stages", "stages", "pipeline stages that they took",
       [](const LineCounts& l) { return l.stages; }, has_requests},
      {"worst", "stages", "of the request with the most stages",
       [](const LineCounts& l) { return l.worst; }, has_requests},
      {"lost", "stages", "lost to conflicts: stages beyond the first of each request",
       [](const LineCounts& l) { return l.stages - l.requests; }, has_requests},
  };
  return fields;
}

const std::vector<Field<LineCounts>>& agpu_line_fields() {
  using L = LineCounts;
  static const std::vector<Field<L>> fields = {
      {"time", "time units", "of its statements, on the slowest multiprocessor of each launch",
       [](const L& l) { return *l.agpu_time; }, [](const L& l) { return l.agpu_time.has_value(); }},
      {"io", "blocks of w words", "that its requests to memory arrays touched",
       [](const L& l) { return *l.io; }, [](const L& l) { return l.io.has_value(); }},
      {"operators", "operators", "counted ones, on all multiprocessors",
       [](const L& l) { return l.operators; }},
  };
  return fields;
}

const std::vector<Field<LineCounts>>& mmm_line_fields() {
  using L = LineCounts;
  static const std::vector<Field<L>> fields = {
      {"work", "operators", "counted ones, by all threads", [](const L& l) { return l.mmm->work; },
       is_of_mmm},
      {"reads", "words", "that threads read from global memory",
       [](const L& l) { return l.mmm->reads; }, is_of_mmm},
      {"writes", "words", "that threads write to global memory",
       [](const L& l) { return l.mmm->writes; }, is_of_mmm},
      {"local_accesses", "accesses", "of threads to shared arrays",
       [](const L& l) { return l.mmm->local_accesses; }, is_of_mmm},
  };
  return fields;
}

const std::vector<Field<FnCounts>>& fn_fields() {
  static const std::vector<Field<FnCounts>> fields = {
      {"calls", "calls", "by all threads; calls with constant arguments are constants",
       [](const FnCounts& f) { return f.calls; }},
      {"steps", "steps", "calls executed by warps, on the slowest multiprocessor",
       [](const FnCounts& f) { return f.steps; }},
  };
  return fields;
}

} // namespace memlane
