// The axes of `verify` where nothing else is asked for.
#include "memlane/claim/grid.hpp"
#include "memlane/lang/evaluate.hpp"

#include <algorithm>
#include <optional>

namespace memlane {
namespace {

/// A parameter with a default of at least this is a size; others are counts, degrees, radii.
constexpr std::int64_t least_size = 16;
constexpr std::int64_t largest_size = 4096;
/// Maximum number of combinations of the program's own parameters.
constexpr std::size_t most_parameter_combinations = 400;

struct Parameter {
  std::string name;
  GridValues candidates;
  GridValues unusual;
  bool size = false;
};

/// No name has a value.
class NoNames : public lang::Environment {
public:
  explicit NoNames(const Limits& limits) : limits_(limits) {}
  lang::Evaluation param(lang::SymbolId) override { return none(); }
  lang::Evaluation letter(const lang::TExpr&) override { return none(); }
  bool knows_constant(lang::SymbolId) const override { return false; }
  const Limits& limits() const override { return limits_; }

private:
  const Limits& limits_;
  static lang::NoValue none() { return {error_in("", "a default that depends on others")}; }
};

/// The default, if it names no letters and no other parameters.
std::optional<std::int64_t> default_of(const lang::Checked& checked, const lang::ParamSymbol& param,
                                       const Limits& limits) {
  NoNames names(limits);
  lang::Evaluator evaluator(checked, names, {});
  const auto value = evaluator.value(param.value);
  if (!value || ir::is_real(param.type)) return std::nullopt;
  return value->word().integer();
}

/// One parameter has a value, nothing else has.
class OneParameter : public NoNames {
public:
  OneParameter(lang::SymbolId id, std::int64_t value, const Limits& limits)
      : NoNames(limits), id_(id), value_(value) {}
  lang::Evaluation param(lang::SymbolId id) override {
    if (id != id_) return NoNames::param(id);
    return lang::Evaluated{ir::Value::of(value_)};
  }

private:
  lang::SymbolId id_;
  std::int64_t value_;
};

/// Drops the values that break the parameter's condition whatever the others are.
GridValues allowed(const GridValues& values, const lang::Checked& checked,
                   const lang::ParamSymbol& param, const Limits& limits) {
  if (!param.where) return values;
  const auto id = static_cast<lang::SymbolId>(&param - checked.params.data());
  GridValues kept;
  for (const std::int64_t value : values) {
    OneParameter names(id, value, limits);
    lang::Evaluator evaluator(checked, names, {});
    const auto holds = evaluator.value(*param.where);
    if (!holds || holds->word().truth()) kept.push_back(value);
  }
  return kept;
}

/// Each value once, the most important first: the last ones are dropped if there are too many.
GridValues candidates_of(std::int64_t standard, bool size) {
  // Odd ones, where banks differ from those of powers of two, and such beside a multiple of w.
  GridValues values = size ? GridValues{16, 4096, 256, 64, 9, 1024, 32, 8, 65, 128, 24, 999}
                           : GridValues{1, 2, 4, 3, 0, 8};
  const bool known = std::find(values.begin(), values.end(), standard) != values.end();
  if (!known && standard <= largest_size) values.insert(values.begin() + 1, standard);
  return values;
}

/// Whether a used program declares the parameter, not the file with verify.
bool used(const lang::Program& program, const lang::ParamSymbol& param) {
  return std::any_of(program.hosts.begin(), program.hosts.end(), [&](const lang::HostDecl& host) {
    return host.verify && host.span.file != param.span.file;
  });
}

std::vector<Parameter> parameters_of(const lang::Checked& checked, const Limits& limits) {
  std::vector<Parameter> parameters;
  for (const lang::ParamSymbol& param : checked.params) {
    const bool is_bool = param.type == ir::Scalar::boolean;
    // This program chose a mode of the used program for its operators; the other one may be wrong.
    if (is_bool && used(checked.program, param)) continue;
    const auto standard = default_of(checked, param, limits);
    if (!standard) continue;
    const bool size = !is_bool && *standard >= least_size;
    const GridValues candidates = is_bool ? GridValues{0, 1} : candidates_of(*standard, size);
    GridValues kept = allowed(candidates, checked, param, limits);
    const bool none = kept.empty(); // of a modulus, no size may be prime
    if (none) kept = {*standard};
    const GridValues unusual =
        size && !none ? allowed({1, 2, 3, 4, 5, 7}, checked, param, limits) : GridValues{};
    parameters.push_back({param.name, std::move(kept), unusual, size});
  }
  const auto combinations = [&] {
    double product = 1;
    for (const Parameter& parameter : parameters)
      product *= static_cast<double>(parameter.candidates.size());
    return product;
  };
  while (combinations() > static_cast<double>(most_parameter_combinations)) {
    // Of equally long ones not a size: a bound is judged along sizes.
    const auto longest = std::max_element(
        parameters.begin(), parameters.end(), [](const Parameter& a, const Parameter& b) {
          return std::pair(a.candidates.size(), !a.size) < std::pair(b.candidates.size(), !b.size);
        });
    if (longest->candidates.size() < 2) break;
    longest->candidates.pop_back();
  }
  return parameters;
}

} // namespace

std::vector<GridAxis> default_axes(const lang::Checked& checked, const Limits& limits) {
  std::vector<GridAxis> axes{fixed_axis("w", {4, 8, 16, 32})};
  axes.back().unusual = {1, 6};
  std::vector<std::size_t> sizes; ///< places of the sizes among the axes
  for (const Parameter& parameter : parameters_of(checked, limits)) {
    if (parameter.size) sizes.push_back(axes.size());
    axes.push_back(fixed_axis(parameter.name, parameter.candidates));
    axes.back().size = parameter.size;
    axes.back().unusual = parameter.unusual;
  }
  axes.push_back(fixed_axis("l", {1, 2, 5, 20, 100, 10'000, 1'000'000, 100'000'000}));
  axes.push_back({"p", [sizes](const GridValues& before) {
                    const std::int64_t w = before[0];
                    std::int64_t n = 0;
                    for (const std::size_t place : sizes) n = std::max(n, before[place]);
                    GridValues candidates{w, 2 * w, 4 * w, 8 * w};
                    for (const std::int64_t p : {n / 2, n, 4 * n})
                      if (p > 0) candidates.push_back((p + w - 1) / w * w);
                    return candidates;
                  }});
  return axes;
}

} // namespace memlane
