// A program with what it uses, and with its replacements from outside.
#include "parser.hpp"
#include "replace.hpp"

#include "memlane/lang/parse.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace memlane::lang {
namespace {

constexpr std::size_t deepest_use = 64; // a loader may invent a new path at each step

std::string key_of(const HostDecl& decl) { return decl.verify ? "verify" : "main"; }
std::string key_of(const ArraysDecl& decl) { return decl.arrays.front().name.text; }
template <class Decl>
std::string key_of(const Decl& decl) {
  return decl.name.text;
}

/// Adds a file's own declarations. Each takes the place of its namesake from the files it uses
/// (`used`), so that later declarations see it; without a namesake it goes to the end.
template <class Decl>
void merge(std::vector<Decl>& into, std::vector<Decl>&& own, const std::set<std::int32_t>& used) {
  std::map<std::string, std::vector<std::size_t>> theirs; // places in `into`, by name
  for (std::size_t at = 0; at < into.size(); ++at)
    if (used.count(into[at].span.file) > 0) theirs[key_of(into[at])].push_back(at);
  std::vector<bool> overridden(into.size());
  for (Decl& decl : own) {
    const auto known = theirs.find(key_of(decl));
    if (known == theirs.end()) {
      into.push_back(std::move(decl));
      continue;
    }
    for (const std::size_t at : known->second) overridden[at] = true;
    overridden[known->second.front()] = false;
    into[known->second.front()] = std::move(decl);
    theirs.erase(known); // a second namesake in this file is an error, reported later
  }
  std::size_t kept = 0;
  for (std::size_t at = 0; at < into.size(); ++at) {
    if (at < overridden.size() && overridden[at]) continue;
    if (kept != at) into[kept] = std::move(into[at]);
    ++kept;
  }
  into.erase(into.begin() + static_cast<std::ptrdiff_t>(kept), into.end());
}

class Loader {
public:
  Loader(Sources& sources, const UseLoader& load) : sources_(sources), load_(load) {}

  /// Adds a file, after the files it uses.
  void add(std::int32_t file) {
    Parser parser(sources_, file);
    Program own = parser.program();
    append(parser.errors());
    std::set<std::int32_t> used;
    active_.push_back({file, {}});
    for (const UseDecl& use : own.uses) {
      if (use.program.text.empty()) continue; // a syntax error, reported above
      active_.back().use = use.program.span;
      follow(use.program, used);
    }
    active_.pop_back();
    take(std::move(own), used);
    used.insert(file);
    loaded_[sources_.path(file)] = std::move(used);
  }

  Program program;
  Diagnostics errors;

private:
  struct Active {
    std::int32_t file;
    Span use; ///< the `use` that is being followed
  };

  template <class Part>
  static void append_to(std::vector<Part>& all, std::vector<Part> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }

  void append(Diagnostics more) { append_to(errors, std::move(more)); }

  void follow(const Name& name, std::set<std::int32_t>& used) {
    // A copy: loading adds to the sources.
    const std::string user = sources_.path(active_.back().file);
    const Result<std::int32_t> file = load_(name, user);
    if (!file) return fail_load(name, file.errors());
    const std::string path = sources_.path(*file);
    const auto in_progress = std::find_if(active_.begin(), active_.end(), [&](const Active& a) {
      return sources_.path(a.file) == path;
    });
    if (in_progress != active_.end()) return fail_cycle(name, in_progress - active_.begin());
    if (active_.size() >= deepest_use) {
      errors.push_back(error_at(name.span, "programs use each other more than " +
                                               std::to_string(deepest_use) + " files deep"));
      return;
    }
    if (loaded_.count(path) == 0) add(*file);
    const std::set<std::int32_t>& theirs = loaded_[path];
    used.insert(theirs.begin(), theirs.end());
  }

  void fail_load(const Name& name, Diagnostics reasons) {
    if (reasons.empty())
      reasons.push_back(error_at(name.span, "cannot read the program " + in_quotes(name.text)));
    for (Diagnostic& reason : reasons)
      if (!reason.span.known()) reason.span = name.span;
    append(std::move(reasons));
  }

  void fail_cycle(const Name& name, std::ptrdiff_t first) {
    const bool itself = static_cast<std::size_t>(first) + 1 == active_.size();
    Diagnostic error = error_at(name.span, itself ? "a program cannot use itself"
                                                  : "programs use each other in a cycle");
    for (std::size_t k = static_cast<std::size_t>(first); k + 1 < active_.size(); ++k)
      error.notes.push_back(note_at(active_[k].use, "through this 'use'"));
    errors.push_back(std::move(error));
  }

  void take(Program own, const std::set<std::int32_t>& used) {
    merge(program.params, std::move(own.params), used);
    merge(program.consts, std::move(own.consts), used);
    merge(program.types, std::move(own.types), used);
    merge(program.arrays, one_array_each(std::move(own.arrays)), used);
    merge(program.views, std::move(own.views), used);
    merge(program.fns, std::move(own.fns), used);
    merge(program.kernels, std::move(own.kernels), used);
    merge(program.hosts, std::move(own.hosts), used);
    // The last file added is the program itself; claims and documents of others are dropped.
    program.claims = std::move(own.claims);
    append_to(program.races, std::move(own.races));
    append_to(program.racy, std::move(own.racy));
    program.uses = std::move(own.uses);
    program.path = std::move(own.path);
    program.doc = std::move(own.doc);
  }

  Sources& sources_;
  const UseLoader& load_;
  std::vector<Active> active_;
  std::map<std::string, std::set<std::int32_t>> loaded_; ///< path: it and all it uses
};

} // namespace

Result<Program> load_program(Sources& sources, std::int32_t file, const UseLoader& loader,
                             const Replacements& replacements) {
  Loader state(sources, loader);
  state.add(file);
  // If a file could not be read, names of it would be reported as missing.
  const bool complete = state.errors.empty();
  Diagnostics wrong = replace_all(state.program, sources, replacements, complete);
  state.errors.insert(state.errors.end(), wrong.begin(), wrong.end());
  if (!state.errors.empty()) return state.errors;
  return std::move(state.program);
}

} // namespace memlane::lang
