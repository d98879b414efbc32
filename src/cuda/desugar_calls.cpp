// Procs, fns and their calls; what a function is given.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

/// Whether a function takes an extent of an array formal: the number of an element does not depend
/// on the first one.
bool Desugarer::takes_extent(SymbolId formal, std::size_t dimension) const {
  return dimension > 0 || checked_.array(formal).extent_names[dimension] >= 0;
}

/// The type of an array's elements. Only threads and the host have arrays of bool.
std::string Desugarer::element_name(const ArraySymbol& symbol) const {
  const bool is_bool = !symbol.element.is_record() && symbol.element.scalar == ir::Scalar::boolean;
  return is_bool ? word_name(ir::Scalar::boolean)
                 : names_.declared_type(symbol.span, symbol.element);
}

/// An array as a parameter.
Parameter Desugarer::array_parameter(SymbolId id, const std::string& own, bool written,
                                     bool counted) const {
  const ArraySymbol& symbol = checked_.array(id);
  if (symbol.element.is_record()) return {names_.type(symbol.element) + "_words", own};
  // volatile: each access of the program is one of the kernel, as the model counts.
  return {fmt::format("{}{}{}*", written ? "" : "const ", counted ? "volatile " : "",
                      element_name(symbol)),
          own};
}

/// The extents of an array formal that the function takes: binds their names.
std::vector<Parameter> Desugarer::extent_formals(SymbolId formal, ArrayRef& array) {
  const ArraySymbol& symbol = checked_.array(formal);
  std::vector<Parameter> formals;
  for (std::size_t d = 0; d < symbol.extent_names.size(); ++d) {
    const SymbolId id = symbol.extent_names[d];
    Expr own = named(names_.fresh(fmt::format("{}_{}", array.base.text, d + 1)));
    if (id >= 0) {
      declare_variable(id);
      own = variables_[id];
      values_.bind_at_least(id, 0);
    }
    if (takes_extent(formal, d)) formals.push_back({scalar_name(own.type), own.text});
    array.extents.push_back(std::move(own));
  }
  return formals;
}

/// Formals as C++ has them; binds their names. A kernel's arrays that are built in (`arrays`, see
/// launch) become their array, with where it begins.
std::vector<Parameter> Desugarer::formals_of(const TFunction& function,
                                             const std::vector<ArrayRef>& arrays) {
  std::vector<Parameter> formals;
  std::size_t next = 0;
  for (const TFormal& formal : function.formals) {
    if (!formal.array) {
      const VariableSymbol& value = variable(formal.symbol);
      formals.push_back(
          {names_.declared_type(value.span, value.type), declare_variable(formal.symbol)});
      continue;
    }
    const ArraySymbol& symbol = checked_.array(formal.symbol);
    const ArrayRef* given = arrays.empty() ? nullptr : &arrays[next++];
    ArrayRef array;
    array.base = named(names_.local(symbol.name));
    std::vector<Parameter> extents = extent_formals(formal.symbol, array);
    if (given != nullptr && !given->pointer) {
      ArrayRef built_in = resolve(given->root);
      built_in.extents = std::move(array.extents);
      built_in.whole = given->whole;
      array = std::move(built_in);
      if (!given->whole) {
        array.offset = named(names_.fresh(symbol.name + "_first"));
        formals.push_back({"int", array.offset.text});
      }
    } else {
      array.root = formal.symbol;
      array.pointer = true;
      formals.push_back(context_->host
                            ? Parameter{"auto&&", array.base.text}
                            : array_parameter(formal.symbol, array.base.text,
                                              written_in(function).count(formal.symbol) > 0, true));
    }
    formals.insert(formals.end(), extents.begin(), extents.end());
    arrays_[formal.symbol] = std::move(array);
  }
  return formals;
}

/// What a call gives for them.
std::vector<Expr> Desugarer::actuals_of(const TStatement& s) {
  const TFunction& function = checked_.function(s.symbol);
  std::vector<Expr> actuals;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      actuals.push_back(expr(*s.actuals[k].value));
      continue;
    }
    const ArrayRef array = slice(*s.actuals[k].array);
    const bool part = !array.offset.is(0);
    actuals.push_back(!part            ? array.base
                      : context_->host ? call("slice", {array.base, array.offset})
                                       : array.base + array.offset);
    for (std::size_t d = 0; d < array.extents.size(); ++d)
      if (takes_extent(function.formals[k].symbol, d)) actuals.push_back(array.extents[d]);
  }
  return actuals;
}

void Desugarer::call_proc(const TStatement& s, Block& out) {
  if (const auto own = evaluated_first(s, out)) return call_proc(*own, out);
  if (must_inline(s)) return inline_call(s, out);
  const std::string comment = comments_.behind(s.span);
  const TFunction& proc = checked_.function(s.symbol);
  std::vector<Expr> arguments = actuals_of(s);
  const ProcKey key = {&proc, context_->host, context_->dynamic_shared};
  if (procs_.count(key) == 0) write_proc(proc, key);
  const DeviceFunction& written = procs_[key];
  for (const Capture& capture : written.captures) arguments.push_back(value_of(capture));
  out.push_back(evaluate(call(written.name, std::move(arguments)), comment));
}

void Desugarer::write_proc(const TFunction& proc, const ProcKey& key) {
  FunctionContext own{context_->host};
  own.dynamic_shared = context_->dynamic_shared;
  own.sizes = sizes_of_launches(proc);
  FunctionContext* const caller = std::exchange(context_, &own);
  Function function;
  function.parameters = formals_of(proc, {});
  function.body = block(proc.body);
  function.name = names_.top(proc.name);
  const ProcKey other = {&proc, own.host, !own.dynamic_shared};
  if (procs_.count(other) > 0)
    function.name = names_.fresh(function.name + (own.dynamic_shared ? "_dynamic" : "_static"));
  function.result = own.host ? "void" : "__device__ void";
  function.comments = comments_.above(proc.span);
  const Needs needs = open(function);
  if (!own.host)
    for (Parameter& parameter : captured(needs.captures, written_in(proc), false))
      function.parameters.push_back(std::move(parameter));
  procs_[key] = {function.name, own.host ? std::set<Capture>{} : needs.captures};
  (own.host ? file_.host_procs : file_.kernels).push_back(std::move(function));
  context_ = caller;
}

/// What is captured, as the function that is given it names it.
Expr Desugarer::value_of(const Capture& capture) {
  Expr value = named(capture.name, capture.type);
  value.role = capture.role, value.symbol = capture.symbol;
  return value;
}

// Of an array of a DMM's kernel: where it is in global memory, and how many words it has.
std::string Desugarer::global_name(const Capture& capture) const {
  return names_.fresh("global_" + capture.name);
}
std::string Desugarer::words_name(const Capture& capture) const {
  return names_.fresh("words_" + capture.name);
}

/// What is captured, as parameters of a device function. The arrays of a DMM's kernel are copied,
/// which the model does not count.
std::vector<Parameter> Desugarer::captured(const std::set<Capture>& captures,
                                           const std::set<SymbolId>& written, bool kernel) {
  std::vector<Parameter> parameters;
  for (const Capture& capture : captures) {
    if (capture.role == Role::row_offsets) parameters.push_back({"const int*", capture.name});
    if (capture.role == Role::run_value)
      parameters.push_back({scalar_name(capture.type), capture.name});
    if (capture.role != Role::array) continue;
    const bool shared = checked_.array(capture.symbol).kind == ArrayKind::shared;
    if (kernel && shared) continue;
    const bool copied = kernel && on_dmm();
    parameters.push_back(array_parameter(capture.symbol,
                                         copied ? global_name(capture) : capture.name,
                                         written.count(capture.symbol) > 0, !copied));
    if (copied) parameters.push_back({"int", words_name(capture)});
  }
  return parameters;
}

// ---- What stands before a function's first statement ----

namespace {

/// What is the same in every launch is a constant.
Statement size_of_launch(const char* own, std::optional<std::int64_t> fixed, Expr otherwise) {
  return fixed ? declare("constexpr int", own, integer(*fixed))
               : declare("const int", own, std::move(otherwise));
}

} // namespace

/// The numbers of the thread, its block and the launch.
Statement Desugarer::declare_special(ir::Special special) const {
  const LaunchSizes& sizes = context_->sizes;
  const std::int64_t w = request_.machine.width;
  const Expr thread = named("threadIdx.x"), threads = named("blockDim.x");
  switch (special) {
  case ir::Special::thread:
    return declare("const int", "thread", call("below", {integer(sizes.most_threads), thread}));
  case ir::Special::threads: return size_of_launch("threads", sizes.threads, threads);
  case ir::Special::block: return declare("const int", "block", named("blockIdx.x"));
  case ir::Special::blocks: return size_of_launch("blocks", sizes.blocks, named("gridDim.x"));
  case ir::Special::lane: return declare("const int", "lane", thread % integer(w));
  case ir::Special::warp: return declare("const int", "warp", thread / integer(w));
  case ir::Special::warps: {
    const auto fixed = sizes.threads ? std::optional((*sizes.threads + w - 1) / w) : std::nullopt;
    return size_of_launch("warps", fixed, (threads + integer(w - 1)) / integer(w));
  }
  case ir::Special::index: break;
  }
  return {};
}

/// Puts before a function's statements what they need: the thread's own numbers, arrays of records,
/// what `frame` adds (see kernel_frame), fns. Gives all that the function needs.
Needs Desugarer::open(Function& function, const Frame& frame) {
  Block lambdas, opening;
  Needs needs;
  for (const WrittenFn& fn : context_->lambdas) {
    Function own = fn.function;
    own.comments.clear();
    lambdas.push_back(declare("const auto", fn.name.text, lambda(std::move(own))));
  }
  add_needs(lambdas, needs);
  add_needs(function.body, needs);
  Block before = frame ? frame(needs.captures, function.body) : Block{};
  add_needs(before, needs);
  add_needs(function.body, needs);
  for (const ir::Special special : needs.specials) opening.push_back(declare_special(special));
  for (const SymbolId id : needs.record_arrays) {
    const ArraySymbol& symbol = checked_.array(id);
    std::vector<Expr> fields;
    for (const RecordField& field : checked_.fields(symbol.element))
      fields.push_back(named(shared_field(symbol, field)));
    opening.push_back(construct(fmt::format("const {}_words", names_.type(symbol.element)),
                                names_.top(symbol.name), braces("", std::move(fields))));
  }
  for (Block* part : {&before, &lambdas, &function.body})
    opening.insert(opening.end(), std::make_move_iterator(part->begin()),
                   std::make_move_iterator(part->end()));
  function.body = std::move(opening);
  return needs;
}

// --- Procs whose bodies stand where they are called.

bool Desugarer::must_inline(const TStatement& s) {
  const TFunction& proc = checked_.function(s.symbol);
  bool inlined = !context_->host && context_->mask && hazards_.has_syncs(proc);
  each_statement_of(proc, [&](const TStatement& inner) {
    if (context_->dynamic_shared && inner.kind == TStatementKind::declare_array &&
        checked_.array(inner.symbol).kind == ArrayKind::shared)
      inlined = true;
  });
  for (const TActual& actual : s.actuals) {
    if (!actual.array) continue;
    const ArrayRef array = resolve(actual.array->array);
    const ArraySymbol& root = checked_.array(array.root);
    // An array of records in memory is one array a field; a thread's or the host's own is not.
    const bool own_records = root.kind == ArrayKind::local && root.element.is_record();
    inlined = inlined || own_records || (!array.pointer && !has_rows(array.root));
  }
  return inlined;
}

/// The proc's body where it is called. Its names may be those of the caller, which the actuals
/// mention: then they get others.
void Desugarer::inline_call(const TStatement& s, Block& out) {
  const TFunction& proc = checked_.function(s.symbol);
  Block body;
  std::vector<Expr> values(s.actuals.size());
  std::vector<ArrayRef> arrays(s.actuals.size());
  std::set<std::string> callers;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      values[k] = expr(*s.actuals[k].value);
      add_names(values[k], callers);
      continue;
    }
    arrays[k] = slice(*s.actuals[k].array);
    add_names(arrays[k].base, callers), add_names(arrays[k].offset, callers);
    for (const Expr& extent : arrays[k].extents) add_names(extent, callers);
  }
  const auto own_name = [&](std::string name) {
    while (callers.count(name) > 0) name += "_";
    return name;
  };
  // A value of the same name and type serves as it is; a conversion may leave the name alone.
  const auto declare_as = [&](SymbolId id, const Expr& value, bool same_type) {
    Expr& own = (declare_variable(id), variables_[id]);
    if (same_type && value.kind == Expr::name && value.text == own.text) return;
    own.text = own_name(own.text);
    body.push_back(declare(typed(id, "const " + names_.type(variable(id).type)), own.text, value));
  };
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) continue;
    ArrayRef& array = arrays[k];
    const ArraySymbol& symbol = checked_.array(proc.formals[k].symbol);
    if (array.offset.kind != Expr::integer)
      array.offset =
          keep(body, "int", own_name(names_.fresh(symbol.name + "_first")), array.offset);
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d) {
      const SymbolId name = symbol.extent_names[d];
      if (name < 0) continue;
      values_.bind_at_least(name, 0);
      declare_as(name, array.extents[d], true);
      array.extents[d] = variables_[name];
    }
  }
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value)
      declare_as(proc.formals[k].symbol, values[k],
                 s.actuals[k].value->kind == TExprKind::variable);
    if (s.actuals[k].array) arrays_[proc.formals[k].symbol] = arrays[k];
  }
  block(proc.body, body);
  out.push_back(scope(std::move(body), fmt::format("// {}", proc.name)));
}

// fns: functions of the file where they need nothing but their arguments, else lambdas of the
// function that calls them.

/// The statements of a fn's block. Its variables are its own, whatever their names.
Block Desugarer::fn_block(const TExpr& call) {
  const bool outer = std::exchange(context_->in_fn, true);
  Block body = block(call.block);
  context_->in_fn = outer;
  return body;
}

/// Part of an expression with a name of its own, as `0 <= i + j < n` has.
Expr Desugarer::bound_parts(const TExpr& e) {
  Function parts;
  for (const Binding& binding : e.bindings) {
    const TExpr& value = binding.value;
    Expr code = expr(value);
    if (reads_arrays(value) || draws(value) || uses_warp(value)) {
      const std::string own = numbered("part");
      code = keep(parts.body, names_.type(value.type), own, std::move(code));
      code.type = value.type.scalar;
    }
    variables_[binding.variable] = std::move(code);
  }
  if (e.block.empty()) {
    Expr result = expr(e.operands[0]);
    if (parts.body.empty()) return result;
    const ir::Scalar type = result.type;
    parts.body.push_back(simple(Statement::return_, std::move(result)));
    return call(lambda(std::move(parts)), {}, type);
  }
  parts.result = names_.type(e.type);
  for (Statement& s : fn_block(e)) parts.body.push_back(std::move(s));
  return call(lambda(std::move(parts)), {}, e.type.scalar);
}

/// The name of a C++ function with this body: one of the file if it needs nothing of the function
/// whose statements are made.
Expr Desugarer::function_for(Function wanted, const std::function<Block()>& body) {
  const std::set<std::string> kept = std::exchange(context_->kept, {});
  const std::optional<Expr> mask = std::exchange(context_->mask, {});
  wanted.body = body();
  context_->kept = kept, context_->mask = mask;
  Needs needs;
  add_needs(wanted.body, needs);
  std::vector<WrittenFn>& all = needs.none() ? fns_ : context_->lambdas;
  const auto same = std::find_if(
      all.begin(), all.end(), [&](const WrittenFn& written) { return written.function == wanted; });
  if (same != all.end()) return same->name;
  const auto taken = [&](const std::string& wish) {
    const auto is_it = [&](const WrittenFn& written) { return written.name.text == wish; };
    return std::any_of(fns_.begin(), fns_.end(), is_it) ||
           std::any_of(context_->lambdas.begin(), context_->lambdas.end(), is_it);
  };
  const bool is_fn = // else of a layout
      std::find(checked_.fns.begin(), checked_.fns.end(), wanted.name) != checked_.fns.end();
  const std::string wish = is_fn ? names_.top(wanted.name) : names_.fresh(wanted.name);
  Expr own = named(wish);
  for (int version = 2; taken(own.text); ++version)
    own.text = names_.fresh(fmt::format("{}_{}", wish, version));
  own.role = needs.none() ? Role::local : Role::lambda;
  all.push_back({std::move(wanted), own});
  return own;
}

Expr Desugarer::fn_call(const TExpr& e) {
  if (draws(e)) return bound_parts(e); // each call has sites of its own
  const TExpr* body = e.block.empty() ? &e.operands[0] : nullptr;
  if (body && e.bindings.empty() && (is_at_hand(body->kind) || body->kind == TExprKind::record))
    return expr(*body);
  std::vector<Expr> arguments;
  for (const Binding& binding : e.bindings) arguments.push_back(expr(binding.value));
  TExpr inside = e;
  inside.bindings.clear();
  if (!context_->host && (context_->mask || !body) && uses_warp(inside))
    unsupported(e.span, "a fn with operations of a warp, called where lanes may diverge",
                {"write the operation where the fn is called"});
  Function fn;
  fn.name = checked_.fns[std::size_t(e.symbol)], fn.result = names_.type(e.type);
  fn.of_warp = uses_warp(inside);
  for (const Binding& binding : e.bindings)
    fn.parameters.push_back({names_.type(binding.value.type), declare_variable(binding.variable)});
  Expr own = function_for(std::move(fn), [&] {
    if (!body) return fn_block(e);
    Block made{simple(Statement::return_, expr(*body))};
    relate(body->span, made);
    return made;
  });
  return call(std::move(own), std::move(arguments), e.type.scalar);
}

} // namespace memlane::cuda
