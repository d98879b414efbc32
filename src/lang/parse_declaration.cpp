#include "parser.hpp"
#include "suggestions.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/support/suggest.hpp"

namespace memlane::lang {

Program Parser::program() {
  Program result;
  result.path = sources_->path(file_);
  result.doc = opening_document();
  while (!at(TokenKind::end) && go_on(sizeof(KernelDecl))) {
    const std::size_t begin = at_;
    declaration(result);
    if (panic_ && !watch_.stopped()) recover_declaration(begin);
  }
  result.racy = std::move(racy_);
  return result;
}

void Parser::declaration(Program& program) {
  switch (current().kind) {
  case TokenKind::use_word:
    next();
    program.uses.push_back({name("the name of a program", {"'use scan' reads scan.lane"})});
    break;
  case TokenKind::param_word: program.params.push_back(param()); break;
  case TokenKind::const_word: program.consts.push_back(constant()); break;
  case TokenKind::type_word: program.types.push_back(type()); break;
  case TokenKind::memory_word:
  case TokenKind::shared_word:
  case TokenKind::var_word: program.arrays.push_back(arrays()); break;
  case TokenKind::view_word: program.views.push_back(view()); break;
  case TokenKind::fn_word: program.fns.push_back(fn()); break;
  case TokenKind::kernel_word:
  case TokenKind::proc_word: program.kernels.push_back(kernel()); break;
  case TokenKind::main_word:
  case TokenKind::verify_word: program.hosts.push_back(host()); break;
  case TokenKind::claim_word: program.claims.push_back(claim()); break;
  case TokenKind::races_word: races(program); break;
  default: fail_declaration();
  }
}

void Parser::fail_declaration() {
  const TokenKind kind = current().kind;
  if (begins_statement(kind))
    return fail_at(current().span, "a statement outside of kernel, proc, main and verify",
                   kind == TokenKind::let_word ? Help{"at top level, write 'const' or 'param'"}
                                               : Help{});
  if (kind == TokenKind::right_brace) return fail_at(current().span, "this '}' closes nothing");
  Help help;
  if (kind == TokenKind::semicolon) help = {"no ';' is needed after a declaration"};
  if (kind == TokenKind::name) {
    const std::string word(text(current()));
    help = declaration_suggestion(word);
    if (help.empty()) help = did_you_mean(word, declaration_words());
  }
  fail_expected("a declaration", std::move(help));
}

/// Ends the panic at what looks like the next declaration; parses blocks before it for errors in
/// them.
void Parser::recover_declaration(std::size_t begin) {
  if (errors_.size() > most_errors) {
    at_ = tokens_.size() - 1;
    return;
  }
  panic_ = false;
  const bool unclosed = unwinding_;
  unwinding_ = false;
  if (at_ == begin && !unclosed) next();
  while (!at(TokenKind::end)) {
    const bool fresh = current().first_on_line || previous().kind == TokenKind::right_brace;
    if (begins_declaration(current().kind) && (fresh || unclosed)) return;
    if (!at(TokenKind::left_brace)) {
      next();
      continue;
    }
    skip_block();
    if (panic_) return recover_declaration(begin);
  }
}

ParamDecl Parser::param() {
  ParamDecl result;
  const Token begin = current();
  result.doc = document_before(begin);
  next();
  result.name = name("a name for the parameter");
  expect(TokenKind::colon, {"a parameter is 'param n: int = 1024'"});
  result.type = name("the name of a type");
  expect(TokenKind::assign, {"a parameter needs a default value: param n: int = 1024"});
  result.value = expression();
  if (accept(TokenKind::where_word)) result.where = expression();
  result.span = since(begin.span);
  if (result.doc.empty()) result.doc = comment_behind();
  return result;
}

ConstDecl Parser::constant() {
  ConstDecl result;
  const Span begin = current().span;
  next();
  result.name = name("a name for the constant");
  if (accept(TokenKind::left_bracket)) {
    result.extents = expressions(TokenKind::right_bracket);
    expect(TokenKind::right_bracket);
  }
  if (accept(TokenKind::colon)) result.type = name("the name of a type");
  expect(TokenKind::assign);
  result.value = initializer();
  result.span = since(begin);
  return result;
}

TypeDecl Parser::type() {
  const Span begin = current().span;
  next();
  return type_body(begin);
}

/// `name = other` or `name = (field: type, …)`
TypeDecl Parser::type_body(Span begin) {
  TypeDecl result;
  result.name = name("a name for the type",
                     at(TokenKind::type_word) ? Help{"leave 'type' out: value=float"} : Help{});
  expect(TokenKind::assign);
  if (accept(TokenKind::left_paren)) {
    do {
      FieldDecl field;
      field.name = name("the name of a field");
      expect(TokenKind::colon, {"a field is 'name: type'"});
      field.type = name("the name of a type");
      result.fields.push_back(std::move(field));
    } while (accept(TokenKind::comma));
    expect_as(TokenKind::right_paren, "',' or ')'");
  } else {
    result.alias =
        name("the name of a type, or '(' and fields",
             at(TokenKind::left_brace) ? Help{"a record is 'type pair = (first: int, second: int)'"}
                                       : Help{});
  }
  result.span = since(begin);
  return result;
}

ArraysDecl Parser::arrays() {
  ArraysDecl result;
  const Span begin = current().span;
  result.space = at(TokenKind::memory_word)   ? ArraySpace::memory
                 : at(TokenKind::shared_word) ? ArraySpace::shared
                                              : ArraySpace::local;
  next();
  do result.arrays.push_back(declarator());
  while (accept(TokenKind::comma));
  expect_as(TokenKind::colon, "',' or ':' and the type of the elements");
  result.type = name("the name of a type");
  if (accept(TokenKind::layout_word)) result.layout = layout();
  if (accept(TokenKind::assign)) result.initial = initializer();
  if (at(TokenKind::layout_word))
    fail_expected("a declaration or statement", {"write the layout before the '='"});
  result.span = since(begin);
  return result;
}

ArrayDeclarator Parser::declarator() {
  ArrayDeclarator result;
  result.name = name("a name for the array");
  Help help = {"an array has its extents in brackets: a[n], b[n, m]"};
  if (at(TokenKind::assign)) help = {"a single value at top level is a 'const' or a 'param'"};
  if (!expect(TokenKind::left_bracket, help)) return result;
  if (at(TokenKind::right_bracket))
    help = {"an array's extents are stated: a[n]"};
  else
    help = {};
  if (!help.empty()) {
    fail_expected("an expression", help);
    return result;
  }
  result.extents = expressions(TokenKind::right_bracket);
  expect(TokenKind::right_bracket);
  if (at(TokenKind::left_bracket))
    fail_expected("',' or ':'", {"write all extents in one pair of brackets: a[n, m]"});
  return result;
}

Initializer Parser::initializer() {
  Initializer result;
  const Span begin = current().span;
  result.list = accept(TokenKind::left_bracket);
  if (result.list) {
    result.values = expressions(TokenKind::right_bracket);
    expect(TokenKind::right_bracket);
  } else {
    result.values.push_back(expression());
  }
  result.span = since(begin);
  return result;
}

ViewDecl Parser::view() {
  ViewDecl result;
  const Span begin = current().span;
  next();
  result.name = name("a name for the view");
  expect(TokenKind::assign, {"a view is 'view a = h[n .. 2*n]'"});
  result.target = actual();
  result.span = since(begin);
  return result;
}

FnDecl Parser::fn() {
  const Span begin = current().span;
  next();
  return fn_body(begin);
}

/// `name(parameters) = expr` or `name = expr`, or a block in the place of `= expr`
FnDecl Parser::fn_body(Span begin) {
  FnDecl result;
  result.name =
      name("a name for the fn",
           at(TokenKind::fn_word) ? Help{"leave 'fn' out: combine(x, y) = x * y"} : Help{});
  result.parameterless = !accept(TokenKind::left_paren);
  if (!result.parameterless) {
    if (at(TokenKind::right_paren))
      fail_expected("the name of a parameter",
                    {"a fn without parameters is written and used as a name: fn " +
                     result.name.text + " = …"});
    result.parameters = names("the name of a parameter");
    expect_as(TokenKind::right_paren, "',' or ')'",
              at(TokenKind::colon)
                  ? Help{"parameters of a fn have no types: they come from the call"}
                  : Help{});
  }
  if (at(TokenKind::left_brace)) {
    result.has_block = true;
    in_fn_ = true;
    result.block = block("fn");
    in_fn_ = false;
  } else {
    expect_as(TokenKind::assign, "'=' or '{'");
    result.body = expression();
  }
  result.span = since(begin);
  return result;
}

KernelDecl Parser::kernel() {
  KernelDecl result;
  const Token begin = current();
  result.doc = document_before(begin);
  result.proc = begin.kind == TokenKind::proc_word;
  const std::string owner(spelling(begin.kind));
  next();
  result.name = name("a name for the " + owner);
  expect(TokenKind::left_paren, {"without arguments: " + owner + " f() { … }"});
  if (!accept(TokenKind::right_paren)) {
    do result.formals.push_back(formal());
    while (accept(TokenKind::comma));
    expect_as(TokenKind::right_paren, "',' or ')'");
  }
  result.body = block(owner);
  result.span = since(begin.span);
  return result;
}

/// `x: int` or `Q[size]: value`
Formal Parser::formal() {
  Formal result;
  result.name = name("the name of an argument");
  result.array = accept(TokenKind::left_bracket);
  if (result.array) {
    result.extents = names("a name for the extent, or '_'");
    expect_as(TokenKind::right_bracket, "',' or ']'");
  }
  expect(TokenKind::colon, {"an argument is 'x: int' or 'a[n]: int'"});
  result.type = name("the name of a type");
  return result;
}

HostDecl Parser::host() {
  HostDecl result;
  const Span begin = current().span;
  result.verify = at(TokenKind::verify_word);
  const std::string owner(spelling(current().kind));
  next();
  if (at(TokenKind::left_paren))
    fail_expected("'{' and the body of the " + owner, {"write '" + owner + " { … }'"});
  result.body = block(owner);
  result.span = since(begin);
  return result;
}

ClaimDecl Parser::claim() {
  ClaimDecl result;
  const Span begin = current().span;
  next();
  result.left = sum();
  claim_relation(result);
  if (accept(TokenKind::when_word)) result.when = expression();
  if (accept(TokenKind::on_word)) result.machines = names("the name of a machine");
  if (at(TokenKind::when_word))
    fail_expected("a string", {"write 'when' before 'on'"});
  else if (at(TokenKind::string))
    result.source = string();
  else
    fail_expected("a string that says where the claim is from",
                  {"e.g. \"Nakano 2014, Theorem 1\""});
  result.span = since(begin);
  return result;
}

/// `races allowed "reason"`, `races allowed a, b "reason"`
void Parser::races(Program& program) {
  RacesDecl result;
  const Span begin = current().span;
  next();
  expect(TokenKind::allowed_word, {"write races allowed \"reason\""});
  if (at(TokenKind::name)) result.arrays = names("the name of an array");
  if (at(TokenKind::string))
    result.reason = string();
  else
    fail_expected("a string that says why",
                  {"e.g. races allowed \"any order gives the result\"",
                   "of one array alone: races allowed visited \"all write 1\""});
  result.span = since(begin);
  if (panic_) return;
  if (result.reason.find_first_not_of(" \t") == std::string::npos)
    return fail_at(result.span, "the reason is empty: say why races do no harm here");
  const bool all = result.arrays.empty();
  for (const RacesDecl& earlier : program.races) {
    if (earlier.arrays.empty() && all)
      return fail_at(result.span, "'races allowed' is written twice", {"one reason is enough"});
    if (earlier.arrays.empty() != all)
      return fail_at(result.span, "'races allowed' without arrays allows the races of all arrays",
                     {"name the arrays each time, or write it once without"});
  }
  program.races.push_back(std::move(result));
}

void Parser::claim_relation(ClaimDecl& claim) {
  const TokenKind relation = current().kind;
  switch (relation) {
  case TokenKind::equal: claim.kind = ClaimKind::equal; break;
  case TokenKind::less_equal: claim.kind = ClaimKind::at_most; break;
  case TokenKind::greater_equal: claim.kind = ClaimKind::at_least; break;
  case TokenKind::tilde: claim.kind = ClaimKind::about; break;
  case TokenKind::assign: break;
  default: return fail_expected("'==', '<=', '>=', '~', or '=' and O, Omega or Theta");
  }
  next();
  if (relation != TokenKind::assign) {
    claim.right = sum();
    return;
  }
  claim.kind = at_name("Omega")   ? ClaimKind::omega
               : at_name("Theta") ? ClaimKind::theta
                                  : ClaimKind::big_o;
  if (!at_name("O") && !at_name("Omega") && !at_name("Theta"))
    return fail_expected("O, Omega or Theta", {"an exact claim is written with '=='"});
  next();
  expect(TokenKind::left_paren);
  claim.right = expression();
  expect(TokenKind::right_paren);
}

} // namespace memlane::lang
