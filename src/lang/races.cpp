// What a program says about its races: `races allowed` and `racy`.
#include "checker.hpp"

#include "memlane/lang/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::lang {

const std::string* Program::allows_all_races() const {
  // The program's own reason before those of the files that it uses.
  const auto all = std::find_if(races.rbegin(), races.rend(),
                                [](const RacesDecl& decl) { return decl.arrays.empty(); });
  return all == races.rend() ? nullptr : &all->reason;
}

std::string allowed_races(const Program& program) {
  if (const std::string* const all = program.allows_all_races()) return *all;
  std::string text;
  for (const RacesDecl& decl : program.races) {
    text += text.empty() ? "" : "; ";
    for (const Name& array : decl.arrays)
      text += fmt::format("{}{}", &array == &decl.arrays.front() ? "" : ", ", array.text);
    text += fmt::format(": {}", decl.reason);
  }
  if (!program.racy.empty()) text += text.empty() ? "racy statements" : "; racy statements";
  return text;
}

/// The arrays that `races allowed` names.
void Checker::check_races() {
  for (const RacesDecl& decl : checked_.program.races)
    for (const Name& name : decl.arrays) allow_races(name, decl.reason);
}

void Checker::allow_races(const Name& name, const std::string& reason) {
  const auto found = top_.names.find(name.text);
  if (found == top_.names.end()) {
    std::vector<std::string> arrays;
    for (const ArraySymbol& array : checked_.arrays)
      if (array.top_level && array.kind != ArrayKind::view) arrays.push_back(array.name);
    std::vector<std::string> help = suggest(name.text, arrays);
    help.emplace_back("the races of an array that a kernel declares are allowed where it is "
                      "accessed: racy a[i] = …");
    error(name.span, "the program has no array " + in_quotes(name.text), std::move(help));
    return;
  }
  const Entity& entity = found->second;
  if (entity.kind == EntityKind::poison) return;
  if (entity.kind != EntityKind::array) {
    error(name.span, in_quotes(name.text) + " is not an array",
          {"races allowed names arrays of the program's top level"});
    return;
  }
  ArraySymbol& array = checked_.array(entity.id);
  if (array.kind == ArrayKind::view) {
    error(name.span, in_quotes(name.text) + " is a view: its races are those of its array",
          {"name the array"});
    return;
  }
  array.races_allowed = reason;
}

/// Marks the statement, if it is written `racy`, and rejects the mark where nothing can race.
void Checker::check_racy(const Statement& s, std::vector<TStatement>& out, std::size_t first) {
  if (!s.racy) return;
  const bool host = function_kind_ == FunctionKind::main || function_kind_ == FunctionKind::verify;
  if (host && !in_fn_block_) {
    error(*s.racy, "host code does not race: no kernel runs beside it",
          {"`racy` marks statements of kernels and procs"});
    return;
  }
  const auto is_own = [&](const ElementAccess& access) {
    return checked_.array(access.array).kind == ArrayKind::local;
  };
  for (; first < out.size(); ++first) {
    TStatement& typed = out[first];
    const std::vector<ElementAccess> accesses = effects_of(typed).accesses;
    if (std::all_of(accesses.begin(), accesses.end(), is_own))
      error(*s.racy, "this statement cannot race: it accesses no array that threads share");
    typed.racy = true;
  }
}

} // namespace memlane::lang
