#include "device_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace memlane::cuda {

bool Expr::operator==(const Expr& other) const {
  const auto parts = [](const Expr& e) {
    return std::tie(e.kind, e.number, e.text, e.argument, e.operands, e.functions, e.source);
  };
  return parts(*this) == parts(other);
}

bool Statement::operator==(const Statement& other) const {
  const auto parts = [](const Statement& s) {
    return std::tie(s.kind, s.text, s.name, s.target, s.value, s.direct, s.brief, s.unrolled,
                    s.head, s.body, s.alternative, s.source);
  };
  return parts(*this) == parts(other);
}

bool Function::operator==(const Function& other) const {
  const auto parts = [](const Function& f) {
    return std::tie(f.result, f.name, f.parameters, f.body);
  };
  return parts(*this) == parts(other);
}

// ---- Expressions ----

namespace {

Expr made(Expr::Kind kind, std::string text, ir::Scalar type, std::vector<Expr> operands = {}) {
  Expr e;
  e.kind = kind, e.type = type;
  e.text = std::move(text), e.operands = std::move(operands);
  return e;
}

bool contains_difference(const Expr& e) {
  return (e.kind == Expr::binary && e.text == "-") ||
         std::any_of(e.operands.begin(), e.operands.end(), contains_difference);
}

} // namespace

Expr named(std::string text, ir::Scalar type) { return made(Expr::name, std::move(text), type); }

Expr integer(std::int64_t number) {
  Expr e;
  e.number = number;
  return e;
}

Expr literal(std::string text, ir::Scalar type) {
  return made(Expr::literal, std::move(text), type);
}

Expr string_literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return literal(quoted + "\"", ir::Scalar::int32);
}

Expr unary(std::string op, Expr operand) {
  const ir::Scalar type = operand.type;
  return made(Expr::unary, std::move(op), type, {std::move(operand)});
}

Expr binary(Expr left, std::string op, Expr right) {
  const ir::Scalar type = std::max(left.type, right.type);
  return binary(std::move(left), std::move(op), std::move(right), type);
}

Expr binary(Expr left, std::string op, Expr right, ir::Scalar type) {
  return made(Expr::binary, std::move(op), type, {std::move(left), std::move(right)});
}

Expr less(Expr a, Expr b) { return binary(std::move(a), "<", std::move(b), ir::Scalar::boolean); }

Expr choose(Expr condition, Expr yes, Expr no, ir::Scalar type) {
  return made(Expr::conditional, "", type, {std::move(condition), std::move(yes), std::move(no)});
}

Expr call(Expr function, std::vector<Expr> arguments, ir::Scalar type) {
  arguments.insert(arguments.begin(), std::move(function));
  return made(Expr::call, "", type, std::move(arguments));
}

Expr call(std::string function, std::vector<Expr> arguments, ir::Scalar type) {
  return call(named(std::move(function)), std::move(arguments), type);
}

Expr call_of(std::string function, std::string argument, std::vector<Expr> arguments,
             ir::Scalar type) {
  Expr of = named(std::move(function));
  of.argument = std::move(argument);
  return call(std::move(of), std::move(arguments), type);
}

Expr indexed(Expr array, Expr at, ir::Scalar type) {
  return made(Expr::index, "", type, {std::move(array), std::move(at)});
}

Expr member_of(Expr whole, std::string field, ir::Scalar type) {
  return made(Expr::member, std::move(field), type, {std::move(whole)});
}

Expr member_call(Expr whole, std::string function) {
  return call(member_of(std::move(whole), std::move(function)), {});
}

Expr cast(std::string type_name, Expr value, ir::Scalar type) {
  return made(Expr::cast, std::move(type_name), type, {std::move(value)});
}

Expr braces(std::string type_name, std::vector<Expr> values) {
  return made(Expr::braces, std::move(type_name), ir::Scalar::int32, std::move(values));
}

Expr lambda(Function function) {
  Expr e = made(Expr::lambda, "", ir::Scalar::int32);
  e.functions.push_back(std::move(function));
  return e;
}

Expr sum(Expr a, Expr b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  if (b.kind != Expr::binary || b.text != "+" || contains_difference(b))
    return std::move(a) + std::move(b);
  return sum(std::move(a), std::move(b.operands[0])) + std::move(b.operands[1]);
}

Expr product(Expr a, Expr b) {
  if (a.is(0) || b.is(0)) return integer(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return std::move(a) * std::move(b);
}

// ---- Statements ----

Statement simple(Statement::Kind kind, std::optional<Expr> value, std::string comment) {
  Statement s;
  s.kind = kind, s.value = std::move(value), s.comment = std::move(comment);
  return s;
}

Statement declare_array(std::string type, std::string name, std::optional<Expr> size,
                        std::optional<Expr> value, std::string comment) {
  Statement s = simple(Statement::declare, std::move(value), std::move(comment));
  s.text = std::move(type), s.name = std::move(name), s.target = std::move(size);
  return s;
}

Statement declare(std::string type, std::string name, Expr value, std::string comment) {
  return declare_array(std::move(type), std::move(name), {}, std::move(value), std::move(comment));
}

Statement construct(std::string type, std::string name, Expr value, std::string comment) {
  Statement s = declare(std::move(type), std::move(name), std::move(value), std::move(comment));
  s.direct = true;
  return s;
}

Statement assign(Expr target, Expr value, std::string comment, std::string op) {
  Statement s = simple(Statement::assign, std::move(value), std::move(comment));
  s.target = std::move(target), s.text = std::move(op);
  return s;
}

Statement evaluate(Expr value, std::string comment) {
  return simple(Statement::evaluate, std::move(value), std::move(comment));
}

Statement if_else(Expr condition, Block body, Block alternative, std::string comment) {
  Statement s = simple(Statement::if_, std::move(condition), std::move(comment));
  s.body = std::move(body), s.alternative = std::move(alternative);
  return s;
}

Statement brief_if(Expr condition, Statement inner, std::string comment) {
  Statement s = if_else(std::move(condition), {std::move(inner)}, {}, std::move(comment));
  s.brief = true;
  return s;
}

Statement for_loop(Statement first, std::optional<Expr> condition, Statement advance, Block body,
                   std::string comment) {
  Statement s = simple(Statement::loop, std::move(condition), std::move(comment));
  s.head = {std::move(first), std::move(advance)}, s.body = std::move(body);
  return s;
}

Statement count_to(const std::string& counter, Expr end, Block body) {
  return for_loop(declare("int", counter, integer(0)), less(named(counter), std::move(end)),
                  evaluate(unary("++", named(counter))), std::move(body));
}

Statement scope(Block body, std::string comment) {
  Statement s = simple(Statement::scope, {}, std::move(comment));
  s.body = std::move(body);
  return s;
}

// ---- What a function needs ----

bool Capture::operator<(const Capture& other) const {
  return std::tie(role, symbol, name) < std::tie(other.role, other.symbol, other.name);
}

bool Needs::none() const {
  return captures.empty() && specials.empty() && record_arrays.empty() && !lambdas && !host_arrays;
}

namespace {

void each_part(const Block& body, const std::function<void(const Expr&)>& visit);

void each_part(const Expr& e, const std::function<void(const Expr&)>& visit) {
  visit(e);
  for (const Expr& operand : e.operands) each_part(operand, visit);
  for (const Function& function : e.functions) each_part(function.body, visit);
}

void each_part(const Block& body, const std::function<void(const Expr&)>& visit) {
  for (const Statement& s : body) {
    if (s.target) each_part(*s.target, visit);
    if (s.value) each_part(*s.value, visit);
    for (const Block* inner : {&s.head, &s.body, &s.alternative}) each_part(*inner, visit);
  }
}

bool holds_vectors(const Block& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    // What is constructed with a size is a vector.
    const bool vector = s.kind == Statement::declare && s.direct && s.value->kind != Expr::braces;
    return vector || holds_vectors(s.body) || holds_vectors(s.alternative);
  });
}

} // namespace

void add_needs(const Block& body, Needs& needs) {
  needs.host_arrays = needs.host_arrays || holds_vectors(body);
  each_part(body, [&](const Expr& e) {
    if (e.kind == Expr::call && e.operands[0].kind == Expr::name)
      needs.called.insert(e.operands[0].text);
    if (e.kind != Expr::name) return;
    switch (e.role) {
    case Role::array:
    case Role::row_offsets: needs.captures.insert({e.role, e.symbol, e.text, e.type}); break;
    case Role::run_value: needs.captures.insert({e.role, -1, e.text, e.type}); break;
    case Role::special: needs.specials.insert(e.special); break;
    case Role::record_array: needs.record_arrays.insert(e.symbol); break;
    case Role::letter: needs.letters.insert(e.text); break;
    case Role::lambda: needs.lambdas = true; break;
    case Role::local: break;
    }
  });
}

Needs needs_of(const File& file) {
  Needs needs;
  for (const Block* body : {&file.shared, &file.constants, &file.sizes.body, &file.allocate.body,
                            &file.fill.body, &file.run.body, &file.verify.body})
    add_needs(*body, needs);
  for (const auto* functions : {&file.fns, &file.kernels, &file.host_procs})
    for (const Function& function : *functions) add_needs(function.body, needs);
  return needs;
}

void add_names(const Expr& e, std::set<std::string>& names) { add_names({evaluate(e)}, names); }

void add_names(const Block& body, std::set<std::string>& names) {
  each_part(body, [&](const Expr& part) {
    if (part.kind == Expr::name || part.kind == Expr::member) names.insert(part.text);
  });
}

} // namespace memlane::cuda
