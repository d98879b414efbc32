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
        "dmm gives the same time for every value; the best on umm: s=2 (time 1)");
  CHECK(finding(with({4, 4, 4}, {5, 5, 5}), "on dmm") ==
        "umm gives the same time for every value, and dmm the same time");
}

TEST_CASE(
    "the best agrees where it is the best there, and loses where another that is as good is") {
  const auto with = [](std::vector<std::int64_t> here, std::vector<std::int64_t> there) {
    return finding(report_of({machine_of(Model::umm, {{"time", std::move(here)}}, "time"),
                              machine_of(Model::dmm, {{"time", std::move(there)}}, "time")},
                             {"1", "2", "4"}),
                   "on dmm");
  };
  CHECK(with({20, 30, 20}, {35, 29, 22})
            .starts_with("of those that are as good, s=4 (time 22) is the best there, too; s=1 "
                         "costs 59.1 % more there; "));
  // The best value is named, though a smaller one is as good there.
  CHECK(with({30, 10, 20}, {100, 100, 150}).starts_with("the best agrees: s=2 (time 100); both"));
  CHECK(with({30, 10, 20}, {0, 7, 150})
            .starts_with("the best is another: s=1 (time 0); with s=2 it is 7 there; "));
}

TEST_CASE("a naive value is said where the best is 0 and there is no ratio") {
  const auto best = [](std::vector<std::int64_t> times) {
    return finding(
        report_of({machine_of(Model::umm, {{"time", std::move(times)}}, "time")}, {"2", "1", "4"}),
        "best");
  };
  CHECK(best({2, 0, 4}) == "s=1 (time 0); with the naive value s=2 it is 2");
  CHECK(best({0, 0, 4}).ends_with("with the naive value s=2 it is 0, 1 times as much"));
  TuningReport none =
      report_of({machine_of(Model::umm, {{"time", {2, 1, 4}}}, "time")}, {"2", "1", "4"});
  none.machines[0].rows[0].state = TunedState::no_objective;
  none.machines[0].rows[0].numbers[0] = sweep::Cell();
  find_best(none);
  CHECK(finding(none, "best") == "s=1 (time 1); the naive value s=2 has no time to compare with");
}

TEST_CASE("a range of values worth using ends at one that cannot be chosen or was not run") {
  const std::vector<std::string> values = {"1", "2", "3", "4", "5", "6"};
  TuningReport report =
      report_of({machine_of(Model::umm, {{"time", {100, 100, 7, 101, 102, 200}}}, "time")}, values);
  std::vector<TunedRow>& rows = report.machines[0].rows;
  rows[2].state = TunedState::check_failed;
  find_best(report);
  CHECK(finding(report, "worth using") == "s=1 to 2, 4 to 5, within 5 % of the best");
  rows.erase(rows.begin() + 2); // --where excludes it
  find_best(report);
  CHECK(finding(report, "worth using") == "s=1 to 2, 4 to 5, within 5 % of the best");
  rows[0].state = rows[3].state = TunedState::failed;
  find_best(report);
  CHECK(finding(report, "worth using") == "s=2, 4, within 5 % of the best");
}

TEST_CASE("an edge of a grid is one beside the best value of the other axis") {
  // At b = 10 there are no other values, at b = 20 there are.
  TuningReport report;
  report.axes = {sweep::tuned_axis("a", {"1", "2", "4"}), sweep::tuned_axis("b", {"10", "20"})};
  report.extensions.resize(2);
  report.changed_inputs.resize(2);
  TunedMachine& machine = report.machines.emplace_back(
      machine_of(Model::umm, {{"time", {50, 40, 70, 60, 90}}}, "time"));
  const std::vector<std::vector<std::size_t>> places = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}};
  for (std::size_t k = 0; k < places.size(); ++k) machine.rows[k].at = places[k];
  find_best(report);
  CHECK(finding(report, "edge a") == "the best is the greatest a that was tried with b=10");
  CHECK(finding(report, "edge b") == "the best is the least b that was tried with a=2");
  machine.rows[4].state = TunedState::failed; // not beside the best
  find_best(report);
  CHECK(finding(report, "edge a") == "the best is the greatest a that was tried with b=10");
  machine.rows[4].at = {2, 0};
  std::swap(machine.rows[2], machine.rows[4]);
  find_best(report);
  CHECK(finding(report, "edge a") ==
        "the best is the greatest a that was tried with b=10 and can be chosen");
}

TEST_CASE("a machine's caption has its own values, and a mean's command is of one seed") {
  TuningReport report = report_of({machine_of(Model::umm, {{"time", {90, 45}}}, "time"),
                                   machine_of(Model::dmm, {{"time", {80, 45}}}, "time")},
                                  {"1", "2"});
  report.machines[0].fixed = {{"n", "4"}, {"latency", "50"}};
  report.machines[1].fixed = {{"n", "4"}};
  const std::string text = render_tuning(report, Format::table);
  CHECK(text.find("division on umm, n=4, latency=50: ") != std::string::npos);
  CHECK(text.find("division on dmm, n=4: ") != std::string::npos);
  report.machines[0].rows[1].command = "memlane run division";
  CHECK(finding(report, "repeat") == "memlane run division");
  report.seeds = 3;
  CHECK(finding(report, "repeat") == "memlane run division");
  CHECK(finding(report, "seeds") == "the value is the mean of 3; the command repeats the first");
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
