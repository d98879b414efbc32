#include "plan_commands.hpp"

#include "axis_values.hpp"
#include "plan_axes.hpp"

#include "memlane/points/command_program.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace memlane::sweep {
namespace {

/// Whether all values are whole numbers: `2^10`, but not `007`, which is a text.
bool has_numbers(const SweepAxis& axis, const Sources& sources) {
  return std::all_of(axis.parts.begin(), axis.parts.end(), [&](const AxisPart& part) {
    if (part.numbers) return true;
    const bool padded = part.text.size() > 1 && part.text[0] == '0' && part.text[1] != '^';
    return !padded && placed_number(sources, {part.text, part.span}, "a value").ok();
  });
}

/// Holds commands against the sweep that has them.
class CommandFit {
public:
  CommandFit(SweepSpec& sweep, const PlannedCommands& commands, Sources& sources)
      : sweep_(sweep), commands_(commands), sources_(sources) {
    for (const auto& command : commands)
      names_.push_back(command ? names_in_words(command->words) : std::set<std::string>());
    only_commands_ = std::all_of(commands.begin(), commands.end(),
                                 [](const auto& command) { return command.has_value(); });
  }

  Status fit() {
    refuse_what_programs_have();
    name_commands();
    for (auto& group : sweep_.axes)
      for (SweepAxis& axis : group) fit_axis(axis);
    for (std::size_t k = 0; k < commands_.size(); ++k)
      for (const std::string& name : names_[k]) need_values(name, sweep_.programs[k].span);
    return errors_.status();
  }

private:
  void refuse(std::string_view option) {
    errors_.add(error_in(fmt::format("--{}", option), "runs of --command do not have it",
                         {"leave it out"}));
  }

  void refuse_what_programs_have() {
    if (sweep_.timing_only) refuse("timing-only");
    if (!sweep_.verify) refuse("no-verify");
    if (sweep_.allow_races) refuse("allow-races");
    if (sweep_.pram) refuse("pram");
    if (!sweep_.prices.empty()) refuse("price");
    const bool is_cuda = std::any_of(commands_.begin(), commands_.end(), [](const auto& command) {
      return command && command->name() == "cuda";
    });
    if (is_cuda && sweep_.seeds.size() > 1)
      errors_.add(error_in("--seeds", "a CUDA program has its own random numbers",
                           {"a seed in its arguments can be {s}, with -D s=1..4"}));
  }

  void name_commands() {
    std::vector<KernelCommand> commands;
    for (const auto& command : commands_)
      if (command) commands.push_back(*command);
    const std::vector<std::string> names = names_of_commands(commands);
    std::size_t next = 0;
    for (std::size_t k = 0; k < commands_.size(); ++k)
      if (commands_[k]) sweep_.programs[k].name = names[next++];
  }

  void fit_axis(SweepAxis& axis) {
    if (axis.kind == AxisKind::machine_key) return;
    if (axis.kind != AxisKind::named)
      return errors_.add(error_at(axis.span, "runs of --command do not have it", {"leave it out"}));
    if (!only_commands_) return;
    std::set<std::string> known;
    std::vector<std::string> lacking;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      known.insert(names_[k].begin(), names_[k].end());
      if (!names_[k].contains(axis.name)) lacking.push_back(sweep_.programs[k].name);
    }
    if (lacking.size() == names_.size()) {
      if (is_machine_name(axis.name)) return;
      std::vector<std::string> help =
          did_you_mean(axis.name, std::vector<std::string>(known.begin(), known.end()));
      help.push_back(fmt::format("{{{}}} in the command is its value; --set KEY=VALUES changes "
                                 "the machine",
                                 axis.name));
      return errors_.add(error_at(axis.span, fmt::format("the command has no {{{}}}", axis.name),
                                  std::move(help)));
    }
    if (!lacking.empty())
      return errors_.add(error_at(
          axis.span, fmt::format("{} has no {{{}}}", fmt::join(lacking, ", "), axis.name),
          {"all commands of a sweep need its axes: give it a sweep of its own, into one store"}));
    if (!is_parameter_name(axis.name) || !has_numbers(axis, sources_)) axis.kind = AxisKind::word;
  }

  void need_values(const std::string& name, Span place) {
    for (const auto& group : sweep_.axes)
      for (const SweepAxis& axis : group)
        if (axis.name == name && axis.kind != AxisKind::machine_key) return;
    const bool of_file = !sources_.path(place.file).starts_with("--");
    errors_.add(error_at(place, fmt::format("{{{}}} has no values", name),
                         {of_file ? fmt::format("give it an axis: \"{}\": [1024, 2048]", name)
                                  : fmt::format("give some: -D {}=1024,2048", name)}));
  }

  SweepSpec& sweep_;
  const PlannedCommands& commands_;
  Sources& sources_;
  std::vector<std::set<std::string>> names_; ///< by program
  bool only_commands_ = false;
  ErrorCollector errors_;
};

} // namespace

Status fit_commands(SweepSpec& sweep, const PlannedCommands& commands, Sources& sources) {
  const bool none = std::none_of(commands.begin(), commands.end(),
                                 [](const auto& command) { return command.has_value(); });
  return none ? Status(Done{}) : CommandFit(sweep, commands, sources).fit();
}

std::set<std::string> numbers_of(const KernelCommand& command, const SweepSpec& sweep) {
  const std::set<std::string> names = names_in_words(command.words);
  std::set<std::string> numbers;
  for (const auto& group : sweep.axes)
    for (const SweepAxis& axis : group)
      if (axis.kind == AxisKind::named && names.contains(axis.name)) numbers.insert(axis.name);
  return numbers;
}

} // namespace memlane::sweep
