// A question of the page: its program, its machine, and its limits.
#pragma once

#include "memlane/machine/machine.hpp"
#include "memlane/points/program_text.hpp"
#include "memlane/points/recipe.hpp"
#include "memlane/show/account.hpp"
#include "memlane/web/playground.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memlane::web {

using Json = nlohmann::ordered_json;

/// What a member of a question says; what is not there, or of another type, is left out.
std::string text_in(const Json& question, const char* member);
std::int64_t number_in(const Json& question, const char* member, std::int64_t otherwise);
std::vector<std::string> texts_in(const Json& question, const char* member);

/// The names of shipped files in a folder or below it: `sum` of `programs/reduction/sum.lane`.
std::map<std::string, std::string> shipped_in(const Shipped& shipped, std::string_view folder,
                                              std::string_view ending);

/// Messages as a page shows them. A message in the program itself has `line`, `column` and the
/// bytes `begin` to `end`. `own`: the number of its file.
Json errors_json(const Diagnostics& errors, const Sources& sources, std::int32_t own = 0);

/// Reads `use name`: the program beside the one that uses it, else a shipped one.
lang::UseLoader used_programs(const Shipped& shipped, Sources& sources);
MachineFiles machine_files(const Shipped& shipped);

/// The folder of exercises: its programs are no shipped ones.
inline constexpr std::string_view exercise_folder = "programs/exercises/";

/// How long a run may take.
std::int64_t seconds_of(const Json& question);

/// What ended a run before its end: time, or memory. `reached`: how far it came, if known.
Diagnostic stop_error(Stop stop, const std::string& reached, const Json& question);
/// The errors, or the stop that they tell of.
Diagnostics with_way_out(const Diagnostics& errors, const Json& question);
/// Whether a run has numbers to show: it ended, or a limit stopped it after a part of its time.
bool has_counted(const RunResult& run);

/// What a terminal calls the program: a shipped one by its name, any other one by its file's, which
/// a page saves.
std::string name_in_terminal(const Shipped& shipped, const std::string& path,
                             const std::string& text);

/// A program and its machine, read as `memlane run` reads them.
struct Question {
  Sources sources;
  sweep::Recipe recipe;
  CheckedProgram program;
  LoadedMachine machine;
};

/// The program's file is number 0 of the sources. `check` ends the work.
Status read_program(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check,
                    Question& question);
/// The machine too, which the program fits if none is asked for.
Status read_all(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check,
                Question& question);

/// The parts of it: seed and limits; which machine is asked for; that machine.
void read_limits(const Json& asked, const std::function<Stop()>& check, Question& question);
void select_machine(const Json& asked, Question& question);
Status read_machine(const Shipped& shipped, Question& question);

Json list(const Shipped& shipped);
Json describe(const Question& question);
Json run(const Shipped& shipped, const Json& asked, Question& question);
/// A kernel of PTX.
Json launch(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check);
/// What `list` says of exercises.
Json exercises(const Shipped& shipped);
Json grade_asked(const Shipped& shipped, const Json& question, const std::function<Stop()>& check);

/// What both kinds of runs say of their result.
Json account_json(const Account& account);
/// The lines of the program's own file that made requests; `cost` of each is a part of `of_all`.
Json lines_json(const Account& account, const MachineSpec& machine, const RunResult& run,
                std::int32_t file);
/// What describe says of the machine.
void add_machine_json(Json& answer, const Question& question);

} // namespace memlane::web
