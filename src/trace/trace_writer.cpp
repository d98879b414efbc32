// Writes the lines of a trace.
#include "memlane/trace/trace_writer.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cassert>

namespace memlane {
namespace {

bool same(const LaunchShape& a, const LaunchShape& b) {
  return a.blocks == b.blocks && a.threads == b.threads && a.shared_words == b.shared_words &&
         a.registers == b.registers;
}

std::string registers_of(const LaunchShape& shape) {
  return shape.registers > 0 ? fmt::format(R"(, "registers": {})", shape.registers) : "";
}

} // namespace

bool wants_wide_trace(const ir::Program& program, const MachineSpec& machine) {
  return machine.word_bytes || !machine.operations.empty() || machine.requests_in_flight > 1 ||
         machine.schedule == Schedule::hoisted ||
         std::any_of(program.functions.begin(), program.functions.end(), ir::has_atomics);
}

TraceWriter::TraceWriter(std::ostream& out, const MachineSpec& machine, const Sources& sources,
                         std::optional<std::int32_t> program, TraceFormat format)
    : out_(out), sources_(&sources), program_(program), format_(format), width_(machine.width),
      threads_(machine.threads), has_shared_(machine.shared), has_global_(machine.global) {
  // The kinds are information only; a replay uses the machine's.
  std::string& units = units_;
  if (machine.shared) units += fmt::format(R"("shared": "{}")", name_of(machine.shared->kind));
  if (machine.global) {
    units += fmt::format(R"({}"global": "{}")", units.empty() ? "" : ", ",
                         name_of(machine.global->kind));
  }
}

void TraceWriter::write_header(const LaunchShape& shape) {
  out_ << fmt::format(R"({{"memlane_trace": {}, "width": {}, "units": {{{}}}, "threads": {}, )"
                      R"("blocks": {}, "shared_words": {}{}}})",
                      static_cast<int>(format_), width_, units_, shape.threads, shape.blocks,
                      shape.shared_words, registers_of(shape))
       << '\n';
  defaults_ = shape;
  has_header_ = true;
}

void TraceWriter::write_launch(std::int64_t launch) {
  out_ << fmt::format(R"({{"launch": {}, "op": "launch", "blocks": {}, "threads": {}, )"
                      R"("shared_words": {}{}{}}})",
                      launch, shape_.blocks, shape_.threads, shape_.shared_words,
                      registers_of(shape_),
                      stage_ ? fmt::format(R"(, "stage": {})", *stage_) : std::string())
       << '\n';
  launch_written_ = true;
}

void TraceWriter::launch_begins(std::int64_t launch, const LaunchShape& shape, std::string_view) {
  if (!has_header_) write_header(shape);
  shape_ = shape;
  launch_written_ = false;
  if (!same(shape, defaults_) || stage_) write_launch(launch);
}

void TraceWriter::concurrent_begins(std::int64_t stage) { stage_ = stage; }
void TraceWriter::concurrent_ends() { stage_.reset(); }

void TraceWriter::launch_ends(std::int64_t launch, const LaunchTally&) {
  if (!launch_written_) write_launch(launch);
}

void TraceWriter::begin_step(std::int64_t launch, WarpRef warp) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), R"({{"launch": {}, "block": {}, "warp": {}, )", launch,
                 warp.block, warp.warp);
}

void TraceWriter::dispatched(const Dispatch& dispatch) {
  launch_written_ = true;
  ++requests_;
  const Request& request = *dispatch.request;
  assert(
      format_ == TraceFormat::wide ||
      (request.words_of_lane == 1 && request.kind != AccessKind::atomic && !request.is_volatile));
  const bool shared = has_shared_ && (!has_global_ || request.unit == UnitId::shared);
  begin_step(dispatch.launch, dispatch.warp);
  line_ += shared ? R"("unit": "shared", )" : R"("unit": "global", )";
  fmt::format_to(std::back_inserter(line_), R"("op": "{}", "addresses": [)", name_of(request.kind));
  const char* separator = "";
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(width_); ++lane) {
    line_ += separator;
    separator = ", ";
    const bool active = lane < request.addresses.size() && request.addresses[lane] >= 0;
    line_ += active ? fmt::format_int(request.addresses[lane]).str() : "null";
  }
  line_ += ']';
  if (request.uses_old) line_ += R"(, "old": true)";
  if (request.is_volatile) line_ += R"(, "volatile": true)";
  if (request.words_of_lane > 1)
    fmt::format_to(std::back_inserter(line_), R"(, "words": {})", request.words_of_lane);
  if (request.span.known() && tells_lines_of(request.span.file))
    write_line({request.span.file, sources_->begin(request.span).line});
  line_ += "}\n";
  out_ << line_;
}

void TraceWriter::computed(std::int64_t launch, WarpRef warp, std::int64_t count,
                           OperationClass operation, Cycles) {
  // The launch needs a line of its own if no request follows.
  if (!launch_written_) write_launch(launch);
  begin_step(launch, warp);
  fmt::format_to(std::back_inserter(line_), R"("op": "compute", "count": {})", count);
  if (operation != OperationClass::other)
    fmt::format_to(std::back_inserter(line_), R"(, "operation": "{}")", name_of(operation));
  line_ += "}\n";
  out_ << line_;
}

void TraceWriter::arrived(std::int64_t launch, WarpRef warp) {
  if (!launch_written_) write_launch(launch);
  begin_step(launch, warp);
  line_ += "\"op\": \"barrier\"}\n";
  out_ << line_;
}

/// Format 1 has no files, and other files may not be among the sources.
bool TraceWriter::tells_lines_of(std::int32_t file) const {
  const bool of_program = file == program_.value_or(file);
  return of_program || (format_ == TraceFormat::wide && file >= 0 && file < sources_->count());
}

void TraceWriter::write_line(SourceLine line) {
  if (line.second == 0 || !tells_lines_of(line.first)) return;
  line_ += R"(, "line": )";
  line_ += fmt::format_int(line.second).str();
  if (line.first == program_.value_or(line.first)) return;
  line_ += R"(, "file": )" + nlohmann::json(sources_->path(line.first))
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void TraceWriter::awaits(std::int64_t launch, WarpRef warp, const Step& wait) {
  if (!wants_waits()) return;
  if (!launch_written_) write_launch(launch);
  begin_step(launch, warp);
  line_ += R"("op": "wait")";
  if (!wait.awaited.empty())
    fmt::format_to(std::back_inserter(line_), R"(, "for": [{}])", fmt::join(wait.awaited, ", "));
  if (shape_.kernel && wait.instruction >= 0)
    write_line(shape_.kernel->instructions[static_cast<std::size_t>(wait.instruction)].line);
  line_ += "}\n";
  out_ << line_;
}

void TraceWriter::finish(bool complete) {
  if (!has_header_) write_header({1, threads_, 0});
  if (complete) out_ << fmt::format("{{\"end\": true, \"requests\": {}}}\n", requests_);
  out_.flush();
}

} // namespace memlane
