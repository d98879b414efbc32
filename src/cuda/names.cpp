#include "names.hpp"

#include "memlane/lang/walk.hpp"

#include <algorithm>
#include <functional>

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
      "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
      "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "xor", "char8_t",
      "char16_t", "char32_t", "const_cast", "static_cast", "reinterpret_cast", "co_await",
      "co_return", "co_yield", "bitand", "bitor", "and_eq", "or_eq", "xor_eq", "not_eq",
      "thread_local", "const", "break", "if", "for", "while", "var", "final", "override",
      // C's macros and the compilers' own; is_macro knows more
      "assert", "assert_perror", "errno", "linux", "unix", "stdin", "stdout", "stderr", "I",
      "signbit", "isnan", "isinf", "isfinite", "fpclassify", "alloca", "offsetof", "strdupa",
      "strndupa", "math_errhandling", "sched_priority", "issubnormal", "_tolower", "_toupper",
      "be16toh", "be32toh", "be64toh", "le16toh", "le32toh", "le64toh", "htobe16", "htobe32",
      "htobe64", "htole16", "htole32", "htole64", "isascii", "toascii", "isalnum_l", "isalpha_l",
      "isascii_l", "isblank_l", "iscntrl_l", "isdigit_l", "isgraph_l", "islower_l", "isprint_l",
      "ispunct_l", "isspace_l", "isupper_l", "isxdigit_l", "toascii_l",
      // CUDA's and the emitted file's
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "std", "main", "program",
      "harness", "Program", "Memory", "Slice", "RowOffsets", "Options", "facts", "repeatable",
      "sizes", "parameters", "allocate", "fill", "run", "verify", "options", "min", "max", "abs",
      "take", "bytes_of", "copy_words", "two_to", "power", "floor_log2", "is_pow2", "ceil_div",
      "quotient_of", "remainder_of", "mod", "real_mod", "mulmod", "invmod", "least", "greatest",
      "sqrt", "sqrtf", "fabs", "fabsf", "fmodf", "up_to", "sin", "cos", "exp", "log2", "pow",
      "fmod", "ceil", "int2", "cycles", "launch", "concurrent", "insist", "slice", "dynamic_shared",
      "random_element", "random_draw", "printf", "clock64", "footprint", "magnitude", "below",
      "atomic_cas", "atomic_exchange", "atomic_add", "atomic_sub", "atomic_min", "atomic_max",
      "atomic_and", "atomic_or", "atomic_xor", "same_bits", "AtomicWord", "warp_shuffle",
      "warp_shuffle_up", "warp_shuffle_down", "warp_shuffle_xor", "warp_shuffle_near",
      "warp_combine", "lane_of_warp", "warp_ballot", "warp_any", "warp_all", "warp_match",
      "warp_sum", "warp_min", "warp_max", "multiply_tiles", "nvcuda", "atomicAdd", "atomicMin",
      "member", "only_block", "layout_stream", "random_shifts", "random_permutation", "atomicMax",
      "atomicAnd", "atomicOr", "atomicXor", "atomicExch", "atomicCAS"};
  return words;
}

/// What records' types and arrays of them have as members and parameters (print_file.cpp).
const std::set<std::string>& record_words() {
  static const std::set<std::string> words = {"words",  "device",     "put",      "index",
                                              "record", "array_name", "placement"};
  return words;
}

/// Options of all emitted files (harness/options.cuh).
const std::set<std::string>& option_words() {
  static const std::set<std::string> words = {"seed",  "samples", "seconds", "help",
                                              "input", "output",  "outputs"};
  return words;
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// Names that the compilers keep for themselves: `__syncthreads`, `_GNU_SOURCE`.
bool is_compilers(const std::string& name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || is_upper(name[1]));
}

/// Whether headers of C or CUDA may have a macro of the name: `INT_MAX`, `M_PIf`, `SYS_read`.
bool is_macro(const std::string& name) {
  const std::string part = name.substr(0, name.find('_'));
  return name.rfind("cuda", 0) == 0 || name.rfind("pthread_", 0) == 0 ||
         (name.size() > 1 && is_upper(name[0]) && std::none_of(part.begin(), part.end(), is_lower));
}

/// A name without `_` at its end.
std::string stem_of(const std::string& name) {
  return name.substr(0, name.find_last_not_of('_') + 1);
}

/// A name of the program in C++; two names have two. Those that mean something there get a `_`, and
/// so do those that have such an end already.
std::string renamed(const std::string& name) {
  if (is_compilers(name)) return name + "_v"; // `__LINE_` is a macro with one `_` more
  return reserved_words().count(stem_of(name)) > 0 || is_macro(name) ? name + "_" : name;
}

using Note = std::function<void(const Name& name, const Name& type)>;

void note_arrays(const ArraysDecl& arrays, const Note& note) {
  for (const ArrayDeclarator& array : arrays.arrays) note(array.name, arrays.type);
}

void note_body(const std::vector<lang::Statement>& body, const Note& note) {
  each_statement(body, [&](const lang::Statement& s) {
    if (s.type) note(s.name, *s.type);
    if (s.arrays) note_arrays(*s.arrays, note);
  });
}

} // namespace

std::string scalar_name(ir::Scalar type) {
  switch (type) {
  case ir::Scalar::boolean: return "bool";
  case ir::Scalar::int32: return "int";
  case ir::Scalar::int64: return "long long";
  case ir::Scalar::float32: return "float";
  case ir::Scalar::float64: return "double";
  }
  return "";
}

std::string word_name(ir::Scalar type) {
  return type == ir::Scalar::boolean ? "unsigned char" : scalar_name(type);
}

Names::Names(const Checked& checked,
             const std::map<std::string, std::int64_t, std::less<>>& letters)
    : checked_(checked) {
  for (const ParamSymbol& param : checked_.params) declared_.insert(param.name);
  for (const ConstSymbol& constant : checked_.consts) declared_.insert(constant.name);
  for (const ArraySymbol& array : checked_.arrays)
    if (array.top_level || array.kind == ArrayKind::memory) declared_.insert(array.name);
  for (const std::string& fn : checked_.fns) declared_.insert(fn);
  for (const RecordType& record : checked_.records) declared_.insert(record.name);
  for (const TypeDecl& type : checked_.program.types) declared_.insert(type.name.text);
  for (const TFunction& function : checked_.functions) declared_.insert(function.name);
  for (const RecordType& record : checked_.records)
    for (const char* end : {"_words", "_memory"}) added_.insert(renamed(record.name) + end);
  file_ = added_;
  for (const std::string& name : declared_) file_.insert(top(name));
  for (const auto& [letter, value] : letters) file_.insert(top(letter));
  file_.insert({"thread", "threads", "block", "blocks", "lane", "warp", "warps", "start"});
  std::set<std::string> locals;
  for (const VariableSymbol& variable : checked_.variables) locals.insert(variable.name);
  for (const ArraySymbol& array : checked_.arrays)
    if (declared_.count(array.name) == 0) locals.insert(array.name);
  for (const std::string& name : locals) locals_.insert(renamed(name));
  for (const std::string& name : locals) shown_.insert(local(name));
  note_types();
}

std::string Names::option(const std::string& parameter) {
  return option_words().count(stem_of(parameter)) > 0 ? parameter + "_" : parameter;
}

std::string Names::top(const std::string& name) const {
  std::string own = record_words().count(stem_of(name)) > 0 ? name + "_" : renamed(name);
  while (added_.count(own) > 0) own += "_";
  return own;
}

std::string Names::field(const std::string& name) const {
  const std::string own = top(name);
  const auto is_type = [&](const RecordType& record) {
    return stem_of(top(record.name)) == stem_of(own);
  };
  return std::any_of(checked_.records.begin(), checked_.records.end(), is_type) ? own + "_" : own;
}

std::string Names::local(const std::string& name) const {
  const std::string own = renamed(name);
  std::string found = own;
  while (file_.count(found) > 0 || (found != own && locals_.count(found) > 0)) found += "_";
  return found;
}

std::string Names::fresh(const std::string& wish) const {
  std::string found = renamed(wish);
  while (file_.count(found) > 0 || locals_.count(found) > 0 || shown_.count(found) > 0)
    found += "_";
  return found;
}

std::string Names::type(Type type) const {
  return type.is_record() ? top(checked_.record(type).name) : scalar_name(type.scalar);
}

std::string Names::declared_type(Span name, Type declared) const {
  const auto found = types_.find({name.file, name.begin});
  return found == types_.end() || declared.is_record() ? type(declared) : found->second;
}

bool Names::mentions_type(const std::string& name) const {
  return std::any_of(types_.begin(), types_.end(),
                     [&](const auto& entry) { return entry.second == top(name); });
}

void Names::note_types() {
  std::set<std::string> aliases;
  for (const TypeDecl& type : checked_.program.types)
    if (type.alias) aliases.insert(type.name.text);
  const Note note = [&](const Name& name, const Name& type) {
    if (aliases.count(type.text) > 0) types_[{name.span.file, name.span.begin}] = top(type.text);
  };
  for (const ArraysDecl& arrays : checked_.program.arrays) note_arrays(arrays, note);
  for (const HostDecl& host : checked_.program.hosts) note_body(host.body, note);
  for (const KernelDecl& kernel : checked_.program.kernels) {
    for (const Formal& formal : kernel.formals) note(formal.name, formal.type);
    note_body(kernel.body, note);
  }
}

const std::vector<Comments::Line>& Comments::lines(std::int32_t file) {
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second;
  std::vector<Line> all;
  std::string_view text = sources_.text(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Line parts;
    bool in_string = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') in_string = !in_string;
      if (!in_string && line.substr(i, 2) == "//") {
        parts.comment = line.substr(i);
        while (!parts.comment.empty() &&
               std::string_view(" \t\v\f\r").find(parts.comment.back()) != std::string_view::npos)
          parts.comment.pop_back();
        break;
      }
      parts.code = parts.code || (line[i] != ' ' && line[i] != '\t' && line[i] != '\r');
    }
    // A comment that ends in a backslash would go on in C++.
    if (!parts.comment.empty() && parts.comment.back() == '\\') parts.comment += " .";
    all.push_back(std::move(parts));
  }
  return files_[file] = std::move(all);
}

void Comments::leave_out_head(std::int32_t file) {
  const std::vector<Line>& all = lines(file);
  for (std::size_t i = 0; i < all.size() && !all[i].code && !all[i].comment.empty(); ++i)
    taken_.insert({file, static_cast<std::int32_t>(i + 1)});
}

std::vector<std::string> Comments::above(Span place) {
  std::vector<std::string> found;
  if (!place.known()) return found;
  const std::vector<Line>& all = lines(place.file);
  for (std::int32_t line = sources_.begin(place).line - 1; line >= 1; --line) {
    const Line& parts = all[std::size_t(line - 1)];
    if (parts.code || parts.comment.empty()) break;
    if (!taken_.insert({place.file, line}).second) break;
    found.insert(found.begin(), parts.comment);
  }
  return found;
}

std::string Comments::behind(Span place) {
  if (!place.known()) return {};
  const std::int32_t line = sources_.begin(place).line;
  const std::vector<Line>& all = lines(place.file);
  if (std::size_t(line) > all.size() || all[std::size_t(line - 1)].comment.empty()) return {};
  if (!taken_.insert({place.file, line}).second) return {};
  return all[std::size_t(line - 1)].comment;
}

} // namespace memlane::cuda
