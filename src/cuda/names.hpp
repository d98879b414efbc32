// Names, types and comments of a program as C++ has them.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/support/diagnostic.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cuda {

// Names and types.

std::string scalar_name(ir::Scalar type);
/// As words of arrays hold it.
std::string word_name(ir::Scalar type);

/// Gives the names of a program names that clash with nothing: words of C++ and CUDA, names of the
/// emitted file, each other.
class Names {
public:
  Names(const lang::Checked& checked,
        const std::map<std::string, std::int64_t, std::less<>>& letters);

  /// The name of what the program declares at top level.
  std::string top(const std::string& name) const;
  /// The option of the emitted file for a parameter: not one that all such files have.
  static std::string option(const std::string& parameter);
  /// The name of a record's field. It is no type: those of records stand beside it.
  std::string field(const std::string& name) const;
  /// The name of a local. It hides nothing: what stands far from its declaration may mean a
  /// top-level name.
  std::string local(const std::string& name) const;
  /// A name for what the program has none for.
  std::string fresh(const std::string& wish) const;
  /// Whether the program declares a name at top level.
  bool declares(const std::string& name) const { return declared_.count(name) > 0; }

  std::string type(lang::Type type) const;
  /// The type as the program writes it at the declaration of a name, if it names one.
  std::string declared_type(Span name, lang::Type type) const;
  /// Whether a declaration names this type.
  bool mentions_type(const std::string& name) const;

private:
  void note_types();

  const lang::Checked& checked_;
  std::set<std::string> declared_;      ///< names at top level
  std::set<std::string> added_;         ///< names in C++ that are no names of the program
  std::set<std::string> file_, locals_; ///< in C++: of the whole file; of variables, local arrays
  std::set<std::string> shown_;         ///< names that `local` gives to these
  std::map<std::pair<std::int32_t, std::uint32_t>, std::string> types_; ///< keyed by place of name
};

// The comments of the program, for the code that is made of the lines they belong to.

/// The `//` comments of the program: each goes once to the first code that asks for its line.
class Comments {
public:
  explicit Comments(const Sources& sources) : sources_(sources) {}
  /// The comments that open a file speak of the whole of it: no code gets them.
  void leave_out_head(std::int32_t file);
  /// The comment lines right above a place, with their `//` or `///`.
  std::vector<std::string> above(Span place);
  /// The comment behind the code of a line; empty if there is none or it was taken.
  std::string behind(Span place);

private:
  struct Line {
    bool code = false;
    std::string comment;
  };
  const std::vector<Line>& lines(std::int32_t file);

  const Sources& sources_;
  std::map<std::int32_t, std::vector<Line>> files_;
  std::set<std::pair<std::int32_t, std::int32_t>> taken_;
};

} // namespace memlane::cuda
