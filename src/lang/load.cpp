// A program with what it uses, and with its replacements from the command line.
#include "parser.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace memlane::lang {

// Replacements of fns, types and layouts from the command line.

namespace {

/// The same declarations with one array each, in order.
std::vector<ArraysDecl> one_array_each(std::vector<ArraysDecl> declarations) {
  std::vector<ArraysDecl> result;
  for (ArraysDecl& decl : declarations) {
    std::vector<ArrayDeclarator> arrays;
    arrays.swap(decl.arrays);
    for (ArrayDeclarator& array : arrays) {
      result.push_back(decl);
      result.back().arrays = {std::move(array)};
    }
  }
  return result;
}

/// Calls `visit` with every list of statements of a body, inner ones first.
void each_list(std::vector<Statement>& body,
               const std::function<void(std::vector<Statement>&)>& visit) {
  for (Statement& s : body) {
    each_list(s.body, visit);
    each_list(s.alternative, visit);
  }
  visit(body);
}

void each_list(Program& program, const std::function<void(std::vector<Statement>&)>& visit) {
  for (KernelDecl& kernel : program.kernels) each_list(kernel.body, visit);
  for (HostDecl& host : program.hosts) each_list(host.body, visit);
}

class Replacer {
public:
  Replacer(Program& program, const Sources& sources, const Replacements& replacements,
           bool complete)
      : program_(program), sources_(sources), replacements_(replacements), complete_(complete) {}

  void fn(std::int32_t file) {
    Parser parser(sources_, file);
    FnDecl fn = parser.only_fn();
    if (!parsed(parser)) return;
    FnDecl* old = find(program_.fns, fn.name, "fn");
    if (!old || !first(old->span, fn.name)) return;
    const bool same_arity =
        old->parameters.size() == fn.parameters.size() && old->parameterless == fn.parameterless;
    if (!same_arity) {
      Diagnostic error = error_at(fn.name.span, in_quotes(fn.name.text) + " has " + arity(*old) +
                                                    ", but its replacement has " + arity(fn));
      error.notes.push_back(note_at(old->span, "what it would replace"));
      errors.push_back(std::move(error));
      return;
    }
    *old = std::move(fn);
  }

  void type(std::int32_t file) {
    Parser parser(sources_, file);
    TypeDecl type = parser.only_type();
    if (!parsed(parser)) return;
    TypeDecl* old = find(program_.types, type.name, "type");
    if (!old || !first(old->span, type.name) || loses_fields(*old, type)) return;
    *old = std::move(type);
  }

  void layout(std::int32_t file) {
    Parser parser(sources_, file);
    const std::pair<Name, LayoutClause> parsed_layout = parser.only_layout();
    const Name& array = parsed_layout.first;
    const LayoutClause& clause = parsed_layout.second;
    if (!parsed(parser)) return;
    for (const Name& other : layouts_) {
      if (other.text != array.text) continue;
      return fail_twice(array, other.span);
    }
    layouts_.push_back(array);
    std::vector<std::string> known;
    bool found = lay_out(program_.arrays, array.text, clause, known);
    each_list(program_, [&](std::vector<Statement>& list) {
      found = lay_out(list, array.text, clause, known) || found;
    });
    if (!found) fail_unknown(array, "array", known);
  }

  Diagnostics errors;

private:
  bool parsed(const Parser& parser) {
    const Diagnostics found = parser.errors();
    errors.insert(errors.end(), found.begin(), found.end());
    return found.empty();
  }

  /// Each name once: arrays of several kernels may share one.
  static std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (auto name = names.begin(); name != names.end(); ++name)
      if (std::find(names.begin(), name, *name) == name) list += (list.empty() ? "" : ", ") + *name;
    return list;
  }

  template <class Decl>
  Decl* find(std::vector<Decl>& decls, const Name& name, const char* kind) {
    std::vector<std::string> known;
    for (Decl& decl : decls) {
      if (decl.name.text == name.text) return &decl;
      known.push_back(decl.name.text);
    }
    fail_unknown(name, kind, known);
    return nullptr;
  }

  void fail_unknown(const Name& name, const std::string& kind,
                    const std::vector<std::string>& known) {
    if (!complete_) return;
    std::vector<std::string> help = did_you_mean(name.text, known);
    help.push_back(known.empty() ? "it has no " + kind + "s" : kind + "s: " + listed(known));
    errors.push_back(error_at(name.span,
                              "the program declares no " + kind + " " + in_quotes(name.text),
                              std::move(help)));
  }

  /// Whether a number would replace a record; the program's fns, unless replaced too, use its
  /// fields.
  bool loses_fields(const TypeDecl& old, const TypeDecl& type) {
    if (old.alias || !type.alias || !replacements_.fns.empty()) return false;
    std::vector<std::string> fields, numbers;
    for (const FieldDecl& field : old.fields) fields.push_back(field.name.text);
    for (const TypeDecl& other : program_.types) {
      if (other.alias) numbers.push_back(other.name.text);
      if (!other.alias && other.name.text == type.alias->text) return false; // a record
    }
    std::vector<std::string> help = {"replace the fns that use its fields, too: --fn \"…\""};
    if (!numbers.empty())
      help.push_back("types of the program that are numbers: " + listed(numbers));
    Diagnostic error = error_at(type.alias->span,
                                in_quotes(old.name.text) + " is a record with the fields " +
                                    listed(fields) + ": no number can replace it alone",
                                std::move(help));
    error.notes.push_back(note_at(old.span, "what it would replace"));
    errors.push_back(std::move(error));
    return true;
  }

  /// Whether a declaration is the program's own and not a replacement.
  bool first(Span declared, const Name& name) {
    for (const auto* files : {&replacements_.fns, &replacements_.types}) {
      if (std::find(files->begin(), files->end(), declared.file) == files->end()) continue;
      fail_twice(name, declared);
      return false;
    }
    return true;
  }

  void fail_twice(const Name& name, Span other) {
    Diagnostic error = error_at(name.span, in_quotes(name.text) + " is replaced twice");
    error.notes.push_back(note_at(other, "the other replacement"));
    errors.push_back(std::move(error));
  }

  static std::string arity(const FnDecl& fn) {
    if (fn.parameterless) return "no parameters";
    const std::size_t count = fn.parameters.size();
    return std::to_string(count) + (count == 1 ? " parameter" : " parameters");
  }

  static bool declares(const ArraysDecl& decl, const std::string& name,
                       std::vector<std::string>& known) {
    bool found = false;
    for (const ArrayDeclarator& array : decl.arrays) {
      found = found || array.name.text == name;
      known.push_back(array.name.text);
    }
    return found;
  }

  /// Each top-level array has its own declaration by now.
  static bool lay_out(std::vector<ArraysDecl>& decls, const std::string& name,
                      const LayoutClause& clause, std::vector<std::string>& known) {
    bool found = false;
    for (ArraysDecl& decl : decls) {
      if (!declares(decl, name, known)) continue;
      decl.layout = clause;
      found = true;
    }
    return found;
  }

  /// Splits the declaration, in order, since its other arrays keep their layout.
  static bool lay_out(std::vector<Statement>& list, const std::string& name,
                      const LayoutClause& clause, std::vector<std::string>& known) {
    bool found = false;
    std::vector<Statement> result;
    for (Statement& s : list) {
      if (!s.arrays || !declares(*s.arrays, name, known)) {
        result.push_back(std::move(s));
        continue;
      }
      found = true;
      for (ArraysDecl& decl : one_array_each({std::move(*s.arrays)})) {
        if (decl.arrays.front().name.text == name) decl.layout = clause;
        Statement single;
        single.kind = StatementKind::arrays;
        single.span = s.span;
        single.arrays = std::move(decl);
        result.push_back(std::move(single));
      }
    }
    list = std::move(result);
    return found;
  }

  Program& program_;
  const Sources& sources_;
  const Replacements& replacements_;
  bool complete_;
  std::vector<Name> layouts_; ///< replaced already
};

/// Applies all replacements; returns what is wrong with them. Whether their names are declared is
/// only judged if the program is `complete`.
Diagnostics replace_all(Program& program, const Sources& sources, const Replacements& replacements,
                        bool complete) {
  Replacer replacer(program, sources, replacements, complete);
  for (const std::int32_t file : replacements.fns) replacer.fn(file);
  for (const std::int32_t file : replacements.types) replacer.type(file);
  for (const std::int32_t file : replacements.layouts) replacer.layout(file);
  return std::move(replacer.errors);
}

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
