#include "memlane/show/model_columns.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

schema::Json json_of(const MmmBound& bound) {
  return bound.rest == 0 ? schema::Json(bound.whole) : schema::Json(bound.value());
}

std::vector<schema::Member<MmmCounts>> bound_members() {
  std::vector<schema::Member<MmmCounts>> members;
  for (const BoundField& field : mmm_bounds())
    members.push_back({std::string(field.name), schema::or_null(schema::real(field.meaning)),
                       [&field](const MmmCounts& counts) {
                         const auto bound = field.get(counts);
                         return bound ? json_of(*bound) : schema::Json();
                       }});
  return members;
}

std::vector<schema::Member<MmmCounts>> exact_members() {
  std::vector<schema::Member<MmmCounts>> members;
  for (const BoundField& field : mmm_bounds())
    members.push_back({std::string(field.name) + "_exact",
                       schema::or_null(schema::text("the bound as a whole number and a fraction in "
                                                    "lowest terms: 26 1/4")),
                       [&field](const MmmCounts& counts) {
                         const auto bound = field.get(counts);
                         return bound ? schema::Json(bound->text()) : schema::Json();
                       }});
  return members;
}

} // namespace

// --- AGPU: the counts after Koike

bool shows_agpu(const Counts& counts) {
  return counts.agpu.io && counts.launches > 0 && !counts.shared.empty() && !counts.global.empty();
}

const schema::Table<AgpuCounts>& agpu_table() {
  static const schema::Table<AgpuCounts> table(
      count_members<AgpuCounts>(agpu_fields()),
      {{"multiplicity", std::string(multiplicity_meaning).c_str(), [](const AgpuCounts& agpu) {
          return agpu.multiplicity ? std::optional(agpu.multiplicity->text()) : std::nullopt;
        }}});
  return table;
}

// --- PRAM, counted on request

const schema::Table<PramCounts>& pram_table() {
  static const schema::Table<PramCounts> table(
      count_members<PramCounts>(pram_fields()),
      {{"class", schema::word(schema::names_up_to(PramClass::crcw), pram_class_meaning),
        &PramCounts::needs},
       {"line", schema::or_null(schema::count(pram_line_meaning, 1)),
        [](const PramCounts& pram) {
          const std::int32_t line = pram.place.line.second;
          return line > 0 ? std::optional(line) : std::nullopt;
        }},
       {"file", "of the line, as the program names it; null: no line",
        [](const PramCounts& pram) { return if_text(pram.file); }}});
  return table;
}

// --- MMM

std::string_view mmm_heading(std::string_view count) {
  return count == "work" || count == "span" || count == "overhead" ? count
         : count == "blocks"                                       ? "N"
         : count == "path"                                         ? "Λ"
         : count == "antichain"                                    ? "K"
         : count == "block_cost"                                   ? "C"
                                                                   : "";
}

const schema::Table<MmmCounts>& mmm_numbers() {
  static const schema::Table<MmmCounts> table(count_members<MmmCounts>(mmm_fields()),
                                              bound_members());
  return table;
}

const schema::Table<MmmCounts>& mmm_table() {
  static const schema::Table<MmmCounts> table(count_members<MmmCounts>(mmm_fields()),
                                              bound_members(), exact_members());
  return table;
}

namespace {

/// A count of two runs. `more`: how much more the second has; empty: as much, or not whole.
struct ComparedCount {
  std::string name, a, b, more;
};

std::vector<ComparedCount> compared_counts(const MmmCounts& a, const MmmCounts& b) {
  std::vector<ComparedCount> rows;
  for (const Field<MmmCounts>& field : mmm_fields()) {
    const std::int64_t first = field.get(a), second = field.get(b);
    rows.push_back({std::string(field.name), std::to_string(first), std::to_string(second),
                    first == second ? "" : fmt::format("{:+}", second - first)});
  }
  for (const BoundField& field : mmm_bounds()) {
    const auto first = field.get(a), second = field.get(b);
    rows.push_back(
        {std::string(field.name), first ? first->text() : "", second ? second->text() : "", ""});
  }
  return rows;
}

const Columns<ComparedCount>& compared_count_columns() {
  using R = ComparedCount;
  static const Columns<R> columns(
      {table_column<R>(Shown{"count"}, [](const R& r) { return r.name; }),
       table_column<R>(Shown{"A", Align::right}, [](const R& r) { return r.a; }),
       table_column<R>(Shown{"B", Align::right}, [](const R& r) { return r.b; }),
       table_column<R>(Shown{"B - A", Align::right}, [](const R& r) { return r.more; })});
  return columns;
}

} // namespace

std::string compared_mmm_text(const MmmCounts& a, const MmmCounts& b) {
  return "counts of the MMM\n" + compared_count_columns().text(compared_counts(a, b)).text(2);
}

PaperTable compared_mmm_paper(const MmmCounts& a, const MmmCounts& b) {
  return compared_count_columns().paper("Counts of A and B on the MMM", compared_counts(a, b));
}

const Columns<BlockCounts>& mmm_block_columns() {
  using C = Column<BlockCounts>;
  static const Columns<BlockCounts> columns(
      {C("launch", "its number, counted from 0", &BlockCounts::launch),
       C("kernel", "its name", &BlockCounts::kernel),
       C("block", "its number in the launch", &BlockCounts::block),
       C("work", "operators: W, of all its threads", &BlockCounts::work),
       C("span", "operators: S, of the thread with the most", &BlockCounts::span),
       C("reads", "words: r, the most that a thread reads from global memory", &BlockCounts::reads),
       C("writes", "words: s, the most that a thread writes to global memory",
         &BlockCounts::writes),
       C("overhead", "time units: O = (r + s)*U", &BlockCounts::overhead),
       C("multiprocessor", "that runs it; without bound each block of a stage has its own",
         &BlockCounts::multiprocessor),
       C("start", "time units: when it starts in the greedy schedule", &BlockCounts::start),
       C("end", "time units: start + S + O", &BlockCounts::end)});
  return columns;
}

// --- prices of runs on models of parallel computation

using schema::Json;

const schema::Table<Price>& price_table() {
  static const schema::Table<Price> table(
      {{"text", schema::or_null(schema::text("the exact number, such as 127/2")),
        [](const Price& price) { return if_text(price.value.text); }},
       {"value", "the nearest double",
        [](const Price& price) {
          return price.value.text.empty() ? std::nullopt : std::optional(price.value.value);
        }},
       {"parameters", schema::map(schema::text("exact"), "of the model"),
        [](const Price& price) {
          auto json = Json::object();
          for (std::size_t k = 0; k < price.request.values.size(); ++k)
            json[std::string(price.request.model->parameters[k].name)] =
                price.request.values[k].text();
          return json;
        }},
       {"reason", "why there is no price", &Price::reason, schema::Presence::if_any}});
  return table;
}

Json prices_json(const std::vector<Price>& prices) {
  auto json = Json::object();
  for (const Price& price : prices)
    json[std::string(price.request.model->name)] = price_table().json(price);
  return json;
}

Json prices_schema() {
  std::string meaning = "by model";
  for (const PriceModel& model : price_models())
    meaning += fmt::format("; {}: {}", model.name, model.formula);
  return schema::map(price_table().schema("the run's price on the model"), meaning);
}

std::string price_cell(const std::vector<Price>& prices, const PriceModel& model) {
  for (const Price& price : prices)
    if (price.request.model == &model) return price.value.text;
  return "";
}

std::string prices_text(const std::vector<Price>& prices) {
  if (prices.empty()) return "";
  TextTable table({Align::left, Align::right, Align::left, Align::left});
  for (const Price& price : prices)
    table.add({std::string(price.request.model->title),
               price.value.text.empty() ? "none" : price.value.text, price.request.values_text(),
               price.reason.empty() ? std::string(price.request.model->formula) : price.reason});
  return "\nprices\n" + table.text(2);
}

} // namespace memlane
