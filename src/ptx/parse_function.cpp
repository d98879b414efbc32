// The body of a function: its declarations, labels and places in the source.
#include "parser.hpp"

#include <fmt/format.h>

#include <charconv>

namespace memlane::ptx {

void Parser::body() {
  wanted_.clear();
  labels_.clear();
  lists_.clear();
  inlined_.clear();
  location_ = -1;
  const Span open = here();
  advance();
  std::size_t depth = 1;
  while (depth > 0 && now_.token != Token::end && watch_.go_on()) {
    if (accept('{')) {
      scopes_.emplace_back();
      ++depth;
    } else if (accept('}')) {
      --depth;
      if (depth > 0) scopes_.pop_back();
    } else {
      statement();
    }
  }
  if (depth > 0 && now_.token == Token::end)
    fail(open, fmt::format("the body of {} is not closed", function_->name));
  resolve_labels();
  // Every path ends in the code: an operation behind the last one is never reached.
  Operation last;
  last.opcode = Opcode::ret;
  last.span = open;
  last.location = location_;
  function_->code.push_back(last);
}

void Parser::statement() {
  if (now_.token == Token::dotted) return directive_in_body();
  if (now_.is('@')) return operation();
  if (now_.token != Token::word) {
    fail(here(), "an instruction is expected here");
    advance();
    return skip_statement();
  }
  // A label, or an opcode: both are words.
  const Lexeme word = now_;
  if (word.text[0] == '$' || word.text[0] == '_' || !find_opcode(word.text)) {
    Lexer ahead = lexer_;
    if (ahead.next().is(':')) {
      advance();
      advance();
      return label(word);
    }
  }
  operation();
}

void Parser::label(const Lexeme& name) {
  if (now_.is_dotted("branchtargets") || now_.is_dotted("calltargets"))
    return label_list(name, now_.is_dotted("calltargets"));
  if (now_.is_dotted("callprototype")) {
    scopes_.back().names[name.text] = {Name::Kind::prototype, 0};
    advance();
    while (now_.token != Token::end && !now_.is(';') && !now_.is('{')) advance();
    accept(';');
    return;
  }
  if (!labels_.try_emplace(name.text, static_cast<std::int32_t>(function_->code.size())).second)
    fail(span_of(name), fmt::format("the label {} stands twice in {}", name.text, function_->name));
}

/// `name: .branchtargets A, B;`
void Parser::label_list(const Lexeme& name, bool calls) {
  advance();
  const auto list = static_cast<std::int32_t>(function_->targets.size());
  if (!calls) {
    lists_[name.text] = list;
    function_->targets.emplace_back();
  }
  do {
    const Lexeme target = now_;
    std::string_view word;
    if (!expect_word(word, "a label")) return skip_statement();
    if (calls) continue; // which functions may be called: not needed
    std::vector<std::int32_t>& targets = function_->targets[static_cast<std::size_t>(list)];
    wanted_.push_back({word, span_of(target), -1, list, static_cast<std::int32_t>(targets.size())});
    targets.push_back(-1);
  } while (accept(','));
  expect(';');
}

void Parser::resolve_labels() {
  for (const Wanted& wanted : wanted_) {
    const auto found = labels_.find(wanted.label);
    if (found == labels_.end()) {
      fail(wanted.span, fmt::format("there is no label {} in {}", wanted.label, function_->name));
      continue;
    }
    if (wanted.operation >= 0)
      function_->code[static_cast<std::size_t>(wanted.operation)].target = found->second;
    else
      function_
          ->targets[static_cast<std::size_t>(wanted.list)][static_cast<std::size_t>(wanted.place)] =
          found->second;
  }
}

void Parser::directive_in_body() {
  const Lexeme word = now_;
  advance();
  if (word.text == "loc") return location();
  if (word.text == "reg") return registers();
  if (word.text == "local") return variables(Space::local, {});
  if (word.text == "shared") return variables(Space::shared, {});
  if (word.text == "param") return variables(Space::param, {});
  if (word.text == "pragma") return skip_statement();
  if (word.text == "file") return file();
  fail(span_of(word), fmt::format("memlane does not execute the directive .{}", word.text));
  skip_statement();
}

/// `.reg .b32 %r<8>;` or `.reg .b64 %SP, %SPL;`
void Parser::registers() {
  std::optional<Type> type;
  if (now_.token == Token::dotted) type = type_named(now_.text);
  if (!type || *type == Type::none) {
    fail(here(), "a type such as .b32 is expected here");
    return skip_statement();
  }
  advance();
  do {
    const Lexeme name = now_;
    std::string_view word;
    if (!expect_word(word, "a register's name")) return skip_statement();
    std::int64_t count = 1;
    const bool range = accept('<');
    if (range && (!integer(count, "a number of registers") || !expect('>')))
      return skip_statement();
    const auto first = static_cast<std::int32_t>(function_->registers.size());
    if (count < 0 || count > most_registers - first) {
      fail(span_of(name),
           fmt::format("{} has more than {} registers", function_->name, most_registers));
      return skip_statement();
    }
    if (range)
      scopes_.back().ranges[word] = {first, count};
    else
      scopes_.back().names[word] = {Name::Kind::reg, first};
    function_->registers.insert(function_->registers.end(), static_cast<std::size_t>(count), *type);
  } while (accept(','));
  expect(';');
}

/// `1 14 3`, perhaps with `, function_name label+2, inlined_at 1 20 5`.
void Parser::location() {
  Location place;
  std::int64_t file = 0, line = 0, column = 0;
  if (!integer(file, "a file's number") || !integer(line, "a line") || !integer(column, "a column"))
    return skip_statement();
  const auto small = [](std::int64_t number) {
    return number < 0 || number > INT32_MAX ? 0 : static_cast<std::int32_t>(number);
  };
  place.file = small(file);
  place.line = small(line);
  const auto number_of = [&](const Location& wanted) {
    const std::string key = fmt::format("{} {} {}", wanted.file, wanted.line, wanted.inlined_at);
    const auto [known, fresh] =
        location_numbers_.try_emplace(key, static_cast<std::int32_t>(module_.locations.size()));
    if (fresh) module_.locations.push_back(wanted);
    return known->second;
  };
  while (accept(',')) {
    std::string_view word;
    if (!expect_word(word, "function_name or inlined_at")) return skip_statement();
    if (word == "function_name") {
      expect_word(word, "a label");
      if (accept('+')) directive_number();
      continue;
    }
    Location outer;
    outer.file = small(directive_number());
    outer.line = small(directive_number());
    const std::int32_t outer_column = small(directive_number());
    // nvcc names the caller's place only, which an earlier .loc says where it was inlined.
    const auto known = inlined_.find({outer.file, outer.line, outer_column});
    place.inlined_at = known != inlined_.end() ? known->second : number_of(outer);
  }
  // Line 0 is code of the compiler's own: it belongs to what is before it.
  if (place.line <= 0) return;
  location_ = number_of(place);
  if (place.inlined_at >= 0) inlined_[{place.file, place.line, small(column)}] = location_;
}

const Name* Parser::find_name(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->names.find(name); found != scope->names.end())
      return &found->second;
  return nullptr;
}

/// -1: there is none.
std::int32_t Parser::find_register(std::string_view name) const {
  if (const Name* known = find_name(name))
    return known->kind == Name::Kind::reg ? known->index : -1;
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  // `%r01` is no register of a range, and neither is `%r`.
  if (digits == name.size() || (name[digits] == '0' && digits + 1 < name.size())) return -1;
  std::int64_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto range = scope->ranges.find(name.substr(0, digits));
        range != scope->ranges.end() && number < range->second.count)
      return range->second.first + static_cast<std::int32_t>(number);
  return -1;
}

} // namespace memlane::ptx
