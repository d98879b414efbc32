// Kernels, procs and host code.
#include "call_chains.hpp"
#include "checker.hpp"

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
    const SymbolId id = add_array(formal.name, ArrayKind::formal);
    ArraySymbol& symbol = checked_.array(id);
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
    array_good_.back() = type.has_value();
    if (type) typed.symbol = id;
    function.formals.push_back(typed);
  }
}

void Checker::check_kernel(SymbolId id, const KernelDecl& kernel) {
  function_kind_ = kernel.proc ? FunctionKind::proc : FunctionKind::kernel;
  function_name_ = kernel.name.text;
  Isolated isolated(*this, Setting::code);
  locals_.emplace_back();
  const std::vector<TFormal> formals = checked_.function(id).formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Formal& formal = kernel.formals[i];
    declare_local(formal.name, formals[i].array ? EntityKind::array : EntityKind::variable,
                  formals[i].symbol);
    for (std::size_t j = 0; formal.array && j < formal.extents.size(); ++j) {
      const Name& name = formal.extents[j];
      if (name.text == "_") continue;
      SymbolId extent = -1;
      if (formals[i].symbol >= 0) {
        const auto& array = checked_.array(formals[i].symbol);
        extent = array.extent_names[j];
      }
      declare_local(name, EntityKind::variable, extent);
    }
  }
  loops_ = 0;
  std::vector<TStatement> body;
  statements(kernel.body, body);
  checked_.function(id).body = std::move(body);
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
  checked_.function(id).body = std::move(body);
  if (!host.verify) {
    main_scope_ = std::move(locals_.back());
    main_scope_.hideable = true;
  }
  function_name_.clear();
}

void Checker::find_recursive_procs() {
  const std::vector<KernelDecl>& kernels = checked_.program.kernels;
  std::vector<std::vector<CallSite>> calls(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    each_statement(kernels[i].body, [&](const Statement& s) {
      if (s.kind != StatementKind::call) return;
      auto found = top_.names.find(s.name.text);
      if (found == top_.names.end() || found->second.kind != EntityKind::function) return;
      auto callee = static_cast<std::size_t>(found->second.id);
      if (kernels[callee].proc) calls[i].push_back({callee, s.name.span});
    });
  }
  const auto cycle = [&](const std::vector<std::size_t>& members, const CallSite& site) {
    std::string chain;
    for (std::size_t i : members) chain += kernels[i].name.text + " calls ";
    procs_recursive_ = true;
    error(site.span,
          "procs are inlined and cannot be recursive: " + chain + kernels[site.callee].name.text,
          {"repeat with `while` or `for`, in host code if launches are to follow each other"});
  };
  const auto too_deep = [&](std::size_t, const CallSite& site) {
    if (!procs_recursive_) calls_too_deep(site.span, "procs");
    procs_recursive_ = true;
  };
  find_call_faults(calls, {cycle, too_deep});
}

} // namespace memlane::lang
