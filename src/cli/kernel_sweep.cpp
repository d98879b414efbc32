#include "kernel_sweep.hpp"

#include "child.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "version.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/points/point.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/store/store.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>

namespace memlane::cli {

namespace {

using sweep::Cell;
using sweep::PointStatus;

constexpr std::size_t most_file = std::size_t{4} << 30, most_result = std::size_t{1} << 28;

/// The names in braces of the words.
std::set<std::string> names_in_words(const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words)
    for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const std::size_t end = word.find('}', at);
      if (end == std::string::npos) break;
      names.insert(word.substr(at + 1, end - at - 1));
    }
  return names;
}

std::string with_values(std::string word,
                        const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string place = fmt::format("{{{}}}", name);
    for (std::size_t at = word.find(place); at != std::string::npos;
         at = word.find(place, at + value.size()))
      word.replace(at, place.size(), value);
  }
  return word;
}

/// What the points of a machine have in common.
class PointMaker {
public:
  PointMaker(const KernelCommand& command, const sweep::SweepSpec& spec, Sources& sources)
      : command_(command), spec_(spec), sources_(sources), names_(names_in_words(command.words)) {}

  Result<std::vector<KernelPoint>> make() {
    const Result<std::string> content = read_file(command_.file(), most_file);
    if (!content) return content.errors();
    sha256_ = sha256(*content);
    if (const Status fits = check_names(); !fits) return fits.errors();
    for (const sweep::SweptMachine& machine : spec_.machines) {
      KernelPoint point;
      point.machine = machine.name;
      if (const Status made = add(machine, 0, point, machine.overrides); !made)
        return made.errors();
    }
    return std::move(points_);
  }

private:
  Status check_names() const {
    ErrorCollector errors;
    std::set<std::string> given;
    for (const auto& group : spec_.axes)
      for (const sweep::SweepAxis& axis : group) {
        if (axis.kind == sweep::AxisKind::machine_key) continue;
        given.insert(axis.name);
        if (names_.count(axis.name) > 0 && axis.kind == sweep::AxisKind::named) continue;
        std::vector<std::string> help =
            did_you_mean(axis.name, std::vector<std::string>(names_.begin(), names_.end()));
        help.push_back(fmt::format("{{{}}} in the command is its value; --set KEY=VALUES changes "
                                   "the machine",
                                   axis.name));
        errors.add(error_at(axis.span, fmt::format("the command has no {{{}}}", axis.name),
                            std::move(help)));
      }
    for (const std::string& name : names_)
      if (given.count(name) == 0)
        errors.add(error_in("--command", fmt::format("{{{}}} has no values", name),
                            {fmt::format("give some: -D {}=1024,2048", name)}));
    return errors.status();
  }

  /// All values of the axes from a group on.
  Status add(const sweep::SweptMachine& machine, std::size_t group, const KernelPoint& before,
             const std::vector<std::string>& overrides) {
    if (group == spec_.axes.size()) return finish(machine, before, overrides);
    const auto& axes = spec_.axes[group];
    for (std::int64_t number = 0; number < axes.front().size; ++number) {
      KernelPoint point = before;
      std::vector<std::string> settings = overrides;
      for (const sweep::SweepAxis& axis : axes) {
        const std::string value = axis.value(number);
        point.values.emplace_back(axis.name, value);
        if (axis.kind == sweep::AxisKind::named)
          point.parameters.emplace_back(axis.name, value);
        else
          settings.push_back(fmt::format("{}={}", axis.name, value));
      }
      if (const Status added = add(machine, group + 1, point, settings); !added) return added;
    }
    return Done{};
  }

  Status finish(const sweep::SweptMachine& machine, const KernelPoint& before,
                const std::vector<std::string>& overrides) {
    const Result<LoadedMachine> loaded =
        load_selected_machine(sources_, {machine.name, overrides, true});
    if (!loaded) return loaded.errors();
    if (const Status fits = ptx::Pricing::check(loaded->spec); !fits) return fits;
    nlohmann::ordered_json spec = to_json(loaded->spec);
    for (const char* const text : {"name", "description"}) spec.erase(text);
    std::vector<std::string> words;
    for (const std::string& word : command_.words)
      words.push_back(with_values(word, before.parameters));
    for (const std::uint64_t seed : spec_.seeds) {
      KernelPoint& point = points_.emplace_back(before);
      point.words = {command_.name, "-m", machine.name};
      for (const std::string& setting : overrides)
        point.words.insert(point.words.end(), {"--set", setting});
      if (command_.name == "ptx")
        point.words.insert(point.words.end(), {"--seed", std::to_string(seed)});
      point.words.insert(point.words.end(), words.begin(), words.end());
      point.key_parts = {
          {"kind", command_.name},
          {"program", sha256_},
          {"words", fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "))},
          {"machine", spec.dump()},
          {"seed", std::to_string(seed)},
          {"semantics", std::to_string(semantics)}};
      point.key = sweep::key_of(point.key_parts);
    }
    return Done{};
  }

  const KernelCommand& command_;
  const sweep::SweepSpec& spec_;
  Sources& sources_;
  std::set<std::string> names_;
  std::string sha256_;
  std::vector<KernelPoint> points_;
};

/// The fields of a line of CSV, by RFC 4180; `at` is behind its end afterwards.
std::vector<std::string> csv_fields(const std::string& text, std::size_t& at) {
  std::vector<std::string> fields(1);
  for (bool quoted = false; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && text.compare(at, 2, "\"\"") == 0)
      fields.back() += text[at++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      fields.emplace_back();
    else if (!quoted && c == '\n')
      return ++at, fields;
    else
      fields.back() += c;
  }
  return fields;
}

/// A number where a text is one, so that queries can compare and order it.
Cell cell_of_text(const std::string& text) {
  if (text.empty()) return {};
  if (const auto whole = number_of<std::int64_t>(text)) return *whole;
  char* end = nullptr;
  const double real = std::strtod(text.c_str(), &end);
  return *end == '\0' ? Cell(real) : Cell(text);
}

/// The row of a result, whose CSV has a heading and one line.
sweep::StoredPoint stored_of(const KernelPoint& point, const std::string& csv,
                             const std::string& json, const std::string& command) {
  std::size_t at = 0;
  const std::vector<std::string> names = csv_fields(csv, at), fields = csv_fields(csv, at);
  std::map<std::string, std::string> by_name;
  for (std::size_t k = 0; k < std::min(names.size(), fields.size()); ++k)
    by_name[names[k]] = fields[k];
  by_name["path"] = by_name["program"];
  by_name["program"] = name_of_file(by_name["program"]);
  by_name["machine"] = name_of_file(point.machine);
  by_name["command"] = command;
  sweep::StoredPoint stored;
  for (const sweep::StoreColumn& column : stored_columns())
    stored.cells.push_back(cell_of_text(by_name[column.name]));
  for (const auto& [name, value] : point.parameters)
    stored.parameters.emplace_back(name, cell_of_text(value));
  stored.key = point.key;
  stored.key_parts = point.key_parts;
  stored.json = json;
  while (!stored.json.empty() && stored.json.back() == '\n') stored.json.pop_back();
  return stored;
}

std::string command_of(const KernelPoint& point) {
  std::string command = "memlane";
  for (const std::string& word : point.words) command += ' ' + shell_word(word);
  return command;
}

/// What a run gave.
struct KernelRunEnd {
  sweep::StoredPoint stored;
  PointStatus status = PointStatus::failed;
  bool check_failed = false; ///< a CUDA program ends with another status than 0
  std::string message;
};

KernelRunEnd run_kernel_point(const KernelPoint& point) {
  KernelRunEnd end;
  TemporaryFolder folder("sweep");
  const std::string csv = folder.path() + "/result.csv", json = folder.path() + "/result.jsonl",
                    said = folder.path() + "/said";
  std::vector<std::string> words = {"/proc/self/exe", point.words.front()};
  words.insert(words.end(), {"--format", "csv", "-o", csv, "--format", "jsonl", "-o", json});
  words.insert(words.end(), point.words.begin() + 1, point.words.end());
  const double begin = seconds_now();
  const ChildEnd child = run_quiet_child(words, said);
  const Result<std::string> table = read_file(csv, most_result),
                            line = read_file(json, most_result);
  if (table && line && child.start_error == 0) {
    const bool is_cuda = point.words.front() == "cuda";
    const bool at_limit = !is_cuda && child.status == static_cast<int>(Exit::limit);
    end.stored = stored_of(point, *table, *line, command_of(point));
    end.status = at_limit ? PointStatus::stopped : PointStatus::done;
    end.check_failed = is_cuda && (child.status != 0 || child.signal != 0);
    if (end.check_failed)
      end.message = child.signal != 0
                        ? fmt::format("signal {} ends the program", child.signal)
                        : fmt::format("the program ends with status {}", child.status);
  } else {
    end.stored = stored_of(point, "", "{}", command_of(point));
    const Result<std::string> text = read_file(said, most_result);
    constexpr std::size_t widest = 300;
    end.message = on_one_line(text && !text->empty() ? *text : "it gives no result", widest);
  }
  end.stored.seconds = seconds_now() - begin;
  return end;
}

} // namespace

Result<KernelCommand> read_kernel_command(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? '\0' : c;
    else
      words.back() += c;
  }
  if (quote != 0) return error_in("--command", fmt::format("a {} is not closed", quote));
  if (words.empty() || (words.front() != "cuda" && words.front() != "ptx"))
    return error_in("--command", "it is neither 'cuda PROGRAM …' nor 'ptx FILE.ptx …'",
                    {"programs in memlane's language are swept by their names: memlane sweep sum"});
  if (words.size() < 2 || words[1].empty() || words[1].front() == '-')
    return error_in("--command", fmt::format("a file follows '{}'", words.front()),
                    {"the machine and its keys are those of the sweep: -m, --set"});
  return KernelCommand{words.front(), {words.begin() + 1, words.end()}};
}

Result<std::vector<KernelPoint>> kernel_points(const KernelCommand& command,
                                               const sweep::SweepSpec& spec, Sources& sources) {
  return PointMaker(command, spec, sources).make();
}

Result<SweepReport> sweep_kernels(const KernelSweep& request,
                                  const std::vector<KernelPoint>& points, const Console& console) {
  Result<sweep::Store> store = sweep::Store::open(request.store, stored_columns());
  if (!store) return store.errors();
  SweepReport report;
  report.version = version;
  report.sweep = request.spec.name;
  report.store = request.store;
  report.points = static_cast<std::int64_t>(points.size());
  std::vector<const KernelPoint*> pending;
  for (const KernelPoint& point : points) {
    const auto known = store->find(point.key);
    if (!known || (request.retry && known->status != PointStatus::done))
      pending.push_back(&point);
    else
      add_to(report.known, known->status, known->check_failed);
  }
  report.missing = static_cast<std::int64_t>(pending.size());
  std::vector<KernelRunEnd> ends(pending.size());
  std::vector<char> begun(pending.size(), 0);
  std::atomic<std::size_t> done = 0;
  ProgressLine line([&] { return fmt::format("{} of {} runs", done.load(), pending.size()); });
  ErrorCollector errors;
  sweep::ParallelTasks tasks;
  tasks.count = pending.size();
  tasks.work = [&](std::size_t at) {
    if (request.limits.check && request.limits.check() != Stop::none) return;
    begun[at] = 1;
    ends[at] = run_kernel_point(*pending[at]);
  };
  tasks.take = [&](std::size_t at) {
    done += 1;
    if (begun[at] == 0) {
      report.summary.interrupted = true;
      return;
    }
    KernelRunEnd end = std::move(ends[at]);
    end.stored.sweep = request.spec.name;
    if (!end.message.empty()) {
      line.erase();
      console.print_error(fmt::format("{}: {}\n", end.stored.key_parts[2].second, end.message));
    }
    if (!errors.check(store->add(end.stored, end.status, end.check_failed, ""))) return;
    add_to(report.summary, end.status, end.check_failed);
    line.show();
  };
  sweep::run_parallel(request.jobs, INT64_MAX, tasks);
  line.erase();
  if (!errors.ok()) return errors.errors();
  return report;
}

} // namespace memlane::cli
