// Claims that no run could give a meaning, found without one.
#include "counts.hpp"
#include "names.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace memlane {
namespace {

using claims::NameKind;
using lang::Expr;
using lang::ExprKind;

/// `unknown`: of a fn's parameter, or already reported.
enum class Kind { number, condition, unknown };

class Checker {
public:
  explicit Checker(const lang::Program& program) : program_(program) {}

  void check(const lang::ClaimDecl& claim) {
    claim_ = &claim;
    expect(claim.left, Kind::number);
    expect(claim.right, Kind::number);
    if (claim.when) expect(*claim.when, Kind::condition);
    const std::vector<std::string> machines = {"dmm", "umm", "hmm", "agpu", "mmm"};
    for (const lang::Name& machine : claim.machines)
      if (std::find(machines.begin(), machines.end(), machine.text) == machines.end())
        report(machine.span, fmt::format("unknown kind of machine '{}'", machine.text),
               suggest_model(machine.text));
  }

  Diagnostics take() { return std::move(errors_); }

private:
  Kind kind_of(const Expr& expr) {
    switch (expr.kind) {
    case ExprKind::integer:
    case ExprKind::real: return Kind::number;
    case ExprKind::boolean: return Kind::condition;
    case ExprKind::name: return name(expr);
    case ExprKind::call: return call(expr);
    case ExprKind::initial: return report(expr.span, "a claim cannot read arrays");
    case ExprKind::element: return element(expr);
    case ExprKind::field: return field(expr);
    case ExprKind::negate:
    case ExprKind::complement:
    case ExprKind::binary:
      for (const Expr& operand : expr.operands) expect(operand, Kind::number);
      return Kind::number;
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
      for (const Expr& operand : expr.operands) expect(operand, Kind::condition);
      return Kind::condition;
    case ExprKind::comparison: return comparison(expr);
    case ExprKind::conditional: {
      expect(expr.operands[0], Kind::condition);
      const Kind then = kind_of(expr.operands[1]);
      const Kind otherwise = kind_of(expr.operands[2]);
      if (then == Kind::unknown) return otherwise;
      if (otherwise != Kind::unknown && then != otherwise)
        return report(expr.span, "one arm is a number, the other a condition");
      return then;
    }
    }
    return Kind::unknown;
  }

  void expect(const Expr& expr, Kind wanted) {
    const Kind kind = kind_of(expr);
    if (kind == Kind::unknown || kind == wanted) return;
    report(expr.span, wanted == Kind::number ? "a condition where a number belongs"
                                             : "a number where a condition belongs");
  }

  Kind name(const Expr& expr) {
    if (is_parameter(expr.name)) return Kind::unknown;
    switch (claims::classify(program_, expr.name)) {
    case NameKind::param: return declared(claims::find_param(program_, expr.name)->type.text);
    case NameKind::constant: return constant(*claims::find_const(program_, expr.name));
    case NameKind::fn: return fn(expr, 0);
    case NameKind::letter:
    case NameKind::count:
    case NameKind::later_count: return Kind::number;
    case NameKind::setting: return Kind::condition;
    case NameKind::table:
      return report(expr.span, fmt::format("'{}' is a table: name an element", expr.name));
    case NameKind::kernel:
      return report(expr.span, fmt::format("'{}' is a kernel, not a number", expr.name),
                    {fmt::format("its launches' counts are {0}.time, {0}.requests, …", expr.name)});
    case NameKind::array: return report(expr.span, "a claim cannot read arrays");
    case NameKind::unknown: break;
    }
    return report(expr.span, fmt::format("unknown name '{}' in a claim", expr.name),
                  did_you_mean(expr.name, claims::value_names(program_)));
  }

  Kind declared(const std::string& type) const {
    return claims::resolve_type(program_, type) == "bool" ? Kind::condition : Kind::number;
  }

  Kind constant(const lang::ConstDecl& declaration) const {
    if (declaration.type) return declared(declaration.type->text);
    const Expr* value = &declaration.value.values[0];
    while (value->kind == ExprKind::conditional) value = &value->operands[1];
    switch (value->kind) {
    case ExprKind::boolean:
    case ExprKind::comparison:
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or: return Kind::condition;
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::binary:
    case ExprKind::negate:
    case ExprKind::complement: return Kind::number;
    default: return Kind::unknown;
    }
  }

  Kind element(const Expr& expr) {
    for (std::size_t k = 1; k < expr.operands.size(); ++k) expect(expr.operands[k], Kind::number);
    const std::string& table = expr.operands[0].name;
    if (expr.operands[0].kind != ExprKind::name || !claims::find_const(program_, table))
      return report(expr.span, "a claim cannot read arrays");
    const lang::ConstDecl& declaration = *claims::find_const(program_, table);
    return declaration.type ? declared(declaration.type->text) : Kind::unknown;
  }

  Kind field(const Expr& expr) {
    const Expr& owner = expr.operands[0];
    if (owner.kind != ExprKind::name || is_parameter(owner.name))
      return report(expr.span, "a claim has no records");
    if (claims::find_kernel(program_, owner.name)) {
      if (claims::is_kernel_count(expr.name) || claims::is_later_count(expr.name))
        return Kind::number;
      return report(expr.span, fmt::format("kernel '{}' has no count '{}'", owner.name, expr.name),
                    did_you_mean(expr.name, claims::kernel_count_names()));
    }
    if (claims::find_fn(program_, owner.name)) {
      if (expr.name == "calls" || expr.name == "steps") return Kind::number;
      return report(expr.span, fmt::format("fn '{}' has no count '{}'", owner.name, expr.name),
                    {fmt::format("a fn has {0}.calls and {0}.steps", owner.name)});
    }
    for (const auto& kernel : program_.kernels)
      if (kernel.name.text == owner.name)
        return report(owner.span, fmt::format("'{}' is a proc: only kernels, which are launched, "
                                              "have counts",
                                              owner.name));
    if (claims::array_names(program_).count(owner.name) == 0)
      return report(owner.span, fmt::format("no kernel, fn or array '{}'", owner.name),
                    did_you_mean(owner.name, owners()));
    if (expr.name == "padding") return Kind::number;
    if (expr.name != "layout")
      return report(expr.span, fmt::format("array '{}' has a layout and a padding, no '{}'",
                                           owner.name, expr.name));
    return report(expr.span, "a layout is only compared with a layout's name",
                  {fmt::format("{}.layout == rows", owner.name)});
  }

  std::vector<std::string> owners() const {
    std::vector<std::string> names;
    for (const auto& kernel : program_.kernels)
      if (!kernel.proc) names.push_back(kernel.name.text);
    for (const auto& fn : program_.fns) names.push_back(fn.name.text);
    for (const std::string& array : claims::array_names(program_)) names.push_back(array);
    return names;
  }

  Kind comparison(const Expr& expr) {
    if (layout_comparison(expr)) return Kind::condition;
    Kind first = Kind::unknown;
    for (const Expr& operand : expr.operands) {
      const Kind kind = kind_of(operand);
      if (first == Kind::unknown) first = kind;
      if (kind != Kind::unknown && kind != first)
        report(operand.span, "a number compared with a condition");
    }
    return Kind::condition;
  }

  /// Whether this is `a.layout == rows`, checked if so.
  bool layout_comparison(const Expr& expr) {
    if (expr.operands.size() != 2) return false;
    const auto is_layout = [&](const Expr& side) {
      return side.kind == ExprKind::field && side.name == "layout" &&
             side.operands[0].kind == ExprKind::name &&
             claims::array_names(program_).count(side.operands[0].name) > 0;
    };
    const bool first = is_layout(expr.operands[0]);
    if (first == is_layout(expr.operands[1])) return false;
    const Expr& wanted = expr.operands[first ? 1 : 0];
    if (wanted.kind != ExprKind::name) return false;
    const auto op = expr.comparisons[0];
    if (op != lang::CompareOp::eq && op != lang::CompareOp::ne)
      report(expr.span, "layouts are compared with == and !=");
    std::vector<std::string> layouts = {"rows", "padded", "diagonal", "random_shift",
                                        "random_permute"};
    for (const auto& fn : program_.fns) layouts.push_back(fn.name.text);
    if (std::find(layouts.begin(), layouts.end(), wanted.name) == layouts.end())
      report(wanted.span, fmt::format("unknown layout '{}'", wanted.name),
             did_you_mean(wanted.name, layouts));
    return true;
  }

  Kind call(const Expr& expr) {
    if (claims::find_fn(program_, expr.name)) {
      for (const Expr& operand : expr.operands) kind_of(operand);
      return fn(expr, expr.operands.size());
    }
    for (const Expr& operand : expr.operands) expect(operand, Kind::number);
    const claims::FunctionEntry* entry = claims::find_function(program_, expr.name);
    if (!entry) {
      std::vector<std::string> known = claims::function_names();
      for (const auto& fn : program_.fns) known.push_back(fn.name.text);
      return report(expr.span, fmt::format("no function '{}' in claims", expr.name),
                    suggest(expr.name, known));
    }
    count_arguments(expr, expr.operands.size(), entry->least, entry->most);
    return entry->function == claims::Function::is_pow2 ? Kind::condition : Kind::number;
  }

  void count_arguments(const Expr& expr, std::size_t given, std::size_t least, std::size_t most) {
    if (given >= least && given <= most) return;
    const std::size_t wanted = given < least ? least : most;
    report(expr.span, fmt::format("'{}' takes {}{} argument{}, not {}", expr.name,
                                  most == claims::any_number ? "at least " : "", wanted,
                                  wanted == 1 ? "" : "s", given));
  }

  /// A fn's body is checked once; its errors name the claim that needs it.
  Kind fn(const Expr& expr, std::size_t given) {
    const lang::FnDecl& declaration = *claims::find_fn(program_, expr.name);
    const std::size_t wanted = declaration.parameters.size();
    count_arguments(expr, given, wanted, wanted);
    if (open_.count(expr.name) > 0)
      return report(expr.span, fmt::format("fn '{}' needs itself", expr.name));
    const auto [it, is_new] = fns_.emplace(expr.name, Kind::unknown);
    if (!is_new) return it->second;
    const lang::FnDecl* outer = fn_;
    fn_ = &declaration;
    open_.insert(expr.name);
    const Kind kind = declaration.has_block ? block(declaration) : kind_of(declaration.body);
    open_.erase(expr.name);
    fn_ = outer;
    return fns_[expr.name] = kind;
  }

  bool is_parameter(const std::string& name) const {
    if (!fn_) return false;
    return lang::declares(fn_->block, name) ||
           std::any_of(fn_->parameters.begin(), fn_->parameters.end(),
                       [&](const lang::Name& parameter) { return parameter.text == name; });
  }

  /// The kind of what a fn's block returns: of the first return that says it.
  Kind block(const lang::FnDecl& fn) {
    Kind kind = Kind::unknown;
    statements(fn.block, kind);
    return kind;
  }

  void statements(const std::vector<lang::Statement>& body, Kind& returned) {
    using lang::StatementKind;
    for (const lang::Statement& s : body) {
      if (s.kind == StatementKind::arrays)
        report(s.span, "a claim evaluates numbers: it cannot use a fn with an array");
      const bool asks = s.kind == StatementKind::if_ || s.kind == StatementKind::while_;
      for (const Expr& e : s.expressions) {
        if (asks) {
          expect(e, Kind::condition);
        } else if (s.kind == StatementKind::for_) {
          expect(e, Kind::number);
        } else {
          const Kind kind = kind_of(e);
          if (s.kind == StatementKind::return_ && returned == Kind::unknown) returned = kind;
        }
      }
      statements(s.body, returned);
      statements(s.alternative, returned);
    }
  }

  /// Of the kinds of machines, those that this version has.
  static std::vector<std::string> suggest_model(const std::string& name) {
    return suggest(name, {"dmm", "umm", "hmm"});
  }

  static std::vector<std::string> suggest(const std::string& name,
                                          const std::vector<std::string>& known) {
    std::vector<std::string> help = did_you_mean(name, known);
    if (!help.empty()) return help;
    std::string all = "known:";
    for (const std::string& word : known) all += ' ' + word;
    return {all};
  }

  Kind report(Span span, std::string message, std::vector<std::string> help = {}) {
    Diagnostic error = error_at(span, std::move(message), std::move(help));
    if (fn_)
      error.notes.push_back({Severity::note, claim_->span, {}, "needed by this claim", {}, {}});
    errors_.push_back(std::move(error));
    return Kind::unknown;
  }

  const lang::Program& program_;
  const lang::ClaimDecl* claim_ = nullptr;
  const lang::FnDecl* fn_ = nullptr; ///< whose body is being checked
  std::map<std::string, Kind> fns_;
  std::set<std::string> open_; ///< fns whose bodies are being checked
  Diagnostics errors_;
};

} // namespace

Status check_claims(const lang::Program& program) {
  Checker checker(program);
  for (const lang::ClaimDecl& claim : program.claims) checker.check(claim);
  Diagnostics errors = checker.take();
  if (errors.empty()) return Done{};
  return errors;
}

} // namespace memlane
