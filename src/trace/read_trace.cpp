#include "trace_line.hpp"

#include "memlane/support/text.hpp"
#include "memlane/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace memlane {

namespace {

constexpr std::size_t max_errors = 20;
/// The longest line that has no addresses.
constexpr std::size_t max_line_bytes = std::size_t{1} << 16;

const char* const header_example =
    R"(for example {"memlane_trace": 1, "width": 4, "units": {"global": "unified"}, "threads": 8, "blocks": 1, "shared_words": 0})";

/// The trace so far, and the state of its reader.
struct TraceReader {
  Trace trace;
  LaunchShape defaults;
  std::int64_t format = 1;
  bool has_shared = false;
  bool has_global = false;
  std::int64_t operators = 0; ///< summed over all compute lines
  struct LaunchLines {
    TraceLaunch launch;
    std::int64_t first_line = 0;
    /// What the launch line says; none: it follows all before it.
    std::optional<std::int64_t> stage;
  };
  std::map<std::int64_t, LaunchLines> launches; ///< keyed by number
};

/// A key that traces of format 1 do not have.
void needs_format(const TraceReader& reader, const JsonPlace& place, const char* key) {
  if (reader.format > 1 || !find_member(place.value, key)) return;
  place.at(key).fail("is of format 2, and the trace has format 1",
                     {"begin the header with {\"memlane_trace\": 2, …"});
}

/// A key of format 2 that only one kind of requests has.
void needs_kind(const TraceReader& reader, const JsonPlace& place, const char* key,
                AccessKind owner, AccessKind access) {
  needs_format(reader, place, key);
  if (access == owner || !find_member(place.value, key)) return;
  place.at(key).fail(
      fmt::format("is a key of \"{}\", and op is \"{}\"", name_of(owner), name_of(access)),
      {"leave it out"});
}

void read_header(TraceReader& reader, const JsonPlace& place) {
  if (!find_member(place.value, "memlane_trace"))
    return place.fail_at(place.first_byte(),
                         "the first line is not a header: it has no \"memlane_trace\"",
                         {header_example});
  TraceLine line;
  header_record().read(place, line);
  reader.format = line.format;
  reader.trace.format = line.format == 1 ? TraceFormat::plain : TraceFormat::wide;
  needs_format(reader, place, "registers");
  reader.trace.width = line.width;
  reader.defaults = line.shape;
  reader.has_shared = line.has_shared;
  reader.has_global = line.has_global;
}

/// Sets the place of a request or a wait in the program.
void read_place(TraceReader& reader, const JsonPlace& place, const TraceLine& line,
                TraceStep& step) {
  needs_format(reader, place, "file");
  std::vector<std::string>& files = reader.trace.files;
  auto found = std::find(files.begin(), files.end(), line.file);
  if (found == files.end()) found = files.insert(files.end(), line.file);
  step.file = static_cast<std::int32_t>(found - files.begin());
  step.line = static_cast<std::int32_t>(line.line);
}

/// Adds the launch at its first line.
TraceReader::LaunchLines& open_launch(TraceReader& reader, std::int64_t number, std::int64_t line) {
  const auto [entry, is_new] = reader.launches.try_emplace(number);
  if (is_new) {
    entry->second.launch.shape = reader.defaults;
    entry->second.first_line = line;
  }
  return entry->second;
}

void read_launch(TraceReader& reader, const JsonPlace& place, std::int64_t number) {
  TraceLine line;
  if (!launch_record().read(place, line)) return;
  needs_format(reader, place, "registers");
  const auto before = reader.launches.find(line.launch);
  if (before != reader.launches.end())
    return place.fail_at(
        place.first_byte(),
        fmt::format("the launch line of launch {} comes after line {}, which belongs to it",
                    line.launch, before->second.first_line),
        {"write a launch line once, before the launch's other lines"});
  TraceReader::LaunchLines& lines = open_launch(reader, line.launch, number);
  lines.launch.shape = line.shape;
  lines.stage = line.stage;
}

/// Where a request's addresses are.
struct AddressRules {
  std::int64_t warp = 0, width = 1, words_of_lane = 1;
  LaunchShape shape;
  /// Addresses must lie in a block's shared memory, whose size the launch may give.
  bool bounded = false;
};

/// Adds an error if the lane cannot have the address.
void check_address(const JsonPlace& place, std::size_t lane, std::int64_t address,
                   const AddressRules& rules) {
  const std::int64_t present = rules.shape.threads - rules.warp * rules.width;
  const std::int64_t words = rules.shape.shared_words;
  if (address < 0)
    place.item(lane).require(false, "an integer from 0 to 2^63 - 1 or null");
  else if (static_cast<std::int64_t>(lane) >= present)
    place.item(lane).fail(fmt::format("lane {} of warp {} has an address but no thread: the "
                                      "launch's blocks have {}",
                                      lane, rules.warp, counted(rules.shape.threads, "thread")),
                          {"write null for a lane without a thread"});
  else if (address % rules.words_of_lane != 0)
    place.item(lane).fail(fmt::format("is {}, but lanes of {} words begin at multiples of that",
                                      address, rules.words_of_lane));
  else if (rules.bounded && words > 0 && address / rules.width >= words)
    place.item(lane).fail(fmt::format("is {}, but the launch's blocks have {}", address,
                                      counted(words, "shared word")),
                          {"arrays begin at multiples of the width, so that addresses are below "
                           "shared_words * width"});
}

/// Adds the request's addresses to its launch's.
void read_addresses(const JsonPlace& place, const AddressRules& rules,
                    std::vector<std::int64_t>& addresses) {
  const std::vector<JsonValue>& lanes = place.value.items;
  if (!place.require(place.value.kind == JsonKind::array &&
                         lanes.size() == static_cast<std::size_t>(rules.width),
                     fmt::format("a list of {}, the width", rules.width),
                     {"write an address for each lane, or null for an inactive lane"}))
    return;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const std::int64_t address = whole_number(lanes[lane]).value_or(-1);
    if (lanes[lane].kind != JsonKind::null) check_address(place, lane, address, rules);
    addresses.push_back(address);
  }
}

TraceStep read_request(TraceReader& reader, const JsonPlace& place, const TraceLine& line,
                       AccessKind access, TraceLaunch& launch) {
  TraceStep step;
  step.access = access;
  step.words = static_cast<std::uint8_t>(line.words);
  step.is_volatile = line.is_volatile;
  step.uses_old = line.uses_old;
  needs_format(reader, place, "words");
  needs_kind(reader, place, "old", AccessKind::atomic, access);
  needs_kind(reader, place, "volatile", AccessKind::read, access);
  if (access == AccessKind::atomic && reader.format == 1)
    place.at("op").fail("is \"atomic\", which is of format 2, and the trace has format 1",
                        {"begin the header with {\"memlane_trace\": 2, …"});
  if ((line.words & (line.words - 1)) != 0) place.at("words").fail("must be a power of two");
  step.unit = line.unit == 0 ? UnitId::shared : UnitId::global;
  read_place(reader, place, line, step);
  step.value = static_cast<std::int64_t>(launch.addresses.size());
  const bool shared = step.unit == UnitId::shared;
  if (!(shared ? reader.has_shared : reader.has_global))
    place.at("unit").fail(
        fmt::format("is \"{}\", which the header does not declare", shared ? "shared" : "global"));
  (shared ? reader.trace.uses_shared : reader.trace.uses_global) = true;
  // Without a global memory, "shared" is a DMM's memory, which is not divided among blocks.
  read_addresses(
      place.at("addresses"),
      {line.warp, reader.trace.width, line.words, launch.shape, shared && reader.has_global},
      launch.addresses);
  return step;
}

TraceStep read_wait(TraceReader& reader, const JsonPlace& place, const TraceLine& line,
                    TraceLaunch& launch) {
  if (reader.format == 1)
    place.at("op").fail("is \"wait\", which is of format 2, and the trace has format 1",
                        {"begin the header with {\"memlane_trace\": 2, …"});
  if (find_member(place.value, "for") && line.awaited.empty())
    place.at("for").fail("is empty", {"leave it out to wait for all earlier requests"});
  TraceStep step;
  step.kind = StepKind::wait;
  read_place(reader, place, line, step);
  step.value = static_cast<std::int64_t>(launch.awaited.size());
  step.awaited = static_cast<std::int32_t>(line.awaited.size());
  for (const std::int64_t earlier : line.awaited)
    launch.awaited.push_back(static_cast<std::uint32_t>(earlier));
  return step;
}

/// Whether an index is below `count`.
bool check_index(const JsonPlace& place, std::int64_t index, std::int64_t count,
                 std::string_view owner, std::string_view thing) {
  const bool right = index < count;
  if (!right) place.fail(fmt::format("is {}, but {} {}", index, owner, counted(count, thing)));
  return right;
}

enum Op : std::size_t { read_op, write_op, atomic_op, barrier_op, compute_op, wait_op, launch_op };

constexpr AccessKind access_of(Op op) {
  return op == read_op ? AccessKind::read : op == write_op ? AccessKind::write : AccessKind::atomic;
}

void read_step(TraceReader& reader, const JsonPlace& place, Op op, std::int64_t number) {
  const bool request = op == read_op || op == write_op || op == atomic_op;
  if (request) ++reader.trace.requests;
  const Record<TraceLine>& record = op == barrier_op   ? barrier_record()
                                    : op == wait_op    ? wait_record()
                                    : op == compute_op ? compute_record()
                                                       : request_record();
  TraceLine line;
  if (!record.read(place, line)) return;
  TraceLaunch& launch = open_launch(reader, line.launch, number).launch;
  const std::int64_t warps = (launch.shape.threads - 1) / reader.trace.width + 1;
  if (!check_index(place.at("block"), line.block, launch.shape.blocks, "the launch has", "block") ||
      !check_index(place.at("warp"), line.warp, warps, "each of its blocks has", "warp"))
    return;
  TraceStep step;
  if (request) {
    step = read_request(reader, place, line, access_of(op), launch);
  } else if (op == wait_op) {
    step = read_wait(reader, place, line, launch);
  } else {
    step.kind = op == barrier_op ? StepKind::barrier : StepKind::compute;
    step.value = line.count;
    step.operation = line.operation;
    needs_format(reader, place, "operation");
    if (__builtin_add_overflow(reader.operators, line.count, &reader.operators))
      place.at("count").fail("is too large: the compute lines so far count more than 2^63 - 1");
  }
  if (place.file.errors.empty()) launch.warps[{line.block, line.warp}].push_back(step);
}

void read_end(TraceReader& reader, const JsonPlace& place) {
  TraceLine line;
  if (!end_record().read(place, line)) return;
  if (line.requests != reader.trace.requests)
    place.at("requests")
        .fail(fmt::format("is {}, but the trace has {}", line.requests,
                          counted(reader.trace.requests, "request")),
              {"lines are missing or were added: write the trace again"});
  reader.trace.complete = true;
}

void read_line(TraceReader& reader, const JsonPlace& place, std::int64_t number) {
  const auto has = [&](const char* key) { return find_member(place.value, key) != nullptr; };
  const auto fail = [&](const char* message, const char* help) {
    place.fail_at(place.first_byte(), message, {help});
  };
  if (reader.trace.complete)
    return fail("a line after the end line", "{\"end\": true, …} is the last line of a trace");
  if (has("end")) return read_end(reader, place);
  if (!has("op") && has("memlane_trace"))
    return fail("a second header", "write each run's trace to its own file");
  if (!has("op"))
    return fail("the line has no \"op\"",
                "op is one of read, write, atomic, barrier, compute, wait, launch");
  static const auto ops =
      kinds::word({"read", "write", "atomic", "barrier", "compute", "wait", "launch"});
  std::size_t op = 0;
  ops.read(place.at("op"), op);
  if (!place.file.errors.empty()) return;
  if (op == launch_op)
    read_launch(reader, place, number);
  else
    read_step(reader, place, static_cast<Op>(op), number);
}

/// A launch without a stage follows all launches before it.
std::optional<Diagnostic> set_stage(const Trace& trace, std::int64_t number,
                                    TraceReader::LaunchLines& lines) {
  const std::int64_t latest = trace.launches.empty() ? -1 : trace.launches.back().stage;
  lines.launch.stage = lines.stage.value_or(latest + 1);
  if (lines.launch.stage >= latest) return std::nullopt;
  return error_in(fmt::format("{}:{}", trace.name, lines.first_line),
                  fmt::format("launch {} has stage {}, and the launch before it has stage {}",
                              number, lines.launch.stage, latest),
                  {"stages never fall; launches of one stage are independent of each other"});
}

/// An error if a number is missing.
void add_launches(TraceReader& reader, Diagnostics& errors) {
  for (auto& [number, lines] : reader.launches) {
    const auto expected = static_cast<std::int64_t>(reader.trace.launches.size());
    if (number != expected) {
      errors.push_back(error_in(
          fmt::format("{}:{}", reader.trace.name, lines.first_line),
          fmt::format("launch {} begins here, but launch {} has no line", number, expected),
          {"number launches 0, 1, 2 …; write a launch line for one without requests"}));
      return;
    }
    if (auto error = set_stage(reader.trace, number, lines)) return errors.push_back(*error);
    reader.trace.launches.push_back(std::move(lines.launch));
  }
}

/// Reads a line, or the first part of one that is longer than `max_bytes`. False at the end.
bool read_text_line(std::istream& in, std::string& text, std::size_t max_bytes, Watch& watch) {
  text.clear();
  std::array<char, 4096> part{};
  for (;;) {
    in.getline(part.data(), part.size());
    if (in.bad() || !watch.go_on()) return false;
    const auto got = static_cast<std::size_t>(in.gcount());
    const bool full = in.fail() && !in.eof() && got + 1 == part.size();
    const bool ended = !in.fail() && !in.eof();
    text.append(part.data(), ended ? got - 1 : got);
    if (!full) return ended || got > 0 || !text.empty();
    in.clear();
    if (text.size() > max_bytes) return true;
  }
}

} // namespace

Result<Trace> read_trace(std::istream& in, std::string name, const Limits& limits) {
  Limits time_limit; // limits.memory is for arrays, so it is left out
  time_limit.check = limits.check;
  Watch watch(time_limit);
  TraceReader reader;
  reader.trace.name = std::move(name);
  const std::string& path = reader.trace.name;
  Diagnostics errors;
  std::string text;
  std::int64_t line = 0;
  std::size_t max_bytes = max_line_bytes;
  while (read_text_line(in, text, max_bytes, watch)) {
    ++line;
    if (text.size() > max_bytes) {
      errors.push_back(error_in(fmt::format("{}:{}", path, line),
                                fmt::format("the line is longer than {} bytes, more than any line "
                                            "of a trace",
                                            max_bytes)));
      return errors;
    }
    std::optional<Diagnostic> problem;
    if (const auto object = read_json_line({text, 0, 0, &watch}, in.eof(), {}, problem)) {
      RecordFile problems;
      const JsonPlace place{*object, problems};
      if (line == 1) {
        read_header(reader, place);
        max_bytes +=
            64 * static_cast<std::size_t>(std::min<std::int64_t>(reader.trace.width, 1 << 24));
      } else {
        read_line(reader, place, line);
      }
      if (!problems.errors.empty()) problem = std::move(problems.errors.front());
    }
    if (watch.stopped()) break;
    if (!problem) continue;
    errors.push_back(error_in(fmt::format("{}:{}:{}", path, line, problem->span.begin + 1),
                              problem->message, problem->help));
    if (line == 1) return errors; // the other lines need the header
    if (errors.size() == max_errors) {
      errors.push_back(error_in(path, fmt::format("stopped reading after {} errors", max_errors)));
      return errors;
    }
  }
  if (watch.stopped()) return stopped_while(watch.stop(), "reading the trace");
  if (in.bad()) {
    errors.push_back(error_in(fmt::format("{}:{}", path, line + 1),
                              "cannot be read: the file is damaged or cut off"));
  } else if (line == 0) {
    errors.push_back(
        error_in(path, "the trace is empty; its first line must be a header", {header_example}));
  }
  if (errors.empty()) add_launches(reader, errors);
  if (!errors.empty()) return errors;
  return std::move(reader.trace);
}

} // namespace memlane
