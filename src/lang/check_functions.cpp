// Kernels, procs and host code.
#include "checker.hpp"

#include <algorithm>
#include <functional>

namespace memlane::lang {

void Checker::declare_functions() {
  const Program& program = checked_.program;
  for (const KernelDecl& kernel : program.kernels) {
    TFunction function;
    function.name = kernel.name.text;
    function.doc = kernel.doc;
    function.span = kernel.name.span;
    function.kind = kernel.proc ? FunctionKind::proc : FunctionKind::kernel;
    declare_formals(kernel, function);
    checked_.functions.push_back(std::move(function));
  }
  for (const HostDecl& host : program.hosts) {
    SymbolId& id = host.verify ? checked_.verify : checked_.main;
    if (id >= 0) continue;
    TFunction function;
    function.name = host.verify ? "verify" : "main";
    function.kind = host.verify ? FunctionKind::verify : FunctionKind::main;
    function.span = host.span;
    id = static_cast<SymbolId>(checked_.functions.size());
    checked_.functions.push_back(std::move(function));
  }
}

/// Symbols for formals and the extents their brackets bind; -1 where the type is wrong.
void Checker::declare_formals(const KernelDecl& kernel, TFunction& function) {
  for (const Formal& formal : kernel.formals) {
    TFormal typed;
    typed.array = formal.array;
    std::optional<Type> type = type_named(formal.type);
    if (!formal.array) {
      if (type) typed.symbol = new_variable(formal.name.text, formal.name.span, *type, false);
      function.formals.push_back(typed);
      continue;
    }
    ArraySymbol symbol;
    symbol.name = formal.name.text;
    symbol.span = formal.name.span;
    symbol.kind = ArrayKind::formal;
    symbol.rank = static_cast<std::int32_t>(formal.extents.size());
    symbol.used = true;
    for (const Name& extent : formal.extents) {
      symbol.extent_names.push_back(
          extent.text == "_" ? -1 : new_variable(extent.text, extent.span, int_type, false));
    }
    if (symbol.rank > 3) {
      error(formal.name.span, "an array has one, two or three dimensions");
      type.reset();
    }
    if (type) symbol.element = *type;
    checked_.arrays.push_back(std::move(symbol));
    array_good_.push_back(type.has_value());
    if (type) typed.symbol = static_cast<SymbolId>(checked_.arrays.size() - 1);
    function.formals.push_back(typed);
  }
}

void Checker::check_kernel(SymbolId id, const KernelDecl& kernel) {
  auto index = static_cast<std::size_t>(id);
  function_kind_ = kernel.proc ? FunctionKind::proc : FunctionKind::kernel;
  function_name_ = kernel.name.text;
  Isolated isolated(*this, Setting::code);
  locals_.emplace_back();
  const std::vector<TFormal> formals = checked_.functions[index].formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Formal& formal = kernel.formals[i];
    EntityKind kind = formals[i].array ? EntityKind::array : EntityKind::variable;
    if (formals[i].symbol < 0) kind = EntityKind::poison;
    declare_local(formal.name, {kind, formals[i].symbol, formal.name.span, {}});
    for (std::size_t j = 0; formal.array && j < formal.extents.size(); ++j) {
      const Name& name = formal.extents[j];
      if (name.text == "_") continue;
      SymbolId extent = -1;
      if (formals[i].symbol >= 0) {
        const auto& array = checked_.arrays[static_cast<std::size_t>(formals[i].symbol)];
        extent = array.extent_names[j];
      }
      declare_local(
          name, {extent < 0 ? EntityKind::poison : EntityKind::variable, extent, name.span, {}});
    }
  }
  loops_ = 0;
  std::vector<TStatement> body;
  statements(kernel.body, body);
  checked_.functions[index].body = std::move(body);
  function_name_.clear();
}

void Checker::check_host(SymbolId id, const HostDecl& host) {
  function_kind_ = host.verify ? FunctionKind::verify : FunctionKind::main;
  function_name_ = host.verify ? "verify" : "main";
  Isolated isolated(*this, Setting::code);
  if (host.verify) locals_.push_back(main_scope_);
  locals_.emplace_back();
  loops_ = 0;
  std::vector<TStatement> body;
  statements(host.body, body);
  checked_.functions[static_cast<std::size_t>(id)].body = std::move(body);
  if (!host.verify) {
    main_scope_ = std::move(locals_.back());
    main_scope_.hideable = true;
  }
  function_name_.clear();
}

namespace {

void each_call(const std::vector<Statement>& body,
               const std::function<void(const Statement&)>& visit) {
  for (const Statement& s : body) {
    if (s.kind == StatementKind::call) visit(s);
    each_call(s.body, visit);
    each_call(s.alternative, visit);
  }
}

} // namespace

void Checker::find_recursive_procs() {
  const std::vector<KernelDecl>& kernels = checked_.program.kernels;
  std::vector<Progress> progress(kernels.size(), Progress::waiting);
  std::vector<std::size_t> path;
  std::function<void(std::size_t)> visit = [&](std::size_t at) {
    progress[at] = Progress::active;
    path.push_back(at);
    each_call(kernels[at].body, [&](const Statement& s) {
      auto found = top_.names.find(s.name.text);
      if (found == top_.names.end() || found->second.kind != EntityKind::function) return;
      auto next = static_cast<std::size_t>(found->second.id);
      if (progress[next] == Progress::waiting) return visit(next);
      if (progress[next] == Progress::done || !kernels[next].proc) return;
      std::string chain;
      for (auto i = std::find(path.begin(), path.end(), next); i != path.end(); ++i) {
        chain += kernels[*i].name.text + " calls ";
      }
      procs_recursive_ = true;
      error(s.name.span, "procs are inlined and cannot be recursive: " + chain + s.name.text);
    });
    path.pop_back();
    progress[at] = Progress::done;
  };
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (progress[i] == Progress::waiting) visit(i);
  }
}

} // namespace memlane::lang
