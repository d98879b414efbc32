// Sweeps in tests: programs are texts or the shipped ones, machines the shipped ones.
#pragma once

#include "support/catch.hpp"
#include "support/machine_files.hpp"
#include "support/shipped_programs.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/points/sweep_file.hpp"
#include "memlane/points/sweep_options.hpp"
#include "memlane/support/sha256.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memlane::test {

/// What sweeps read.
class SweepWorld {
public:
  Sources sources;
  std::map<std::string, std::string> programs; ///< texts by name; others are shipped
  std::map<std::string, std::string> inputs;   ///< contents by path

  /// Errors as memlane prints them; empty: there are none.
  std::string problems;

  std::optional<sweep::SweepSpec> read(const std::string& text,
                                       const std::string& path = "sweeps/s.json") {
    return keep(sweep::read_sweep_file(sources, sources.add(path, text)));
  }
  std::optional<sweep::SweepSpec> options(const sweep::SweepOptions& options) {
    return keep(sweep::read_sweep_options(sources, options, "umm-w32"));
  }
  std::optional<sweep::Plan> plan(const std::optional<sweep::SweepSpec>& sweep) {
    if (!sweep) return std::nullopt;
    return keep(sweep::Plan::make(*sweep, files(), sources));
  }
  std::optional<sweep::Plan> plan_file(const std::string& text) { return plan(read(text)); }

  sweep::SweepFiles files() {
    using Replaced = std::vector<std::pair<std::string, std::string>>;
    sweep::SweepFiles files;
    files.program = [this](const std::string& name, const Replaced& replaced) {
      return load_program(name, replaced);
    };
    files.machine = [this](const std::string& name, const std::vector<std::string>& overrides) {
      static const MachineFiles shipped =
          machine_files_on_disk(MEMLANE_SOURCE_DIR "/configs/machines");
      return load_machine(sources, name, overrides, shipped);
    };
    files.input_hash = [this](const std::string& path) -> Result<std::string> {
      const auto input = inputs.find(path);
      if (input == inputs.end()) return error_in("", "cannot read '" + path + "'");
      return sha256(input->second);
    };
    // A file is its own content.
    files.command = [](const sweep::SweptProgram& swept) -> Result<sweep::KernelCommand> {
      Result<std::vector<std::string>> words = sweep::words_of_command(swept.command);
      if (!words) return words.errors();
      if (words->size() < 2) return error_in("", "no file");
      sweep::KernelCommand command{std::move(*words), 1, "", ""};
      command.path = command.words[1];
      command.sha256 = sha256(command.path);
      return command;
    };
    files.fits_kernels = [](const MachineSpec& machine) -> Status {
      if (machine.width == 32) return Done{};
      return error_in("", "warps of PTX have 32 threads");
    };
    return files;
  }

private:
  template <class T>
  std::optional<T> keep(Result<T> result) {
    problems.clear();
    if (result) return std::move(*result);
    problems = render(result.errors(), sources);
    const std::string root = MEMLANE_SOURCE_DIR "/"; // shipped files have one path everywhere
    for (std::size_t at = 0; (at = problems.find(root, at)) != std::string::npos;)
      problems.erase(at, root.size());
    return std::nullopt;
  }

  Result<std::int32_t> add_program(const std::string& name) {
    const auto own = programs.find(name);
    if (own != programs.end()) return sources.add(name, own->second);
    const bool is_path = name.find('/') != std::string::npos;
    const std::string path = is_path ? name : path_of_shipped(name);
    if (path.empty()) return error_in("", "no shipped program is named '" + name + "'");
    return sources.add(path, *read_machine_file(path));
  }

  Result<CheckedProgram>
  load_program(const std::string& name,
               const std::vector<std::pair<std::string, std::string>>& replaced) {
    const Result<std::int32_t> file = add_program(name);
    if (!file) return file.errors();
    ProgramInfo info;
    info.path = name;
    info.sha256 = sha256(sources.text(*file));
    lang::Replacements texts;
    for (const auto& [option, text] : replaced) {
      auto& of_kind = option == "fn" ? texts.fns : option == "type" ? texts.types : texts.layouts;
      of_kind.push_back(sources.add("--" + option, text));
      info.replaced.emplace_back("--" + option, text);
    }
    const lang::UseLoader use = [&](const lang::Name& used,
                                    const std::string&) -> Result<std::int32_t> {
      const Result<std::int32_t> added = add_program(used.text);
      if (added) info.uses.emplace_back(used.text, sha256(sources.text(*added)));
      return added;
    };
    Result<lang::Program> tree = lang::load_program(sources, *file, use, texts);
    if (!tree) return tree.errors();
    info.races_allowed = lang::allowed_races(*tree);
    info.all_races_allowed = tree->allows_all_races() != nullptr;
    Result<lang::Checked> checked = lang::check(sources, std::move(*tree), claim_counts());
    if (!checked) return checked.errors();
    return CheckedProgram{std::move(*checked), std::move(info)};
  }
};

} // namespace memlane::test
