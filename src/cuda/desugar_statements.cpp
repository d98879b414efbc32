// Statements, one by one as the program has them.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

namespace {

/// Whether `v = v op e` can be `v op= e`.
bool updates(const Expr& value, const Expr& target) {
  return value.kind == Expr::binary && value.operands[0] == target &&
         (value.text == "+" || value.text == "-" || value.text == "*");
}

/// Or may: a macro takes their commas for its own.
bool contains_braces(const Expr& e) {
  return e.kind == Expr::braces || e.kind == Expr::lambda ||
         std::any_of(e.operands.begin(), e.operands.end(), contains_braces);
}

} // namespace

void Desugarer::block(const std::vector<TStatement>& body, Block& out) {
  for (const TStatement& s : body) statement(s, out);
}

Block Desugarer::block(const std::vector<TStatement>& body) {
  Block made;
  block(body, made);
  return made;
}

void Desugarer::add_comments(const std::vector<std::string>& lines, Block& out) {
  for (const std::string& line : lines) {
    out.push_back(simple(Statement::comment_line));
    out.back().text = line;
  }
}

void Desugarer::statement(const TStatement& s, Block& out) {
  add_comments(comments_.above(s.span), out);
  const std::size_t first = out.size();
  if (!context_->host && hazards_.syncs_before(s)) out.push_back(warp_sync());
  if (!context_->host && fences_.before(s)) out.push_back(simple(Statement::fence));
  write(s, out);
  if (!context_->host && fences_.after(s)) out.push_back(simple(Statement::fence));
  relate(s.span, out, first);
}

/// A line of the program and its file, as `#line` has them; empty without --lines.
std::string Desugarer::source_of(Span span) const {
  if (request_.lines_in.empty()) return {};
  return fmt::format("{} {}", request_.sources.begin(span).line,
                     string_literal(request_.sources.path(span.file)).text);
}

/// Relates the statements from `first` on to a line of the program, where they have none.
void Desugarer::relate(Span span, Block& out, std::size_t first) const {
  for (std::size_t k = first; k < out.size(); ++k)
    if (out[k].source.empty()) out[k].source = source_of(span);
}

void Desugarer::write(const TStatement& s, Block& out) {
  const auto behind = [&] { return comments_.behind(s.span); };
  switch (s.kind) {
  case TStatementKind::assign_variable: return assign_variable(s, out);
  case TStatementKind::assign_field: {
    const RecordField& field = checked_.fields(variable(s.symbol).type)[std::size_t(s.field)];
    Expr value = expr(*s.value);
    out.push_back(assign(member_of(variables_[s.symbol], names_.field(field.name)),
                         std::move(value), behind()));
    return;
  }
  case TStatementKind::assign_element: return assign_element(s, out);
  case TStatementKind::update: out.push_back(evaluate(expr(*s.value), behind())); return;
  case TStatementKind::declare_array: return declare_array_statement(s, out);
  case TStatementKind::declare_view: return declare_view(s, out);
  case TStatementKind::if_: return if_statement(s, out);
  case TStatementKind::while_: return while_loop(s, out);
  case TStatementKind::for_: return for_loop_statement(s, out);
  case TStatementKind::forall: return forall(s, out);
  case TStatementKind::barrier:
    if (!context_->host) out.push_back(simple(Statement::sync_block, {}, behind()));
    return;
  case TStatementKind::break_: out.push_back(simple(Statement::break_, {}, behind())); return;
  case TStatementKind::continue_:
    for (const Statement& sync : before_continue_.back()) out.push_back(sync);
    out.push_back(simple(Statement::continue_, {}, behind()));
    return;
  case TStatementKind::return_: {
    Expr value = expr(*s.value);
    out.push_back(simple(Statement::return_, std::move(value), behind()));
    return;
  }
  case TStatementKind::print: return print_line(s, out);
  case TStatementKind::assert_: return assertion(s, out);
  case TStatementKind::concurrent: return concurrent(s, out);
  case TStatementKind::call: return call_proc(s, out);
  case TStatementKind::launch: return launch(s, out);
  }
}

void Desugarer::assertion(const TStatement& s, Block& out) {
  Expr condition = expr(*s.value);
  const std::string comment = comments_.behind(s.span);
  if (!context_->host) {
    // A macro: what stands in braces has commas.
    if (contains_braces(condition)) condition = cast("bool", condition, ir::Scalar::boolean);
    out.push_back(evaluate(call("assert", {std::move(condition)}), comment));
    return;
  }
  // Without its folder, which is one of this machine.
  const std::string path = request_.sources.path(s.span.file);
  const std::string message =
      fmt::format("{}, {}:{}", s.text.empty() ? "the assertion does not hold" : s.text,
                  path.substr(path.rfind('/') + 1), request_.sources.begin(s.span).line);
  out.push_back(evaluate(call("insist", {std::move(condition), string_literal(message)}), comment));
}

void Desugarer::assign_variable(const TStatement& s, Block& out) {
  if (s.declaration) return declare_value(s, out);
  const std::string comment = comments_.behind(s.span);
  Expr value = expr(*s.value);
  const Expr& target = variables_[s.symbol];
  const bool update = updates(value, target);
  const std::string op = update ? value.text + "=" : "=";
  out.push_back(assign(target, update ? Expr(value.operands[1]) : value, comment, op));
}

void Desugarer::declare_value(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const VariableSymbol& declared = variable(s.symbol);
  Expr value = expr(*s.value);
  if (context_->host && member_variables_.count(s.symbol) > 0) {
    out.push_back(assign(variables_[s.symbol], std::move(value), comment));
    return;
  }
  const bool whole =
      !declared.assignable && !declared.type.is_record() && ir::is_integer(declared.type.scalar);
  values_.bind_bounds(s.symbol, whole ? std::optional(values_.bounds(*s.value)) : std::nullopt);
  const std::string own = declare_variable(s.symbol);
  const std::string type =
      (declared.assignable ? "" : "const ") + names_.declared_type(declared.span, declared.type);
  out.push_back(declare(typed(s.symbol, type), own, std::move(value), comment));
}

/// The place and the value. Where both draw random numbers, or several indices do, the value and
/// then the place are kept, if C++ has no order for them.
std::pair<Expr, Expr> Desugarer::index_and_value(const TStatement& s, const ArrayRef& array,
                                                 Block& out) {
  const bool put = checked_.array(s.symbol).element.is_record() && s.field < 0 &&
                   checked_.array(array.root).kind != ArrayKind::local;
  const bool index_draws = std::any_of(s.indices.begin(), s.indices.end(), draws);
  if (!index_draws || !(draws_in_several(s.indices) || (draws(*s.value) && put))) {
    Expr value = expr(*s.value);
    return {word(array, s.indices), std::move(value)};
  }
  const std::string first = numbered("at"),
                    second = names_.fresh(fmt::format("value{}", numbered_));
  Expr value = keep(out, names_.type(s.value->type), second, expr(*s.value));
  std::vector<TExpr> indices;
  for (const TExpr& e : s.indices) indices.push_back(drawn_first(e, out));
  Expr at = keep(out, "int", first, word(array, indices));
  return {std::move(at), std::move(value)};
}

void Desugarer::assign_element(const TStatement& s, Block& out) {
  if (s.value->kind == TExprKind::of_warp && s.value->op == ir::Opcode::tensor)
    return; // the product has been computed: its time is the machine's own
  const std::string comment = comments_.behind(s.span);
  const ArrayRef array = resolve(s.symbol);
  auto [at, value] = index_and_value(s, array, out);
  const bool syncs = !context_->host && hazards_.syncs_between(s);
  const bool updates = s.assign_op != AssignOp::set;
  // C++ has no `+=` of volatile words; the index is computed once.
  const bool written_out =
      !context_->host && updates && checked_.array(array.root).kind != ArrayKind::local;
  std::string kept;
  if (syncs) kept = numbered("value");
  if ((syncs || written_out) && std::any_of(s.indices.begin(), s.indices.end(),
                                            [](const TExpr& e) { return reads_arrays(e); }))
    at =
        keep(out, "int", syncs ? names_.fresh(fmt::format("at{}", numbered_)) : numbered("at"), at);
  const Expr target = place(array, s.symbol, s.field, at);
  if (updates && (syncs || written_out))
    value = binary(target, operator_of(s.assign_op), std::move(value));
  if (syncs) { // all lanes read before any writes
    value = keep(out, names_.type(s.value->type), kept, std::move(value), comment);
    out.push_back(warp_sync());
    out.push_back(store(array, s, std::move(at), std::move(value)));
    return;
  }
  if (updates && !written_out)
    out.push_back(assign(target, std::move(value), comment, operator_of(s.assign_op) + "="));
  else
    out.push_back(store(array, s, std::move(at), std::move(value)));
  out.back().comment = comment;
}

// --- Lines that programs print: host code to standard error, as the simulator does; kernels by the
// device's printf, which has standard output alone.

namespace {

/// A piece of printf's format, within quotes.
std::string format_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '%') escaped += '%';
    // Three octal digits end by themselves, whatever follows.
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f' || c == '?')
      escaped += fmt::format("\\{:03o}", c);
    else
      escaped += c;
  }
  return escaped;
}

std::string format_of(ir::Scalar type) {
  switch (type) {
  case ir::Scalar::boolean: return "%s";
  case ir::Scalar::int32: return "%d";
  case ir::Scalar::int64: return "%lld";
  case ir::Scalar::float32: return "%.9g";
  case ir::Scalar::float64: return "%.17g";
  }
  return {};
}

} // namespace

/// A `print` that is left out still draws its random numbers, which later ones depend on.
void Desugarer::draw_printed(const TStatement& s, Block& out) {
  for (const TExpr& e : s.expressions)
    if (draws(e)) keep(out, names_.type(e.type), numbered("part"), expr(e));
}

void Desugarer::print_line(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const bool host = context_->host;
  if (!request_.prints) return draw_printed(s, out);
  std::string format = format_text(s.texts[0]);
  std::vector<Expr> arguments = {{}};
  if (host) {
    arguments.insert(arguments.begin(), named("stderr"));
  } else {
    format = "block %d, thread %d: " + format;
    arguments.push_back(call("int", {named("blockIdx.x")}));
    arguments.push_back(call("int", {named("threadIdx.x")}));
  }
  const auto add = [&](ir::Scalar type, Expr value) {
    format += format_of(type);
    if (type == ir::Scalar::boolean)
      value = choose(std::move(value), string_literal("true"), string_literal("false"), type);
    arguments.push_back(std::move(value));
  };
  for (std::size_t k = 0; k < s.expressions.size(); ++k) {
    const TExpr& e = s.expressions[k];
    const std::string own = numbered("part");
    const Expr value = keep(out, names_.type(e.type), own, expr(e));
    if (!e.type.is_record()) {
      add(e.type.scalar, value);
    } else {
      std::string before = "(";
      for (const RecordField& field : checked_.fields(e.type)) {
        format += std::exchange(before, ", ");
        add(field.type, member_of(value, names_.field(field.name)));
      }
      format += ")";
    }
    format += format_text(s.texts[k + 1]);
  }
  arguments[host ? 1 : 0] = literal("\"" + format + "\\n\"", ir::Scalar::int32);
  if (!host) return out.push_back(evaluate(call("printf", std::move(arguments)), comment));
  out.push_back(brief_if(unary("!", named("harness::state.silent")),
                         evaluate(call("std::fprintf", std::move(arguments))), comment));
}

} // namespace memlane::cuda
