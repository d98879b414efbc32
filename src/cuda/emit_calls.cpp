// Procs, kernels and their launches.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

void Emitter::each_reached(const TFunction& function,
                           const std::function<void(const TFunction&)>& visit) const {
  visit(function);
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::call)
      each_reached(checked_.functions[std::size_t(s.symbol)], visit);
  });
}

/// Arrays that a function writes, its formals among them.
const std::set<SymbolId>& Emitter::written_in(const TFunction& function) {
  const auto found = written_.find(&function);
  if (found != written_.end()) return found->second;
  std::set<SymbolId> written;
  const std::function<void(SymbolId)> note = [&](SymbolId id) {
    while (symbol_of(id).kind == ArrayKind::view) id = symbol_of(id).target->array;
    written.insert(id);
  };
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::assign_element) note(s.symbol);
    if (s.kind != TStatementKind::call && s.kind != TStatementKind::launch) return;
    const TFunction& callee = checked_.functions[std::size_t(s.symbol)];
    const std::set<SymbolId>& inside = written_in(callee);
    for (std::size_t k = 0; k < s.actuals.size(); ++k)
      if (s.actuals[k].array && inside.count(callee.formals[k].symbol) > 0)
        note(s.actuals[k].array->array);
    for (const SymbolId id : inside)
      if (symbol_of(id).kind != ArrayKind::formal) written.insert(id);
  });
  return written_[&function] = written;
}

/// Formals as C++ has them; binds their names.
std::vector<std::string> Emitter::formals_of(const TFunction& function) {
  std::vector<std::string> formals;
  const std::set<SymbolId>& written = written_in(function);
  for (const TFormal& formal : function.formals) {
    if (!formal.array) {
      const VariableSymbol& variable = checked_.variables[std::size_t(formal.symbol)];
      formals.push_back(fmt::format("{} {}", declared_type(variable.span, variable.type),
                                    declare(formal.symbol)));
      continue;
    }
    const ArraySymbol& symbol = symbol_of(formal.symbol);
    EmittedArray array;
    array.root = formal.symbol;
    array.pointer = true;
    array.base = symbol.name;
    while (top_names_.count(array.base) > 0 || top_name(array.base) != array.base)
      array.base += "_";
    if (function_->host) {
      formals.push_back("auto&& " + array.base);
    } else if (symbol.element.is_record()) {
      formals.push_back(fmt::format("{}_words {}", type_name(symbol.element), array.base));
    } else {
      const std::string type = declared_type(symbol.span, symbol.element);
      formals.push_back(fmt::format(
          "{}volatile {}* {}", written.count(formal.symbol) > 0 ? "" : "const ", type, array.base));
    }
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d) {
      const SymbolId name = symbol.extent_names[d];
      std::string own;
      ir::Scalar type = ir::Scalar::int32;
      if (name >= 0) {
        own = declare(name);
        values_.bind_floor(name, 0);
        type = checked_.variables[std::size_t(name)].type.scalar;
      } else if (d > 0) {
        own = fresh_name(fmt::format("{}_{}", array.base, d + 1));
      }
      array.extents.push_back([own, type]() -> Code { return {own, Code::primary, type}; });
      if (!own.empty()) formals.push_back(fmt::format("{} {}", scalar_name(type), own));
    }
    arrays_[formal.symbol] = array;
  }
  return formals;
}

/// What a call gives for them.
std::vector<std::string> Emitter::actuals_of(const TStatement& s) {
  const TFunction& function = checked_.functions[std::size_t(s.symbol)];
  std::vector<std::string> actuals;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      actuals.push_back(text(*s.actuals[k].value));
      continue;
    }
    const EmittedArray array = slice(*s.actuals[k].array);
    actuals.push_back(address(array));
    const ArraySymbol& symbol = symbol_of(function.formals[k].symbol);
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d)
      if (symbol.extent_names[d] >= 0 || d > 0) actuals.push_back(array.extents[d]().text);
  }
  return actuals;
}

std::string Emitter::address(const EmittedArray& array) {
  if (array.offset.text == "0") return array.base;
  if (function_->host && !launching_)
    return fmt::format("slice({}, {})", array.base, array.offset.text);
  return fmt::format("{} + {}", array.base,
                     array.offset.level < Code::product ? "(" + array.offset.text + ")"
                                                        : array.offset.text);
}

void Emitter::emit_call(const TStatement& s, Writer& out) {
  if (const auto own = settled(s, out)) return emit_call(*own, out);
  if (must_inline(s)) return inline_call(s, out);
  const std::string comment = comments_.behind(s.span);
  const TFunction& proc = checked_.functions[std::size_t(s.symbol)];
  std::string arguments = fmt::format("{}", fmt::join(actuals_of(s), ", "));
  FunctionText* const caller = function_;
  const std::string key = proc.name + (caller->host ? "@" : "") + (dynamic_shared_ ? "!" : "");
  if (procs_.count(key) == 0) write_proc(proc, key);
  const auto& [name, needs] = procs_[key];
  for (const Capture& capture : needs.captures) {
    if (caller->host) break;
    caller->captures.insert(capture);
    arguments += (arguments.empty() ? "" : ", ") + capture.name;
  }
  out.line(fmt::format("{}({});", name, arguments), comment);
}

void Emitter::write_proc(const TFunction& proc, const std::string& key) {
  FunctionText* const caller = function_;
  FunctionText needs;
  needs.host = caller->host;
  // Kernels may share it, with launches of their own.
  needs.sizes = sizes_of_launches(nullptr);
  function_ = &needs;
  Writer body;
  const std::vector<std::string> formals = formals_of(proc);
  body.indent();
  if (!needs.host) body.unindent();
  block(proc.body, body);
  std::string name = top_name(proc.name);
  if (dynamic_shared_ && procs_.count(proc.name) > 0) name += "_dynamic";
  std::vector<std::string> all = formals;
  if (!needs.host)
    for (const Capture& capture : needs.captures) all.push_back(parameter(capture, proc, false));
  const std::string pad = needs.host ? "  " : "";
  std::string head;
  for (const std::string& comment : comments_.above(proc.span)) head += pad + comment + "\n";
  head += fmt::format("{}{}void {}({}) {{\n", pad, needs.host ? "" : "__device__ ", name,
                      fmt::join(all, ", "));
  const std::string whole = head + opening(needs, pad) + body.text() + pad + "}\n\n";
  (needs.host ? host_procs_ : device_) += whole;
  function_ = caller;
  procs_[key] = {name, needs};
}

/// A captured thing as a parameter of a device function.
std::string Emitter::parameter(const Capture& capture, const TFunction& function, bool kernel) {
  if (capture.kind == Capture::turns) return "const int* " + capture.name;
  if (capture.kind == Capture::scalar)
    return fmt::format("{} {}", scalar_name(scalar_of(capture.name)), capture.name);
  const ArraySymbol& symbol = symbol_of(capture.symbol);
  const std::string prefix =
      kernel && on_dmm() && symbol.kind == ArrayKind::memory ? "global_" : "";
  std::string text;
  if (symbol.element.is_record()) {
    text = fmt::format("{}_words {}{}", type_name(symbol.element), prefix, capture.name);
  } else {
    const std::string type = declared_type(symbol.span, symbol.element);
    const bool written = written_in(function).count(capture.symbol) > 0;
    // volatile: each access of the program is one of the kernel, as the model counts. The arrays of
    // a DMM are copied, which the model does not count.
    text = fmt::format("{}{}{}* {}{}", written ? "" : "const ", prefix.empty() ? "volatile " : "",
                       type, prefix, capture.name);
  }
  if (!prefix.empty()) text += fmt::format(", int words_{}", capture.name);
  return text;
}

/// What stands before a function's first statement: the threads' own numbers, fns.
std::string Emitter::opening(const FunctionText& function, const std::string& pad) {
  std::string text;
  const auto line = [&](const std::string& more) { text += pad + "  " + more + "\n"; };
  // What is the same in every launch is a constant.
  const auto size = [](const char* name, std::optional<std::int64_t> fixed,
                       const std::string& otherwise) {
    return fixed ? fmt::format("constexpr int {} = {};", name, *fixed)
                 : fmt::format("const int {} = {};", name, otherwise);
  };
  const LaunchSizes& sizes = function.sizes;
  using enum ir::Special;
  for (const ir::Special special : function.specials) {
    switch (special) {
    case thread:
      helpers_.insert("below");
      line(fmt::format("const int thread = below({}, threadIdx.x);", sizes.most_threads));
      break;
    case threads: line(size("threads", sizes.threads, "blockDim.x")); break;
    case block: line("const int block = blockIdx.x;"); break;
    case blocks: line(size("blocks", sizes.blocks, "gridDim.x")); break;
    case lane:
      line(fmt::format("const int lane = threadIdx.x % {};", request_.machine.width));
      break;
    case warp:
      line(fmt::format("const int warp = threadIdx.x / {};", request_.machine.width));
      break;
    case warps: {
      const std::int64_t w = request_.machine.width;
      line(size("warps", sizes.threads ? std::optional((*sizes.threads + w - 1) / w) : std::nullopt,
                fmt::format("(blockDim.x + {}) / {}", w - 1, w)));
      break;
    }
    default: break;
    }
  }
  for (const SymbolId id : function.records)
    line(fmt::format("const {}_words {}{{{}}};", type_name(symbol_of(id).element),
                     top_name(symbol_of(id).name), shared_fields(symbol_of(id))));
  for (const std::string& lambda : function.lambdas) {
    std::string folded = wrapped(lambda);
    for (std::size_t at = folded.find('\n'); at != std::string::npos;
         at = folded.find('\n', at + 1))
      folded.insert(at + 1, pad + "  ");
    line(folded);
  }
  return text;
}

} // namespace memlane::cuda
