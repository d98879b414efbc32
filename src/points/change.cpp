#include "memlane/points/change.hpp"

#include "plan_axes.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace memlane::sweep {

namespace {

std::optional<ChangeKind> kind_with_prefix(std::string_view prefix) {
  for (std::size_t k = 0; k < change_kinds; ++k)
    if (prefix_of(static_cast<ChangeKind>(k)) == prefix) return static_cast<ChangeKind>(k);
  return std::nullopt;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

template <class List, class NameOf>
std::vector<std::string> names_of(const List& list, NameOf name_of) {
  std::vector<std::string> names;
  for (const auto& one : list)
    if (std::find(names.begin(), names.end(), name_of(one)) == names.end())
      names.push_back(name_of(one));
  return names;
}

/// All that a change can name, by kind.
class KnownNames {
public:
  explicit KnownNames(Model model) : model_(model) {
    for (const MachineKey& key : machine_keys())
      if (key_on(key.path, model) && contains(key.models, model))
        names_[static_cast<std::size_t>(ChangeKind::machine)].emplace_back(key.path);
  }
  KnownNames(const CheckedProgram& program, const ir::Program& code, Model model)
      : KnownNames(model) {
    of_kernels_ = false;
    const auto name_of_declared = [](const auto& declared) { return declared.name.text; };
    const auto& text = program.checked.program;
    names_[static_cast<std::size_t>(ChangeKind::parameter)] =
        names_of(program.checked.params, [](const auto& param) { return param.name; });
    names_[static_cast<std::size_t>(ChangeKind::layout)] =
        names_of(code.arrays, [](const ir::Array& array) { return array.name; });
    names_[static_cast<std::size_t>(ChangeKind::fn)] = names_of(text.fns, name_of_declared);
    names_[static_cast<std::size_t>(ChangeKind::type)] = names_of(text.types, name_of_declared);
  }

  /// There is no program: only the machine changes.
  bool of_kernels() const { return of_kernels_; }
  const std::vector<std::string>& of(ChangeKind kind) const {
    return names_[static_cast<std::size_t>(kind)];
  }
  /// The name as its kind has it: a machine's letter becomes its key. Empty: the kind has no such
  /// name.
  std::string find(ChangeKind kind, const std::string& name) const {
    if (kind == ChangeKind::machine) {
      const MachineKey* key = key_on(name, model_);
      return key && contains(key->models, model_) ? std::string(key->path) : "";
    }
    const auto& known = of(kind);
    return std::find(known.begin(), known.end(), name) != known.end() ? name : "";
  }
  std::vector<std::string> all() const {
    std::vector<std::string> names;
    for (const auto& of_kind : names_) names.insert(names.end(), of_kind.begin(), of_kind.end());
    return names;
  }

private:
  Model model_;
  bool of_kernels_ = true;
  std::array<std::vector<std::string>, change_kinds> names_;
};

constexpr std::array kinds_by_name = {ChangeKind::parameter, ChangeKind::machine,
                                      ChangeKind::layout, ChangeKind::type};

Diagnostic failed(const std::string& text, std::string message, std::vector<std::string> help) {
  return error_in("--try", fmt::format("'{}': {}", text, message), std::move(help));
}

Diagnostic unknown_name(const std::string& text, const std::string& name,
                        const std::vector<std::string>& known, std::string_view what) {
  std::vector<std::string> help = did_you_mean(name, known);
  if (help.empty())
    help.push_back(known.empty() ? fmt::format("the program has no {}", what)
                                 : fmt::format("it can be: {}", fmt::join(known, ", ")));
  return failed(text, fmt::format("no {} is called '{}'", what, name), std::move(help));
}

/// What a prefix says is changed.
std::string_view subject_of(ChangeKind kind) {
  constexpr std::array<std::string_view, 5> subjects = {"key of this machine", "parameter", "array",
                                                        "fn", "type"};
  return subjects[static_cast<std::size_t>(kind)];
}

/// The kind that a name without a prefix decides.
Result<Change> change_by_name(const std::string& text, const std::string& name,
                              const KnownNames& known) {
  std::vector<Change> found;
  for (const ChangeKind kind : kinds_by_name)
    if (const std::string own = known.find(kind, name); !own.empty())
      found.push_back({kind, own, ""});
  if (found.size() == 1) return found.front();
  if (found.empty())
    return unknown_name(text, name, known.all(),
                        known.of_kernels() ? "key of this machine"
                                           : "parameter, key of this machine, array, fn or type");
  std::vector<std::string> help;
  for (const Change& one : found)
    help.push_back(
        fmt::format("the {}: --try '{} {}'", subject_of(one.kind), prefix_of(one.kind), text));
  return failed(text, fmt::format("'{}' could be several things", name), std::move(help));
}

Result<Change> read_change(const std::string& text, const KnownNames& known) {
  const std::size_t blank = text.find(' ');
  const std::string first = text.substr(0, blank);
  const std::optional<ChangeKind> kind = kind_with_prefix(first);
  const bool prefixed =
      blank != std::string::npos && kind && trimmed(text.substr(blank)).front() != '=';
  const std::string body = prefixed ? trimmed(text.substr(blank)) : text;
  const std::size_t equals = body.find('=');
  if (equals == std::string::npos || equals == 0 || trimmed(body.substr(equals + 1)).empty())
    return failed(
        text, "is not WHAT=VALUE",
        {known.of_kernels()
             ? "for example --try requests_in_flight=4"
             : "for example --try threads=2048, --try n=4096, --try 'layout t=padded(1)'"});
  const std::string name = trimmed(body.substr(0, body.find_first_of("=(")));
  const bool is_fn = body.find('(') < equals;
  Change change;
  if (prefixed || is_fn) {
    change.kind = prefixed ? *kind : ChangeKind::fn;
    change.name = known.find(change.kind, name);
    if (change.name.empty())
      return unknown_name(text, name, known.of(change.kind), subject_of(change.kind));
  } else {
    Result<Change> named = change_by_name(text, name, known);
    if (!named) return named.errors();
    change = std::move(*named);
  }
  change.value = change.kind == ChangeKind::fn ? body : trimmed(body.substr(equals + 1));
  return change;
}

Result<std::vector<Change>> read_changes(const std::string& text, const KnownNames& known) {
  std::vector<Change> changes;
  ErrorCollector errors;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string part = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    Change change;
    if (!errors.take(read_change(part, known), change)) continue;
    const bool twice = std::any_of(changes.begin(), changes.end(), [&](const Change& other) {
      return other.kind == change.kind && other.name == change.name;
    });
    if (twice)
      errors.add(failed(text, fmt::format("changes {} twice", change.name),
                        {"give each value a --try of its own: they are compared"}));
    changes.push_back(std::move(change));
  }
  if (!errors.ok()) return errors.errors();
  return changes;
}

} // namespace

Result<std::vector<Change>> read_changes(const std::string& text, const CheckedProgram& program,
                                         const ir::Program& code, Model model) {
  return read_changes(text, KnownNames(program, code, model));
}

Result<std::vector<Change>> read_machine_changes(const std::string& text, Model model) {
  return read_changes(text, KnownNames(model));
}

std::string changes_text(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) text += (text.empty() ? "" : "; ") + change.text();
  return text;
}

} // namespace memlane::sweep
