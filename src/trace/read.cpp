#include "record.hpp"

#include "memlane/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {

namespace {

using nlohmann::json;

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

void read_header(Reading& reading, Record& record) {
  if (record.ok() && !record.has("memlane_trace")) {
    record.fail("the first line is no header: it has no \"memlane_trace\"", {header_example});
  }
  const std::int64_t version = record.integer("memlane_trace", 0);
  if (version != 1) {
    record.fail(
        fmt::format("\"memlane_trace\" is {}: this version reads traces of format 1", version));
  }
  record.expect_keys("the header",
                     {"memlane_trace", "width", "units", "threads", "blocks", "shared_words"}, 6);
  reading.trace.width = record.integer("width", 1);
  reading.defaults.threads = record.integer("threads", 1);
  reading.defaults.blocks = record.integer("blocks", 0);
  reading.defaults.shared_words = record.integer("shared_words", 0);
  if (!record.ok()) return;
  const json& units = record.value("units");
  if (!units.is_object())
    return record.fail(fmt::format("\"units\" is {}, not an object", shown(units)));
  for (const auto& [unit, kind] : units.items()) {
    if (unit != "shared" && unit != "global") {
      return record.fail(fmt::format("unknown unit {}", shown(unit)),
                         {R"(units are "shared" and "global")"});
    }
    if (kind != "discrete" && kind != "unified") {
      return record.fail(fmt::format(
          "the kind of unit \"{}\" is {}, not \"discrete\" or \"unified\"", unit, shown(kind)));
    }
    (unit == "shared" ? reading.has_shared : reading.has_global) = true;
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

void read_launch(Reading& reading, Record& record, std::int64_t line) {
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
        fmt::format("the line of launch {} comes after line {}, which is one of its own", number,
                    before->second.first_line),
        {"a launch's own line is the first of its lines, and there is one at most"});
  }
  open_launch(reading, number, line).launch.shape = shape;
}

UnitId read_unit(Reading& reading, Record& record) {
  const bool shared = record.word("unit", {"shared", "global"}) == 0;
  if (!record.ok()) return UnitId::global;
  if (!(shared ? reading.has_shared : reading.has_global)) {
    record.fail(fmt::format("\"unit\" is \"{}\", which the header does not declare",
                            shared ? "shared" : "global"));
  }
  (shared ? reading.trace.uses_shared : reading.trace.uses_global) = true;
  return shared ? UnitId::shared : UnitId::global;
}

/// Adds the request's addresses to its launch's. `bounded`: they are of a block's shared memory, of
/// which the launch may say how much it is.
void read_addresses(Record& record, std::int64_t width, std::int64_t warp, TraceLaunch& launch,
                    bool bounded) {
  if (!record.ok()) return;
  const json& lanes = record.value("addresses");
  if (!lanes.is_array() || lanes.size() != static_cast<std::size_t>(width)) {
    return record.fail(
        fmt::format("\"addresses\" is {}, not an array of {}, the width", shown(lanes), width),
        {"every lane has a place: an address, or null where it takes no part"});
  }
  const std::int64_t present = launch.shape.threads - warp * width; // of the warp's threads
  const std::int64_t words = launch.shape.shared_words;
  std::int64_t number = 0;
  for (const json& lane : lanes) {
    if (!lane.is_null()) {
      const bool good = lane.is_number_unsigned() && lane.get<std::uint64_t>() <= INT64_MAX;
      if (!good) {
        return record.fail(fmt::format("the address of lane {} is {}, not a whole number from 0 to "
                                       "2^63-1 or null",
                                       number, shown(lane)));
      }
      if (number >= present) {
        return record.fail(fmt::format("lane {} of warp {} has an address, but the launch's blocks "
                                       "have {} threads, so it is missing",
                                       number, warp, launch.shape.threads),
                           {"a missing thread's address is null"});
      }
      if (bounded && words > 0 && lane.get<std::int64_t>() / width >= words) {
        return record.fail(
            fmt::format("the address of lane {} is {}, but the launch's blocks have {} shared "
                        "words",
                        number, shown(lane), words),
            {"\"shared_words\" is what a block takes of its multiprocessor; as arrays begin at "
             "multiples of the width, its addresses are below shared_words * width"});
      }
    }
    launch.addresses.push_back(lane.is_null() ? -1 : lane.get<std::int64_t>());
    ++number;
  }
}

TraceStep read_request(Reading& reading, Record& record, bool write, std::int64_t warp,
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
std::int64_t read_index(Record& record, const char* key, std::int64_t count, const char* owner,
                        const char* thing) {
  const std::int64_t index = record.integer(key, 0);
  if (record.ok() && index >= count) {
    record.fail(fmt::format("\"{}\" is {}, but {} {} {}{}", key, index, owner, count, thing,
                            count == 1 ? "" : "s"));
  }
  return index;
}

/// Counts are exact: a sum that no count can hold is refused.
void count_operators(Reading& reading, Record& record, std::int64_t count) {
  if (!record.ok()) return;
  if (__builtin_add_overflow(reading.operators, count, &reading.operators)) {
    record.fail("the compute lines so far count more than 2^63-1 operators");
  }
}

enum Op : std::size_t { read_op, write_op, barrier_op, compute_op, launch_op };

void read_step(Reading& reading, Record& record, Op op, std::int64_t line) {
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
void read_end(Reading& reading, Record& record) {
  record.expect_keys("the end line", {"end", "requests"}, 2);
  const std::int64_t requests = record.integer("requests", 0);
  if (!record.ok()) return;
  if (record.value("end") != true)
    return record.fail(fmt::format("\"end\" is {}, not true", shown(record.value("end"))));
  if (requests != reading.trace.requests) {
    record.fail(fmt::format("the trace ends after {} requests, but this line counts {}",
                            reading.trace.requests, requests),
                {"lines are missing or were added: write the trace again"});
  }
  reading.trace.whole = true;
}

void read_line(Reading& reading, Record& record, std::int64_t line) {
  if (record.ok() && reading.trace.whole) {
    return record.fail("a line after the end line",
                       {"{\"end\": true, …} is the last line of a trace"});
  }
  if (record.has("end")) return read_end(reading, record);
  if (record.ok() && !record.has("op")) {
    if (record.has("memlane_trace")) {
      return record.fail("a second header", {"a trace is of one run: each has a file of its own"});
    }
    return record.fail("the line has no \"op\"",
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
    Record record(text, fmt::format("{}:{}", path, line), in.eof(), watch);
    if (line == 1) {
      read_header(reading, record);
      most += 64 * static_cast<std::size_t>(std::min<std::int64_t>(reading.trace.width, 1 << 24));
    } else {
      read_line(reading, record, line);
    }
    if (watch.stopped()) break;
    if (record.ok()) continue;
    errors.push_back(record.error());
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
