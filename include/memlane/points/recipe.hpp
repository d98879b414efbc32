// A recipe: all that a run is made of, in the words of the command line. Runs that are derived from
// a run (advice, changes, grids, printed commands) begin as a copy of its recipe.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/points/change.hpp"
#include "memlane/points/point.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// The machine of commands that are not told one and run no program.
inline constexpr std::string_view standard_machine = "umm-w32";

/// A shipped machine.
struct DefaultMachine {
  Model model = Model::umm;
  std::string_view name = standard_machine;
};

/// umm-w32, unless a program uses what a UMM does not have. Shared arrays need hmm-titan-plain, or
/// dmm-w32 if claims are about the DMM and not the HMM; so do letters of one model. Of several
/// programs that differ, the later of umm-w32, dmm-w32, hmm-titan-plain, mmm-gpu.
DefaultMachine default_machine(const std::vector<const lang::Checked*>& programs);

/// A name and a text: an array and a file, an option and its text.
using NameAndText = std::pair<std::string, std::string>;

/// Bytes of the arrays of a run that is not told a limit: --max-memory.
inline constexpr std::int64_t standard_memory = std::int64_t{2} << 30;

/// Which program, and what is replaced in it.
struct ProgramSelection {
  std::string name; ///< a path, or the name of a shipped program
  /// Option without its dashes and text: of fn, then type, then layout.
  std::vector<NameAndText> replaced = {};
  std::vector<std::string> definitions = {}; ///< texts of -D
  bool allow_races = false;                  ///< --allow-races
  /// `cuda` or `ptx` and words, which are run instead; empty: the program is.
  std::vector<std::string> command = {};
};

/// Which machine.
struct MachineSelection {
  std::string name = std::string(standard_machine); ///< a path, or the name of a shipped machine
  std::vector<std::string> overrides = {};          ///< texts of --set
  bool chosen = false;                              ///< -m was given

  /// Names the default machine of the programs, unless one was chosen.
  void fit(const std::vector<const lang::Checked*>& programs) {
    if (!chosen) name = default_machine(programs).name;
  }
};

struct Recipe {
  ProgramSelection program;
  MachineSelection machine;
  std::vector<NameAndText> inputs = {}; ///< memory array and where its content comes from
  std::uint64_t seed = 1;
  ExecutionOrder atomics = ExecutionOrder::rising;
  bool timing_only = false;
  bool verify = true;
  bool pram = false;
  std::vector<PriceRequest> prices = {};
  Limits limits = {};
  Engine engine = Engine::fast;
};

/// The recipe as if the changes had been given with the run's own options, instead of what these
/// say about the same things.
Recipe with_changes(Recipe recipe, const std::vector<Change>& changes);

/// ProgramInfo::replaced (`--layout`) as a recipe has it (`layout`).
std::vector<NameAndText> without_dashes(std::vector<NameAndText> replaced);
/// The texts of -D that give a point these parameters: `n=1024`. `values`: those of all parameters.
std::vector<std::string> definitions_of(const std::vector<lang::ParamValue>& parameters,
                                        const std::vector<NameAndText>& values);

/// The point of a recipe whose program and machine are read; without its parameters, inputs and
/// code. Refers to `program`.
Point point_of(const Recipe& recipe, const CheckedProgram& program, const MachineSpec& machine);

/// The words behind `memlane` that run the recipe's command on its machine.
std::vector<std::string> words_of(const Recipe& recipe);

/// `memlane run sum -m umm-w32 --set width=4 -D n=16`, its words quoted for a shell. `tries`: texts
/// of --try. Limits that `memlane run` would have anyway are left out, as are those of seconds.
std::string command_text(const Recipe& recipe, const std::vector<std::string>& tries = {});

} // namespace memlane::sweep
