// From text to syntax tree, and from a file with its `use`s and replacements to one program.
#pragma once

#include "memlane/lang/ast.hpp"
#include "memlane/support/result.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::lang {

/// Parses one text already in `sources`. All syntax errors found are returned together
/// (the parser resumes at the next declaration or statement). Does not follow `use`.
Result<Program> parse_text(const Sources& sources, std::int32_t file);

/// Parses one expression, e.g. of `-D n=2^10`; all of the text from byte `begin` on must be one.
Result<Expr> parse_expression(const Sources& sources, std::int32_t file, std::uint32_t begin = 0);
/// The same of a part of a text, such as a string in a JSON file.
Result<Expr> parse_expression(const Sources& sources, Span part);

/// Replacements from the command line, each a text already in `sources`.
struct Replacements {
  std::vector<std::int32_t> fns;     ///< `combine(x, y) = x * y`
  std::vector<std::int32_t> types;   ///< `value=float`
  std::vector<std::int32_t> layouts; ///< `t=padded(1)`
};

/// Reads the text of a used program: given its name and the path of the file that uses it,
/// adds it to the sources and returns its number, or says why not.
using UseLoader = std::function<Result<std::int32_t>(const Name& program, const std::string& user)>;

/// A file with everything it uses: declarations of used programs first, without their claims; a
/// declaration replaces its namesake of the same kind in a used program (params, consts, types,
/// fns, arrays, views, kernels, main, verify); then the replacements. Errors: cycles of `use`, a
/// replacement of a name that is not declared (with the nearest one that is).
Result<Program> load_program(Sources& sources, std::int32_t file, const UseLoader& loader,
                             const Replacements& replacements);

} // namespace memlane::lang
