// Names and types of the program as C++ has them.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;

namespace {

/// Words that mean something else in C++, in CUDA or in the emitted file itself.
const std::set<std::string>& reserved_words() {
  static const std::set<std::string> words = {
      "alignas", "alignof", "and", "asm", "auto", "bool", "case", "catch", "char", "class", "compl",
      "concept", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete",
      "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
      "float", "friend", "goto", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
      "not", "nullptr", "operator", "or", "private", "protected", "public", "register", "requires",
      "return", "short", "signed", "sizeof", "static", "static_assert", "struct", "switch",
      "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
      "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "xor", "char8_t", "char16_t",
      "char32_t", "const_cast", "static_cast", "reinterpret_cast", "co_await", "co_return",
      "co_yield", "bitand", "bitor", "and_eq", "or_eq", "xor_eq", "not_eq", "thread_local", "const",
      "break", "if", "for", "while", "var", "final", "override",
      // C's macros and the compilers' own
      "assert", "errno", "NULL", "EOF", "NAN", "INFINITY", "linux", "unix", "stdin", "stdout",
      "stderr", "CHECK", "I", "HUGE_VAL", "signbit", "isnan", "isinf", "isfinite", "fpclassify",
      // CUDA's and the emitted file's
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "std", "main", "program",
      "harness", "Program", "Memory", "Slice", "Turns", "Options", "facts", "repeatable", "sizes",
      "parameters", "allocate", "fill", "run", "verify", "options", "min", "max", "abs", "take",
      "bytes_of", "copy_words", "two_to", "power", "floor_log2", "is_pow2", "ceil_div",
      "quotient_of", "remainder_of", "mod", "real_mod", "mulmod", "invmod", "least", "greatest",
      "sqrt", "sqrtf", "fabs", "fabsf", "fmodf", "up_to", "below", "sin", "cos", "exp", "log2",
      "pow", "fmod", "ceil", "int2", "cycles", "launch", "insist", "slice", "dynamic_shared",
      "random_element", "random_draw", "clock64", "footprint"};
  return words;
}

} // namespace

std::string Emitter::top_name(const std::string& name) const {
  return reserved_words().count(name) > 0 ? name + "_" : name;
}

/// A local hides nothing: what is written out far from its declaration may mean a top-level name.
std::string Emitter::declare(SymbolId variable) {
  std::string name = checked_.variables[std::size_t(variable)].name;
  while (reserved_words().count(name) > 0 || top_names_.count(name) > 0) name += "_";
  return names_[variable] = name;
}

/// A counter of the kernels that is a long in the program is an int where all its values fit.
bool Emitter::set_narrow(SymbolId variable, bool fits) {
  narrow_.erase(variable);
  const bool wide = checked_.variables[std::size_t(variable)].type.scalar == ir::Scalar::int64;
  if (function_->host || !wide || !fits) return false;
  narrow_.insert(variable);
  return true;
}

/// A name where no local of the program is at hand.
std::string Emitter::outer_name(std::string name) const {
  while (reserved_words().count(name) > 0 || top_names_.count(name) > 0) name += "_";
  return name;
}

std::string Emitter::fresh_name(const std::string& wish) {
  std::string name = wish;
  while (reserved_words().count(name) > 0 || top_names_.count(name) > 0 ||
         local_names_.count(name) > 0)
    name += "_";
  return name;
}

/// Of a value that a loop keeps; no other in the function has the name.
std::string Emitter::kept_name(const std::string& wish) {
  std::string name = fresh_name(wish);
  for (int version = 2; !function_->kept.insert(name).second; ++version)
    name = fresh_name(fmt::format("{}{}", wish, version));
  return name;
}

std::string Emitter::scalar_name(ir::Scalar type) const {
  switch (type) {
  case ir::Scalar::boolean: return "bool";
  case ir::Scalar::int32: return "int";
  case ir::Scalar::int64: return "long long";
  case ir::Scalar::float32: return "float";
  case ir::Scalar::float64: return "double";
  }
  return "";
}

/// The type of a parameter or constant of the run where it is mentioned: kernels get an int in
/// place of a long where all its values fit.
ir::Scalar Emitter::kernel_type(const TExpr& e) {
  const ir::Scalar type = e.kind == TExprKind::param ? checked_.params[std::size_t(e.symbol)].type
                                                     : checked_.consts[std::size_t(e.symbol)].type;
  const bool narrow = type == ir::Scalar::int64 && function_ && !function_->host;
  return narrow && values_.fits_int(e) ? ir::Scalar::int32 : type;
}

/// The type of one that a device function is given, by its C++ name.
ir::Scalar Emitter::scalar_of(const std::string& captured) {
  TExpr e;
  const auto of = [&](TExprKind kind, std::size_t symbol, ir::Scalar type) {
    e.kind = kind, e.symbol = SymbolId(symbol), e.type.scalar = type;
    return kernel_type(e);
  };
  for (std::size_t i = 0; i < checked_.params.size(); ++i)
    if (top_name(checked_.params[i].name) == captured)
      return of(TExprKind::param, i, checked_.params[i].type);
  for (std::size_t i = 0; i < checked_.consts.size(); ++i)
    if (top_name(checked_.consts[i].name) == captured)
      return of(TExprKind::constant, i, checked_.consts[i].type);
  return ir::Scalar::int32;
}

/// A letter of the machine where the program did not write it: a number if it has its own use for
/// the letter.
std::string Emitter::machine_letter(const std::string& letter) {
  if (declared_.count(letter) > 0) return std::to_string(request_.bindings.letters.at(letter));
  letters_.insert(letter);
  return top_name(letter);
}

/// As words of arrays hold it.
std::string Emitter::word_name(ir::Scalar type) const {
  return type == ir::Scalar::boolean ? "unsigned char" : scalar_name(type);
}

std::string Emitter::type_name(Type type) const {
  if (!type.is_record()) return scalar_name(type.scalar);
  const std::string& name = checked_.records[std::size_t(type.record)].name;
  return reserved_words().count(name) > 0 ? name + "_" : name;
}

/// The type as the program writes it at the declaration of a name, if it names one.
std::string Emitter::declared_type(Span name, Type type) const {
  const auto found = type_names_.find({name.file, name.begin});
  return found == type_names_.end() || type.is_record() ? type_name(type) : found->second;
}

namespace {

using Note = std::function<void(const Name& name, const Name& type)>;

void note_arrays(const ArraysDecl& arrays, const Note& note) {
  for (const ArrayDeclarator& array : arrays.arrays) note(array.name, arrays.type);
}

void note_body(const std::vector<Statement>& body, const Note& note) {
  for (const Statement& s : body) {
    if (s.type) note(s.name, *s.type);
    if (s.arrays) note_arrays(*s.arrays, note);
    note_body(s.body, note);
    note_body(s.alternative, note);
  }
}

} // namespace

void Emitter::read_type_names() {
  std::set<std::string> aliases;
  for (const TypeDecl& type : checked_.program.types)
    if (type.alias) aliases.insert(type.name.text);
  const Note note = [&](const Name& name, const Name& type) {
    if (aliases.count(type.text) > 0)
      type_names_[{name.span.file, name.span.begin}] = top_name(type.text);
  };
  for (const ArraysDecl& arrays : checked_.program.arrays) note_arrays(arrays, note);
  for (const HostDecl& host : checked_.program.hosts) note_body(host.body, note);
  for (const KernelDecl& kernel : checked_.program.kernels) {
    for (const Formal& formal : kernel.formals) note(formal.name, formal.type);
    note_body(kernel.body, note);
  }
}

} // namespace memlane::cuda
