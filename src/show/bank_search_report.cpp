#include "bank_search_report.hpp"

#include "memlane/show/columns.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

using schema::Json;

/// An access with the stages that it has at least.
struct AccessRow {
  const NamedAccess* access;
  std::int64_t least;
};

std::vector<AccessRow> access_rows(const BankSearchReport& report) {
  std::vector<AccessRow> rows;
  for (std::size_t k = 0; k < report.accesses.size(); ++k)
    rows.push_back({&report.accesses[k], report.result.least[k]});
  return rows;
}

const Columns<AccessRow>& access_columns() {
  using C = Column<AccessRow>;
  static const Columns<AccessRow> columns({
      C(Shown{"access"}, "name", "as the command names it",
        [](const AccessRow& r) { return r.access->name; }),
      C(Shown{"weight", Align::right}, "weight", "how often its stages count",
        [](const AccessRow& r) { return r.access->weight; }),
      C(Shown{"words", Align::right}, "words", "distinct ones",
        [](const AccessRow& r) { return r.access->words; }),
      C(Shown{"least stages", Align::right}, "least_stages",
        "in any layout: words / w, rounded up; of elements of 8 or 16 bytes summed over the "
        "parts of the request; at least what the machine's requests take",
        [](const AccessRow& r) { return r.least; }),
      C(Shown{.heading = "address", .is_code = true}, "expression", "of the address or element",
        [](const AccessRow& r) { return r.access->expression; }),
  });
  return columns;
}

std::string tried_text(const SearchedClass& one) {
  const bool map = one.best.kind == LayoutKind::bits;
  const std::string number =
      counted(one.tried, map ? "choice for a bit" : "layout", map ? "choices for bits" : "layouts");
  return one.whole ? (map ? "all, by " : "all: ") + number : "not all: " + number;
}

const Columns<SearchedClass>& class_columns() {
  using C = Column<SearchedClass>;
  static const Columns<SearchedClass> columns({
      C(Shown{.heading = "class", .is_code = true}, "class", "of layouts", &SearchedClass::name),
      C(Shown{.heading = "its best", .is_code = true}, "layout",
        "the best one, as programs write it", [](const SearchedClass& c) { return c.best.text(); }),
      table_column<SearchedClass>(
          Shown{"stages"},
          [](const SearchedClass& c) { return fmt::format("{}", fmt::join(c.stages, ", ")); }),
      C(Shown{"sum", Align::right}, "sum", "of stages times weight", &SearchedClass::sum),
      C(Shown{"spare words", Align::right}, "spare_words", "of the array, without an element",
        &SearchedClass::spare),
      table_column<SearchedClass>(Shown{"tried"}, tried_text),
  });
  return columns;
}

const schema::Table<SearchedClass>& class_table() {
  using S = SearchedClass;
  static const schema::Table<S> table({
      {"class", "of layouts", &S::name},
      {"layout", "the best one, as programs write it", [](const S& c) { return c.best.text(); }},
      {"stages", schema::list(schema::count("of an access"), "in the order of the accesses"),
       [](const S& c) { return Json(c.stages); }},
      {"sum", "of stages times weight", &S::sum},
      {"spare_words", "of the array, without an element", &S::spare},
      {"tried", "layouts; of bits choices of a bank or address group for an element 2^j",
       &S::tried},
      {"whole", "no other layout of the class has a smaller sum", &S::whole},
  });
  return table;
}

const SearchedClass& best_of(const BankSearchReport& report) {
  return report.result.classes[report.result.best];
}

std::string_view proof_word(const BankSearchReport& report) {
  return report.result.meets_least() ? "least" : report.result.whole() ? "all_tried" : "none";
}

std::string unit_text(const BankSearchReport& report) {
  return report.unit == UnitKind::discrete
             ? counted(report.width, "bank")
             : fmt::format("address groups of {}", counted(report.width, "word"));
}

std::string proof_text(const BankSearchReport& report) {
  if (report.result.meets_least())
    return fmt::format("No layout has fewer stages: {} words take so many in {}{}.",
                       report.accesses.size() == 1 ? "these" : "each access's", unit_text(report),
                       report.least_stages > 1 ? fmt::format(", and a request takes at least {}",
                                                             counted(report.least_stages, "stage"))
                                               : "");
  if (report.result.whole())
    return fmt::format("No layout of these classes has a smaller sum: all were tried. Another one "
                       "has at least {}.",
                       report.result.least_sum);
  return fmt::format("The best of those that were tried, not of all. Any layout has a sum of at "
                     "least {}.",
                     report.result.least_sum);
}

/// How a GPU splits requests for elements of several words.
std::string split_text(const BankSearchReport& report) {
  if (report.words == 1) return "";
  return fmt::format("An element has {} bytes: a GPU splits each request into {} parts of {}, "
                     "whose stages are added.\n",
                     4 * report.words, report.words, counted(report.width / report.words, "lane"));
}

std::string search_text(const BankSearchReport& report) {
  const LayoutChoice& best = best_of(report).best;
  return fmt::format(
      "{} in {}, of an array of {} in rows of {}\n{}\n{}\n{}\nbest: layout {}\n{}\n"
      "CUDA: element i (row-major) is {} {}\n",
      counted(static_cast<std::int64_t>(report.accesses.size()), "access", "accesses"),
      unit_text(report), counted(report.elements, "element"), report.row_length, split_text(report),
      access_columns().text(access_rows(report)).text(),
      class_columns().text(report.result.classes).text(), best.text(), proof_text(report),
      report.words == 1 ? "at word" : "at the place of element", best.cuda_text(report.row_length));
}

} // namespace

const schema::Table<BankSearchReport>& bank_search_table() {
  using R = BankSearchReport;
  static const schema::Table<R> table({
      {"unit", schema::word(schema::names_up_to(UnitKind::unified), "banks or address groups"),
       [](const R& r) { return std::string(name_of(r.unit)); }},
      {"width", "banks, or words of an address group", &R::width},
      {"elements", "of the array", &R::elements},
      {"row", "elements of a row", &R::row_length},
      {"accesses", access_columns().json(), "an access", "in the order of the command",
       [](const R& r) { return access_rows(r); }},
      {"least_sum", "of stages times weight, in any layout",
       [](const R& r) { return r.result.least_sum; }},
      {"classes", class_table(), "a class of layouts", "with its best layout",
       [](const R& r) { return r.result.classes; }},
      {"best", "the layout, as programs write it",
       [](const R& r) { return best_of(r).best.text(); }},
      {"cuda",
       "the word (of elements of 8 or 16 bytes: the element) where element i, row-major, is, "
       "as CUDA C++ computes it",
       [](const R& r) { return best_of(r).best.cuda_text(r.row_length); }},
      {"proof",
       schema::word(
           {"least", "all_tried", "none"},
           "least: no layout has fewer stages; all_tried: none of these classes; none: the "
           "search among linear maps ended early"),
       [](const R& r) { return std::string(proof_word(r)); }},
  });
  return table;
}

std::string render_bank_search(const BankSearchReport& report, Format format) {
  if (format != Format::markdown && format != Format::latex) return search_text(report);
  return paper_text({class_columns().paper("Layouts, the best: " + best_of(report).best.text(),
                                           report.result.classes),
                     access_columns().paper("Accesses", access_rows(report))},
                    format);
}

} // namespace memlane
