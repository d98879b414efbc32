#include "run_pair.hpp"

#include "kernel_run.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::grade {
namespace {

/// The check program at one point, and what its arrays hold before and after its main.
struct CheckRun {
  ir::Program code;
  Contents initial, right;
};

std::vector<std::string> memory_arrays(const ir::Program& code) {
  std::vector<std::string> names;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) names.push_back(array.name);
  return names;
}

/// An array of a record is one array for each field: `a.sum`.
bool is_result(const ExerciseSpec& exercise, const std::string& array) {
  const std::string name = array.substr(0, array.find('.'));
  return std::find(exercise.results.begin(), exercise.results.end(), name) !=
         exercise.results.end();
}

/// A check program that does not work is an error of the exercise.
Status check_ran(const RunResult& result, const std::string& path) {
  if (result.stop == Stop::none && result.verify != Verdict::failed) return Done{};
  Diagnostics errors = result.errors;
  if (result.stop != Stop::error && result.stop != Stop::none)
    errors = {stopped_while(result.stop, fmt::format("running {}", path))};
  for (Diagnostic& error : errors) error.help.push_back("the check program of an exercise fails");
  return errors;
}

/// `given`: the check program with its machine and parameters.
Result<CheckRun> run_check(const Grading& grading, sweep::Recipe recipe, const sweep::Point& given,
                           const Sources& sources) {
  recipe.limits.steps = INT64_MAX; // they are a limit of students' programs
  sweep::Point point = point_of(recipe, *grading.check, given.machine);
  point.parameters = given.parameters;
  Result<ir::Program> code = sweep::bind_point(point, sources);
  if (!code) return code.errors();
  CheckRun check{std::move(*code), {}, {}};
  point.options.outputs = memory_arrays(check.code);
  ir::Program before_main = check.code;
  before_main.main = before_main.verify = -1;
  const auto run = [&](const ir::Program& program) {
    return sweep::simulate_on(point.engine, program, point.machine, point.options, sources);
  };
  RunResult initial = run(before_main);
  if (const Status ran = check_ran(initial, grading.check->info.path); !ran) return ran.errors();
  check.initial = std::move(initial.outputs);
  RunResult right = run(check.code);
  if (const Status ran = check_ran(right, grading.check->info.path); !ran) return ran.errors();
  check.right = std::move(right.outputs);
  return check;
}

// --- The student's program.

/// The values of all params of the check program.
Result<std::vector<lang::ParamValue>> values_of(const ir::Program& check, Sources& sources) {
  std::vector<lang::ParamValue> values;
  for (const ir::Constant& constant : sweep::parameters_of(check)) {
    const std::string text =
        fmt::format("{}={}", constant.name, ir::to_string(constant.type, constant.value));
    const std::int32_t file = sources.add("the exercise", text);
    const auto size = static_cast<std::uint32_t>(constant.name.size());
    Result<lang::Expr> value = lang::parse_expression(sources, file, size + 1);
    if (!value) return value.errors();
    values.push_back({constant.name, std::move(*value), Span{file, 0, size}});
  }
  return values;
}

std::string extents_text(const ir::Array& array) {
  return fmt::format("{}[{}]: {}", array.name, fmt::join(array.extents, ", "),
                     ir::name_of(array.type));
}

std::string layout_text(const ir::Array& array) {
  if (array.layout_name.empty()) return "rows";
  return array.padding > 0 ? fmt::format("{}({})", array.layout_name, array.padding)
                           : array.layout_name;
}

/// Memory arrays belong to the exercise: each of the program's must be one of them.
Diagnostics wrong_arrays(const ir::Program& program, const ir::Program& check,
                         const std::string& label) {
  Diagnostics errors;
  for (const ir::Array& own : program.arrays) {
    if (own.space != ir::Space::memory) continue;
    const auto known = std::find_if(check.arrays.begin(), check.arrays.end(),
                                    [&](const ir::Array& array) { return array.name == own.name; });
    if (known == check.arrays.end()) {
      errors.push_back(
          error_at(own.span, fmt::format("the exercise has no memory array {}", own.name),
                   {fmt::format("its memory arrays are {}", fmt::join(memory_arrays(check), ", ")),
                    "a program may have shared arrays and var arrays of its own"}));
    } else if (known->extents != own.extents || known->type != own.type) {
      errors.push_back(
          error_at(own.span, fmt::format("the exercise has {}, this is {} ({})",
                                         extents_text(*known), extents_text(own), label)));
    } else if (layout_text(*known) != layout_text(own) || own.layout == LayoutKind::function) {
      errors.push_back(
          error_at(own.span, fmt::format("the exercise has {} with layout {}, this has layout {}",
                                         own.name, layout_text(*known), layout_text(own))));
    }
  }
  return errors;
}

/// The first limit of a run with races allowed. Noting races is slow.
constexpr std::int64_t first_racy_steps = 100'000;

/// Runs it. After an error it runs again with races allowed, which shows whether a race was the
/// error, and whether the result is right nevertheless. Its limit of steps is doubled until a race
/// or the error is reached, so that no run goes on for long behind its first race.
void run_student(const sweep::Point& point, const ir::Program& code, const Sources& sources,
                 GradedRun& run) {
  run.result = sweep::simulate_on(point.engine, code, point.machine, point.options, sources);
  if (run.result.stop != Stop::error) return;
  RunOptions options = point.options;
  options.allow_races = true;
  const std::int64_t most = options.limits.steps;
  RunResult again;
  std::int64_t steps = first_racy_steps;
  for (;; steps *= 2) {
    options.limits.steps = std::min(most, steps);
    again = sweep::simulate_on(sweep::Engine::reference, code, point.machine, options, sources);
    if (again.races.races > 0) break;
    if (again.stop != Stop::steps || steps >= most) return;
  }
  if (again.stop != Stop::none && again.stop != Stop::error) {
    run.given_up_after = options.limits.steps;
    run.result.races = std::move(again.races);
  } else {
    run.result = std::move(again);
  }
}

// --- The comparison.

bool is_right(const ir::Array& array, ir::Value found, ir::Value right, double tolerance) {
  if (!ir::is_real(array.type)) return found == right;
  const double a = found.real(), b = right.real();
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// `a[3, 1]` of the row-major number of an element.
std::string name_of_element(const ir::Array& array, std::int64_t element) {
  std::vector<std::int64_t> indices(array.extents.size());
  for (std::size_t k = indices.size(); k-- > 0; element /= array.extents[k])
    indices[k] = element % array.extents[k];
  return fmt::format("{}[{}]", array.name, fmt::join(indices, ", "));
}

/// The first wrong element of the array and the number of them; empty: all are right.
std::string first_wrong(const ir::Array& array, const std::vector<ir::Value>& found,
                        const std::vector<ir::Value>& right, double tolerance) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (is_right(array, found[i], right[i], tolerance)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return fmt::format("{} is {}, expected {} ({} of {} elements wrong)",
                     name_of_element(array, static_cast<std::int64_t>(first)),
                     ir::to_string(array.type, found[first]),
                     ir::to_string(array.type, right[first]), wrong, right.size());
}

/// Why the result is wrong or not judged; empty if it is right.
std::string why_wrong(const Grading& grading, const CheckRun& check, const GradedRun& run,
                      const Sources& sources) {
  const RunResult& result = run.result;
  if (run.given_up_after > 0)
    return fmt::format("it was given up after {} instructions, because of its races",
                       run.given_up_after);
  if (result.stop == Stop::error)
    return result.errors.empty() ? "the run ended with an error"
                                 : with_line(result.errors.front(), sources);
  if (result.stop != Stop::none)
    return fmt::format("the run was stopped: {}; reached: {}",
                       limit_text(result.stop, grading.exercise->limits), result.reached);
  if (result.host_words > 0)
    return fmt::format("main accesses {} of the memory arrays; the kernels must do all the work, "
                       "and main may only launch them",
                       counted(result.host_words, "word"));
  for (const ir::Array& array : check.code.arrays) {
    if (array.space != ir::Space::memory || !is_result(*grading.exercise, array.name)) continue;
    const auto found = result.outputs.find(array.name);
    // The program does not mention the array.
    const Contents& contents = found == result.outputs.end() ? check.initial : result.outputs;
    std::string wrong = first_wrong(array, contents.at(array.name), check.right.at(array.name),
                                    grading.exercise->tolerance);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

/// Runs a program of the language, with the check program's data. What makes it impossible to run
/// goes to `wrong`.
Status run_program(const Grading& grading, const sweep::Recipe& recipe, const CheckRun& check,
                   const MachineSpec& machine, const CheckedProgram& program, Sources& sources,
                   GradedRun& run, Diagnostics& wrong) {
  sweep::Point point = point_of(recipe, program, machine);
  Result<std::vector<lang::ParamValue>> values = values_of(check.code, sources);
  if (!values) return values.errors();
  point.parameters = std::move(*values);
  const Result<ir::Program> code = sweep::bind_point(point, sources);
  wrong = code ? wrong_arrays(*code, check.code, run.label) : code.errors();
  if (!wrong.empty()) return Done{};

  const std::vector<std::string> arrays = memory_arrays(*code);
  RunOptions& options = point.options;
  options.verify = false;
  options.allow_races = options.heed_racy_text = false; // a student cannot allow races
  options.outputs = arrays;
  for (const std::string& array : arrays)
    options.inputs[array] = std::make_shared<const std::vector<ir::Value>>(check.initial.at(array));
  ask_for_counts(grading.check->checked, point.machine, options);
  run_student(point, *code, sources, run);
  return Done{};
}

} // namespace

Status run_pair(const Grading& grading, const sweep::Recipe& recipe,
                const sweep::Point& check_point, const Submission& file, Sources& sources,
                GradedRun& run, Diagnostics& wrong) {
  const Result<CheckRun> check = run_check(grading, recipe, check_point, sources);
  if (!check) return check.errors();
  run.parameters = sweep::parameters_of(check->code);
  const MachineSpec& machine = check_point.machine;
  const Status ran = file.program ? run_program(grading, recipe, *check, machine, *file.program,
                                                sources, run, wrong)
                                  : run_kernels(grading, file, check->code, check->initial, machine,
                                                recipe.limits, sources, run, wrong);
  if (!ran || !wrong.empty()) return ran;

  run.stop = run.result.stop == Stop::error ? Stop::none : run.result.stop;
  run.races = run.result.races.races;
  run.time = run.result.counts.time.value;
  run.messages = run.result.errors;
  for (const RacePair& pair : run.result.races.pairs) run.messages.push_back(pair.first);
  run.reason = why_wrong(grading, *check, run, sources);
  run.correct = run.reason.empty();
  if (run.correct)
    run.claims = evaluate_claims(grading.check->checked, sources,
                                 {&check->code, &machine, &run.result, &grading.limits});
  if (const Stop stop = stop_of(run.claims); stop != Stop::none) {
    run.stop = run.result.stop = stop;
    run.result.reached = "its claims";
    run.reason = why_wrong(grading, *check, run, sources);
    run.correct = false;
  }
  run.result.outputs.clear();
  return Done{};
}

std::string limit_text(Stop stop, const GradeLimits& limits) {
  switch (stop) {
  case Stop::steps: return fmt::format("it takes more than {} instructions", limits.steps);
  case Stop::memory: return fmt::format("it takes more than {} bytes", limits.memory);
  case Stop::wall_clock: return fmt::format("all runs take more than {} s", limits.seconds);
  case Stop::interrupted: return "interrupted";
  case Stop::time:
  case Stop::none:
  case Stop::error: break;
  }
  return "";
}

std::string with_line(const Diagnostic& message, const Sources& sources) {
  if (!message.span.known()) return message.message;
  const auto line = [&](Span span) { return sources.begin(span).line; };
  for (const Diagnostic& note : message.notes)
    if (note.span.known() && line(note.span) != line(message.span))
      return fmt::format("lines {} and {}: {}", line(message.span), line(note.span),
                         message.message);
  return fmt::format("line {}: {}", line(message.span), message.message);
}

} // namespace memlane::grade
