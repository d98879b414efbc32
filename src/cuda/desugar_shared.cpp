// A kernel's shared memory: what it takes, and a DMM's arrays in it.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// Whether an extent uses `threads`, so that each launch has its own.
bool Desugarer::sized_by_launch(SymbolId shared) const {
  const auto& extents = checked_.array(shared).extents;
  return std::any_of(extents.begin(), extents.end(), mentions_threads);
}

/// Whether the launch says how much shared memory a block has.
bool Desugarer::needs_dynamic(const TFunction& function) {
  if (on_dmm() || shared_bytes(function) > most_static_bytes) return true;
  const std::set<SymbolId> shared = shared_of(function);
  return std::any_of(shared.begin(), shared.end(),
                     [&](SymbolId id) { return sized_by_launch(id); });
}

/// Words of an array, all fields of its records.
std::int64_t Desugarer::all_words(SymbolId shared) {
  const Type element = checked_.array(shared).element;
  const auto fields = element.is_record() ? checked_.fields(element).size() : 1;
  return words_now(shared) * std::int64_t(fields);
}

/// The shared arrays have to fit the machine, as in a run. What a launch sizes is not known here.
void Desugarer::check_capacity(const TFunction& function) {
  const auto& memory = request_.machine.shared;
  if (!memory || !memory->capacity) return;
  std::int64_t words = 0;
  SymbolId largest = -1;
  for (const SymbolId id : shared_of(function)) {
    if (sized_by_launch(id)) continue;
    words += all_words(id);
    if (largest < 0 || all_words(id) > all_words(largest)) largest = id;
  }
  if (words <= *memory->capacity) return;
  const ArraySymbol& array = checked_.array(largest);
  errors_.push_back(error_at(
      array.span,
      fmt::format(
          "{} needs {} shared words, more than the machine's capacity of {}; {} of them are "
          "those of {}",
          function.name, words, *memory->capacity, all_words(largest), array.name),
      {fmt::format("make the arrays smaller, or change the machine: --set {}={}",
                   on_dmm() ? "capacity" : "shared.capacity", words)}));
}

/// Layouts whose tables are made before main begins.
void Desugarer::check_sized(const TFunction& function) {
  for (const SymbolId id : shared_of(function)) {
    const ArraySymbol& array = checked_.array(id);
    if (!sized_by_launch(id) || (!array.layout_word && !has_row_offsets(id))) continue;
    unsupported(array.span,
                fmt::format("the layout {} of {}, whose extents are known at each launch only",
                            array.layout, array.name),
                {"take rows, padded(k), diagonal or swizzle(B, M, S), or extents of params "
                 "and consts"});
  }
}

std::int64_t Desugarer::shared_bytes(const TFunction& function) {
  std::int64_t bytes = 0;
  for (const SymbolId id : shared_of(function)) {
    if (sized_by_launch(id)) continue;
    const Type element = checked_.array(id).element;
    const std::int64_t words = words_now(id);
    if (!element.is_record()) bytes += words * ir::size_of(element.scalar);
    if (element.is_record())
      for (const RecordField& field : checked_.fields(element))
        bytes += words * ir::size_of(field.type);
  }
  return bytes;
}

/// The shared arrays that a kernel reaches.
std::set<SymbolId> Desugarer::shared_of(const TFunction& function) const {
  std::set<SymbolId> found;
  const auto note = [&](SymbolId id) {
    if (checked_.array(root_of(id)).kind == ArrayKind::shared) found.insert(root_of(id));
  };
  each_reached(function, [&](const TFunction& reached) {
    each_statement(reached.body, [&](const TStatement& s) {
      if (s.kind == TStatementKind::declare_array || s.kind == TStatementKind::assign_element)
        note(s.symbol);
      for (const TActual& actual : s.actuals)
        if (actual.array) note(actual.array->array);
      each_expression(s, [&](const TExpr& e) {
        each_part(e, [&](const TExpr& part) {
          if (part.kind == TExprKind::element) note(part.symbol);
        });
      });
    });
  });
  return found;
}

/// Bytes of shared memory that the launch asks for.
Expr Desugarer::dynamic_bytes(const TFunction& function, const std::set<Capture>& captures) {
  Expr bytes = integer(0);
  if (!needs_dynamic(function)) return bytes;
  const auto add = [&](SymbolId id, const Expr& words) {
    const auto one = [&](const std::string& type) {
      bytes = sum(std::move(bytes), call_of("bytes_of", type, {words}));
    };
    const Type element = checked_.array(id).element;
    if (!element.is_record()) return one(scalar_name(element.scalar));
    for (const RecordField& field : checked_.fields(element)) one(word_name(field.type));
  };
  for (const Capture& capture : captures)
    if (on_dmm() && capture.role == Role::array &&
        checked_.array(capture.symbol).kind == ArrayKind::memory)
      add(capture.symbol, member_call(value_of(capture), "words"));
  for (const SymbolId id : shared_of(function)) add(id, words_of(id));
  return bytes;
}

/// Takes an array from the block's shared memory; `copied`: it is in global memory, and goes back
/// there behind `body` if it is written.
void Desugarer::take_array(const Capture& capture, bool copied, bool written, Block& before,
                           Block& body) {
  const ArraySymbol& symbol = checked_.array(capture.symbol);
  const Expr words = copied ? named("words_" + capture.name) : words_of(capture.symbol);
  const auto one = [&](const std::string& type, const std::string& own, const Expr& global) {
    before.push_back(declare("volatile " + type + "* const", own,
                             call_of("take", type, {named("memory"), words})));
    const auto copy = [&](const Expr& to, const Expr& from) {
      return evaluate(call_of("copy_words", type, {to, from, words}));
    };
    if (copied) before.push_back(copy(named(own), global));
    if (copied && written) body.push_back(copy(global, named(own)));
  };
  const Expr global = named("global_" + capture.name);
  if (!symbol.element.is_record())
    return one(names_.declared_type(symbol.span, symbol.element), capture.name, global);
  std::vector<Expr> fields;
  for (const RecordField& field : checked_.fields(symbol.element)) {
    fields.push_back(named(fmt::format("{}_{}", capture.name, field.name)));
    one(word_name(field.type), fields.back().text, member_of(global, names_.top(field.name)));
  }
  before.push_back(construct(fmt::format("const {}_words", names_.type(symbol.element)),
                             capture.name, braces("", std::move(fields))));
}

/// What stands before a kernel's statements, and behind them in `body`: its arrays in dynamic
/// shared memory. On a DMM those of memory are there while the kernel runs, and the clock counts
/// from when they are.
Block Desugarer::kernel_frame(const std::set<Capture>& captures, const std::set<SymbolId>& written,
                              Block& body) {
  Block before;
  const Expr clock = call("clock64", {});
  if (on_dmm()) {
    body.push_back(simple(Statement::sync_block));
    body.push_back(brief_if(binary(named("threadIdx.x"), "==", integer(0), ir::Scalar::boolean),
                            assign(unary("*", named("cycles")), clock - named("start"), "", "+=")));
  }
  if (context_->dynamic_shared)
    before.push_back(evaluate(call("DYNAMIC_SHARED", {named("memory")})));
  for (const Capture& capture : captures) {
    if (capture.role != Role::array) continue;
    const bool shared = checked_.array(capture.symbol).kind == ArrayKind::shared;
    if (shared || on_dmm())
      take_array(capture, !shared, written.count(capture.symbol) > 0, before, body);
  }
  if (on_dmm()) {
    before.push_back(simple(Statement::sync_block));
    before.push_back(declare("const long long", "start", clock));
  }
  return before;
}

} // namespace memlane::cuda
