// The file as a whole: what is fixed, what comes in which order.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::gpu {

using namespace lang;

Emitter::Emitter(const EmitRequest& request, const ir::Program& lowered)
    : request_(request), checked_(request.checked), lowered_(lowered),
      values_(request.checked, request.bindings, lowered), comments_(request.sources),
      meetings_(request.checked), draw_sites_(request.checked, values_) {}

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
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    each_reached(function, [&](const TFunction& reached) {
      fix_sync(reached);
      each_statement(reached.body, [&](const TStatement& s) {
        if (s.kind != TStatementKind::declare_array) return;
        for (const TExpr& extent : symbol_of(s.symbol).extents) fix(extent);
      });
    });
  }
  know_fixed();
  fix_draws();
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

/// The places that draw have numbers that hang on conditions, which are written where they are of
/// parameters alone.
void Emitter::fix_draws() {
  for (;;) {
    const std::vector<const TExpr*> entangled = draw_sites_.number();
    if (entangled.empty()) return;
    const std::size_t before = fixed_params_.size();
    for (const TExpr* condition : entangled) fix(*condition);
    know_fixed();
    if (fixed_params_.size() == before)
      return unsupported(entangled.front()->span, "random numbers behind this condition",
                         {"draw them into variables before it"});
  }
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
  text += fmt::format(
      "//\n// {0}, by: {1}\n"
      "// nvcc -O3 -std=c++20 -arch=native -fmad=false -Xcompiler -fwrapv FILE, then ./a.out "
      "--help\n"
      "// First the kernels, then the harness, which is the same in every such file, then main, "
      "verify and memory.\n\n",
      request_.program, request_.command);
  return text;
}

std::string Emitter::prelude() const { return prelude_of(helpers_); }

/// Letters, fixed parameters and constants, in an order in which each is known where it is used.
std::string Emitter::constants() {
  std::string text;
  FunctionText nowhere;
  function_ = &nowhere;
  const auto add = [&](const std::string& type, const std::string& name, const std::string& value,
                       const std::string& comment) {
    Writer out(0);
    out.line(fmt::format("constexpr {} {} = {};", type, top_name(name), value), comment);
    text += out.text();
  };
  std::string fixed;
  std::swap(text, fixed);
  for (std::size_t i = 0; i < checked_.params.size(); ++i) {
    if (fixed_params_.count(SymbolId(i)) == 0) continue;
    const ParamSymbol& param = checked_.params[i];
    TExpr itself;
    itself.kind = TExprKind::param;
    itself.symbol = SymbolId(i);
    const auto value = values_.value(itself);
    if (value)
      add(scalar_name(param.type), param.name, literal(param.type, *value).text,
          comments_.behind(param.span));
  }
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    const ConstSymbol& constant = checked_.consts[i];
    if (fixed_consts_.count(SymbolId(i)) == 0 || !constant.extents.empty()) continue;
    // A claim's constant need not be a number of C++.
    if (!values_.value(constant.values[0])) continue;
    add(scalar_name(constant.type), constant.name, constant_text(constant.values[0]),
        comments_.behind(constant.span));
  }
  std::swap(text, fixed);
  static const std::map<std::string, const char*> meanings = {
      {"w", "// threads of a warp"},
      {"p", "// threads of a block, where a launch does not say"},
      {"d", "// multiprocessors of the machine this was emitted for"},
      {"k", "// multiprocessors of the machine this was emitted for"}};
  for (const std::string& letter : letters_) {
    const std::int64_t value = request_.bindings.letters.at(letter);
    const auto meaning = meanings.find(letter);
    const bool wide = value > INT32_MAX || letter == "M" || letter == "capacity";
    add(wide ? "long long" : "int", letter, std::to_string(value),
        meaning == meanings.end() ? "" : meaning->second);
  }
  function_ = nullptr;
  text += fixed;
  return text.empty() ? text : text + "\n";
}

std::string Emitter::record_types() {
  std::string text;
  std::set<std::string> aliases;
  for (const TypeDecl& type : checked_.program.types) {
    if (!type.alias) continue;
    for (const auto& [place, name] : type_names_)
      if (name == top_name(type.name.text)) aliases.insert(type.name.text);
    if (aliases.count(type.name.text) == 0) continue;
    text += fmt::format("using {} = {};\n", top_name(type.name.text), alias_of(type));
  }
  if (!text.empty()) text += "\n";
  for (const RecordType& record : checked_.records) {
    const std::string name = top_name(record.name);
    std::string fields, pointers, get, put, same, from, moved;
    for (const RecordField& field : record.fields) {
      const std::string own = top_name(field.name);
      fields += fmt::format("  {} {};\n", scalar_name(field.type), own);
      pointers += fmt::format("  {}* {};\n", word_name(field.type), own);
      const char* comma = get.empty() ? "" : ", ";
      get += fmt::format("{}{}[i]", comma, own);
      put += fmt::format("    {0}[i] = whole.{0};\n", own);
      moved += fmt::format("{}{} + first", comma, own);
      same += fmt::format("{0}{1} == other.{1}", same.empty() ? "" : " && ", own);
    }
    text += fmt::format(
        "struct {0} {{\n{1}  __host__ __device__ bool operator==(const {0}& other) const {{\n"
        "    return {2};\n  }}\n}};\n",
        name, fields, same);
    text += fmt::format("// An array of them: one array a field.\nstruct {0}_words {{\n{1}"
                        "  __device__ {0} operator[](int i) const {{ return {{{2}}}; }}\n"
                        "  __device__ void put(int i, const {0}& whole) const {{\n{3}  }}\n"
                        "  __host__ __device__ {0}_words operator+(long long first) const {{\n"
                        "    return {{{4}}};\n  }}\n}};\n\n",
                        name, pointers, get, put, moved);
  }
  return text;
}

std::string Emitter::alias_of(const TypeDecl& type) const {
  static const std::map<std::string, std::string> scalars = {{"long", "long long"}};
  std::string name = type.alias->text;
  if (const auto found = scalars.find(name); found != scalars.end()) return found->second;
  const bool basic = name == "int" || name == "float" || name == "double" || name == "bool";
  return basic ? name : top_name(name);
}

/// Tables of constants as functions: so they are at hand on both sides.
std::string Emitter::tables() {
  std::string text;
  for (const ConstSymbol& constant : checked_.consts) {
    if (constant.extents.empty()) continue;
    std::int64_t words = 1;
    for (const TExpr& extent : constant.extents) words *= values_.integer(extent).value_or(1);
    std::string values;
    for (std::int64_t i = 0; i < words; ++i) {
      const TExpr& e = constant.values[constant.list ? std::size_t(i) : 0];
      const auto value = values_.value(e);
      values += fmt::format("{}{}", i == 0 ? "" : ", ",
                            value ? literal(constant.type, *value).text : std::string("0"));
    }
    Writer out(0);
    out.line(fmt::format("__host__ __device__ inline {} {}(long long i) {{",
                         scalar_name(constant.type), top_name(constant.name)),
             comments_.behind(constant.span));
    out.line(fmt::format("  constexpr {} words[] = {{{}}};", scalar_name(constant.type), values));
    out.line("  return words[i];");
    out.line("}");
    text += out.text() + "\n";
  }
  return text;
}

/// Shared arrays of the program's top level, for all kernels that have room for static ones.
std::string Emitter::top_level_shared() {
  std::string text;
  FunctionText nowhere;
  function_ = &nowhere;
  for (std::size_t id = 0; id < checked_.arrays.size(); ++id) {
    const ArraySymbol& array = checked_.arrays[id];
    const bool wanted = static_shared_.count(SymbolId(id)) > 0;
    if (array.kind != ArrayKind::shared || !array.top_level || !wanted) continue;
    std::string size = words_of(SymbolId(id));
    if (contains_call(size)) size = std::to_string(words_now(SymbolId(id)));
    Writer out(0);
    const auto declare = [&](const std::string& type, const std::string& name) {
      out.line(fmt::format("__shared__ {} {}[{}];", type, name, size),
               comments_.behind(array.span));
    };
    if (!array.element.is_record()) {
      declare(declared_type(array.span, array.element), top_name(array.name));
    } else {
      for (const RecordField& field : checked_.records[std::size_t(array.element.record)].fields)
        declare(word_name(field.type), shared_field(array, field));
    }
    text += out.text();
  }
  function_ = nullptr;
  return text.empty() ? text : text + "\n";
}

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

} // namespace memlane::gpu
