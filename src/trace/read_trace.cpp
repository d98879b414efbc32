#include "memlane/support/json_text.hpp"
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
constexpr std::int64_t last_stage = std::int64_t{1} << 62;   ///< that may be written
constexpr std::size_t max_line_bytes = std::size_t{1} << 16; ///< without addresses

const char* const header_example =
    R"(for example {"memlane_trace": 1, "width": 4, "units": {"global": "unified"}, "threads": 8, "blocks": 1, "shared_words": 0})";

/// The trace so far, and the state of its reader.
struct TraceReader {
  Trace trace;
  LaunchShape defaults;
  bool has_shared = false;
  bool has_global = false;
  std::int64_t operators = 0; ///< of all compute lines
  struct LaunchLines {
    TraceLaunch launch;
    std::int64_t first_line = 0;
    std::optional<std::int64_t> stage; ///< as written
  };
  std::map<std::int64_t, LaunchLines> launches; ///< by number
};

void read_header(TraceReader& reader, JsonFields& record) {
  if (record.ok() && !record.has("memlane_trace")) {
    record.fail(record.place(), "the first line is not a header: it has no \"memlane_trace\"",
                {header_example});
  }
  const std::int64_t version = record.integer("memlane_trace", 0);
  if (version != 1) {
    record.fail_at("memlane_trace",
                   fmt::format("is {}: this version reads traces of format 1", version));
  }
  record.expect_keys("the header",
                     {"memlane_trace", "width", "units", "threads", "blocks", "shared_words"}, 6);
  reader.trace.width = record.integer("width", 1);
  reader.defaults.threads = record.integer("threads", 1);
  reader.defaults.blocks = record.integer("blocks", 0);
  reader.defaults.shared_words = record.integer("shared_words", 0);
  const JsonFields units = record.inside("units");
  for (const JsonMember& unit : units.object().members) {
    if (unit.key != "shared" && unit.key != "global") {
      return record.fail(unit.key_span, fmt::format("unknown unit {}", in_quotes(unit.key)),
                         {R"(units are "shared" and "global")"});
    }
    if (unit.value.text != "discrete" && unit.value.text != "unified") {
      return record.fail(
          unit.value.span,
          fmt::format("the kind of unit \"{}\" is {}", unit.key, describe(unit.value)),
          {R"(kinds are "discrete" and "unified")"});
    }
    (unit.key == "shared" ? reader.has_shared : reader.has_global) = true;
  }
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

void read_launch(TraceReader& reader, JsonFields& record, std::int64_t line) {
  record.expect_keys("a launch line",
                     {"launch", "op", "blocks", "threads", "shared_words", "stage"}, 5);
  const std::int64_t number = record.integer("launch", 0);
  LaunchShape shape;
  shape.blocks = record.integer("blocks", 0);
  shape.threads = record.integer("threads", 1);
  shape.shared_words = record.integer("shared_words", 0);
  std::optional<std::int64_t> stage;
  if (record.has("stage")) stage = record.integer("stage", 0, last_stage);
  if (!record.ok()) return;
  const auto before = reader.launches.find(number);
  if (before != reader.launches.end()) {
    return record.fail(
        record.place(),
        fmt::format("the launch line of launch {} comes after line {}, which belongs to it", number,
                    before->second.first_line),
        {"write a launch line once, before the launch's other lines"});
  }
  TraceReader::LaunchLines& lines = open_launch(reader, number, line);
  lines.launch.shape = shape;
  lines.stage = stage;
}

UnitId read_unit(TraceReader& reader, JsonFields& record) {
  const bool shared = record.word("unit", {"shared", "global"}) == 0;
  if (!record.ok()) return UnitId::global;
  if (!(shared ? reader.has_shared : reader.has_global)) {
    record.fail_at("unit", fmt::format("is \"{}\", which the header does not declare",
                                       shared ? "shared" : "global"));
  }
  (shared ? reader.trace.uses_shared : reader.trace.uses_global) = true;
  return shared ? UnitId::shared : UnitId::global;
}

void check_address(JsonFields& record, const JsonValue& lane, std::int64_t number,
                   std::int64_t address, std::int64_t warp, std::int64_t present,
                   const LaunchShape& shape, std::int64_t width, bool bounded) {
  if (address < 0) {
    record.fail(lane.span, fmt::format("the address of lane {} is {}, not a whole number from 0 to "
                                       "2^63 - 1 or null",
                                       number, describe(lane)));
  } else if (number >= present) {
    record.fail(lane.span,
                fmt::format("lane {} of warp {} has an address but no thread: the launch's blocks "
                            "have {}",
                            number, warp, counted(shape.threads, "thread")),
                {"write null for a lane without a thread"});
  } else if (bounded && shape.shared_words > 0 && address / width >= shape.shared_words) {
    record.fail(lane.span,
                fmt::format("the address of lane {} is {}, but the launch's blocks have {}", number,
                            address, counted(shape.shared_words, "shared word")),
                {"arrays begin at multiples of the width, so that addresses are below "
                 "shared_words * width"});
  }
}

/// Adds the request's addresses to its launch's. `bounded`: they are in a block's shared memory,
/// whose size the launch may give.
void read_addresses(JsonFields& record, std::int64_t width, std::int64_t warp, TraceLaunch& launch,
                    bool bounded) {
  const JsonValue* lanes = record.find("addresses");
  if (!lanes) return;
  if (lanes->kind != JsonKind::array || lanes->items.size() != static_cast<std::size_t>(width)) {
    return record.fail_at(
        "addresses", fmt::format("is {}, not a list of {}, the width", describe(*lanes), width),
        {"write an address for each lane, or null for an inactive lane"});
  }
  const std::int64_t present = launch.shape.threads - warp * width; // threads of the warp
  std::int64_t number = 0;
  for (const JsonValue& lane : lanes->items) {
    std::int64_t address = -1;
    if (lane.kind != JsonKind::null) {
      address = whole_number(lane).value_or(-1);
      check_address(record, lane, number, address, warp, present, launch.shape, width, bounded);
    }
    launch.addresses.push_back(address);
    ++number;
  }
}

TraceStep read_request(TraceReader& reader, JsonFields& record, bool write, std::int64_t warp,
                       TraceLaunch& launch) {
  TraceStep step;
  step.write = write;
  ++reader.trace.requests;
  step.unit = read_unit(reader, record);
  if (record.has("line"))
    step.line = static_cast<std::int32_t>(record.integer("line", 1, INT32_MAX));
  step.value = static_cast<std::int64_t>(launch.addresses.size());
  // Without a global memory, "shared" is a DMM's memory, which is not divided among blocks.
  const bool bounded = step.unit == UnitId::shared && reader.has_global;
  read_addresses(record, reader.trace.width, warp, launch, bounded);
  return step;
}

/// An index below `count`.
std::int64_t read_index(JsonFields& record, const char* key, std::int64_t count, const char* owner,
                        const char* thing) {
  const std::int64_t index = record.integer(key, 0);
  if (record.ok() && index >= count) {
    record.fail_at(key, fmt::format("is {}, but {} {}", index, owner, counted(count, thing)));
  }
  return index;
}

void count_operators(TraceReader& reader, JsonFields& record, std::int64_t count) {
  if (!record.ok()) return;
  if (__builtin_add_overflow(reader.operators, count, &reader.operators)) {
    record.fail_at("count", "is too large: the compute lines so far count more than 2^63 - 1");
  }
}

enum Op : std::size_t { read_op, write_op, barrier_op, compute_op, launch_op };

void read_step(TraceReader& reader, JsonFields& record, Op op, std::int64_t line) {
  if (op == barrier_op) {
    record.expect_keys("a barrier line", {"launch", "block", "warp", "op"}, 4);
  } else if (op == compute_op) {
    record.expect_keys("a compute line", {"launch", "block", "warp", "op", "count"}, 5);
  } else {
    record.expect_keys("a request", {"launch", "block", "warp", "unit", "op", "addresses", "line"},
                       6);
  }
  const std::int64_t number = record.integer("launch", 0);
  if (!record.ok()) return;
  TraceLaunch& launch = open_launch(reader, number, line).launch;
  const std::int64_t width = reader.trace.width;
  const std::int64_t warps = (launch.shape.threads - 1) / width + 1;
  const std::int64_t block =
      read_index(record, "block", launch.shape.blocks, "the launch has", "block");
  const std::int64_t warp = read_index(record, "warp", warps, "each of its blocks has", "warp");
  TraceStep step;
  if (op == barrier_op) {
    step.kind = StepKind::barrier;
  } else if (op == compute_op) {
    step.kind = StepKind::compute;
    step.value = record.integer("count", 0);
    count_operators(reader, record, step.value);
  } else {
    step = read_request(reader, record, op == write_op, warp, launch);
  }
  if (record.ok()) launch.warps[{block, warp}].push_back(step);
}

void read_end(TraceReader& reader, JsonFields& record) {
  record.expect_keys("the end line", {"end", "requests"}, 2);
  const std::int64_t requests = record.integer("requests", 0);
  if (!record.ok()) return;
  if (!record.boolean("end"))
    return record.fail_at("end", "is false; write true or leave the line out");
  if (requests != reader.trace.requests) {
    record.fail_at("requests",
                   fmt::format("is {}, but the trace has {}", requests,
                               counted(reader.trace.requests, "request")),
                   {"lines are missing or were added: write the trace again"});
  }
  reader.trace.complete = true;
}

void read_line(TraceReader& reader, JsonFields& record, std::int64_t line) {
  if (record.ok() && reader.trace.complete) {
    return record.fail(record.place(), "a line after the end line",
                       {"{\"end\": true, …} is the last line of a trace"});
  }
  if (record.has("end")) return read_end(reader, record);
  if (record.ok() && !record.has("op")) {
    if (record.has("memlane_trace")) {
      return record.fail(record.place(), "a second header",
                         {"write each run's trace to its own file"});
    }
    return record.fail(record.place(), "the line has no \"op\"",
                       {"op is one of read, write, barrier, compute, launch"});
  }
  const auto op =
      static_cast<Op>(record.word("op", {"read", "write", "barrier", "compute", "launch"}));
  if (!record.ok()) return;
  if (op == launch_op) {
    read_launch(reader, record, line);
  } else {
    read_step(reader, record, op, line);
  }
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
  Limits time_limit; // without limits.memory, which is for arrays
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
      JsonFields record(*object, problem);
      if (line == 1) {
        read_header(reader, record);
        max_bytes +=
            64 * static_cast<std::size_t>(std::min<std::int64_t>(reader.trace.width, 1 << 24));
      } else {
        read_line(reader, record, line);
      }
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
