// Statements of a module: headers, variables, functions (PTX ISA 9.0, sections 5.4 and 11).
#include "parser.hpp"

#include "memlane/ptx/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace memlane::ptx {

Parser::Parser(Sources& sources, std::int32_t text)
    : sources_(sources), text_(text), lexer_(sources.text(text)), watch_(sources.limits()) {
  module_.text = text;
  advance();
}

Result<Module> Parser::parse() {
  while (now_.token != Token::end && watch_.go_on()) module_statement();
  if (watch_.stopped()) return stopped_while(watch_.stop(), "decoding PTX");
  if (errors_.empty() && module_.version == 0)
    return error_at({text_, 0, 0}, "this is no PTX: it begins with .version",
                    {"nvcc -ptx writes PTX"});
  // Files are named behind the code.
  for (const auto& [error, location] : unknown_) {
    Operation of;
    of.location = location;
    if (const std::string line = source_line(module_, of); !line.empty())
      errors_[error].message += fmt::format(", which {} needs", line);
  }
  if (!errors_.empty()) return std::move(errors_);
  return std::move(module_);
}

// --- tokens

void Parser::advance() {
  last_ = now_;
  now_ = lexer_.next();
}
Span Parser::span_of(const Lexeme& lexeme) const { return {text_, lexeme.begin, lexeme.end}; }
bool Parser::accept(char symbol) {
  if (!now_.is(symbol)) return false;
  advance();
  return true;
}
bool Parser::expect(char symbol) {
  return accept(symbol) || fail(here(), fmt::format("'{}' is expected here", symbol));
}
bool Parser::expect_word(std::string_view& into, std::string_view what) {
  if (now_.token != Token::word) return fail(here(), fmt::format("{} is expected here", what));
  into = now_.text;
  advance();
  return true;
}
bool Parser::integer(std::int64_t& into, std::string_view what) {
  const bool negative = accept('-');
  if (now_.token != Token::integer || now_.value > std::uint64_t{INT64_MAX})
    return fail(here(), fmt::format("{} is expected here, an integer", what));
  into = static_cast<std::int64_t>(now_.value);
  if (negative) into = -into;
  advance();
  return true;
}
bool Parser::fail(Span at, std::string message, std::vector<std::string> help) {
  if (errors_.size() < most_errors)
    errors_.push_back(error_at(at, std::move(message), std::move(help)));
  return false;
}
void Parser::skip_operation() {
  for (; now_.token != Token::end && !now_.is(';'); advance()) {
    if (!now_.is('}')) continue;
    // The brace of a vector is followed by more of its operation, that of a function is not.
    const Lexeme next = Lexer(lexer_).next();
    if (!next.is(',') && !next.is(';') && !next.is(']') && !next.is(')')) return;
  }
  accept(';');
}
void Parser::skip_statement() {
  while (now_.token != Token::end && !now_.is(';') && !now_.is('{') && !now_.is('}')) advance();
  accept(';');
}

// --- headers

void Parser::module_statement() {
  Linkage linkage;
  while (now_.is_dotted("visible") || now_.is_dotted("extern") || now_.is_dotted("weak") ||
         now_.is_dotted("common")) {
    linkage.is_extern = linkage.is_extern || now_.is_dotted("extern");
    advance();
  }
  const Lexeme first = now_;
  if (first.token != Token::dotted) {
    fail(here(), "a directive such as .entry or .global is expected here",
         {"of CUDA C++, nvcc -ptx makes PTX, which begins with .version"});
    advance();
    return skip_statement();
  }
  advance();
  if (first.text == "version" || first.text == "target" || first.text == "address_size")
    return header();
  if (first.text == "file") return file();
  if (first.text == "section") return section();
  if (first.text == "alias") return alias();
  if (first.text == "pragma") return skip_statement();
  if (first.text == "entry" || first.text == "func")
    return function(first.text == "entry", linkage);
  if (first.text == "global") return variables(Space::global, linkage);
  if (first.text == "const") return variables(Space::constant, linkage);
  if (first.text == "shared") return variables(Space::shared, linkage);
  fail(span_of(first), fmt::format("memlane does not execute the directive .{}", first.text),
       {"textures and surfaces are given to kernels as objects (cudaTextureObject_t)"});
  skip_statement();
}

/// The word has been read.
void Parser::header() {
  if (last_.text == "version") {
    // `9.0` is a decimal number.
    if (now_.token == Token::real) {
      const double version = __builtin_bit_cast(double, now_.value);
      module_.version = static_cast<int>(version * 10 + 0.5);
      if (version < 3 || version >= 20) fail(here(), "memlane reads PTX of versions 3.0 to 9.x");
      advance();
    } else {
      fail(here(), "a version such as 8.0 is expected here");
    }
    return;
  }
  const bool address_size = last_.text == "address_size";
  if (address_size) {
    std::int64_t bits = 0;
    if (integer(bits, "64") && bits != 64)
      fail(span_of(last_), "memlane executes PTX with 64-bit addresses only", {"nvcc -m64"});
    return;
  }
  std::string_view target;
  if (!expect_word(target, "a target such as sm_80")) return;
  module_.target = target;
  while (accept(',')) advance(); // debug, texmode_independent
}

/// `1 "a.cu"`, perhaps with a time and a size.
void Parser::file() {
  std::int64_t number = 0;
  if (!integer(number, "a file's number")) return skip_statement();
  if (now_.token != Token::text) {
    fail(here(), "a file's name in quotes is expected here");
    return;
  }
  if (number >= 0 && number <= INT32_MAX)
    module_.files[static_cast<std::int32_t>(number)] = now_.text;
  advance();
  while (accept(',')) advance();
}

/// Debugging information, which says nothing that executing needs.
void Parser::section() {
  while (now_.token != Token::end && !now_.is('{')) advance();
  int depth = 0;
  do {
    depth += now_.is('{') ? 1 : now_.is('}') ? -1 : 0;
    advance();
  } while (depth > 0 && now_.token != Token::end);
}

void Parser::alias() {
  std::string_view name, other;
  if (!expect_word(name, "a function") || !expect(',') || !expect_word(other, "a function"))
    return skip_statement();
  const auto function = functions_.find(other);
  if (function == functions_.end())
    fail(span_of(last_), fmt::format("there is no function {}", other));
  else
    functions_[name] = function->second;
  expect(';');
}

// --- functions

void Parser::function(bool kernel, const Linkage&) {
  Function made;
  made.kernel = kernel;
  function_ = &made;
  scopes_.assign(1, {});
  if (!kernel && accept('(')) parameters(made.results);
  std::string_view name;
  made.span = here();
  if (!expect_word(name, "a function's name")) {
    function_ = nullptr;
    return skip_statement();
  }
  made.name = name;
  if (accept('(')) parameters(made.parameters);
  directives_of_function();
  const auto [known, fresh] =
      functions_.try_emplace(name, static_cast<std::int32_t>(module_.functions.size()));
  if (fresh) {
    module_.functions.emplace_back();
    module_.functions.back().name = made.name;
  }
  // Calls inside of it see its signature.
  Function& declared = module_.functions[static_cast<std::size_t>(known->second)];
  if (declared.defined && now_.is('{'))
    fail(made.span, fmt::format("{} has a body already", made.name));
  if (!declared.defined) declared = made;
  if (now_.is('{')) {
    made.defined = true;
    body();
    module_.functions[static_cast<std::size_t>(known->second)] = std::move(made);
  } else {
    expect(';');
  }
  function_ = nullptr;
}

/// The list of parameters or results, behind its parenthesis: each is a variable.
void Parser::parameters(std::vector<std::int32_t>& into) {
  while (!now_.is(')') && now_.token != Token::end) {
    if (!now_.is_dotted("param") && !now_.is_dotted("reg")) {
      fail(here(), ".param is expected here");
      while (!now_.is(')') && !now_.is(';') && now_.token != Token::end) advance();
      break;
    }
    advance();
    Variable declared;
    declared.space = Space::param;
    if (!variable(declared, true)) {
      while (!now_.is(')') && !now_.is(';') && now_.token != Token::end) advance();
      break;
    }
    const auto index = static_cast<std::int32_t>(function_->variables.size());
    into.push_back(index);
    scopes_.front().names[sources_.text(declared.span)] = {Name::Kind::variable, index};
    function_->variables.push_back(std::move(declared));
    if (!accept(',')) break;
  }
  expect(')');
}

std::int64_t Parser::directive_number() {
  std::int64_t number = 0;
  integer(number, "a number");
  return number;
}

void Parser::directives_of_function() {
  Directives& directives = function_->directives;
  const auto three = [&](std::int64_t(&into)[3]) {
    for (std::int64_t& number : into) number = 1;
    for (int k = 0; k < 3 && (k == 0 || accept(',')); ++k) into[k] = directive_number();
  };
  while (now_.token == Token::dotted) {
    const Lexeme word = now_;
    advance();
    if (word.text == "maxntid")
      three(directives.most_threads);
    else if (word.text == "reqntid")
      three(directives.required_threads);
    else if (word.text == "minnctapersm" || word.text == "maxnctapersm")
      directives.least_blocks = directive_number();
    else if (word.text == "maxnreg")
      directives.most_registers = directive_number();
    else if (word.text == "pragma")
      skip_statement();
    else if (word.text != "noreturn") {
      fail(span_of(word), fmt::format("memlane does not execute functions with .{}", word.text));
      while (now_.token == Token::integer || now_.is(',')) advance();
    }
  }
}

// --- variables

void Parser::variables(Space space, const Linkage& linkage) {
  const Lexeme modifiers = now_;
  do {
    Variable declared;
    declared.space = space;
    declared.is_extern = linkage.is_extern;
    if (!variable(declared, false)) return skip_statement();
    if (now_.is('=')) initializer(declared);
    const std::string_view name = sources_.text(declared.span);
    if (function_) {
      const auto index = static_cast<std::int32_t>(function_->variables.size());
      scopes_.back().names[name] = {Name::Kind::variable, index};
      function_->variables.push_back(std::move(declared));
    } else if (const auto known = variables_.find(name); known == variables_.end()) {
      variables_[name] = static_cast<std::int32_t>(module_.variables.size());
      module_.variables.push_back(std::move(declared));
    } else {
      module_.variables[static_cast<std::size_t>(known->second)] = std::move(declared);
    }
  } while (accept(','));
  (void)modifiers;
  expect(';');
}

/// `.align 8 .v2 .b8 name[4][2]`; `sized`: it may be a parameter, of which the first dimension is
/// not missing.
bool Parser::variable(Variable& declared, bool sized) {
  std::int64_t elements = 1;
  declared.align = 0;
  declared.type = Type::none;
  while (now_.token == Token::dotted) {
    const Lexeme word = now_;
    advance();
    if (word.text == "align") {
      if (!integer(declared.align, "an alignment")) return false;
      if (declared.align < 1 || declared.align > 1024 ||
          !std::has_single_bit(static_cast<std::uint64_t>(declared.align)))
        return fail(span_of(last_), "an alignment is a power of two up to 1024");
    } else if (word.text == "attribute") {
      if (!expect('(')) return false;
      while (!now_.is(')') && now_.token != Token::end) advance(); // .managed
      if (!expect(')')) return false;
    } else if (word.text == "v2" || word.text == "v4") {
      elements *= word.text == "v2" ? 2 : 4;
    } else if (word.text == "ptr" || word.text == "global" || word.text == "const" ||
               word.text == "shared" || word.text == "local") {
      continue; // of a pointer that is a parameter
    } else if (const auto type = type_named(word.text); type && *type != Type::none) {
      declared.type = *type;
    } else {
      return fail(span_of(word), fmt::format("memlane has no variables of type .{}", word.text));
    }
  }
  if (declared.type == Type::none) return fail(here(), "a type such as .b8 is expected here");
  std::string_view name;
  declared.span = here();
  if (!expect_word(name, "a variable's name")) return false;
  declared.name = name;
  const std::int64_t size = bytes_of(declared.type) * elements;
  if (declared.align == 0) declared.align = size;
  std::int64_t count = 1;
  for (bool first = true; accept('['); first = false) {
    std::int64_t dimension = 0;
    if (!now_.is(']') && !integer(dimension, "a number of elements")) return false;
    if (dimension < 0 || (dimension > 0 && count > most_bytes / dimension))
      return fail(span_of(last_), "the array is too large");
    if (dimension == 0 && (sized || !first)) return fail(span_of(last_), "the array has no size");
    count *= dimension;
    if (!expect(']')) return false;
  }
  if (count > most_bytes / size) return fail(declared.span, "the array is too large");
  declared.bytes = count * size;
  return true;
}

/// Behind the name: `= 3`, `= {1, 2, x}`, nested as the dimensions are.
void Parser::initializer(Variable& declared) {
  advance();
  std::int64_t at = 0, depth = 0;
  const std::int64_t size = bytes_of(declared.type);
  do {
    while (accept('{')) ++depth;
    if (declared.bytes > 0 && at + size > declared.bytes) {
      fail(here(), fmt::format("{} has more values than elements", declared.name));
      return skip_statement();
    }
    if (!initial_value(declared, at)) return skip_statement();
    at += size;
    while (depth > 0 && accept('}')) --depth;
  } while (depth > 0 && accept(',') && watch_.go_on());
  if (depth > 0) {
    fail(here(), "',' or '}' is expected here");
    return skip_statement();
  }
  if (declared.bytes == 0) declared.bytes = at;
}

bool Parser::initial_value(Variable& declared, std::int64_t at) {
  const int size = bytes_of(declared.type);
  std::uint64_t bits = 0;
  if (now_.token == Token::integer && now_.value > 0) {
    // `0xFF00(name)`: a byte of an address.
    const std::uint64_t mask = now_.value;
    const Lexeme number = now_;
    advance();
    if (accept('(')) {
      Relocation relocation{at, size, std::countr_zero(mask), initial_address()};
      if (!expect(')')) return false;
      declared.relocations.push_back(relocation);
      return true;
    }
    bits = number.value;
    if (declared.type == Type::f32)
      bits = __builtin_bit_cast(std::uint32_t, static_cast<float>(bits));
    else if (is_float(declared.type))
      bits = __builtin_bit_cast(std::uint64_t, static_cast<double>(bits));
  } else if (now_.token == Token::word) {
    declared.relocations.push_back({at, size, 0, initial_address()});
    return errors_.empty() || now_.is(',') || now_.is('}') || now_.is(';');
  } else {
    Operand value;
    if (!number_operand(value, declared.type)) return false;
    bits = static_cast<std::uint64_t>(value.value);
  }
  if (bits == 0) return true; // all bytes are 0 at first
  if (declared.initial.size() < static_cast<std::size_t>(at + size)) {
    if (!watch_.go_on(at + size - static_cast<std::int64_t>(declared.initial.size()))) return false;
    declared.initial.resize(static_cast<std::size_t>(at + size));
  }
  for (int k = 0; k < size && k < 8; ++k)
    declared.initial[static_cast<std::size_t>(at + k)] = static_cast<std::uint8_t>(bits >> (8 * k));
  return true;
}

/// `name`, `name+4`, `generic(name)+4`.
Operand Parser::initial_address() {
  Operand address;
  const bool generic = now_.is_word("generic");
  if (generic) {
    advance();
    if (!expect('(')) return address;
  }
  if (!name_operand(address)) return address;
  if (generic && !expect(')')) return address;
  if (now_.is('+') || now_.is('-')) {
    const bool minus = now_.is('-');
    advance();
    std::int64_t offset = 0;
    if (integer(offset, "an offset")) address.value += minus ? -offset : offset;
  }
  return address;
}

Result<Module> parse(Sources& sources, std::int32_t text) { return Parser(sources, text).parse(); }

std::int32_t find_function(const Module& module, std::string_view name) {
  for (std::size_t k = 0; k < module.functions.size(); ++k)
    if (module.functions[k].name == name) return static_cast<std::int32_t>(k);
  return -1;
}

} // namespace memlane::ptx
