#include "memlane/support/json_fields.hpp"
#include "memlane/support/text.hpp"
#include "memlane/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {

namespace {

constexpr std::size_t most_errors = 20;

/// Of a header, and of what a line has beside its addresses. Generous: what is longer is no trace.
constexpr std::size_t longest_line = std::size_t{1} << 16;

const char* const header_example =
    R"(it looks like {"memlane_trace": 1, "width": 4, "units": {"global": "unified"}, "threads": 8, "blocks": 1, "shared_words": 0})";

/// What is known of the trace beside its contents while it is read.
struct Reading {
  Trace trace;
  LaunchShape defaults;
  bool has_shared = false;
  bool has_global = false;
  std::int64_t operators = 0; ///< of all compute lines
  struct Numbered {
    TraceLaunch launch;
    std::int64_t first_line = 0;
  };
  std::map<std::int64_t, Numbered> launches;
};

void read_header(Reading& reading, JsonFields& record) {
  if (record.ok() && !record.has("memlane_trace")) {
    record.fail(record.place(), "the first line is no header: it has no \"memlane_trace\"",
                {header_example});
  }
  const std::int64_t version = record.integer("memlane_trace", 0);
  if (version != 1) {
    record.fail_at("memlane_trace",
                   fmt::format("is {}: this version reads traces of format 1", version));
  }
  record.expect_keys("the header",
                     {"memlane_trace", "width", "units", "threads", "blocks", "shared_words"}, 6);
  reading.trace.width = record.integer("width", 1);
  reading.defaults.threads = record.integer("threads", 1);
  reading.defaults.blocks = record.integer("blocks", 0);
  reading.defaults.shared_words = record.integer("shared_words", 0);
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
    (unit.key == "shared" ? reading.has_shared : reading.has_global) = true;
  }
}

/// The launch of a line; the first line that names it opens it.
Reading::Numbered& open_launch(Reading& reading, std::int64_t number, std::int64_t line) {
  const auto [place, fresh] = reading.launches.try_emplace(number);
  if (fresh) {
    place->second.launch.shape = reading.defaults;
    place->second.first_line = line;
  }
  return place->second;
}

void read_launch(Reading& reading, JsonFields& record, std::int64_t line) {
  record.expect_keys("a launch line", {"launch", "op", "blocks", "threads", "shared_words"}, 5);
  const std::int64_t number = record.integer("launch", 0);
  LaunchShape shape;
  shape.blocks = record.integer("blocks", 0);
  shape.threads = record.integer("threads", 1);
  shape.shared_words = record.integer("shared_words", 0);
  if (!record.ok()) return;
  const auto before = reading.launches.find(number);
  if (before != reading.launches.end()) {
    return record.fail(
        record.place(),
        fmt::format("the line of launch {} comes after line {}, which is one of its own", number,
                    before->second.first_line),
        {"a launch's own line is the first of its lines, and there is one at most"});
  }
  open_launch(reading, number, line).launch.shape = shape;
}

UnitId read_unit(Reading& reading, JsonFields& record) {
  const bool shared = record.word("unit", {"shared", "global"}) == 0;
  if (!record.ok()) return UnitId::global;
  if (!(shared ? reading.has_shared : reading.has_global)) {
    record.fail_at("unit", fmt::format("is \"{}\", which the header does not declare",
                                       shared ? "shared" : "global"));
  }
  (shared ? reading.trace.uses_shared : reading.trace.uses_global) = true;
  return shared ? UnitId::shared : UnitId::global;
}

/// A lane's address: what it may be, and whether the lane has a thread.
void check_address(JsonFields& record, const JsonValue& lane, std::int64_t number,
                   std::int64_t address, std::int64_t warp, std::int64_t present,
                   const LaunchShape& shape, std::int64_t width, bool bounded) {
  if (address < 0) {
    record.fail(lane.span, fmt::format("the address of lane {} is {}, not a whole number from 0 to "
                                       "2^63 - 1 or null",
                                       number, describe(lane)));
  } else if (number >= present) {
    record.fail(lane.span,
                fmt::format("lane {} of warp {} has an address, but the launch's blocks have {}, "
                            "so the lane has none",
                            number, warp, counted(shape.threads, "thread")),
                {"the address of a lane without a thread is null"});
  } else if (bounded && shape.shared_words > 0 && address / width >= shape.shared_words) {
    record.fail(lane.span,
                fmt::format("the address of lane {} is {}, but the launch's blocks have {}", number,
                            address, counted(shape.shared_words, "shared word")),
                {"\"shared_words\" is what a block takes of its multiprocessor; as arrays begin at "
                 "multiples of the width, its addresses are below shared_words * width"});
  }
}

/// Adds the request's addresses to its launch's. `bounded`: they are of a block's shared memory, of
/// which the launch may say how much it is.
void read_addresses(JsonFields& record, std::int64_t width, std::int64_t warp, TraceLaunch& launch,
                    bool bounded) {
  const JsonValue* lanes = record.find("addresses");
  if (!lanes) return;
  if (lanes->kind != JsonKind::array || lanes->items.size() != static_cast<std::size_t>(width)) {
    return record.fail_at(
        "addresses", fmt::format("is {}, not a list of {}, the width", describe(*lanes), width),
        {"every lane has a place: an address, or null where it takes no part"});
  }
  const std::int64_t present = launch.shape.threads - warp * width; // of the warp's threads
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

TraceStep read_request(Reading& reading, JsonFields& record, bool write, std::int64_t warp,
                       TraceLaunch& launch) {
  TraceStep step;
  step.write = write;
  ++reading.trace.requests;
  step.unit = read_unit(reading, record);
  if (record.has("line"))
    step.line = static_cast<std::int32_t>(record.integer("line", 1, INT32_MAX));
  step.value = static_cast<std::int64_t>(launch.addresses.size());
  // Alone, "shared" is a DMM's memory, which no block takes a part of.
  const bool bounded = step.unit == UnitId::shared && reading.has_global;
  read_addresses(record, reading.trace.width, warp, launch, bounded);
  return step;
}

/// An index of a thing; the launch has `count` of them.
std::int64_t read_index(JsonFields& record, const char* key, std::int64_t count, const char* owner,
                        const char* thing) {
  const std::int64_t index = record.integer(key, 0);
  if (record.ok() && index >= count) {
    record.fail_at(key, fmt::format("is {}, but {} {}", index, owner, counted(count, thing)));
  }
  return index;
}

/// Counts are exact: a sum that no count can hold is refused.
void count_operators(Reading& reading, JsonFields& record, std::int64_t count) {
  if (!record.ok()) return;
  if (__builtin_add_overflow(reading.operators, count, &reading.operators)) {
    record.fail_at("count", "is too many: the compute lines so far count more than 2^63 - 1");
  }
}

enum Op : std::size_t { read_op, write_op, barrier_op, compute_op, launch_op };

void read_step(Reading& reading, JsonFields& record, Op op, std::int64_t line) {
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
  TraceLaunch& launch = open_launch(reading, number, line).launch;
  const std::int64_t width = reading.trace.width;
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
    count_operators(reading, record, step.value);
  } else {
    step = read_request(reading, record, op == write_op, warp, launch);
  }
  if (record.ok()) launch.warps[{block, warp}].push_back(step);
}

/// The last line of a whole trace. Its count shows whether lines are missing before it.
void read_end(Reading& reading, JsonFields& record) {
  record.expect_keys("the end line", {"end", "requests"}, 2);
  const std::int64_t requests = record.integer("requests", 0);
  if (!record.ok()) return;
  if (!record.boolean("end")) return record.fail_at("end", "is false: it is true or left out");
  if (requests != reading.trace.requests) {
    record.fail_at("requests",
                   fmt::format("is {}, but the trace ends after {} requests", requests,
                               reading.trace.requests),
                   {"lines are missing or were added: write the trace again"});
  }
  reading.trace.whole = true;
}

void read_line(Reading& reading, JsonFields& record, std::int64_t line) {
  if (record.ok() && reading.trace.whole) {
    return record.fail(record.place(), "a line after the end line",
                       {"{\"end\": true, …} is the last line of a trace"});
  }
  if (record.has("end")) return read_end(reading, record);
  if (record.ok() && !record.has("op")) {
    if (record.has("memlane_trace")) {
      return record.fail(record.place(), "a second header",
                         {"a trace is of one run: each has a file of its own"});
    }
    return record.fail(record.place(), "the line has no \"op\"",
                       {"op is one of read, write, barrier, compute, launch"});
  }
  const auto op =
      static_cast<Op>(record.word("op", {"read", "write", "barrier", "compute", "launch"}));
  if (!record.ok()) return;
  if (op == launch_op) {
    read_launch(reading, record, line);
  } else {
    read_step(reading, record, op, line);
  }
}

/// Launches are numbered without a gap.
void take_launches(Reading& reading, Diagnostics& errors) {
  for (auto& [number, numbered] : reading.launches) {
    const auto expected = static_cast<std::int64_t>(reading.trace.launches.size());
    if (number != expected) {
      errors.push_back(error_in(
          fmt::format("{}:{}", reading.trace.name, numbered.first_line),
          fmt::format("launch {} begins here, but launch {} has no line", number, expected),
          {"launches are numbered 0, 1, 2 …; one that makes no request has a line of its own"}));
      return;
    }
    reading.trace.launches.push_back(std::move(numbered.launch));
  }
}

} // namespace

namespace {

/// Reads a line of at most `most` bytes, and no more of a longer one. False at the end.
bool read_line_of(std::istream& in, std::string& text, std::size_t most, Watch& watch) {
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
    if (text.size() > most) return true;
  }
}

} // namespace

Result<Trace> read_trace(std::istream& in, std::string name, const Limits& limits) {
  Limits of_time; // a trace is not held against the bytes of arrays
  of_time.check = limits.check;
  Watch watch(of_time);
  Reading reading;
  reading.trace.name = std::move(name);
  const std::string& path = reading.trace.name;
  Diagnostics errors;
  std::string text;
  std::int64_t line = 0;
  std::size_t most = longest_line;
  while (read_line_of(in, text, most, watch)) {
    ++line;
    if (text.size() > most) {
      errors.push_back(error_in(fmt::format("{}:{}", path, line),
                                fmt::format("the line is longer than {} bytes, so it is none of "
                                            "a trace",
                                            most)));
      return errors;
    }
    std::optional<Diagnostic> problem;
    if (const auto object = read_json_line({text, 0, 0, &watch}, in.eof(), {}, problem)) {
      JsonFields record(*object, problem);
      if (line == 1) {
        read_header(reading, record);
        most += 64 * static_cast<std::size_t>(std::min<std::int64_t>(reading.trace.width, 1 << 24));
      } else {
        read_line(reading, record, line);
      }
    }
    if (watch.stopped()) break;
    if (!problem) continue;
    errors.push_back(error_in(fmt::format("{}:{}:{}", path, line, problem->span.begin + 1),
                              problem->message, problem->help));
    if (line == 1) return errors; // the rest depends on it
    if (errors.size() == most_errors) {
      errors.push_back(error_in(path, fmt::format("{} errors, the rest is not read", most_errors)));
      return errors;
    }
  }
  if (watch.stopped()) return stopped_while(watch.stop(), "reading the trace");
  if (in.bad()) {
    errors.push_back(error_in(fmt::format("{}:{}", path, line + 1),
                              "reading fails here: the file is damaged or cut off"));
  } else if (line == 0) {
    errors.push_back(error_in(path, "the trace is empty, without a header", {header_example}));
  }
  if (errors.empty()) take_launches(reading, errors);
  if (!errors.empty()) return errors;
  return std::move(reading.trace);
}

} // namespace memlane
