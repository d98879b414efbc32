// Whole programs: arrays with their initial values and layouts, kernels, host code.
#include "lowering.hpp"

#include "memlane/ir/concurrent.hpp"
#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace memlane::lang {

Lowering::Lowering(const Checked& program, const Bindings& bindings, const Sources& sources)
    : checked_(program), awaits_reads_(bindings.awaits_reads),
      constants_(program, bindings, sources), watch_(constants_.watch()) {
  watch_.ask(); // a grid has many short programs
  program_.fns = program.fns;
}

/// Where the work was stopped, values are missing: the errors that follow from that mean nothing.
Diagnostics Lowering::errors() {
  for (const Diagnostic& error : constants_.errors())
    if (error.stop != Stop::none) return {error};
  if (watch_.stopped()) return {stopped_while(watch_.stop(), "translating the program")};
  return constants_.errors();
}

/// False with an error.
bool Lowering::declare_arrays() {
  if (!constants_.errors().empty()) return false;
  program_.constants = constants_.listing();
  for (const ArraySymbol& array : checked_.arrays)
    if (array.kind == ArrayKind::memory && !array.used) program_.unstored.push_back(array.name);
  for (auto kind : {ArrayKind::memory, ArrayKind::shared})
    for (std::size_t id = 0; id < checked_.arrays.size(); ++id)
      if (checked_.arrays[id].kind == kind && checked_.arrays[id].used)
        declare_array(static_cast<SymbolId>(id));
  return constants_.errors().empty();
}

Declared Lowering::declare() {
  declare_arrays();
  Diagnostics wrong = errors();
  if (!wrong.empty()) return {std::move(wrong), constants_.asked_letters()};
  return {std::move(program_), constants_.asked_letters()};
}

Result<ir::Program> Lowering::run() {
  if (!declare_arrays()) return errors();
  if (checked_.main >= 0) program_.main = host(checked_.main);
  if (checked_.verify >= 0) program_.verify = host(checked_.verify);
  if (Diagnostics wrong = errors(); !wrong.empty()) return wrong;
  if (program_.main >= 0) {
    const auto& main = program_.functions[static_cast<std::size_t>(program_.main)];
    if (Diagnostics errors = ir::check_concurrent(program_, main); !errors.empty()) return errors;
  }
  program_.threads_matter = program_.threads_matter || constants_.asked_letters().contains("p");
  return std::move(program_);
}

std::int32_t Lowering::add_function(ir::Function function) {
  program_.functions.push_back(std::move(function));
  return static_cast<std::int32_t>(program_.functions.size()) - 1;
}

/// A function whose register 0 is what `add` computes.
std::int32_t Lowering::value_function(const std::string& name, Span span,
                                      const std::function<void(ir::Register)>& add) {
  FunctionBuilder builder(name, span);
  builder_ = &builder;
  add(builder.fresh());
  builder_ = nullptr;
  return add_function(builder.finish());
}

/// The extents of an array, and functions for those that each launch sets; false with an error.
bool Lowering::declare_extents(const ArraySymbol& symbol, ir::Array& array, ArrayRef& ref) {
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < symbol.extents.size(); ++k) {
    const TExpr& e = symbol.extents[k];
    if (mentions_threads(e) && !constants_.fold(e)) {
      array.extent_functions.resize(symbol.extents.size(), -1);
      array.extent_functions[k] = extent_function(symbol, e);
      array.extents.push_back(0);
      ref.extents.push_back(Operand::in(-1));
      continue;
    }
    array.extents.push_back(constants_.extent(e, symbol.name));
    ref.extents.push_back(Operand::of(array.extents.back()));
    if (__builtin_mul_overflow(elements, array.extents.back(), &elements) ||
        elements > ir::most_elements) {
      constants_.errors().push_back(
          error_at(symbol.span, fmt::format("array {} is larger than any memory", symbol.name)));
      return false;
    }
  }
  return true;
}

std::int32_t Lowering::extent_function(const ArraySymbol& symbol, const TExpr& extent) {
  return value_function(symbol.name, extent.span, [&](ir::Register result) {
    code().emit(ir::Opcode::move, ir::Scalar::int64, result, scalar(extent));
  });
}

void Lowering::declare_array(SymbolId id) {
  const ArraySymbol& symbol = checked_.array(id);
  ArrayRef ref;
  ref.name = symbol.name;
  ir::Array declared;
  declared.name = symbol.name;
  if (!declare_extents(symbol, declared, ref)) return;
  const std::int64_t elements = declared.elements();
  auto types = scalars_of(checked_, symbol.element);
  for (std::size_t f = 0; f < types.size(); ++f) {
    ir::Array array = declared;
    if (symbol.element.is_record()) array.name += "." + checked_.fields(symbol.element)[f].name;
    array.span = symbol.span;
    array.space = symbol.kind == ArrayKind::shared ? ir::Space::shared : ir::Space::memory;
    array.type = types[f];
    array.top_level = symbol.top_level;
    array.races_allowed = symbol.races_allowed;
    bind_layout(symbol, array);
    if (symbol.initial_list && static_cast<std::int64_t>(symbol.initial.size()) != elements) {
      constants_.errors().push_back(
          error_at(symbol.span, fmt::format("array {} has {} elements, its list {}", symbol.name,
                                            elements, symbol.initial.size())));
      return;
    }
    if (!symbol.initial.empty()) array.initial = initial_function(symbol, f);
    ref.roots.push_back(static_cast<std::int32_t>(program_.arrays.size()));
    program_.arrays.push_back(std::move(array));
  }
  global_arrays_[id] = std::move(ref);
}

std::int32_t Lowering::initial_function(const ArraySymbol& symbol, std::size_t field) {
  return value_function(symbol.name, symbol.span, [&](ir::Register result) {
    if (symbol.initial_list) return lower_list(symbol, field, result);
    code().emit(ir::Opcode::move, scalars_of(checked_, symbol.element)[field], result,
                lower(symbol.initial[0])[field]);
  });
}

void Lowering::lower_list(const ArraySymbol& symbol, std::size_t field, ir::Register result) {
  ir::Table table{symbol.name, scalars_of(checked_, symbol.element)[field], {}};
  for (const auto& value : symbol.initial) {
    const TExpr& word = value.kind == TExprKind::record ? value.operands[field] : value;
    table.values.push_back(constants_.require(word));
  }
  program_.tables.push_back(std::move(table));
  builder_->emit(ir::Opcode::lookup, program_.tables.back().type, result,
                 builder_->special(ir::Special::index), -1, -1,
                 static_cast<std::int64_t>(program_.tables.size()) - 1);
}

// One function for each combination of kernel and arrays: the array of each access is known at
// compile time; the launch passes where slices begin and end.
std::int32_t Lowering::kernel(const TFunction& function, const std::vector<ArrayRef>& arrays) {
  std::string key = function.name;
  for (const auto& ref : arrays) {
    key += fmt::format("|{}", fmt::join(ref.roots, ","));
    for (const auto& o : {ref.offset}) key += o.known ? fmt::format("@{}", o.value) : "@?";
    for (const auto& o : ref.extents) key += o.known ? fmt::format(":{}", o.value) : ":?";
  }
  if (auto found = kernels_.find(key); found != kernels_.end()) return found->second;

  FunctionBuilder builder(function.name, function.span);
  builder_ = &builder;
  in_kernel_ = true;
  std::size_t next = 0;
  for (const auto& formal : function.formals) {
    if (!formal.array) {
      Registers registers = fresh(checked_.variable(formal.symbol).type);
      for (auto r : registers) builder.formal(r);
      bind_variable(formal.symbol, registers);
      continue;
    }
    ArrayRef ref = arrays[next++];
    auto pass = [&](Operand& o) {
      if (o.known) return;
      o = Operand::in(builder.fresh());
      builder.formal(o.reg);
    };
    pass(ref.offset);
    for (auto& extent : ref.extents) pass(extent);
    bind_formal(formal.symbol, std::move(ref));
  }
  for (const auto& ref : arrays)
    for (auto root : ref.roots)
      if (program_.arrays[static_cast<std::size_t>(root)].space == ir::Space::shared)
        builder.share(root);
  block(function.body);
  in_kernel_ = false;
  ir::Function finished = builder.finish();
  ir::find_performing(program_, finished);
  std::int32_t number = add_function(std::move(finished));
  program_.kernels.push_back(number);
  return kernels_[key] = number;
}

std::int32_t Lowering::host(SymbolId id) {
  const TFunction& function = checked_.function(id);
  FunctionBuilder builder(function.name, function.span);
  // verify sees main's variables: its registers and arrays come after main's.
  if (function.kind == FunctionKind::verify && program_.main >= 0) {
    const auto& main = program_.functions[static_cast<std::size_t>(program_.main)];
    builder.reserve(main.registers, main.locals);
  }
  builder_ = &builder;
  std::size_t first_launch = program_.launches.size();
  block(function.body);
  builder_ = nullptr;
  ir::Function code = builder.finish();
  for (std::size_t i = first_launch; i < program_.launches.size(); ++i) {
    auto& site = program_.launches[i];
    for (auto& r : site.actuals) r = builder.settled(r);
    site.blocks = builder.settled(site.blocks);
    site.threads = builder.settled(site.threads);
  }
  return add_function(std::move(code));
}

Result<ir::Program> lower(const Checked& program, const Bindings& bindings,
                          const Sources& sources) {
  return Lowering(program, bindings, sources).run();
}

Declared declare(const Checked& program, const Bindings& bindings, const Sources& sources) {
  return Lowering(program, bindings, sources).declare();
}

// Array names, slices and element accesses: from indices to an element's row-major number.

using enum ir::Opcode;

ArrayRef Lowering::resolve(SymbolId id) {
  if (auto found = arrays_.find(id); found != arrays_.end()) return found->second;
  if (auto found = global_arrays_.find(id); found != global_arrays_.end()) {
    ArrayRef ref = found->second;
    if (program_.arrays[static_cast<std::size_t>(ref.roots[0])].space != ir::Space::shared)
      return ref;
    for (auto root : ref.roots) code().share(root);
    for (std::size_t k = 0; k < ref.extents.size(); ++k)
      if (!ref.extents[k].known)
        ref.extents[k] =
            Operand::in(code().launch_extent(ref.roots[0], static_cast<std::int32_t>(k)));
    return ref;
  }
  // A view at top level is resolved where it is used.
  const ArraySymbol& symbol = checked_.array(id);
  assert(symbol.kind == ArrayKind::view && symbol.target);
  ArrayRef ref = slice(*symbol.target);
  ref.name = symbol.name;
  return ref;
}

std::int64_t Lowering::bound_site(const ArrayRef& ref, std::size_t dimension,
                                  std::size_t dimensions) {
  ir::BoundSite site{ref.name, static_cast<int>(dimension), static_cast<int>(dimensions)};
  const auto [known, fresh] =
      bound_sites_.try_emplace({site.array, site.dimension, site.dimensions},
                               static_cast<std::int64_t>(program_.bounds.size()));
  if (fresh) program_.bounds.push_back(std::move(site));
  return known->second;
}

Operand Lowering::operand(const TExpr& expr) {
  if (auto value = constants_.fold(expr)) return Operand::of(value->integer());
  return Operand::in(scalar(expr));
}

Operand Lowering::checked_index(const ArrayRef& ref, const TExpr& index, std::size_t dimension,
                                std::size_t dimensions, Operand bound) {
  Operand at = operand(index);
  if (at.known && bound.known && at.value >= 0 && at.value < bound.value) return at;
  code().at(index.span);
  ir::Register a = code().reg(at);
  code().emit(ir::Opcode::bound, ir::Scalar::int64, -1, a, code().reg(bound), -1,
              bound_site(ref, dimension, dimensions));
  return at;
}

Operand Lowering::number(const ArrayRef& ref, const std::vector<TExpr>& indices) {
  Operand at = Operand::of(0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Operand i = checked_index(ref, indices[k], k, indices.size(), ref.extents[k]);
    at = code().integer(add, code().integer(mul, at, ref.extents[k]), i);
  }
  return code().integer(add, ref.offset, at);
}

ArrayRef Lowering::slice(const ArraySlice& slice) {
  ArrayRef base = resolve(slice.array);
  if (slice.whole) return base;
  Operand at = Operand::of(0);
  for (std::size_t k = 0; k < slice.lead.size(); ++k) {
    const auto own = evaluation(slice.lead[k]);
    Operand i = checked_index(base, slice.lead[k], k, base.extents.size(), base.extents[k]);
    at = code().integer(add, code().integer(mul, at, base.extents[k]), i);
  }
  if (slice.range.empty()) {
    ArrayRef ref = base;
    ref.extents.erase(ref.extents.begin(),
                      ref.extents.begin() + static_cast<std::ptrdiff_t>(slice.lead.size()));
    for (const auto& extent : ref.extents) at = code().integer(mul, at, extent);
    ref.offset = code().integer(add, base.offset, at);
    return ref;
  }
  Operand last = base.extents.back();
  Operand lo = evaluate_bound(slice.range[0]);
  Operand hi = evaluate_bound(slice.range[1]);
  bool fits = lo.known && hi.known && last.known && 0 <= lo.value && lo.value <= hi.value &&
              hi.value <= last.value;
  if (!fits) {
    code().at(slice.span);
    ir::Register a = code().reg(lo), b = code().reg(hi), c = code().reg(last);
    code().emit(ir::Opcode::slice, ir::Scalar::int64, -1, a, b, c,
                bound_site(base, base.extents.size() - 1, base.extents.size()));
  }
  ArrayRef ref = base;
  ref.offset =
      code().integer(add, base.offset, code().integer(add, code().integer(mul, at, last), lo));
  ref.extents = {code().integer(sub, hi, lo)};
  return ref;
}

ir::Register Lowering::load(const ArrayRef& ref, std::size_t field, Operand number,
                            const TExpr& expr) {
  code().at(expr.span);
  ir::Register a = code().reg(number);
  ir::Register d = code().fresh();
  auto root = static_cast<std::size_t>(ref.roots[field]);
  if (ref.local) {
    code().emit(local_load, scalars_of(checked_, expr.type)[field], d, a, -1, -1, ref.roots[field]);
    return d;
  }
  auto& array = program_.arrays[root];
  if (expr.kind == TExprKind::initial) array.snapshot = true;
  auto op = expr.kind == TExprKind::initial ? ir::Opcode::initial : ir::Opcode::load;
  code().emit(op, array.type, d, a, -1, -1, ref.roots[field]);
  return d;
}

void Lowering::store(const ArrayRef& ref, std::size_t field, Operand number, ir::Register value,
                     ir::Scalar type) {
  ir::Register a = code().reg(number);
  if (ref.local && forall_registers_ > 0) program_.threads_matter = true; // likewise
  auto op = ref.local ? local_store : deferring_ ? defer : ir::Opcode::store;
  code().emit(op, type, -1, a, value, -1, ref.roots[field]);
}

} // namespace memlane::lang
