// The file as a whole: what is fixed, what comes in which order.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

Emitter::Emitter(const EmitRequest& request, const ir::Program& lowered)
    : request_(request), checked_(request.checked), lowered_(lowered),
      values_(request.checked, request.bindings, lowered), comments_(request.sources),
      meetings_(request.checked) {}

void Emitter::unsupported(Span span, const std::string& what, std::vector<std::string> help) {
  errors_.push_back(error_at(span, "emit-cuda cannot write " + what, std::move(help)));
}

void Emitter::name_everything() {
  for (const ParamSymbol& param : checked_.params) declared_.insert(param.name);
  for (const ConstSymbol& constant : checked_.consts) declared_.insert(constant.name);
  for (const ArraySymbol& array : checked_.arrays)
    if (array.top_level || array.kind == ArrayKind::memory) declared_.insert(array.name);
  for (const std::string& fn : checked_.fns) declared_.insert(fn);
  for (const RecordType& record : checked_.records) declared_.insert(record.name);
  for (const TypeDecl& type : checked_.program.types) declared_.insert(type.name.text);
  for (const TFunction& function : checked_.functions) declared_.insert(function.name);
  top_names_ = declared_;
  for (const auto& [letter, value] : request_.bindings.letters) top_names_.insert(letter);
  for (const char* name : {"thread", "threads", "block", "blocks", "lane", "warp", "warps", "start",
                           "value", "round", "index"})
    top_names_.insert(name);
  for (const char* name : {"value", "round", "index"})
    if (declared_.count(name) == 0) top_names_.erase(name);
  for (const VariableSymbol& variable : checked_.variables) local_names_.insert(variable.name);
  for (const ArraySymbol& array : checked_.arrays)
    if (declared_.count(array.name) == 0) local_names_.insert(array.name);
  read_type_names();
}

void Emitter::fix(const TExpr& expr) { values_.add_parameters(expr, fixed_params_); }

/// The rounds of a `forall sync` have to be known: those of its ranges and of the loops around it.
void Emitter::fix_sync(const TFunction& function) {
  std::set<SymbolId> variables;
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind != TStatementKind::forall || s.forall_kind != ForallKind::sync) return;
    for (const TRange& range : s.ranges) {
      for (const TExpr* bound : {&range.lo, &range.hi}) {
        fix(*bound);
        each_part(*bound, [&](const TExpr& part) {
          if (part.kind == TExprKind::variable) variables.insert(part.symbol);
        });
      }
    }
  });
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind != TStatementKind::for_ || variables.count(s.symbol) == 0) return;
    for (const TExpr& e : s.expressions) fix(e);
  });
}

/// Parameters that the text depends on: extents of arrays in shared memory and registers, tables,
/// rounds.
void Emitter::choose_fixed() {
  for (const ArraySymbol& array : checked_.arrays) {
    if (array.kind != ArrayKind::shared) continue;
    for (const TExpr& extent : array.extents) fix(extent);
    for (const TExpr& argument : array.layout_arguments) fix(argument);
    if (array.layout_word) fix(*array.layout_word);
  }
  for (const ConstSymbol& constant : checked_.consts) {
    if (constant.extents.empty()) continue;
    for (const TExpr& extent : constant.extents) fix(extent);
    for (const TExpr& value : constant.values) fix(value);
  }
  const auto fix_extents = [&](const TStatement& s) {
    if (s.kind != TStatementKind::declare_array) return;
    for (const TExpr& extent : symbol_of(s.symbol).extents) fix(extent);
  };
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    each_reached(function, [&](const TFunction& reached) {
      fix_sync(reached);
      each_statement(reached.body, [&](const TStatement& s) {
        fix_extents(s);
        each_expression(s, [&](const TExpr& e) {
          each_part(e, [&](const TExpr& part) { each_statement(part.block, fix_extents); });
        });
      });
    });
  }
  know_fixed();
}

/// Constants are fixed that depend on fixed parameters alone.
void Emitter::know_fixed() {
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    std::set<SymbolId> needed;
    for (const TExpr& value : checked_.consts[i].values) values_.add_parameters(value, needed);
    if (std::includes(fixed_params_.begin(), fixed_params_.end(), needed.begin(), needed.end()))
      fixed_consts_.insert(SymbolId(i));
  }
  values_.know_only(fixed_params_, fixed_consts_);
}

/// main's variables that verify looks at live as long as the program.
void Emitter::find_members() {
  std::set<SymbolId> variables, arrays;
  for (const TFunction& function : checked_.functions) {
    const bool verify = function.kind == FunctionKind::verify;
    const auto note = [&](const TExpr& e) {
      each_part(e, [&](const TExpr& part) {
        if (part.kind == TExprKind::variable) used_variables_.insert(part.symbol);
        if (verify && part.kind == TExprKind::variable) variables.insert(part.symbol);
        if (verify && part.kind == TExprKind::element) arrays.insert(part.symbol);
      });
    };
    each_statement(function.body, [&](const TStatement& s) {
      each_expression(s, note);
      for (const TActual& actual : s.actuals)
        if (verify && actual.array) arrays.insert(actual.array->array);
    });
  }
  if (checked_.main < 0) return;
  for (const TStatement& s : checked_.functions[std::size_t(checked_.main)].body) {
    if (s.kind == TStatementKind::assign_variable && s.declaration && variables.count(s.symbol))
      members_.insert(s.symbol);
    if (s.kind == TStatementKind::declare_array && arrays.count(s.symbol))
      members_.insert(-2 - s.symbol);
  }
}

std::string Emitter::head() const {
  std::string text;
  const std::string& doc = checked_.program.doc;
  for (std::size_t at = 0; at < doc.size();) {
    const std::size_t end = std::min(doc.find('\n', at), doc.size());
    text += "// " + doc.substr(at, end - at) + "\n";
    at = end + 1;
  }
  if (checked_.program.races)
    text +=
        fmt::format("//\n// Races are allowed: \"{}\"\n// The simulator orders them by dispatch; a "
                    "GPU has no order, and its results may differ.\n",
                    checked_.program.races->reason);
  text += fmt::format(
      "//\n// {0}, by: {1}\n"
      "// nvcc -O3 -std=c++20 -arch=native -fmad=false -Xcompiler -fwrapv FILE, then ./a.out "
      "--help\n"
      "// First the kernels, then the harness, which is the same in every such file, then main, "
      "verify and memory.\n"
      "// Arrays are volatile: each access of the program is one load or store, as the model "
      "counts "
      "them.\n\n",
      request_.program, request_.command);
  return text;
}

std::string Emitter::prelude() const { return prelude_of(helpers_); }

Result<Emitted> Emitter::run() {
  for (std::int32_t file = 0; file < request_.sources.count(); ++file)
    comments_.leave_out_head(file);
  name_everything();
  choose_fixed();
  find_members();
  const std::string host = host_part();
  const std::string shared = top_level_shared(), records = record_types(), table = tables();
  std::string functions;
  for (const std::string& function : file_functions_) functions += wrapped(function) + "\n";
  if (!functions.empty()) functions += "\n";
  const std::string named = constants();
  if (!errors_.empty()) return errors_;

  Emitted emitted;
  emitted.text = head() + prelude() + "namespace program {\n\n" + named + records + table +
                 functions + shared + device_ + "} // namespace program\n\n" + harness_part() +
                 "\n" + host;
  for (std::size_t i = 0; i < checked_.params.size(); ++i)
    (fixed_params_.count(SymbolId(i)) > 0 ? emitted.fixed : emitted.run_time)
        .push_back(checked_.params[i].name);
  return emitted;
}

namespace {

Status check_emittable(const MachineSpec& machine) {
  if (machine.width != 32)
    return error_in(
        "-m", fmt::format("the machine's warps have {} threads, CUDA's have 32", machine.width),
        {"take a machine of width 32, such as umm-w32, dmm-w32 or hmm-h200"});
  if (machine.threads > 1024)
    return error_in("-m",
                    fmt::format("the machine has {} threads a multiprocessor, a block of CUDA has "
                                "at most 1024",
                                machine.threads),
                    {"--set threads=1024, or fewer"});
  if (machine.model != Model::dmm && machine.model != Model::umm && machine.model != Model::hmm)
    return error_in("-m", fmt::format("a machine of model {} is no GPU", name_of(machine.model)),
                    {"take a DMM, a UMM or an HMM"});
  return Done{};
}

} // namespace

Result<Emitted> emit_cuda(const EmitRequest& request) {
  if (Status possible = check_emittable(request.machine); !possible) return possible.errors();
  const Result<ir::Program> lowered =
      lang::lower(request.checked, request.bindings, request.sources);
  if (!lowered) return lowered.errors();
  return Emitter(request, *lowered).run();
}

} // namespace memlane::cuda
