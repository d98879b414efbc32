// A program of the GPU as a tree of C++: made by desugar*.cpp, written out by print*.cpp. Plain
// data: two trees are equal where their text is, except for comments.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/lang/typed.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memlane::cuda {

/// What a name stands for, so that a walk finds what a function has to be given (needs_of).
enum class Role : std::uint8_t {
  local,        ///< declared in the function, or known in the whole file
  array,        ///< a memory array, or one in shared memory whose size the launch gives
  row_offsets,  ///< random numbers that rotate the rows of an array
  run_value,    ///< a parameter or constant that the emitted program computes
  special,      ///< `thread`, `block`, …
  record_array, ///< a shared array of records of the file: its fields have names of their own
  letter,       ///< a machine letter
  lambda,       ///< a fn of the function
};

struct Function;

struct Expr {
  enum Kind : std::uint8_t {
    name,
    integer, ///< `number`; takes any integer type
    literal, ///< `text` as it stands
    unary,   ///< `text` is the operator
    binary,
    conditional,
    call,   ///< operands: the function, its arguments
    index,  ///< operands: array, index
    member, ///< operands: the whole; `text` is the member
    cast,   ///< `text` is the type
    braces, ///< `text` is the type, if there is one
    lambda, ///< functions: one
  };
  Kind kind = integer;
  ir::Scalar type = ir::Scalar::int32; ///< the type that C++ gives it
  std::string text;
  std::string argument; ///< a template argument: `int` of `take<int>`
  std::int64_t number = 0;
  Role role = Role::local;
  lang::SymbolId symbol = -1;                ///< the array, or the one whose row offsets these are
  ir::Special special = ir::Special::thread; ///< the special value of that role
  std::vector<Expr> operands;
  std::vector<Function> functions;
  std::string source; ///< of an access: line and file, as `#line` has them, or empty

  bool operator==(const Expr&) const;
  bool is(std::int64_t value) const { return kind == integer && number == value; }
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum Kind : std::uint8_t {
    comment_line, ///< `text`
    declare,      ///< `text` is the type; `target` the size of an array; `value`
    assign,       ///< `text` is the operator
    evaluate,     ///< `value`
    if_,          ///< `value`; body; alternative
    loop,         ///< head: what is declared, what advances it, or none; `value`, if it ends by one
    scope,        ///< body
    break_,
    continue_,
    return_,
    sync_warp, ///< `value`: the mask of the lanes that wait; none: the whole warp
    sync_block,
    fence, ///< orders a thread's accesses to memory for all threads
  };
  Kind kind = scope;
  std::string text, name;
  std::optional<Expr> target, value;
  bool direct = false; ///< declare: `name(value)`, or `name{…}`, for `name = value`
  bool brief = false;  ///< if, loop: one statement, without braces
  bool unrolled = false;
  Block head, body, alternative;
  std::string comment; ///< stands behind its first line
  std::string source;  ///< line and file, as `#line` has them; empty: those of what it is in

  bool operator==(const Statement&) const;
};

struct Parameter {
  std::string type, name;
  bool operator==(const Parameter&) const = default;
};

struct Function {
  std::vector<std::string> comments; ///< lines above
  std::string result; ///< the type and what stands before it; a lambda's may be empty
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  std::string comment;  ///< stands behind its head
  bool of_warp = false; ///< it has operations of a warp, which only devices have

  bool operator==(const Function&) const;
};

/// A record, and arrays of it: one array a field.
struct Record {
  struct Field {
    std::string type, word;   ///< `word`: how arrays hold it
    std::string name, source; ///< names in C++, in the program
  };
  std::string name;
  std::vector<Field> fields;
};

/// What is the program's own in a file.
struct File {
  Block constants;
  std::vector<std::pair<std::string, std::string>> aliases; ///< name and type
  std::vector<Record> records;
  std::vector<Function> tables, fns;
  Block shared;
  std::vector<Function> kernels; ///< kernels and procs; a proc stands before its callers

  // The class of the host's code:
  std::string facts; ///< members of JSON, of a line of measurements
  bool repeatable = false;
  Block members;
  std::vector<std::pair<std::string, std::string>> parameters; ///< names in the program, in C++
  std::vector<Function> host_procs;
  Function sizes, allocate, fill, run, verify;
};

// ---- Expressions ----

Expr named(std::string text, ir::Scalar type = ir::Scalar::int32);
Expr integer(std::int64_t number);
Expr literal(std::string text, ir::Scalar type);
/// A string, with quotes and what has to be escaped in it.
Expr string_literal(const std::string& text);
Expr unary(std::string op, Expr operand);
/// Its type is the wider one of both, or the one given.
Expr binary(Expr left, std::string op, Expr right);
Expr binary(Expr left, std::string op, Expr right, ir::Scalar type);
inline Expr operator+(Expr a, Expr b) { return binary(std::move(a), "+", std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return binary(std::move(a), "-", std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return binary(std::move(a), "*", std::move(b)); }
inline Expr operator/(Expr a, Expr b) { return binary(std::move(a), "/", std::move(b)); }
inline Expr operator%(Expr a, Expr b) { return binary(std::move(a), "%", std::move(b)); }
Expr less(Expr a, Expr b);
Expr choose(Expr condition, Expr yes, Expr no, ir::Scalar type);
Expr call(Expr function, std::vector<Expr> arguments, ir::Scalar type = ir::Scalar::int32);
Expr call(std::string function, std::vector<Expr> arguments, ir::Scalar type = ir::Scalar::int32);
/// A template's function, `take<int>(…)`.
Expr call_of(std::string function, std::string argument, std::vector<Expr> arguments,
             ir::Scalar type = ir::Scalar::int32);
Expr indexed(Expr array, Expr at, ir::Scalar type = ir::Scalar::int32);
Expr member_of(Expr whole, std::string field, ir::Scalar type = ir::Scalar::int32);
/// A call of a member function without arguments.
Expr member_call(Expr whole, std::string function);
Expr cast(std::string type_name, Expr value, ir::Scalar type);
Expr braces(std::string type_name, std::vector<Expr> values);
Expr lambda(Function function);

/// Sums and products without what changes nothing: 0 and 1. A sum that is added goes on the first
/// one, as `a + (b + c)` is no clearer.
Expr sum(Expr a, Expr b);
Expr product(Expr a, Expr b);

// ---- Statements ----

Statement declare(std::string type, std::string name, Expr value, std::string comment = "");
/// An array of words; `value` is what it begins with, if anything.
Statement declare_array(std::string type, std::string name, std::optional<Expr> size,
                        std::optional<Expr> value, std::string comment = "");
/// `type name(value)`, or `type name{…}` where the value is in braces.
Statement construct(std::string type, std::string name, Expr value, std::string comment = "");
Statement assign(Expr target, Expr value, std::string comment = "", std::string op = "=");
Statement evaluate(Expr value, std::string comment = "");
Statement if_else(Expr condition, Block body, Block alternative = {}, std::string comment = "");
/// `if (condition) statement`.
Statement brief_if(Expr condition, Statement statement, std::string comment = "");
/// `for (first; condition; advance)`.
Statement for_loop(Statement first, std::optional<Expr> condition, Statement advance, Block body,
                   std::string comment = "");
/// `for (int name = 0; name < end; ++name)`.
Statement count_to(const std::string& name, Expr end, Block body);
Statement simple(Statement::Kind kind, std::optional<Expr> value = {}, std::string comment = "");
Statement scope(Block body, std::string comment = "");

// ---- What a function needs ----

/// A thing that a function is given beside its formals.
struct Capture {
  Role role = Role::run_value; ///< array, row_offsets or run_value
  lang::SymbolId symbol = -1;
  std::string name;
  ir::Scalar type = ir::Scalar::int32; ///< a value's type
  bool operator<(const Capture& other) const;
};

struct Needs {
  std::set<Capture> captures;
  std::set<ir::Special> specials;
  std::set<lang::SymbolId> record_arrays;
  std::set<std::string> letters;
  std::set<std::string> called; ///< names of functions
  bool lambdas = false;
  bool host_arrays = false; ///< std::vectors

  /// Nothing but its arguments.
  bool none() const;
};

/// Adds what a body needs, in one walk over it. Cost: its size.
void add_needs(const Block& body, Needs& needs);
/// The needs of all functions of a file.
Needs needs_of(const File& file);

/// The names that an expression or a body mentions.
void add_names(const Expr& e, std::set<std::string>& names);
void add_names(const Block& body, std::set<std::string>& names);

// ---- The text (print*.cpp): brackets where precedence asks for them, indentation, and comments in
// a column of their own. It decides nothing else. ----

/// Statements, their lines `depth` levels deep.
std::string print(const Block& body, int depth);
/// A function of the file, or a member of a class.
std::string print(const Function& function, int depth);
/// What is the program's own in a file, before the harness and behind it. Behind lines that are
/// related to the program's source, a line `own_lines` comes before those that are not.
inline constexpr const char* own_lines = "#line";
std::string print_kernels(const File& file, bool lines);
std::string print_host(const File& file);

} // namespace memlane::cuda
