// Statements, one by one as the program has them.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

void Emitter::block(const std::vector<TStatement>& body, Writer& out) {
  for (const TStatement& s : body) statement(s, out);
}

void Emitter::statement(const TStatement& s, Writer& out) {
  for (const std::string& comment : comments_.above(s.span)) out.line(comment);
  if (!function_->host && meetings_.waits_before(s)) out.line(wait_call(function_->mask));
  const auto behind = [&] { return comments_.behind(s.span); };
  switch (s.kind) {
  case TStatementKind::assign_variable: return assign_variable(s, out);
  case TStatementKind::assign_field: {
    const RecordType& record =
        checked_.records[std::size_t(checked_.variables[std::size_t(s.symbol)].type.record)];
    return out.line(fmt::format("{}.{} = {};", names_[s.symbol],
                                top_name(record.fields[std::size_t(s.field)].name), text(*s.value)),
                    behind());
  }
  case TStatementKind::assign_element: return assign_element(s, out);
  case TStatementKind::declare_array: return declare_array(s, out);
  case TStatementKind::declare_view: return declare_view(s, out);
  case TStatementKind::if_: return emit_if(s, out);
  case TStatementKind::while_: return emit_while(s, out);
  case TStatementKind::for_: return emit_for(s, out);
  case TStatementKind::forall: return emit_forall(s, out);
  case TStatementKind::barrier:
    if (!function_->host) out.line("__syncthreads();", behind());
    return;
  case TStatementKind::break_: return out.line("break;", behind());
  case TStatementKind::continue_:
    if (!waits_.back().empty()) out.line(waits_.back());
    return out.line("continue;", behind());
  case TStatementKind::return_: return out.line(returning(text(*s.value)), behind());
  case TStatementKind::print: return emit_print(s, out);
  case TStatementKind::assert_: {
    // Without its folder, which is one of this machine.
    const std::string path = request_.sources.path(s.span.file);
    const std::string place =
        fmt::format("{}:{}", path.substr(path.rfind('/') + 1), request_.sources.begin(s.span).line);
    std::string message = (s.text.empty() ? "the assertion does not hold" : s.text) + ", " + place;
    std::string quoted;
    for (const char c : message)
      quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    if (function_->host)
      out.line(fmt::format("insist({}, \"{}\");", text(*s.value), quoted), behind());
    else
      out.line(fmt::format("assert({});", text(*s.value)), behind());
    return;
  }
  case TStatementKind::call: return emit_call(s, out);
  case TStatementKind::launch: return emit_launch(s, out);
  }
}

void Emitter::assign_variable(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const VariableSymbol& variable = checked_.variables[std::size_t(s.symbol)];
  if (!s.declaration) {
    // `s += e` is `s = s + e` in the checked program.
    const TExpr& e = *s.value;
    const bool updates = e.kind == TExprKind::operation && e.operands.size() == 2 &&
                         e.operands[0].kind == TExprKind::variable &&
                         e.operands[0].symbol == s.symbol && !draws(e);
    const char* op = !updates                  ? nullptr
                     : e.op == ir::Opcode::add ? "+"
                     : e.op == ir::Opcode::sub ? "-"
                     : e.op == ir::Opcode::mul ? "*"
                                               : nullptr;
    const std::string plain = text(e);
    const std::string start = op ? fmt::format("{} {} ", names_[s.symbol], op) : "";
    if (op && plain.rfind(start, 0) == 0)
      return out.line(fmt::format("{} {}= {};", names_[s.symbol], op, text(e.operands[1])),
                      comment);
    return out.line(fmt::format("{} = {};", names_[s.symbol], text(*s.value)), comment);
  }
  const std::string value = text(*s.value);
  if (function_->host && members_.count(s.symbol) > 0)
    return out.line(fmt::format("{} = {};", names_[s.symbol], value), comment);
  if (!variable.assignable) values_.bind_floor(s.symbol, values_.floor(*s.value));
  const bool whole =
      !variable.assignable && !variable.type.is_record() && ir::is_integer(variable.type.scalar);
  values_.bind_bounds(s.symbol, whole ? std::optional(values_.bounds(*s.value)) : std::nullopt);
  const std::string name = declare(s.symbol);
  const std::string type = declared_type(variable.span, variable.type);
  const bool unused = !function_->host && used_variables_.count(s.symbol) == 0;
  out.line(fmt::format("{}{}{} {} = {};", unused ? "[[maybe_unused]] " : "",
                       variable.assignable ? "" : "const ", type, name, value),
           comment);
}

void Emitter::assign_element(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const EmittedArray array = resolve(s.symbol);
  const ArraySymbol& root = symbol_of(array.root);
  const bool record = symbol_of(s.symbol).element.is_record();
  const char* op = s.assign_op == AssignOp::set   ? "="
                   : s.assign_op == AssignOp::add ? "+="
                   : s.assign_op == AssignOp::sub ? "-="
                                                  : "*=";
  const bool index_draws = std::any_of(s.indices.begin(), s.indices.end(), draws);
  const bool put = record && s.field < 0 && root.kind != ArrayKind::local;
  Code given;
  std::string at;
  if (index_draws &&
      (draws_in_several(s.indices) || (draws(*s.value) && (s.assign_op != AssignOp::set || put)))) {
    // The language's order is not C++'s.
    const std::string first = fresh_name(fmt::format("at{}", ++unnamed_));
    const std::string second = fresh_name(fmt::format("value{}", unnamed_));
    const auto keep_index = [&] {
      std::vector<TExpr> indices;
      for (const TExpr& index : s.indices)
        indices.push_back(settled(index, [&](const std::string& line) { out.line(line); }));
      out.line(fmt::format("const int {} = {};", first, word(array, indices).text));
      at = first;
    };
    const bool after = s.assign_op == AssignOp::set;
    if (!after) keep_index();
    out.line(fmt::format("const {} {} = {};", type_name(s.value->type), second, text(*s.value)));
    given = {second, Code::primary};
    if (after) keep_index();
  } else {
    given = expr(*s.value);
    at = word(array, s.indices).text;
  }
  const auto place_at = [&](const std::string& index) {
    if (!record || s.field < 0) return fmt::format("{}[{}]", array.base, index);
    const RecordType& type = checked_.records[std::size_t(symbol_of(s.symbol).element.record)];
    const std::string field = top_name(type.fields[std::size_t(s.field)].name);
    return root.kind == ArrayKind::local ? fmt::format("{}[{}].{}", array.base, index, field)
                                         : fmt::format("{}.{}[{}]", array.base, field, index);
  };
  std::string place = place_at(at), value = given.text;
  const bool index_reads = std::any_of(s.indices.begin(), s.indices.end(),
                                       [](const TExpr& e) { return reads_arrays(e); });
  if (!function_->host && meetings_.waits_between(s)) {
    // All lanes read before any writes.
    const std::string kept = fresh_name(fmt::format("value{}", ++unnamed_));
    const std::string index = fresh_name(fmt::format("at{}", unnamed_));
    if (index_reads) out.line(fmt::format("const int {} = {};", index, at));
    if (s.assign_op != AssignOp::set) {
      const std::string old = index_reads ? place_at(index) : place;
      value = fmt::format("{} {} {}", old, op[0], bracketed(given, Code::unary));
      op = "=";
    }
    out.line(fmt::format("const {} {} = {};", type_name(s.value->type), kept, value), comment);
    out.line(wait_call(function_->mask));
    if (index_reads) place = place_at(index);
    if (record && s.field < 0 && root.kind != ArrayKind::local)
      return out.line(fmt::format("{}.put({}, {});", array.base, index_reads ? index : at, kept));
    return out.line(fmt::format("{} {} {};", place, op, kept));
  }
  if (record && s.field < 0 && root.kind != ArrayKind::local)
    return out.line(fmt::format("{}.put({}, {});", array.base, at, value), comment);
  if (!function_->host && root.kind != ArrayKind::local && s.assign_op != AssignOp::set) {
    // C++ has no `+=` of volatile words; the index is computed once.
    if (index_reads) {
      const std::string index = fresh_name(fmt::format("at{}", ++unnamed_));
      out.line(fmt::format("const int {} = {};", index, at));
      place = place_at(index);
    }
    const Code::Level level = s.assign_op == AssignOp::mul ? Code::unary : Code::product;
    return out.line(fmt::format("{0} = {0} {1} {2};", place, op[0], bracketed(given, level)),
                    comment);
  }
  out.line(fmt::format("{} {} {};", place, op, value), comment);
}

void Emitter::declare_array(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const ArraySymbol& symbol = symbol_of(s.symbol);
  EmittedArray array;
  array.root = s.symbol;
  array.base = symbol.name;
  while (top_names_.count(array.base) > 0 || top_name(array.base) != array.base) array.base += "_";
  for (const TExpr& extent : symbol.extents) {
    if (function_->host && !is_steady(extent)) { // as it is now
      const Code kept = {
          fresh_name(fmt::format("{}_extent{}", symbol.name, array.extents.size() + 1)),
          Code::primary, extent.type.scalar};
      out.line(fmt::format("const {} {} = {};", type_name(extent.type), kept.text, text(extent)));
      array.extents.push_back([kept] { return kept; });
    } else {
      array.extents.push_back([this, &extent] { return expr(extent); });
    }
  }
  arrays_[s.symbol] = array;
  const std::string type = symbol.element.is_record() ? type_name(symbol.element)
                                                      : declared_type(symbol.span, symbol.element);
  if (symbol.kind == ArrayKind::shared) {
    if (dynamic_shared_) { // taken once, where the kernel begins
      for (const Capture& capture : function_->captures)
        if (capture.kind == Capture::array && capture.symbol != s.symbol &&
            capture.name == arrays_[s.symbol].base)
          arrays_[s.symbol].base += "_";
      function_->captures.insert({Capture::array, arrays_[s.symbol].base, s.symbol});
      if (!comment.empty()) out.line(comment);
      return;
    }
    std::string words = words_of(s.symbol);
    if (contains_call(words)) words = std::to_string(words_now(s.symbol));
    if (!symbol.element.is_record())
      return out.line(fmt::format("__shared__ volatile {} {}[{}];", type, array.base, words),
                      comment);
    const RecordType& record = checked_.records[std::size_t(symbol.element.record)];
    std::string pointers;
    for (const RecordField& field : record.fields) {
      const std::string own = fmt::format("{}_{}", array.base, field.name);
      const std::string word = word_name(field.type);
      out.line(fmt::format("__shared__ volatile {} {}[{}];", word, own, words));
      pointers += (pointers.empty() ? "" : ", ") + own;
    }
    return out.line(fmt::format("const {}_words {}{{{}}};", type, array.base, pointers), comment);
  }
  const bool is_bool = !symbol.element.is_record() && symbol.element.scalar == ir::Scalar::boolean;
  const std::string word = is_bool ? "unsigned char" : type;
  const std::string elements = elements_in(array);
  const bool sized_later = std::any_of(symbol.extents.begin(), symbol.extents.end(),
                                       [&](const TExpr& e) { return !values_.integer(e); });
  if (function_->host && (!in_fn_block_ || sized_later)) {
    function_->host_arrays = true;
    if (members_.count(-2 - s.symbol) > 0)
      out.line(fmt::format("{}.assign({}, {{}});", array.base, elements), comment);
    else
      out.line(fmt::format("std::vector<{}> {}({});", word, array.base, elements), comment);
  } else {
    std::string size = elements;
    if (contains_call(size)) size = std::to_string(words_now(s.symbol));
    out.line(fmt::format("{} {}[{}] = {{}};", word, array.base, size), comment);
  }
  if (symbol.initial.empty()) return;
  if (symbol.initial_list) {
    for (std::size_t i = 0; i < symbol.initial.size(); ++i)
      out.line(fmt::format("{}[{}] = {};", array.base, i, text(symbol.initial[i])));
    return;
  }
  out.open(fmt::format("for (int index = 0; index < {}; ++index)", elements));
  out.line(fmt::format("{}[index] = {};", array.base, text(symbol.initial[0])));
  out.close();
}

void Emitter::declare_view(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  settled_.push_back(settled(*symbol_of(s.symbol).target, out));
  const ArraySlice& target = settled_.back();
  EmittedArray array = slice(target);
  const auto fixed = [&](const Code& code, const char* what) -> Code {
    if (code.literal) return code;
    const std::string name = fresh_name(fmt::format("{}_{}", symbol_of(s.symbol).name, what));
    out.line(fmt::format("const {} {} = {};", scalar_name(code.type), name, code.text), comment);
    return {name, Code::primary, code.type};
  };
  array.offset = fixed(array.offset, "first");
  if (!target.range.empty() && !(is_steady(target.range[0]) && is_steady(target.range[1]))) {
    const Code extent = fixed(array.extents.back()(), "extent"); // as it is now
    array.extents.back() = [extent] { return extent; };
  }
  arrays_[s.symbol] = array;
}

} // namespace memlane::cuda
