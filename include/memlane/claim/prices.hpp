// Prices of a run on models of parallel computation: formulas over its counts and over parameters
// that the caller gives (configs/README.md section 9).
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// A number as it is given: `400`, `5/2`; in lowest terms.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  std::string text() const;
  bool operator==(const Fraction&) const = default;
};
/// `400`, `2.5`, `5/2`: at most 18 digits, not negative. None for other texts.
std::optional<Fraction> fraction_of(std::string_view text);

struct PriceParameter {
  std::string_view name;
  bool is_count = false; ///< a whole number of at least 1; else a fraction of at least 0
  std::string_view meaning;
  std::string_view example;
};

struct Price;

/// A model that prices a run.
struct PriceModel {
  std::string_view name; ///< in options and results: `graham_brent`
  std::string_view title;
  std::string_view formula;
  std::vector<PriceParameter> parameters; ///< all required
  /// Sets the value, or the reason why there is none.
  void (*evaluate)(const MachineSpec& machine, const Counts& counts, Price& price);
  /// Asks a run for counts that the price needs; null: every run has them.
  void (*ask_for_counts)(const std::vector<Fraction>& values, RunOptions& options) = nullptr;

  /// An option that asks for it: `--price bsp:g=4,l=100,p=14`.
  std::string example() const;
};
/// pem, bsp, io, graham_brent.
const std::vector<PriceModel>& price_models();
/// The name also with `-` in place of `_`; null if there is none.
const PriceModel* price_model_named(std::string_view name);

/// Why a run on the machine may have no AGPU counts.
std::string_view without_agpu_counts(const MachineSpec& machine);

/// A model with values for its parameters.
struct PriceRequest {
  const PriceModel* model = nullptr;
  std::vector<Fraction> values; ///< by parameter
  /// `lambda=400, sigma=10`.
  std::string values_text() const;
  /// As an option says it: `pem:lambda=400,sigma=10`.
  std::string option_text() const;
};

/// A run's price.
struct Price {
  PriceRequest request;
  ClaimValue value;   ///< an empty text where there is none
  std::string reason; ///< then, why
};

/// Texts of --price: `pem:lambda=400,sigma=10`, `io`. Errors: everything wrong with them.
Result<std::vector<PriceRequest>> read_prices(const std::vector<std::string>& texts);
/// A JSON file: an object with a member for each model, an object of its parameters. Errors:
/// everything wrong with it.
Result<std::vector<PriceRequest>> read_price_file(const Sources& sources, std::int32_t file);
/// The same object inside another file. A member `$schema` is not read.
Result<std::vector<PriceRequest>> read_price_object(const JsonValue& object);
/// The JSON Schema of such an object.
nlohmann::ordered_json price_object_schema();
/// The JSON Schema of a file of prices.
nlohmann::ordered_json price_file_schema();
/// Both together. Error: a model that both have.
Result<std::vector<PriceRequest>> join_prices(std::vector<PriceRequest> first,
                                              const std::vector<PriceRequest>& then);

/// Asks a run for the counts that the prices need.
void ask_for_counts(const std::vector<PriceRequest>& prices, RunOptions& options);
/// The price of a run's counts, exactly. They must have what ask_for_counts asks for.
Price price_of(const PriceRequest& request, const MachineSpec& machine, const Counts& counts);

} // namespace memlane
