// A kernel's shared memory: what it takes, and a DMM's arrays in it.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// Whether an extent uses `threads`, so that each launch has its own.
bool Emitter::sized_by_launch(SymbolId shared) const {
  const auto is_threads = [](const TExpr& part) {
    return part.kind == TExprKind::special && part.special == ir::Special::threads;
  };
  const auto& extents = symbol_of(shared).extents;
  return std::any_of(extents.begin(), extents.end(),
                     [&](const TExpr& extent) { return contains(extent, is_threads); });
}

/// Whether the launch says how much shared memory a block has.
bool Emitter::needs_dynamic(const TFunction& function) {
  if (on_dmm() || shared_bytes(function) > most_static_bytes) return true;
  const std::set<SymbolId> shared = shared_of(function);
  return std::any_of(shared.begin(), shared.end(),
                     [&](SymbolId id) { return sized_by_launch(id); });
}

/// Layouts whose tables are made before main begins.
void Emitter::check_sized(const TFunction& function) {
  for (const SymbolId id : shared_of(function)) {
    const ArraySymbol& array = symbol_of(id);
    if (!sized_by_launch(id) || (!array.layout_word && !turns_rows(id))) continue;
    unsupported(array.span,
                fmt::format("the layout {} of {}, whose extents are known at each launch only",
                            array.layout, array.name),
                {"take rows, padded(k) or diagonal, or extents of params and consts"});
  }
}

std::int64_t Emitter::shared_bytes(const TFunction& function) {
  std::int64_t bytes = 0;
  for (const SymbolId id : shared_of(function)) {
    if (sized_by_launch(id)) continue;
    const Type element = symbol_of(id).element;
    const std::int64_t words = words_now(id);
    if (!element.is_record()) bytes += words * ir::size_of(element.scalar);
    if (element.is_record())
      for (const RecordField& field : checked_.records[std::size_t(element.record)].fields)
        bytes += words * ir::size_of(field.type);
  }
  return bytes;
}

/// The shared arrays that a kernel reaches.
std::set<SymbolId> Emitter::shared_of(const TFunction& function) const {
  std::set<SymbolId> found;
  const std::function<void(SymbolId)> note = [&](SymbolId id) {
    while (symbol_of(id).kind == ArrayKind::view) id = symbol_of(id).target->array;
    if (symbol_of(id).kind == ArrayKind::shared) found.insert(id);
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
std::string Emitter::dynamic_bytes(const TFunction& function, const FunctionText& needs) {
  if (!needs_dynamic(function)) return "0";
  std::string bytes;
  const auto add = [&](const std::string& type, const std::string& words) {
    bytes += fmt::format("{}bytes_of<{}>({})", bytes.empty() ? "" : " + ", type, words);
  };
  const auto add_array = [&](SymbolId id, const std::string& words) {
    const Type element = symbol_of(id).element;
    if (!element.is_record()) return add(scalar_name(element.scalar), words);
    for (const RecordField& field : checked_.records[std::size_t(element.record)].fields)
      add(word_name(field.type), words);
  };
  for (const Capture& capture : needs.captures)
    if (capture.kind == Capture::array && symbol_of(capture.symbol).kind == ArrayKind::memory)
      add_array(capture.symbol, capture.name + ".words()");
  if (!on_dmm()) bytes.clear();
  for (const SymbolId id : shared_of(function)) add_array(id, words_of(id));
  return bytes.empty() ? "0" : bytes;
}

/// On a DMM the arrays of memory are in the block's shared memory while the kernel runs, and the
/// clock counts from when they are there.
void Emitter::dmm_frame(FunctionText& needs, const TFunction& function,
                        const std::vector<EmittedArray>& arrays, std::string& before,
                        std::string& after) {
  if (dynamic_shared_) before += "  DYNAMIC_SHARED(memory);\n";
  const auto take_all = [&](const Capture& capture, const std::string& words, bool copied) {
    const ArraySymbol& symbol = symbol_of(capture.symbol);
    const bool back = written_in(function).count(capture.symbol) > 0 ||
                      formals_write(function, arrays, capture.symbol);
    const auto one = [&](const std::string& type, const std::string& own, const std::string& from) {
      before +=
          fmt::format("  volatile {0}* const {1} = take<{0}>(memory, {2});\n", type, own, words);
      if (!copied) return;
      helpers_.insert("copy_words");
      before += fmt::format("  copy_words<{}>({}, {}, {});\n", type, own, from, words);
      if (back) after += fmt::format("  copy_words<{}>({}, {}, {});\n", type, from, own, words);
    };
    if (!symbol.element.is_record())
      return one(declared_type(symbol.span, symbol.element), capture.name,
                 "global_" + capture.name);
    std::string pointers;
    for (const RecordField& field : checked_.records[std::size_t(symbol.element.record)].fields) {
      const std::string own = fmt::format("{}_{}", capture.name, field.name);
      one(word_name(field.type), own,
          fmt::format("global_{}.{}", capture.name, top_name(field.name)));
      pointers += (pointers.empty() ? "" : ", ") + own;
    }
    before += fmt::format("  const {}_words {}{{{}}};\n", type_name(symbol.element), capture.name,
                          pointers);
  };
  for (const Capture& capture : needs.captures) {
    if (capture.kind != Capture::array) continue;
    const bool shared = symbol_of(capture.symbol).kind == ArrayKind::shared;
    if (shared) take_all(capture, words_of(capture.symbol), false);
    if (!shared && on_dmm()) take_all(capture, "words_" + capture.name, true);
  }
  if (!on_dmm()) return;
  before += "  __syncthreads();\n  const long long start = clock64();\n";
  after = "  __syncthreads();\n  if (threadIdx.x == 0) *cycles += clock64() - start;\n" + after;
}

} // namespace memlane::cuda
