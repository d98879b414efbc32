// The playground's side of memlane: questions and answers as JSON, for a page that runs the rooms
// of memlane in a browser.
#pragma once

#include "memlane/show/run_report.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace memlane::web {

/// What the page brings along.
struct Shipped {
  std::string version;                      ///< memlane's
  HostInfo host;                            ///< where it runs
  std::map<std::string, std::string> files; ///< `programs/…/sum.lane`, `configs/machines/….json`
};

/// Answers questions, each from its own text alone. A question is a JSON object; `ask` says which:
///
/// - `list`: the shipped programs, exercises and machines, and the words of the language.
/// - `check`: whether the program has errors.
/// - `describe`: the program's parameters, each with values that the machine can run, its arrays
///   with their layouts, and the machine's keys with their bounds and values.
/// - `run`: the result (`run`: the JSON of `memlane run --format json`), its account in sentences,
///   the cost of each line of the program, and time charts (`memlane explain schema timeline`): of
///   the first requests, and of those of the costliest line if the former are not the whole run.
/// - `launch`: of `text`, PTX that nvcc made, the kernels, each with a launch to begin with; the
///   machine's keys; and where `launches` has texts as `memlane ptx --launch` takes them, what
///   `run` answers, by the lines of the PTX.
///
/// - `grade`: of `text` by the shipped exercise that `exercise` names, the JSON of `memlane grade
///   --format json`, and the parts of the line that its --result prints: `result` has its head, its
///   text, which the page packs, and its tail.
///
/// The members of a question, all texts and numbers optional: `text` and `path` of the program,
/// `machine` (the name of a shipped one; the program's own one if empty), the lists `set`, `define`
/// and `layout` as --set, -D and --layout take them, `seed`, `seconds` (of a run or a grade),
/// `requests` (of a time chart). An answer with mistakes has `errors`: place, message, ways out.
class Playground {
public:
  /// `clock`: seconds from any beginning.
  Playground(Shipped shipped, std::function<double()> clock);

  /// Cost: of the run, which ends after `seconds`; its time charts run it up to twice more.
  std::string answer(std::string_view question) const;

private:
  Shipped shipped_;
  std::function<double()> clock_;
};

} // namespace memlane::web
