// What is said of a tuning: ratios, edges, what other machines say.
#include "support/catch.hpp"

#include "memlane/study/tune/tuning_table.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace memlane {
namespace {

const std::vector<sweep::StoreColumn> no_columns;

/// A machine whose rows have these numbers by measure.
TunedMachine machine_of(Model model, const std::map<std::string, std::vector<std::int64_t>>& counts,
                        const std::string& objective) {
  TunedMachine machine;
  machine.name = std::string(name_of(model));
  machine.measures = *tuning_measures(objective, model, no_columns);
  machine.naive = 0;
  const std::size_t rows = counts.at(objective).size();
  for (std::size_t k = 0; k < rows; ++k) {
    TunedRow row;
    row.at = {k};
    row.state = TunedState::done;
    row.verify = "passed";
    for (const TuningMeasure& measure : machine.measures) {
      const auto known = counts.find(measure.name);
      row.numbers.push_back(known == counts.end() ? sweep::Cell() : sweep::Cell(known->second[k]));
    }
    machine.rows.push_back(std::move(row));
  }
  return machine;
}

TuningReport report_of(std::vector<TunedMachine> machines, std::vector<std::string> values) {
  TuningReport report;
  report.program = "division";
  report.axes = {sweep::tuned_axis("s", std::move(values))};
  report.extensions.resize(1);
  report.changed_inputs.resize(1);
  report.machines = std::move(machines);
  find_best(report);
  return report;
}

std::string finding(const TuningReport& report, const std::string& word) {
  for (const auto& [known, sentence] : tuning_findings(report))
    if (known == word) return sentence;
  return "";
}

} // namespace

TEST_CASE("an MMM has a table of naive/value, other machines have none") {
  const TuningReport mmm = report_of({machine_of(Model::mmm,
                                                 {{"work", {100, 200}},
                                                  {"span", {10, 10}},
                                                  {"overhead", {800, 200}},
                                                  {"blocks", {4, 2}},
                                                  {"bound", {90, 45}}},
                                                 "bound")},
                                     {"1", "8"});
  const std::string text = render_tuning(mmm, Format::table);
  INFO(text);
  CHECK(text.find("naive/value on mmm (R by Corollary 1)\ns    W  S  O  R\n1    1  1  1  1\n8  0.5 "
                  " 1  4  2\n") != std::string::npos);
  CHECK(text.find("work W") != std::string::npos);
  TunedMachine none = machine_of(Model::umm, {{"time", {90, 45}}}, "time");
  for (TunedRow& row : none.rows) row.state = TunedState::failed;
  CHECK(render_tuning(report_of({none}, {"1", "8"}), Format::table).rfind("best: ", 0) == 0);
  const TuningReport umm =
      report_of({machine_of(Model::umm, {{"time", {90, 45}}}, "time")}, {"1", "8"});
  CHECK(render_tuning(umm, Format::table).find("naive/value on") == std::string::npos);
}

TEST_CASE("another machine agrees, has a loss, or cannot say") {
  const auto with = [](std::vector<std::int64_t> there) {
    return report_of({machine_of(Model::umm, {{"time", {30, 10, 20}}}, "time"),
                      machine_of(Model::dmm, {{"time", std::move(there)}}, "time")},
                     {"1", "2", "4"});
  };
  CHECK(finding(with({300, 100, 200}), "on dmm") ==
        "the best agrees: s=2 (time 100); both orders: tau-b = 1");
  CHECK(finding(with({100, 125, 150}), "on dmm")
            .starts_with("the best is another: s=1 (time 100); s=2 costs 25 % more there; both"));
  CHECK(finding(with({100, 100, 150}), "on dmm").starts_with("the best agrees: ")); // a tie
  TuningReport apart = with({100, 125, 150});
  apart.machines[1].rows[1].state = TunedState::failed;
  find_best(apart);
  CHECK(finding(apart, "on dmm").find("; s=2 cannot be chosen there") != std::string::npos);
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
    apart.machines[0].rows[k].state = TunedState::failed;
  find_best(apart);
  CHECK(finding(apart, "on dmm") == "no value can be chosen on both machines");
}

TEST_CASE("a machine that gives the same for every value does not agree or disagree") {
  const auto with = [](std::vector<std::int64_t> here, std::vector<std::int64_t> there) {
    return report_of({machine_of(Model::umm, {{"time", std::move(here)}}, "time"),
                      machine_of(Model::dmm, {{"time", std::move(there)}}, "time")},
                     {"1", "2", "4"});
  };
  CHECK(finding(with({5, 5, 5}, {3, 1, 2}), "on dmm") ==
        "umm gives the same time for every value; the best on dmm: s=2 (time 1)");
  CHECK(finding(with({3, 1, 2}, {5, 5, 5}), "on dmm") ==
        "dmm gives the same time for every value; the best on dmm: s=1 (time 5)");
}

TEST_CASE("numbers of tunings have two decimals, or none where they are whole") {
  const auto text = [](double value) {
    TuningReport report =
        report_of({machine_of(Model::umm, {{"time", {9, 10}}}, "time")}, {"1", "2"});
    report.machines[0].rows[0].numbers[0] = value;
    find_best(report);
    const std::string best = finding(report, "best");
    const std::size_t from = best.find("(time ") + 6;
    return best.substr(from, best.find(')') - from);
  };
  CHECK(text(2.5) == "2.50");
  CHECK(text(7.0) == "7");
  CHECK(text(8.98333) == "8.98");
  CHECK(text(8.9999) == "8.9999"); // not 9.00
  CHECK(text(0.125) == "0.125");
  CHECK(text(-637742.6) == "-637742.60");
}

TEST_CASE("an objective is a measure of the model or a count") {
  const std::vector<sweep::StoreColumn> columns = {
      {"time", ""}, {"races", ""}, {"verify", ""}, {"program", "", true}};
  const auto first = [&](const std::string& name, Model model) {
    const auto measures = tuning_measures(name, model, columns);
    return measures ? measures->front().name : "";
  };
  CHECK(first("races", Model::umm) == "races");
  CHECK(first("program", Model::umm) == "");
  CHECK(first("verify", Model::umm) == ""); // a word
  CHECK(first("overhead", Model::hmm) == "");
  CHECK(first("multiplicity", Model::agpu) == ""); // larger is better
  CHECK(first("", Model::umm) == "time");
  CHECK(first("", Model::mmm) == "bound");
  const auto stages = tuning_measures("stages", Model::hmm, columns);
  REQUIRE(stages);
  CHECK(stages->front().columns == std::vector<std::string>{"global_stages", "shared_stages"});
  TuningMeasure bound = tuning_measures("", Model::mmm, columns)->front();
  CHECK(bound.label() == "bound (Corollary 1)");
  bound.columns = {bound.fallback};
  CHECK(bound.label() == "bound (Theorem 1)");
}

TEST_CASE("an axis that is named like a column has one of its own") {
  TuningReport report =
      report_of({machine_of(Model::umm, {{"time", {90, 45}}}, "time")}, {"1", "2"});
  report.axes[0].title = "verify";
  const std::string csv = render_tuning(report, Format::csv);
  CHECK(csv.starts_with("program,machine,param_verify,state,"));
}

} // namespace memlane
