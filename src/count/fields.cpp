#include "memlane/count/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

bool is_unit_timed(const UnitCounts& unit) { return unit.timed; }
bool line_has_requests(const LineCounts& line) { return !line.mmm; }

bool is_tensor_unit(const OperationAccount& unit) {
  return unit.unit == name_of(OperationClass::tensor);
}
bool has_tensor_units(const Counts& counts) {
  return std::any_of(counts.operations.begin(), counts.operations.end(), is_tensor_unit);
}
bool has_ports(const Counts& counts) { return !counts.ports.empty(); }

/// Summed over the multiprocessors.
template <auto member>
std::int64_t of_ports(const Counts& counts) {
  std::int64_t sum = 0;
  for (const PortCounts& port : counts.ports) sum += port.*member;
  return sum;
}

/// Summed over the multiprocessors.
template <auto member>
std::int64_t of_tensor_units(const Counts& counts) {
  std::int64_t sum = 0;
  for (const OperationAccount& unit : counts.operations)
    if (is_tensor_unit(unit)) sum += unit.*member;
  return sum;
}

} // namespace

const std::vector<Field<Counts>>& count_fields() {
  static const std::vector<Field<Counts>> fields = {
      {"time", "time units", "from the start of the run or launch to its end",
       [](const Counts& c) { return c.time.value; }, [](const Counts& c) { return c.time_known; }},
      {"launches", "launches", "kernels started by the host", count_of<&Counts::launches>},
      {"barriers", "barriers", "barriers released, summed over the blocks",
       count_of<&Counts::barriers>},
      {"instructions", "operators", "counted operators, once for each warp that executes one",
       count_of<&Counts::instructions>},
      {"shared_words", "words",
       "largest number in a block: with spare words of layouts, without alignment gaps",
       count_of<&Counts::shared_words>},
  };
  return fields;
}

const std::vector<Field<RunResult>>& run_fields() {
  static const std::vector<Field<RunResult>> fields = {
      {"global_words", "words",
       "of all memory arrays: with spare words of layouts, without alignment gaps",
       count_of<&RunResult::global_words>},
      {"host_words", "words", "read and written by main itself, at no cost",
       count_of<&RunResult::host_words>},
      {"steps", "steps", "instructions executed by the simulation", count_of<&RunResult::steps>},
      {"races", "races", "races found and allowed",
       [](const RunResult& r) { return r.races.races; }},
  };
  return fields;
}

const std::vector<Field<UnitCounts>>& time_fields() {
  static const std::vector<Field<UnitCounts>> fields = {
      {"busy", "time units", "at least one stage enters the pipeline", count_of<&UnitCounts::busy>,
       is_unit_timed},
      {"idle_latency", "time units", "a warp waits for its request and has another to come",
       count_of<&UnitCounts::idle_latency>, is_unit_timed},
      {"idle_barrier", "time units", "else, a warp waits at a barrier",
       count_of<&UnitCounts::idle_barrier>, is_unit_timed},
      {"idle_drain", "time units", "else, the last requests are on their way",
       count_of<&UnitCounts::idle_drain>, is_unit_timed},
      {"idle_empty", "time units", "nothing is on its way", count_of<&UnitCounts::idle_empty>,
       is_unit_timed},
  };
  return fields;
}

const std::vector<Field<UnitCounts>>& unit_fields() {
  static const std::vector<Field<UnitCounts>> fields = [] {
    std::vector<Field<UnitCounts>> list = {
        {"requests", "requests", "memory instructions of warps with an active thread",
         count_of<&UnitCounts::requests>},
        {"stages", "stages", "pipeline stages that the requests took",
         count_of<&UnitCounts::stages>},
        {"conflicts", "stages", "stages beyond those that the words of each request need",
         [](const UnitCounts& u) { return u.conflicts(); }},
        {"reads", "requests", "requests that read", count_of<&UnitCounts::reads>},
        {"writes", "requests", "requests that write", count_of<&UnitCounts::writes>},
        {"concurrent_writes", "words", "words that two or more threads of one request wrote",
         count_of<&UnitCounts::concurrent_writes>},
    };
    list.insert(list.end(), time_fields().begin(), time_fields().end());
    list.push_back({"resident_warps", "warps", "largest number resident at the same time",
                    count_of<&UnitCounts::resident_warps>, is_unit_timed});
    return list;
  }();
  return fields;
}

const std::vector<Field<PortCounts>>& port_fields() {
  static const std::vector<Field<PortCounts>> fields = {
      {"lines", "lines", "that the requests touched", count_of<&PortCounts::lines>},
      {"groups", "address groups", "that the requests touched", count_of<&PortCounts::groups>},
      {"groups_reused", "address groups",
       "that reads need not ask for, since their block has read them before",
       count_of<&PortCounts::groups_reused>},
      {"groups_reused_extra", "address groups",
       "of the reused ones, those beyond what the words of their request need",
       count_of<&PortCounts::groups_reused_extra>},
  };
  return fields;
}

const std::vector<Field<OperationAccount>>& operation_fields() {
  using O = OperationAccount;
  static const std::vector<Field<O>> fields = {
      {"multiprocessor", "", "its number", count_of<&O::multiprocessor>},
      {"operations", "operations", "executed by warps", count_of<&O::operations>},
      {"stages", "stages", "that these take", count_of<&O::stages>},
      {"busy", "time units", "at least one stage enters it", count_of<&O::busy>},
      {"idle", "time units", "none does", count_of<&O::idle>},
  };
  return fields;
}

const std::vector<Field<Counts>>& part_fields() {
  using O = OperationAccount;
  using P = PortCounts;
  static const std::vector<Field<Counts>> fields = {
      {"port_requests", "requests", "that multiprocessors' own ports served",
       of_ports<&P::requests>, has_ports},
      {"port_stages", "stages", "that these requests took at own ports", of_ports<&P::stages>,
       has_ports},
      {"port_lines", "lines", "that these requests touched", of_ports<&P::lines>, has_ports},
      {"port_groups", "address groups", "that these requests touched", of_ports<&P::groups>,
       has_ports},
      {"port_groups_reused", "address groups",
       "that reads need not ask for, since their block has read them before",
       of_ports<&P::groups_reused>, has_ports},
      {"tensor_operations", "products", "of tiles, executed by warps",
       of_tensor_units<&O::operations>, has_tensor_units},
      {"tensor_busy", "time units", "at least one stage enters a multiprocessor's tensor unit",
       of_tensor_units<&O::busy>, has_tensor_units},
      {"tensor_idle", "time units", "none does, summed over the multiprocessors as tensor_busy is",
       of_tensor_units<&O::idle>, has_tensor_units},
  };
  return fields;
}

const std::vector<Field<LineCounts>>& line_fields() {
  static const std::vector<Field<LineCounts>> fields = {
      {"requests", "requests", "made by the array elements of the line",
       count_of<&LineCounts::requests>, line_has_requests},
      {"stages", "stages", "pipeline stages that they took", count_of<&LineCounts::stages>,
       line_has_requests},
      {"worst", "stages", "of the request with the most stages", count_of<&LineCounts::worst>,
       line_has_requests},
      {"lost", "stages",
       "lost to conflicts: stages beyond those that the words of each request need",
       [](const LineCounts& l) { return l.conflicts(); }, line_has_requests},
  };
  return fields;
}

const std::vector<Field<FnCounts>>& fn_fields() {
  static const std::vector<Field<FnCounts>> fields = {
      {"calls", "calls", "by all threads; calls with constant arguments are constants",
       count_of<&FnCounts::calls>},
      {"steps", "steps", "calls executed by warps, on the slowest multiprocessor",
       count_of<&FnCounts::steps>},
  };
  return fields;
}

// --- the tables of models

std::string to_text(const ModelValue& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* bound = std::get_if<MmmBound>(&value)) return bound->text();
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

std::string ModelField::meaning_with_unit() const {
  return unit.empty() ? std::string(meaning) : fmt::format("{} ({})", meaning, unit);
}

namespace {

using Kind = ModelField::Kind;
using M = ModelCounts;

template <class V>
ModelValue value_of(const std::optional<V>& value) {
  return value ? ModelValue(*value) : ModelValue();
}

// Members of a model's counts as values.
template <auto member>
ModelValue agpu(const M& m) {
  return value_of(std::optional(m.agpu.*member));
}
template <auto member>
ModelValue pram(const M& m) {
  return (*m.pram).*member;
}
template <auto member>
ModelValue mmm(const M& m) {
  return (*m.mmm).*member;
}
template <auto member>
std::int64_t mmm_line(const LineCounts& line) {
  return (*line.mmm).*member;
}
bool is_of_mmm(const LineCounts& line) { return line.mmm.has_value(); }

ModelTable agpu_table() {
  using A = AgpuCounts;
  using L = LineCounts;
  return {
      "agpu",
      "AGPU",
      "after Koike: time and io are null where a block has other than w threads",
      WithoutCounts::object_of_none,
      "",
      [](const M& m) { return m.agpu.io.has_value(); },
      {{"time", "time units",
        "costs of statements on the slowest multiprocessor of each launch; none where a block has "
        "other than w threads",
        agpu<&A::time>, "AGPU time", Kind::whole_or_none},
       {"io", "blocks of w words",
        "that requests to memory arrays touched, on all multiprocessors; none as for time",
        agpu<&A::io>, "I/O", Kind::whole_or_none},
       {"shared_words", "words", "largest number in a block", agpu<&A::shared_words>},
       {"global_words", "words", "of all memory arrays; traces and CUDA programs do not tell",
        agpu<&A::global_words>, "", Kind::whole_or_none},
       {"multiplicity",
        "",
        "blocks that a shared memory has room for: M / shared_words, in lowest terms",
        [](const M& m) {
          return m.agpu.multiplicity ? ModelValue(m.agpu.multiplicity->text()) : ModelValue();
        },
        "multiplicity",
        Kind::ratio,
        {},
        [](const M& m) {
          return std::string(m.agpu.multiplicity ? "" : "no shared words, or no limit of them");
        }}},
      {{"time", "time units", "of its statements, on the slowest multiprocessor of each launch",
        [](const L& l) { return *l.agpu_time; }, [](const L& l) { return l.agpu_time.has_value(); },
        "AGPU time"},
       {"io", "blocks of w words", "that its requests to memory arrays touched",
        [](const L& l) { return *l.io; }, [](const L& l) { return l.io.has_value(); }, "I/O"},
       {"operators", "operators", "counted ones, on all multiprocessors",
        count_of<&L::operators>}}};
}

ModelTable mmm_table() {
  using C = MmmCounts;
  using L = MmmLineCounts;
  return {
      "mmm",
      "MMM",
      "after Haque, Moreno Maza and Xie: null on other machines than an mmm",
      WithoutCounts::null,
      "only an mmm counts",
      [](const M& m) { return m.mmm.has_value(); },
      {{"work", "operators", "W: counted operators of all threads", mmm<&C::work>, "work"},
       {"span", "operators",
        "S: of the thread with the most in each block; of a run, of the heaviest path of launches",
        mmm<&C::span>, "span"},
       {"overhead", "time units",
        "O: (r + s)·U of each block, whose threads read at most r words and write at most s",
        mmm<&C::overhead>, "overhead"},
       {"local_accesses", "accesses", "to shared arrays, by all threads; they are not in the work",
        mmm<&C::local_accesses>},
       {"blocks", "blocks", "N: of all launches", mmm<&C::blocks>, "N"},
       {"path", "blocks", "Λ: on the longest path of blocks that wait for each other",
        mmm<&C::path>, "Λ"},
       {"antichain", "blocks", "K: the most that are independent of each other", mmm<&C::antichain>,
        "K"},
       {"block_cost", "time units", "C: the largest S + O of a block", mmm<&C::block_cost>, "C"},
       {"time", "time units", "of the greedy schedule on P multiprocessors", mmm<&C::time>},
       {"sequential_time", "time units", "of the same blocks on one multiprocessor",
        mmm<&C::sequential_time>},
       {"unbounded_time", "time units", "of the same blocks on any number of multiprocessors",
        mmm<&C::unbounded_time>},
       {"transfer_time", "time units",
        "of the thread of each block that moves the most words: at most the overhead, inequality "
        "(1)",
        mmm<&C::transfer_time>},
       {"thread_time", "time units",
        "of the thread of each block that takes longest: at most sequential_time, inequality (2)",
        mmm<&C::thread_time>},
       {"theorem1", "", "bound of the time: (N/P + Λ)·C (time units)",
        [](const M& m) { return ModelValue(m.mmm->theorem1()); }, "", Kind::bound},
       {"corollary1",
        "",
        "bound of the time: (N/K + Λ)·C; none with fewer than K multiprocessors (time units)",
        [](const M& m) { return value_of(m.mmm->corollary1()); },
        "",
        Kind::bound,
        {},
        [](const M& m) {
          return m.mmm->corollary1() ? "" : fmt::format("needs P >= K = {}", m.mmm->antichain);
        }}},
      {{"work", "operators", "counted ones, by all threads", mmm_line<&L::work>, is_of_mmm},
       {"reads", "words", "that threads read from global memory", mmm_line<&L::reads>, is_of_mmm,
        "words read"},
       {"writes", "words", "that threads write to global memory", mmm_line<&L::writes>, is_of_mmm,
        "words written"},
       {"local_accesses", "accesses", "of threads to shared arrays", mmm_line<&L::local_accesses>,
        is_of_mmm, "local accesses"}}};
}

ModelTable pram_table() {
  using P = PramCounts;
  return {
      "pram",
      "PRAM",
      "on a PRAM: --pram",
      WithoutCounts::nothing,
      "only verify and run --pram count",
      [](const M& m) { return m.pram.has_value(); },
      {{"steps", "rounds", "in each, every warp of the launch that has a request makes one",
        pram<&P::steps>, "PRAM steps"},
       {"work", "threads", "active in the requests, summed over the rounds", pram<&P::work>,
        "PRAM work"},
       {"class",
        "",
        "weakest PRAM that the run needs, judged round by round: EREW, CREW or CRCW",
        [](const M& m) { return ModelValue(std::string(name_of(m.pram->needs))); },
        "PRAM",
        Kind::word,
        {name_of(PramClass::erew), name_of(PramClass::crew), name_of(PramClass::crcw)},
        [](const M& m) {
          const std::int32_t line = m.pram->place.line.second;
          return line == 0 ? "" : fmt::format("line {}", line);
        }},
       {"line", "", "smallest line of the earliest round that needs the class; none of EREW",
        [](const M& m) {
          const std::int64_t line = m.pram->place.line.second;
          return line > 0 ? ModelValue(line) : ModelValue();
        },
        "", Kind::line},
       {"file", "", "of the line, as the program names it; null: no line",
        [](const M& m) { return m.pram->file.empty() ? ModelValue() : ModelValue(m.pram->file); },
        "", Kind::file}}};
}

} // namespace

const std::vector<ModelTable>& model_tables() {
  static const std::vector<ModelTable> tables = {agpu_table(), mmm_table(), pram_table()};
  return tables;
}

const ModelTable& model_table(std::string_view name) {
  const auto& all = model_tables();
  return *std::find_if(all.begin(), all.end(), [&](const ModelTable& t) { return t.name == name; });
}

} // namespace memlane
