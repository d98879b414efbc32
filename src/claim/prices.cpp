#include "memlane/claim/prices.hpp"

#include "memlane/lang/exact/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace memlane {

using exact::Number;

namespace {

Number number(std::int64_t value) { return Number(value); }
Number number(const Fraction& value) {
  return Number(exact::Integer(value.numerator), exact::Integer(value.denominator));
}

/// A value, or why there is none.
struct Evaluated {
  std::optional<Number> value;
  std::string reason = {};
};

/// Sum over launches of t + lambda q + sigma.
Evaluated pem(const std::vector<Fraction>& given, const MachineSpec& machine,
              const Counts& counts) {
  if (!counts.agpu.time || !counts.agpu.io) return {{}, std::string(without_agpu_counts(machine))};
  return {number(*counts.agpu.time) + number(given[0]) * number(*counts.agpu.io) +
          number(counts.launches) * number(given[1])};
}

/// Sum over launches of w + g h + l.
Evaluated bsp(const std::vector<Fraction>& given, const MachineSpec&, const Counts& counts) {
  if (!counts.bsp) return {{}, "a trace does not say what its warps execute"};
  return {number(counts.bsp->operators) + number(given[0]) * number(counts.bsp->words) +
          number(counts.launches) * number(given[1])};
}

Evaluated io(const std::vector<Fraction>&, const MachineSpec& machine, const Counts& counts) {
  if (!counts.agpu.io) return {{}, std::string(without_agpu_counts(machine))};
  if (!machine.is_volatile)
    return {{},
            "blocks find what others have left in shared memory: the theorem is about a "
            "volatile machine"};
  return {number(*counts.agpu.io)};
}

/// span + (work - span)/p.
Evaluated graham_brent(const std::vector<Fraction>& given, const MachineSpec&,
                       const Counts& counts) {
  if (!counts.pram) return {{}, "a trace does not say what its warps execute"};
  const Number span = number(counts.pram->steps), work = number(counts.pram->work);
  return {span + (work - span) / number(given[0])};
}

using Evaluate = Evaluated (*)(const std::vector<Fraction>&, const MachineSpec&, const Counts&);
/// By price_models().
constexpr std::array<Evaluate, 4> evaluations = {pem, bsp, io, graham_brent};

std::size_t index_of(const PriceModel* model) {
  return static_cast<std::size_t>(model - price_models().data());
}

} // namespace

std::string_view without_agpu_counts(const MachineSpec& machine) {
  return machine.model == Model::mmm
             ? "an MMM has no width w, and the AGPU's counts need blocks of w threads"
             : "the AGPU's counts are defined for blocks of w threads alone "
               "(configs/README.md section 6)";
}

std::string Fraction::text() const {
  return denominator == 1 ? std::to_string(numerator)
                          : fmt::format("{}/{}", numerator, denominator);
}

std::string PriceModel::example() const {
  std::string text(name);
  char separator = ':';
  for (const PriceParameter& parameter : parameters) {
    const char* value = parameter.name == "sigma" || parameter.name == "g" ? "10"
                        : parameter.is_count                               ? "14"
                                                                           : "400";
    text += fmt::format("{}{}={}", separator, parameter.name, value);
    separator = ',';
  }
  return "--price " + text;
}

const std::vector<PriceModel>& price_models() {
  static const std::vector<PriceModel> models = {
      {"pem",
       "PEM",
       "sum over launches of t + lambda*q + sigma",
       {{"lambda", false, "time units of an I/O"}, {"sigma", false, "time units of a launch"}}},
      {"bsp",
       "BSP",
       "sum over launches of w + g*h + l",
       {{"g", false, "time units of a word"},
        {"l", false, "time units of a superstep's end: a launch"},
        {"p", true, "multiprocessors; block g is on multiprocessor g mod p"}}},
      {"io", "I/O model", "AGPU I/O on a volatile machine", {}},
      {"graham_brent",
       "Graham-Brent",
       "T_p <= span + (work - span)/p, of PRAM steps and work",
       {{"p", true, "processors"}}},
  };
  return models;
}

const PriceModel* price_model_named(std::string_view name) {
  std::string written(name);
  std::replace(written.begin(), written.end(), '-', '_');
  for (const PriceModel& model : price_models())
    if (model.name == written) return &model;
  return nullptr;
}

namespace {

std::string parameters_text(const PriceRequest& price, std::string_view between) {
  std::string text;
  for (std::size_t k = 0; k < price.values.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : between, price.model->parameters[k].name,
                        price.values[k].text());
  return text;
}

} // namespace

std::string PriceRequest::values_text() const { return parameters_text(*this, ", "); }

std::string PriceRequest::option_text() const {
  return fmt::format("{}{}{}", model->name, values.empty() ? "" : ":", parameters_text(*this, ","));
}

void ask_for_counts(const std::vector<PriceRequest>& prices, RunOptions& options) {
  for (const PriceRequest& price : prices) {
    if (price.model->name == "graham_brent") options.pram = true;
    if (price.model->name == "bsp") options.bsp_multiprocessors = price.values[2].numerator;
  }
}

Price price_of(const PriceRequest& request, const MachineSpec& machine, const Counts& counts) {
  Evaluated result = evaluations[index_of(request.model)](request.values, machine, counts);
  Price price{request, {}, std::move(result.reason)};
  if (result.value) price.value = {result.value->text(), result.value->to_double()};
  return price;
}

} // namespace memlane
