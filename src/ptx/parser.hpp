// The parser of PTX: one pass over the text, functions patched at their ends.
#pragma once

#include "lexer.hpp"
#include "matrices.hpp"

#include "memlane/ptx/module.hpp"
#include "memlane/support/limits.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// Most registers, variables, operations or bytes of one kind that a module may declare.
inline constexpr std::int64_t most_registers = 1 << 20;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
inline constexpr std::size_t most_errors = 100;

/// What a name stands for in a function.
struct Name {
  enum class Kind : std::uint8_t { reg, variable, list, prototype } kind = Kind::reg;
  std::int32_t index = -1;
};

/// `.reg .b32 %r<8>`: the names %r0 to %r7.
struct RegisterRange {
  std::int32_t first = 0;
  std::int64_t count = 0;
};

/// The names between two braces.
struct Scope {
  std::unordered_map<std::string_view, Name> names;
  std::unordered_map<std::string_view, RegisterRange> ranges;
};

/// What is known in front of a variable's or function's name.
struct Linkage {
  bool is_extern = false;
};

class Parser {
public:
  Parser(Sources& sources, std::int32_t text);
  Result<Module> parse();

private:
  // parse_module.cpp
  void module_statement();
  void header();
  void file();
  void section();
  void alias();
  void function(bool kernel, const Linkage& linkage);
  void parameters(std::vector<std::int32_t>& into);
  void directives_of_function();
  std::int64_t directive_number();
  /// Of a module or a function. Its space has been read.
  void variables(Space space, const Linkage& linkage);
  bool variable(Variable& declared, bool sized);
  void initializer(Variable& declared);
  bool initial_value(Variable& declared, std::int64_t at);
  Operand initial_address();

  // parse_function.cpp
  void body();
  void statement();
  void directive_in_body();
  void registers();
  void location();
  void label(const Lexeme& name);
  void label_list(const Lexeme& name, bool calls);
  void resolve_labels();

  // parse_operation.cpp
  void operation();
  bool read_words(Operation& op, const OpcodeRow& row);
  bool read_operands(Operation& op, const OpcodeRow& row);
  bool read_barrier_operands(Operation& op);
  bool read_copy_operands(Operation& op);
  bool read_mbarrier_operands(Operation& op);
  bool read_matrix_operands(Operation& op);
  bool read_call(Operation& op);
  bool read_targets(Operation& op);
  bool operand(Operand& into, Type type);
  bool memory_operand(Operand& into);
  bool vector_operand(Operand& into, Type type);
  bool number_operand(Operand& into, Type type);
  bool name_operand(Operand& into);
  bool param_list(std::vector<std::int32_t>& into);

  /// What PTX has and memlane does not execute; the line of the source that needs it is added when
  /// all files are known.
  bool refuse(Span at, const std::string& what, std::vector<std::string> help = {});
  bool refuse_word(const Lexeme& opcode, std::string_view word);

  // check_operands.cpp
  bool check(Operation& op);
  bool check_operand(const Operation& op, const Operand& operand, int bits, bool wider,
                     std::string_view which);

  // check_matrices.cpp
  bool check_matrices(Operation& op);
  bool check_fragment(const Operation& op, Operand& operand, const Fragment& fragment, int bits,
                      std::string_view which);

  // object_operands.cpp
  bool read_object_operands(Operation& op);
  bool check_object_operands(const Operation& op);
  bool check_registers(const Operation& op, const Operand& vector, int least, int most, int bits,
                       bool wider, std::string_view which);
  void make_vector(Operand& operand);

  // Tokens.
  void advance();
  bool accept(char symbol);
  bool expect(char symbol);
  bool expect_word(std::string_view& into, std::string_view what);
  bool integer(std::int64_t& into, std::string_view what);
  Span span_of(const Lexeme& lexeme) const;
  Span here() const { return span_of(now_); }
  bool fail(Span at, std::string message, std::vector<std::string> help = {});
  /// Skips to behind the next `;`, or to a brace or the end.
  void skip_statement();
  /// Skips to behind the `;` of an operation, whose vectors have braces, or to the function's end.
  void skip_operation();
  const Name* find_name(std::string_view name) const;
  std::int32_t find_register(std::string_view name) const;

  Sources& sources_;
  std::int32_t text_;
  Lexer lexer_;
  Lexeme now_, last_; ///< the next token, and the one before
  Watch watch_;
  Module module_;
  Diagnostics errors_;
  /// Errors about unknown opcodes, and the source lines (Module::locations) that they are of.
  std::vector<std::pair<std::size_t, std::int32_t>> unknown_;
  std::unordered_map<std::string_view, std::int32_t> variables_, functions_; ///< of the module
  std::unordered_map<std::string, std::int32_t> location_numbers_;

  // Of the function under way:
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::int32_t location_ = -1;
  /// By file, line and column: the locations of code that is inlined somewhere.
  std::map<std::array<std::int32_t, 3>, std::int32_t> inlined_;
  struct Wanted {
    std::string_view label;
    Span span;
    std::int32_t operation; ///< whose target it is; -1: of a list
    std::int32_t list, place;
  };
  std::vector<Wanted> wanted_;
  std::unordered_map<std::string_view, std::int32_t> labels_;
  std::unordered_map<std::string_view, std::int32_t> lists_;
};

} // namespace memlane::ptx
