// Instructions and their operands (PTX ISA 9.0, sections 6 and 9).
#include "parser.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ptx {

namespace {

/// The space that a word names, if it does.
std::optional<Space> space_of(Word word) {
  switch (word) {
  case Word::global: return Space::global;
  case Word::shared:
  case Word::shared_cta: return Space::shared;
  case Word::local: return Space::local;
  case Word::const_: return Space::constant;
  case Word::param:
  case Word::param_entry:
  case Word::param_func: return Space::param;
  default: return std::nullopt;
  }
}

/// Opcodes that were not found, with what may be meant.
std::vector<std::string> help_for(std::string_view mnemonic) {
  if (is_known_elsewhere(mnemonic)) {
    const auto is_any = [=](auto... names) { return ((mnemonic == names) || ...); };
    std::vector<std::string> help{"memlane explain ptx lists the opcodes that it executes"};
    if (is_any("wgmma", "tcgen05"))
      help.emplace_back("for -arch=sm_80, libraries use mma and wmma, which it executes");
    if (mnemonic == "sured")
      help.emplace_back("give the kernel a pointer to linear memory, and use atomics on that");
    return help;
  }
  std::vector<std::string> names;
  for (const OpcodeRow& row : opcode_rows()) names.emplace_back(row.mnemonic);
  return did_you_mean(std::string(mnemonic), names);
}

} // namespace

void Parser::operation() {
  Operation op;
  op.location = location_;
  const std::uint32_t begin = now_.begin;
  if (accept('@')) {
    op.guard_negated = accept('!');
    std::string_view name;
    const Span at = here();
    if (!expect_word(name, "a predicate")) return skip_operation();
    op.guard = find_register(name);
    if (op.guard < 0 || function_->registers[static_cast<std::size_t>(op.guard)] != Type::pred) {
      fail(at, fmt::format("{} is no predicate", name));
      return skip_operation();
    }
  }
  const Lexeme word = now_;
  std::string_view mnemonic;
  if (!expect_word(mnemonic, "an opcode")) return skip_operation();
  const OpcodeRow* const row = find_opcode(mnemonic);
  if (!row) {
    std::uint32_t end = word.end;
    for (; now_.token == Token::dotted; advance()) end = now_.end;
    const Span whole{text_, word.begin, end};
    refuse(whole, std::string(sources_.text(whole)), help_for(mnemonic));
    return skip_operation();
  }
  op.opcode = row->opcode;
  if (!read_words(op, *row)) return skip_operation();
  op.span = {text_, begin, last_.end};
  if (!read_operands(op, *row)) return skip_operation();
  op.span.end = last_.end;
  if (!now_.is(';')) {
    fail(here(), fmt::format("';' is expected here, behind the operands of {}", row->mnemonic));
    return skip_operation();
  }
  advance();
  if (static_cast<std::int64_t>(function_->code.size()) >= most_registers) {
    fail(op.span, fmt::format("{} has more than {} instructions", function_->name, most_registers));
    return;
  }
  if (check(op)) function_->code.push_back(op);
}

bool Parser::refuse(Span at, const std::string& what, std::vector<std::string> help) {
  if (errors_.size() < most_errors) unknown_.emplace_back(errors_.size(), location_);
  return fail(at, fmt::format("memlane does not execute {}", what), std::move(help));
}

/// A word that the opcode does not have here, and the whole instruction's name.
bool Parser::refuse_word(const Lexeme& opcode, std::string_view word) {
  const std::string& text = sources_.text(text_);
  const std::size_t end = std::min(text.find_first_of(" \t\r\n;,[{(", opcode.begin), text.size());
  std::vector<std::string> help{
      fmt::format("memlane explain ptx {} lists its words and types", opcode.text)};
  if (word == "bulk" || word == "expect_tx" || word == "proxy")
    help.emplace_back(
        "compile for -arch=sm_80: libraries such as CUB do without bulk copies there");
  return refuse(here(),
                fmt::format("{} with .{} ({})", opcode.text, word,
                            text.substr(opcode.begin, end - opcode.begin)),
                std::move(help));
}

/// The dotted words behind the opcode.
bool Parser::read_words(Operation& op, const OpcodeRow& row) {
  const Lexeme opcode = last_;
  std::size_t types = 0;
  for (; now_.token == Token::dotted; advance()) {
    if (const auto type = type_named(now_.text); type && *type != Type::none) {
      // `.b128` of cp.async.bulk and others: a type that the row does not have.
      const std::span<const Type> allowed = types_of(row, types);
      if (std::find(allowed.begin(), allowed.end(), *type) == allowed.end())
        return refuse_word(opcode, now_.text);
      Type* const into[] = {&op.type, &op.other, &op.of_b, &op.of_c};
      *into[types++] = *type;
      continue;
    }
    const auto word = word_named(now_.text);
    if (!word || !allows(row, *word)) return refuse_word(opcode, now_.text);
    op.words.add(*word);
    if (const auto space = space_of(*word); space && op.space == Space::generic) op.space = *space;
    if (*word == Word::v2 || *word == Word::v4 || *word == Word::v8)
      op.lanes_of_vector = *word == Word::v2 ? 2 : *word == Word::v4 ? 4 : 8;
  }
  const bool may_have_none =
      op.opcode == Opcode::bar || op.opcode == Opcode::barrier || op.opcode == Opcode::cp;
  if (types == 0 && !types_of(row, 0).empty() && !may_have_none)
    return fail(span_of(last_), fmt::format("{} needs a type", row.mnemonic));
  if (types < 2 && !types_of(row, 1).empty() && op.opcode != Opcode::wmma)
    return fail(span_of(last_), fmt::format("{} needs two types", row.mnemonic));
  return true;
}

/// Reads operands as the letters of the row say; `?` is in front of one that may be missing.
bool Parser::read_operands(Operation& op, const OpcodeRow& row) {
  if (op.opcode == Opcode::call) return read_call(op);
  if (op.opcode == Opcode::bra || op.opcode == Opcode::brx) return read_targets(op);
  if (op.opcode == Opcode::bar || op.opcode == Opcode::barrier) return read_barrier_operands(op);
  if (op.opcode == Opcode::cp) return read_copy_operands(op);
  if (op.opcode == Opcode::mbarrier) return read_mbarrier_operands(op);
  if (op.opcode == Opcode::wmma) return read_matrix_operands(op);
  if (uses_object(op.opcode)) return read_object_operands(op);
  bool first = true;
  for (std::size_t k = 0; k < row.operands.size(); ++k) {
    const bool optional = row.operands[k] == '?';
    if (optional) ++k;
    const char letter = row.operands[k];
    if (letter == 'q') { // `d|q`
      if (accept('|')) {
        if (!operand(op.q, Type::pred)) return false;
      } else if (!optional) {
        return fail(here(), "'|' and a predicate are expected here");
      }
      continue;
    }
    if (!first && !accept(',')) {
      if (optional) continue;
      return fail(here(), fmt::format("{} needs more operands", row.mnemonic));
    }
    if (first && now_.is(';') && optional) continue;
    first = false;
    Operand& into = letter == 'd'   ? op.d
                    : letter == 'a' ? op.a
                    : letter == 'b' ? op.b
                    : letter == 'c' ? op.c
                    : letter == 'e' ? op.e
                    : letter == 'm' ? op.m
                    : letter == 'n' ? op.n
                    : letter == 'i' ? op.n // a source predicate may be in e
                                    : op.q;
    // A source predicate is kept in `e`: q is a destination.
    Operand& at = letter == 'p' ? op.e : into;
    const bool good = letter == 'm' || letter == 'n' ? memory_operand(at)
                      : letter == 'p'                ? operand(at, Type::pred)
                                                     : operand(at, op.type);
    if (!good) return false;
  }
  return true;
}

/// `bar.sync a, b`, `bar.red.popc.u32 d, a, b, p`, `bar.warp.sync a`.
bool Parser::read_barrier_operands(Operation& op) {
  const bool reduces = op.words.has(Word::red);
  if (reduces && (!operand(op.d, op.type) || !expect(','))) return false;
  if (now_.is(';')) return !reduces || fail(here(), "a barrier's number is expected here");
  if (!operand(op.a, Type::u32)) return false;
  if (accept(',') && !operand(op.b, Type::u32)) return false;
  if (!reduces) return true;
  if (accept(',')) return operand(op.e, Type::pred);
  op.e = op.b; // without a number of threads
  op.b = {};
  return op.e.kind != OperandKind::none || fail(here(), "a predicate is expected here");
}

/// `cp.async.ca.shared.global [m], [n], 16, a`, `cp.async.wait_group 1`.
bool Parser::read_copy_operands(Operation& op) {
  if (!op.words.has(Word::async)) return fail(op.span, "memlane executes cp.async only");
  if (op.words.any(Word::commit_group, Word::wait_all)) return true;
  if (op.words.has(Word::wait_group)) return operand(op.e, Type::u32);
  if (op.words.has(Word::mbarrier)) {
    if (op.type != Type::b64) return fail(op.span, "cp.async.mbarrier needs the type .b64");
    op.opcode = Opcode::mbarrier;
    return memory_operand(op.m);
  }
  return memory_operand(op.m) && expect(',') && memory_operand(op.n) && expect(',') &&
         operand(op.e, Type::u32) && (!accept(',') || operand(op.a, Type::u32)) &&
         (!accept(',') || operand(op.c, Type::b64));
}

/// `mbarrier.init.b64 [m], a`, `mbarrier.arrive.b64 d, [m], a`, `mbarrier.test_wait.b64 d, [m], a`.
bool Parser::read_mbarrier_operands(Operation& op) {
  if (op.words.has(Word::init))
    return memory_operand(op.m) && expect(',') && operand(op.a, Type::u32);
  if (op.words.has(Word::inval)) return memory_operand(op.m);
  const bool waits = op.words.any(Word::test_wait, Word::try_wait);
  if (!operand(op.d, waits ? Type::pred : Type::b64) || !expect(',')) return false;
  if (op.words.has(Word::pending_count)) return operand(op.a, Type::b64);
  if (!memory_operand(op.m)) return false;
  if (!waits) return !accept(',') || operand(op.a, Type::u32);
  return expect(',') && operand(op.a, op.words.has(Word::parity) ? Type::u32 : Type::b64) &&
         (!accept(',') || operand(op.b, Type::u32));
}

/// `wmma.load d, [m], a`, `wmma.store [m], a, b`, `wmma.mma d, a, b, c`: strides may be missing.
bool Parser::read_matrix_operands(Operation& op) {
  if (op.words.has(Word::load))
    return operand(op.d, op.type) && expect(',') && memory_operand(op.m) &&
           (!accept(',') || operand(op.a, Type::u32));
  if (op.words.has(Word::store))
    return memory_operand(op.m) && expect(',') && operand(op.a, op.type) &&
           (!accept(',') || operand(op.b, Type::u32));
  return operand(op.d, op.type) && expect(',') && operand(op.a, op.type) && expect(',') &&
         operand(op.b, op.type) && expect(',') && operand(op.c, op.type);
}

/// `call (result), f, (a, b)`; by address also `, prototype`.
bool Parser::read_call(Operation& op) {
  Call call;
  if (accept('(')) {
    if (!param_list(call.results) || !expect(',')) return false;
  }
  const Span at = here();
  std::string_view name;
  if (now_.token != Token::word) return fail(at, "a function is expected here");
  name = now_.text;
  if (const auto function = functions_.find(name); function != functions_.end()) {
    call.function = function->second;
    advance();
  } else if (!operand(call.address, Type::b64)) {
    return false;
  }
  while (accept(',')) {
    if (accept('(')) {
      if (!param_list(call.arguments)) return false;
    } else if (!expect_word(name, "a prototype")) {
      return false;
    }
  }
  op.target = static_cast<std::int32_t>(function_->calls.size());
  function_->calls.push_back(std::move(call));
  return true;
}

bool Parser::param_list(std::vector<std::int32_t>& into) {
  while (!now_.is(')') && now_.token != Token::end) {
    const Span at = here();
    std::string_view name;
    if (!expect_word(name, "a parameter")) return false;
    const Name* const known = find_name(name);
    if (!known || known->kind != Name::Kind::variable ||
        function_->variables[static_cast<std::size_t>(known->index)].space != Space::param)
      return fail(at, fmt::format("{} is no variable of space .param", name));
    into.push_back(known->index);
    if (!accept(',')) break;
  }
  return expect(')');
}

bool Parser::read_targets(Operation& op) {
  if (op.opcode == Opcode::brx && (!operand(op.a, Type::u32) || !expect(','))) return false;
  const Span at = here();
  std::string_view name;
  if (!expect_word(name, "a label")) return false;
  if (op.opcode == Opcode::bra) {
    wanted_.push_back({name, at, static_cast<std::int32_t>(function_->code.size()), -1, -1});
    return true;
  }
  const auto list = lists_.find(name);
  if (list == lists_.end())
    return fail(at, fmt::format("{} is no list of .branchtargets that stands above", name));
  op.target = list->second;
  return true;
}

// --- operands

/// `type`: of an immediate.
bool Parser::operand(Operand& into, Type type) {
  if (now_.is('{')) return vector_operand(into, type);
  if (now_.is('!')) {
    advance();
    if (!operand(into, type)) return false;
    into.negated = !into.negated;
    return true;
  }
  if (now_.token != Token::word) return number_operand(into, type);
  if (now_.text == "_") {
    advance();
    return true;
  }
  if (now_.text[0] == '%' || now_.text == "WARP_SZ") {
    if (const std::int32_t reg = find_register(now_.text); reg >= 0) {
      into.kind = OperandKind::reg;
      into.index = reg;
      advance();
      return true;
    }
    // `%tid.x`: a name and a dotted word.
    const Lexeme word = now_;
    advance();
    std::string spelling(word.text);
    if (now_.token == Token::dotted && now_.text.size() == 1) {
      spelling += '.';
      spelling += now_.text;
      advance();
    }
    const auto special = special_named(spelling);
    if (!special) return fail(span_of(word), fmt::format("there is no register {}", spelling));
    into.kind = OperandKind::special;
    into.index = static_cast<std::int32_t>(*special);
    return true;
  }
  if (const std::int32_t reg = find_register(now_.text); reg >= 0) {
    into.kind = OperandKind::reg;
    into.index = reg;
    advance();
    return true;
  }
  if (!name_operand(into)) return false;
  if (accept('+')) {
    std::int64_t offset = 0;
    if (!integer(offset, "an offset")) return false;
    into.value += offset;
  }
  return true;
}

/// A variable or a function: its address.
bool Parser::name_operand(Operand& into) {
  const Span at = here();
  std::string_view name;
  if (!expect_word(name, "a name")) return false;
  const Name* const known = function_ ? find_name(name) : nullptr;
  if (known && known->kind == Name::Kind::variable) {
    into.kind = OperandKind::variable;
    into.index = known->index;
    return true;
  }
  if (const auto variable = variables_.find(name); variable != variables_.end()) {
    into.kind = OperandKind::variable;
    into.of_module = true;
    into.index = variable->second;
    return true;
  }
  if (const auto function = functions_.find(name); function != functions_.end()) {
    into.kind = OperandKind::function;
    into.index = function->second;
    return true;
  }
  return fail(at, fmt::format("nothing here has the name {}", name));
}

/// `[%rd1+8]`, `[name-4]`, `[16]`.
bool Parser::memory_operand(Operand& into) {
  if (!expect('[')) return false;
  if (now_.token == Token::integer) {
    if (!number_operand(into, Type::b64)) return false;
  } else {
    if (!operand(into, Type::b64)) return false;
    if (into.kind != OperandKind::reg && into.kind != OperandKind::variable)
      return fail(span_of(last_), "an address is a register or a variable, and an offset");
    while (now_.is('+') || now_.is('-')) {
      const bool minus = now_.is('-');
      advance();
      std::int64_t offset = 0;
      if (!integer(offset, "an offset")) return false;
      into.value += minus ? -offset : offset;
    }
  }
  return expect(']');
}

bool Parser::vector_operand(Operand& into, Type type) {
  const Span at = here();
  advance();
  std::vector<Operand> elements;
  do {
    if (now_.is('{')) return fail(here(), "a vector has no vectors");
    Operand element;
    if (!operand(element, type)) return false;
    elements.push_back(element);
  } while (accept(',') && elements.size() <= 8);
  if (!expect('}')) return false;
  if (elements.size() > 8) return fail(at, "a vector has at most 8 elements");
  into.kind = OperandKind::vector;
  into.count = static_cast<std::uint8_t>(elements.size());
  into.index = static_cast<std::int32_t>(function_->elements.size());
  function_->elements.insert(function_->elements.end(), elements.begin(), elements.end());
  return true;
}

bool Parser::number_operand(Operand& into, Type type) {
  const bool negative = accept('-');
  const bool inverted = !negative && accept('~');
  std::uint64_t bits = now_.value;
  double real = 0;
  bool is_real = true;
  switch (now_.token) {
  case Token::integer:
    is_real = false;
    if (inverted) bits = ~bits;
    if (negative) bits = 0 - bits;
    real = negative ? -static_cast<double>(now_.value) : static_cast<double>(now_.value);
    break;
  case Token::real:
  case Token::real64: real = __builtin_bit_cast(double, bits); break;
  case Token::real32: real = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits)); break;
  case Token::wrong: return fail(here(), "this is no number of 64 bits, and no name");
  default: return fail(here(), "an operand is expected here");
  }
  if (is_real && negative) real = -real;
  if (type == Type::f32 || (is_real && bits_of(type) == 32)) {
    // A NaN's bits are kept.
    bits = now_.token == Token::real32 && !negative
               ? bits
               : __builtin_bit_cast(std::uint32_t, static_cast<float>(real));
  } else if (type == Type::f64 || (is_real && bits_of(type) == 64)) {
    bits =
        now_.token == Token::real64 && !negative ? bits : __builtin_bit_cast(std::uint64_t, real);
  } else if (is_real) {
    return fail(here(), fmt::format("a number of type .{} has no point", name_of(type)));
  }
  into.kind = OperandKind::immediate;
  into.value = static_cast<std::int64_t>(bits);
  advance();
  return true;
}

} // namespace memlane::ptx
