#include "memlane/show/bank_report.hpp"

#include "bank_search_report.hpp"

#include "memlane/show/columns.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

using schema::Json;

/// The widest picture that leaves a line of 80 columns.
constexpr std::int64_t most_pictured = 48;
/// Lanes and banks that text tables show one by one.
constexpr std::size_t most_bank_lanes = 64, most_banks = 4;

const schema::Table<RequestStages>& stages_table() {
  static const schema::Table<RequestStages> table({
      {"banks",
       "stages in a unit with banks: of elements of one word the most distinct addresses in one",
       &RequestStages::banks},
      {"address_groups", "stages in a unit with address groups: distinct ones",
       &RequestStages::groups},
  });
  return table;
}

const schema::Table<BankUnit>& bank_unit_table() {
  static const schema::Table<BankUnit> table({
      {"machine", "its name or path", &BankUnit::machine},
      {"unit", schema::word({"memory", "shared", "global"}, "memory: the machine's only one"),
       &BankUnit::name},
      {"kind", schema::word(schema::names_up_to(UnitKind::unified), "banks or address groups"),
       &BankUnit::kind},
  });
  return table;
}

/// A lane, with the request that it belongs to.
struct LaneRow {
  const BankRequest* request;
  const LaneAccess* lane;
};

std::string bank_machines(const BankRequest& request) {
  std::string text;
  for (const BankUnit& unit : request.units)
    if (text.empty() || unit.machine != text.substr(text.rfind(';') + 1))
      text += (text.empty() ? "" : ";") + unit.machine;
  return text;
}

/// A lane within its request.
ColumnList<LaneRow> lane_members() {
  using C = Column<LaneRow>;
  return {
      C(Shown{"lane", Align::right}, "lane", "thread of the warp",
        [](const LaneRow& r) { return r.lane->lane; }),
      C(Shown{"address", Align::right}, "address",
        "first word of its element; null: the lane is inactive",
        [](const LaneRow& r) { return r.lane->address; }),
      C(Shown{"bank", Align::right}, "bank", "address mod width",
        [](const LaneRow& r) { return r.lane->bank; }),
      C(Shown{"group", Align::right}, "address_group", "address / group, rounded down",
        [](const LaneRow& r) { return r.lane->group; }),
      C(Shown{.heading = "merged with", .align = Align::right, .where = ShownIn::paper},
        "merged_with", "the first lane with the same address",
        [](const LaneRow& r) { return r.lane->merged_with; }),
  };
}

const Columns<LaneRow>& lane_columns() {
  using C = Column<LaneRow>;
  static const Columns<LaneRow> columns(
      {C("machines", "those with the same width and addresses",
         [](const LaneRow& r) { return bank_machines(*r.request); }),
       C("width", "banks, and lanes of a warp",
         [](const LaneRow& r) { return r.request->access.shape.width; })},
      lane_members());
  return columns;
}

const schema::Table<LaneRow>& lane_table() {
  static const Columns<LaneRow> columns(lane_members());
  return columns.json();
}

/// Papers and JSON have the number of stages, text also says what it means.
std::string conflict_of(const LayoutStages& layout) {
  if (layout.stages.banks == 0) return "no request";
  if (layout.lost == 0) return "none";
  const bool all = layout.lost + 1 == layout.stages.banks;
  return all ? fmt::format("{}-way", layout.stages.banks) : fmt::format("{} lost", layout.lost);
}

const Columns<LayoutStages>& layout_columns() {
  using C = Column<LayoutStages>;
  static const Columns<LayoutStages> columns({
      C(Shown{.heading = "layout", .is_code = true}, "layout", "as programs write it",
        &LayoutStages::layout),
      C(Shown{"stages in banks", Align::right}, "banks", "stages in a unit with banks",
        [](const LayoutStages& l) { return l.stages.banks; }),
      table_column<LayoutStages>(Shown{"bank conflict"},
                                 [](const LayoutStages& l) { return conflict_of(l); }),
      C(Shown{"in address groups", Align::right}, "address_groups",
        "stages in a unit with address groups",
        [](const LayoutStages& l) { return l.stages.groups; }),
  });
  return columns;
}

std::vector<LaneRow> lane_rows(const BankRequest& request) {
  std::vector<LaneRow> rows;
  for (const LaneAccess& lane : request.access.lanes) rows.push_back({&request, &lane});
  return rows;
}

std::vector<LaneRow> lane_rows(const BankReport& report) {
  std::vector<LaneRow> rows;
  for (const BankRequest& request : report.requests)
    for (const LaneRow& row : lane_rows(request)) rows.push_back(row);
  return rows;
}

const schema::Table<BankRequest>& bank_request_table() {
  using R = BankRequest;
  static const schema::Table<R> table({
      {"units", bank_unit_table(), "a memory unit", "where the request has these addresses",
       &R::units},
      {"width", "banks, and lanes of a warp", [](const R& r) { return r.access.shape.width; }},
      {"group", "words of an address group", [](const R& r) { return r.access.shape.group; }},
      {"words", "of an element", [](const R& r) { return r.access.shape.words; }},
      {"least_stages", "of a request to the unit with banks",
       [](const R& r) { return r.access.shape.least; }},
      {"lanes", lane_table(), "a lane", "in order", [](const R& r) { return lane_rows(r); }},
      {"addresses", "distinct ones", [](const R& r) { return r.access.addresses; }},
      {"banks", "that have a word", [](const R& r) { return r.access.banks; }},
      {"fullest_banks", schema::list(schema::count("a bank"), "those with the most distinct words"),
       [](const R& r) { return Json(r.access.fullest); }},
      {"stages", stages_table(), "of the request", [](const R& r) { return r.access.stages; }},
      {"row", "words of a row, for the other layouts", &R::row_length},
      {"layouts", layout_columns().json(), "a layout",
       "stages if the expression is an element's number in an array with this layout", &R::layouts},
      {"split", stages_table(), "a part",
       "requests that a GPU makes of this one for elements of 8 or 16 bytes; empty: it makes one",
       &R::split},
  });
  return table;
}

const schema::Table<BankReport>& bank_table() {
  using R = BankReport;
  static const schema::Table<R> table({
      {"tool", tool_schema(), [](const R& r) { return tool_json(r.version); }},
      {"expression", "of the address", &R::expression},
      {"parameters", schema::map(schema::text("its value, as -D gave it"), "of the expression"),
       [](const R& r) {
         auto parameters = Json::object();
         for (const auto& [name, value] : r.parameters) parameters[name] = value;
         return parameters;
       }},
      {"active", "condition of active lanes; empty: all are active", &R::active},
      {"warp", "the one that makes the request", &R::warp},
      {"bytes", "of an element", &R::bytes},
      {"requests", bank_request_table(), "a request",
       "one for each set of addresses and what stages depend on", &R::requests},
      {"search", bank_search_table(), "the layout with the fewest stages; of --best",
       [](const R& r) -> const std::optional<BankSearchReport>& { return r.search; },
       [](const R& r) { return r.search.has_value(); }},
  });
  return table;
}

std::string banks_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < most_banks; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  if (numbers.size() > most_banks) text += fmt::format(", … ({} of them)", numbers.size());
  return text;
}

/// `16 stages: 16-way conflict in banks 0 and 16`
std::string bank_stages_text(const BankAccess& access, UnitKind kind) {
  if (access.addresses == 0) return "no request: no lane is active";
  const BankShape& shape = access.shape;
  if (kind == UnitKind::unified)
    return fmt::format("{}: {}{}", counted(access.stages.groups, "stage"),
                       counted(access.stages.groups, "address group"),
                       shape.group == shape.width ? "" : " of " + counted(shape.group, "word"));
  const std::string at_least =
      shape.least > 1 ? fmt::format(", the least is {}", shape.least) : std::string();
  const std::string banks = access.fullest.size() == 1 ? "bank" : "banks";
  std::string why =
      fmt::format("{}-way conflict in {} {}", access.conflict, banks, banks_text(access.fullest));
  if (shape.words > 1 && access.lost > 0)
    why = fmt::format("{} lost, {} words in {} {}", access.lost, access.conflict, banks,
                      banks_text(access.fullest));
  else if (shape.words > 1 || access.conflict == 1)
    why = fmt::format("no conflict, {} in {}", counted(access.addresses, "address", "addresses"),
                      counted(access.banks, "bank"));
  return counted(access.stages.banks, "stage") + at_least + ": " + why;
}

std::string bank_units_text(const BankRequest& request) {
  TextTable table({Align::left, Align::left, Align::left});
  for (const BankUnit& unit : request.units)
    table.add({unit.machine,
               unit.kind == UnitKind::discrete ? unit.name + ", banks" : unit.name + ", groups",
               bank_stages_text(request.access, unit.kind)});
  return table.text();
}

/// A row of the picture: the lane's mark in the columns of its banks.
std::string picture_row(const LaneAccess& lane, const BankShape& shape) {
  std::string row = fmt::format("{:.<{}}", "", shape.width);
  for (std::int64_t word = 0; lane.bank && word < shape.words; ++word)
    row[static_cast<std::size_t>((*lane.bank + word) % shape.width)] = lane.merged_with ? '=' : '#';
  return row;
}

std::string picture_heading(std::int64_t width) {
  return width < 4 ? "bank" : fmt::format("0{:>{}}", width - 1, width - 1);
}

std::string bank_lanes_text(const BankRequest& request) {
  const BankAccess& access = request.access;
  const bool pictured = access.shape.width <= most_pictured;
  TextTable table({Align::right, Align::right, Align::right, Align::right, Align::left});
  table.add(
      {"lane", "address", "bank", "group", pictured ? picture_heading(access.shape.width) : ""});
  const auto cell = [](const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
  };
  for (std::size_t i = 0; i < access.lanes.size() && i < most_bank_lanes; ++i) {
    const LaneAccess& lane = access.lanes[i];
    table.add({std::to_string(lane.lane), cell(lane.address), cell(lane.bank), cell(lane.group),
               pictured ? picture_row(lane, access.shape) : ""});
  }
  std::string text = table.text();
  if (access.lanes.size() > most_bank_lanes)
    text +=
        fmt::format("{} more lanes: --format csv has all\n", access.lanes.size() - most_bank_lanes);
  const bool merges = std::any_of(access.lanes.begin(), access.lanes.end(),
                                  [](const LaneAccess& lane) { return !!lane.merged_with; });
  if (pictured)
    text += merges ? "# accesses its bank; = has the address of an earlier lane and is merged\n"
                   : "# accesses its bank\n";
  return text;
}

/// What a GPU makes of elements of 8 or 16 bytes.
std::string split_text(const BankReport& report, const BankRequest& request) {
  const BankShape& shape = request.access.shape;
  if (shape.words > 1)
    return fmt::format("\nan element is {0} words; a unit with banks takes {1} after the other\n",
                       shape.words,
                       counted(std::max<std::int64_t>(1, shape.width / shape.words), "lane"));
  if (report.bytes == 4 || request.has_words) return "";
  const std::string note =
      "this machine has one word for each element, of any size. A GPU has banks\n"
      "of 4 bytes: ";
  if (request.split.empty())
    return fmt::format("\n{}how it splits a warp of {} lanes is not modelled\n", note,
                       request.access.shape.width);
  RequestStages all;
  std::string banks, groups;
  for (const RequestStages& part : request.split) {
    all.banks += part.banks;
    all.groups += part.groups;
    banks += fmt::format("{}{}", banks.empty() ? "" : " + ", part.banks);
    groups += fmt::format("{}{}", groups.empty() ? "" : " + ", part.groups);
  }
  return fmt::format("\n{}it splits the request for elements of {} bytes into {}, one\n"
                     "for each {}-warp (CUDA C++ Programming Guide, global memory of compute\n"
                     "capability 2.x and 3.x; for shared memory the same is assumed):\n"
                     "  banks           {} = {} stages\n  address groups  {} = {} stages\n",
                     note, report.bytes, request.split.size(),
                     report.bytes == 8 ? "half" : "quarter", banks, all.banks, groups, all.groups);
}

std::string bank_heading(const BankReport& report) {
  std::string text = fmt::format("address = {}", on_one_line(report.expression, 60));
  for (const auto& [name, value] : report.parameters) text += fmt::format("  {}={}", name, value);
  text += fmt::format("\nwarp {}", report.warp);
  if (!report.active.empty())
    text += fmt::format(", lanes with {}", on_one_line(report.active, 60));
  return text + '\n';
}

std::string layouts_heading(const BankReport& report, const BankRequest& request) {
  return fmt::format(
      "other layouts of an array with rows of {} ({})",
      counted(request.row_length, request.access.shape.words > 1 ? "element" : "word"),
      report.row_reason);
}

std::string bank_text(const BankReport& report) {
  std::string text = bank_heading(report);
  for (const BankRequest& request : report.requests)
    text += '\n' + bank_units_text(request) + '\n' + bank_lanes_text(request) +
            split_text(report, request) + '\n' + layouts_heading(report, request) + '\n' +
            layout_columns().text(request.layouts).text();
  return text;
}

} // namespace

Json bank_schema() {
  return schema::document("The result of memlane bank",
                          bank_table().schema("what --format json prints"));
}

Json bank_line_schema() { return line_document("bank", lane_columns().json().schema("a lane")); }

std::string render_bank(const BankReport& report, Format format) {
  if (report.search && format != Format::json) return render_bank_search(*report.search, format);
  switch (format) {
  case Format::json: return json_text(bank_table().json(report), 2);
  case Format::csv: return lane_columns().csv(lane_rows(report));
  case Format::jsonl: return json_lines(lane_columns().json(), lane_rows(report));
  case Format::markdown:
  case Format::latex: {
    std::vector<PaperTable> tables;
    for (const BankRequest& request : report.requests) {
      const std::string of = fmt::format("{} ({})", report.expression, bank_machines(request));
      tables.push_back(layout_columns().paper("Layouts: " + of, request.layouts));
      tables.push_back(lane_columns().paper("Lanes: " + of, lane_rows(request)));
    }
    return paper_text(tables, format);
  }
  case Format::table: break;
  }
  return bank_text(report);
}

} // namespace memlane
