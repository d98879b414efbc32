// Curves of what programs claim about the counts of a plot.
#include "plot_table.hpp"

#include "memlane/chart/scale.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane {
namespace {

using Names = std::vector<std::string>;

/// `time`, `O(n/w + l)` of `time = O(n/w + l) when p >= n on dmm, umm`.
std::pair<std::string, std::string> parts_of_claim(const std::string& text,
                                                   const std::string& kind) {
  const bool is_order = kind == "O" || kind == "Omega" || kind == "Theta";
  const std::string sign = is_order ? " = " : " " + kind + " ";
  const std::size_t at = text.find(sign);
  if (at == text.npos) return {};
  const std::size_t begin = at + sign.size();
  std::size_t end = text.size();
  for (const char* const word : {" when ", " on "}) end = std::min(end, text.find(word, begin));
  return {text.substr(0, at), text.substr(begin, end - begin)};
}

/// A claim of a series of rows that differ in x.
struct ClaimCurve {
  const RowClaim* claim = nullptr;
  Names values;                   ///< of the columns that tell series apart
  std::map<double, double> right; ///< the claim's value by x
  /// Of y to the claim's value.
  double least = INFINITY, greatest = 0;
};

class ClaimCurves {
public:
  ClaimCurves(const PlotTable& table, const PlotColumns& columns, const PlotScales& scales)
      : table_(table), columns_(columns), scales_(scales), apart_(columns.by) {
    for (const char* const name : {"program", "machine"})
      if (table.has(name) && std::find(apart_.begin(), apart_.end(), name) == apart_.end())
        apart_.emplace_back(name);
  }
  void hold(const PlotRow& row);
  std::vector<ChartSeries> series() const;

private:
  std::string name(const ClaimCurve& curve, double factor) const;
  Names differing() const;

  const PlotTable& table_;
  const PlotColumns& columns_;
  const PlotScales& scales_;
  Names apart_; ///< columns that tell curves of one claim apart
  std::map<Names, ClaimCurve> curves_;
};

void ClaimCurves::hold(const PlotRow& row) {
  const auto x = sweep::number_in(table_.cell(row, columns_.x));
  if (!x || !has_place(scales_.x, *x)) return;
  for (const RowClaim& claim : row.claims) {
    const auto y = sweep::number_in(table_.cell(row, claim.count));
    const bool is_drawn =
        std::find(columns_.y.begin(), columns_.y.end(), claim.count) != columns_.y.end();
    if (!is_drawn || !y || !(claim.value > 0)) continue;
    Names values;
    for (const std::string& column : apart_) values.push_back(table_.text(row, column));
    Names key = values;
    key.insert(key.end(), {claim.count, claim.kind, claim.bound});
    ClaimCurve& curve = curves_[key];
    if (!curve.claim) curve.claim = &claim;
    curve.values = std::move(values);
    double& right = curve.right.emplace(*x, claim.value).first->second;
    right = std::max(right, claim.value);
    curve.least = std::min(curve.least, *y / claim.value);
    curve.greatest = std::max(curve.greatest, *y / claim.value);
  }
}

/// Columns in which curves differ.
Names ClaimCurves::differing() const {
  Names differ;
  for (std::size_t i = 0; i < apart_.size(); ++i)
    if (std::any_of(curves_.begin(), curves_.end(), [&](const auto& curve) {
          return curve.second.values[i] != curves_.begin()->second.values[i];
        }))
      differ.push_back(apart_[i]);
  return differ;
}

/// `sum: 1.37 O(n/w + l)`.
std::string ClaimCurves::name(const ClaimCurve& curve, double factor) const {
  std::string text;
  const Names differ = differing();
  for (std::size_t i = 0; i < apart_.size(); ++i) {
    if (std::find(differ.begin(), differ.end(), apart_[i]) == differ.end()) continue;
    const bool is_bare = apart_[i] == "program" || apart_[i] == "machine";
    text += (text.empty() ? "" : ", ") + (is_bare ? "" : apart_[i] + "=") + curve.values[i];
  }
  if (columns_.y.size() > 1) text += (text.empty() ? "" : ": ") + curve.claim->count;
  text += text.empty() ? "" : ": ";
  return text + (factor == 1 ? "" : fmt::format("{:.3g} ", factor)) + curve.claim->bound;
}

std::vector<ChartSeries> ClaimCurves::series() const {
  std::vector<ChartSeries> all;
  for (const auto& [key, curve] : curves_) {
    if (curve.right.size() < 2) continue;
    const double factor = curve.claim->kind == "O" || curve.claim->kind == "Theta" ? curve.greatest
                          : curve.claim->kind == "Omega"                           ? curve.least
                                                                                   : 1;
    std::vector<ChartPoint> points;
    for (const auto& [x, right] : curve.right) points.push_back({x, factor * right, "", ""});
    all.push_back({name(curve, factor), SeriesBasis::formula, Mark::curve, std::move(points)});
  }
  return all;
}

} // namespace

/// Stores may hold what memlane does not write: any JSON.
static std::string text_in(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<RowClaim> claims_in(const std::string& json) {
  std::vector<RowClaim> claims;
  const auto result = nlohmann::json::parse(json, nullptr, false);
  const auto all = result.find("claims");
  if (all == result.end()) return claims;
  for (const auto& claim : *all) {
    const auto right = claim.find("right");
    if (right == claim.end() || text_in(claim, "verdict") == "not applicable") continue;
    const auto value = right->find("value");
    if (value == right->end() || !value->is_number()) continue;
    const std::string kind = text_in(claim, "kind");
    auto [count, bound] = parts_of_claim(text_in(claim, "text"), kind);
    if (!count.empty())
      claims.push_back({std::move(count), std::move(bound), kind, value->get<double>()});
  }
  return claims;
}

/// Of claims that apply at two x of the rows: `time`, `shared_stages`.
static Names claimed_counts(const PlotTable& table, const std::string& x) {
  std::map<std::string, std::set<double>> places;
  for (const PlotRow& row : table.rows)
    for (const RowClaim& claim : row.claims)
      if (const auto at = sweep::number_in(table.cell(row, x)); at && claim.value > 0)
        places[claim.count].insert(*at);
  Names counts;
  for (const auto& [count, at] : places)
    if (at.size() > 1) counts.push_back(count);
  return counts;
}

Status check_claim_curves(const PlotTable& table, const PlotColumns& columns,
                          const PlotScales& scales) {
  if (scales.x == AxisScale::categories)
    return error_in("--curve", "a curve needs an x axis of numbers",
                    {"choose one with --x, or another --kind"});
  ClaimCurves curves(table, columns, scales);
  for (const PlotRow& row : table.rows) curves.hold(row);
  if (!curves.series().empty()) return Done{};
  std::vector<std::string> help = {"'memlane explain claim PROGRAM' says where each claim applies",
                                   "write a formula over columns: --curve 'O(n/w + l)'"};
  const Names counts = claimed_counts(table, columns.x);
  if (!counts.empty())
    help.front() =
        fmt::format("there are claims about other counts: --y {}", fmt::join(counts, " or --y "));
  return error_in("--curve",
                  fmt::format("no claim about {} applies at two points of these rows",
                              fmt::join(columns.y, ", ")),
                  help);
}

void add_claim_curves(const PlotTable& table, const PlotColumns& columns, const PlotScales& scales,
                      const std::set<std::size_t>& rows, ChartPanel& panel) {
  ClaimCurves curves(table, columns, scales);
  for (const std::size_t row : rows) curves.hold(table.rows[row]);
  for (ChartSeries& series : curves.series()) panel.series.push_back(std::move(series));
}

} // namespace memlane
