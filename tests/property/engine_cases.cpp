#include "engine_cases.hpp"

#include "compiling.hpp"
#include "difference.hpp"
#include "support/catch.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/points/parallel_tasks.hpp"

#include <atomic>
#include <functional>
#include <sstream>
#include <vector>

namespace memlane::test {

std::string difference(const EngineCase& at, bool* was_fast) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  if (!code || !check_machine(*code, at.machine)) return {};
  RunOptions options;
  std::atomic<int> polls = 0; // by all threads
  options.limits.steps = at.steps;
  options.limits.check = [&] { return ++polls > at.polls ? Stop::interrupted : Stop::none; };
  for (const ir::Array& array : code->arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  const TalliedRun reference = tallied_reference(*code, at.machine, options, sources);
  polls = 0;
  options.side_by_side = {at.threads, sweep::run_together, at.least};
  const auto fast = tallied_fast(*code, at.machine, options, sources, at.tile_lanes);
  if (was_fast) *was_fast = fast.has_value();
  const RunResult &r = reference.result, &f = fast ? fast->result : r;
  Difference d;
  d.compare("stop", static_cast<int>(f.stop), static_cast<int>(r.stop));
  d.compare("errors", render(f.errors, sources), render(r.errors, sources));
  d.compare("reached", f.reached, r.reached);
  d.compare("host words", f.host_words, r.host_words);
  d.compare("global words", f.global_words, r.global_words);
  d.compare("verdict", static_cast<int>(f.verify), static_cast<int>(r.verify));
  if (fast) d.compare_runs(*fast, reference);
  if (f.outputs != r.outputs) d.compare("arrays", std::string("other"), std::string("these"));
  return d.text();
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The line after the block that begins in this line, or the next line.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t at) {
  int open = 0;
  for (std::size_t k = at; k < lines.size(); ++k) {
    for (const char c : lines[k]) open += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (open <= 0) return k + 1;
  }
  return lines.size();
}

/// Removes lines, blocks and options of the machine as long as the engines differ.
EngineCase shrunk(EngineCase at) {
  const auto keeps = [&](EngineCase less) {
    if (difference(less).empty()) return false;
    at = std::move(less);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t k = 0; k < lines_of(at.text).size();) {
      std::vector<std::string> lines = lines_of(at.text);
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(k);
      lines.erase(first, lines.begin() + static_cast<std::ptrdiff_t>(end_of(lines, k)));
      EngineCase less = at;
      less.text = joined(lines);
      if (keeps(std::move(less))) {
        smaller = true;
      } else {
        ++k;
      }
    }
  }
  const MachineSpec plain;
  const std::function<void(MachineSpec&)> simpler[] = {
      [](MachineSpec& m) { m.lockstep = false; },
      [](MachineSpec& m) { m.instruction_cost = m.barrier_cost = m.launch_cost = {0}; },
      [](MachineSpec& m) { m.resident_blocks = 1; },
      [](MachineSpec& m) { m.operations.clear(); },
      [](MachineSpec& m) { m.word_bytes = std::nullopt; },
      [](MachineSpec& m) {
        if (m.shared) m.shared->least_stages = 1;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->reuse = Reuse::none;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->own_port = false;
      },
      [](MachineSpec& m) { m.block_schedule = BlockSchedule::static_; },
      [](MachineSpec& m) {
        if (m.shared) m.shared->ports = 1;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->ports = 1;
      },
      [](MachineSpec& m) { m.multiprocessors = 1; }};
  EngineCase alone = at;
  alone.threads = 1;
  keeps(std::move(alone));
  for (const auto& change : simpler) {
    EngineCase less = at;
    change(less.machine);
    keeps(std::move(less));
  }
  return at;
}

std::string words_of(const MachineSpec& m) {
  std::ostringstream text;
  text << "model " << name_of(m.model) << ", width " << m.width << ", threads " << m.threads
       << ", multiprocessors " << m.multiprocessors;
  const auto unit = [&](const char* name, const std::optional<UnitSpec>& spec) {
    if (spec)
      text << ", " << name << " latency " << spec->latency.value << " ports " << spec->ports
           << " group " << spec->group.value_or(0) << " least " << spec->least_stages << " line "
           << spec->line.value_or(0) << " own_port " << spec->own_port << " reuse "
           << name_of(spec->reuse);
  };
  unit("shared", m.shared);
  unit("global", m.global);
  text << ", lockstep " << m.lockstep << ", resident_blocks " << m.resident_blocks
       << ", block_schedule " << name_of(m.block_schedule) << ", instruction_cost "
       << m.instruction_cost.value << ", max_threads " << m.max_threads.value_or(0)
       << ", operations " << m.operations.size() << ", word_bytes " << m.word_bytes.value_or(0)
       << ", barrier_cost " << m.barrier_cost.value << ", launch_cost " << m.launch_cost.value;
  return text.str();
}

} // namespace

void check_engines(std::uint64_t seed, const EngineCase& at, std::int64_t& done) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  if (!code) FAIL("program " << seed << " is none\n" << render(code.errors(), sources) << at.text);
  bool was_fast = false;
  if (difference(at, &was_fast).empty()) {
    done += was_fast ? 1 : 0;
    return;
  }
  const EngineCase least = shrunk(at);
  FAIL("the engines differ on program " << seed << ":\n"
                                        << difference(least) << "--- failure.lane\n"
                                        << least.text << "--- " << words_of(least.machine) << ", "
                                        << least.threads << " threads of the host, steps "
                                        << least.steps << ", polls " << least.polls);
}

EngineCase case_of(std::uint64_t seed, const std::string& text, const MachineSpec& machine) {
  const auto tile = machine.width * static_cast<std::int64_t>(seed % 3);
  EngineCase at{text, machine, seed % 2 == 0 ? 0 : static_cast<int>(tile)};
  at.threads = 1 + seed % 4;
  at.least = seed % 3 == 0 ? 1000 : 0;
  return at;
}

} // namespace memlane::test
