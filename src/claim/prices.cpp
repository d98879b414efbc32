#include "memlane/claim/prices.hpp"

#include "memlane/lang/exact/number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using exact::Number;

namespace {

Number number(std::int64_t value) { return Number(value); }
Number number(const Fraction& value) {
  return Number(exact::Integer(value.numerator), exact::Integer(value.denominator));
}

void set(Price& price, const Number& value) { price.value = {value.text(), value.to_double()}; }

using Values = std::vector<Fraction>;

/// Sum over launches of t + lambda q + sigma.
void pem(const MachineSpec& machine, const Counts& counts, Price& price) {
  const Values& given = price.request.values;
  if (!counts.agpu.time || !counts.agpu.io)
    price.reason = without_agpu_counts(machine);
  else
    set(price, number(*counts.agpu.time) + number(given[0]) * number(*counts.agpu.io) +
                   number(counts.launches) * number(given[1]));
}

constexpr std::string_view not_executed = "a trace does not say what its warps execute";

/// Sum over launches of w + g h + l.
void bsp(const MachineSpec&, const Counts& counts, Price& price) {
  const Values& given = price.request.values;
  if (!counts.bsp)
    price.reason = not_executed;
  else
    set(price, number(counts.bsp->operators) + number(given[0]) * number(counts.bsp->words) +
                   number(counts.launches) * number(given[1]));
}

void io(const MachineSpec& machine, const Counts& counts, Price& price) {
  if (!counts.agpu.io)
    price.reason = without_agpu_counts(machine);
  else if (!machine.is_volatile)
    price.reason = "blocks find what others have left in shared memory: the theorem is about a "
                   "volatile machine";
  else
    set(price, number(*counts.agpu.io));
}

/// span + (work - span)/p.
void graham_brent(const MachineSpec&, const Counts& counts, Price& price) {
  if (!counts.pram) {
    price.reason = not_executed;
    return;
  }
  const Number span = number(counts.pram->steps), work = number(counts.pram->work);
  set(price, span + (work - span) / number(price.request.values[0]));
}

} // namespace

std::string_view without_agpu_counts(const MachineSpec& machine) {
  return !has_requests(machine.model)
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
    text += fmt::format("{}{}={}", separator, parameter.name, parameter.example);
    separator = ',';
  }
  return "--price " + text;
}

const std::vector<PriceModel>& price_models() {
  static const std::vector<PriceModel> models = {
      {"pem",
       "PEM",
       "sum over launches of t + lambda*q + sigma",
       {{"lambda", false, "time units of an I/O", "400"},
        {"sigma", false, "time units of a launch", "10"}},
       pem},
      {"bsp",
       "BSP",
       "sum over launches of w + g*h + l",
       {{"g", false, "time units of a word", "10"},
        {"l", false, "time units of a superstep's end: a launch", "400"},
        {"p", true, "multiprocessors; block g is on multiprocessor g mod p", "14"}},
       bsp,
       [](const Values& values, RunOptions& options) {
         options.bsp_multiprocessors = values[2].numerator;
       }},
      {"io", "I/O model", "AGPU I/O on a volatile machine", {}, io},
      {"graham_brent",
       "Graham-Brent",
       "T_p <= span + (work - span)/p, of PRAM steps and work",
       {{"p", true, "processors", "14"}},
       graham_brent,
       [](const Values&, RunOptions& options) { options.pram = true; }},
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
  for (const PriceRequest& price : prices)
    if (price.model->ask_for_counts) price.model->ask_for_counts(price.values, options);
}

Price price_of(const PriceRequest& request, const MachineSpec& machine, const Counts& counts) {
  Price price{request, {}, {}};
  request.model->evaluate(machine, counts, price);
  return price;
}

} // namespace memlane
