// What is said of a tuning: the strategy of the MMM paper, ratios, what other machines say.
#include "support/catch.hpp"

#include "memlane/report/tuning.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace memlane {
namespace {

sweep::Objective count_of(std::int64_t value) { return {static_cast<double>(value), value}; }

/// A machine whose rows have these numbers by measure; the first measure is the objective.
TunedMachine machine_of(Model model, const std::map<std::string, std::vector<std::int64_t>>& counts,
                        const std::string& objective) {
  TunedMachine machine;
  machine.name = std::string(name_of(model));
  machine.model = model;
  machine.measures = tuning_measures(model);
  machine.naive = 0;
  for (const TuningMeasure& measure : machine.measures)
    if (measure.name == objective) machine.objective = measure;
  const std::size_t rows = counts.at(objective).size();
  for (std::size_t k = 0; k < rows; ++k) {
    TunedRow row;
    row.at = {k};
    row.state = TunedState::done;
    row.verify = "passed";
    row.objective = count_of(counts.at(objective)[k]);
    for (const TuningMeasure& measure : machine.measures) {
      const auto known = counts.find(measure.name);
      row.measures.push_back(known == counts.end() ? std::nullopt
                                                   : std::optional(count_of(known->second[k])));
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

TEST_CASE(
    "the strategy takes the least overhead if the bound is less there, else the naive value") {
  const std::vector<std::int64_t> work = {100, 105, 110}, span = {10, 10, 10},
                                  overhead = {800, 200, 100};
  const TuningReport taken = report_of(
      {machine_of(Model::mmm,
                  {{"work", work}, {"span", span}, {"overhead", overhead}, {"bound", {90, 40, 45}}},
                  "bound")},
      {"1", "8", "64"});
  CHECK(taken.machines[0].tuning->best == 1); // by the bound
  CHECK(finding(taken, "strategy") ==
        "from the least to the most, work varies 1.1 times and overhead 8 times; overhead is "
        "least at s=64: naive/value is 8 of overhead, 0.9091 of work; R = 2 > 1: the bound is "
        "less, too; the strategy takes s=64; by the bound s=8 is less");
  const TuningReport rejected = report_of(
      {machine_of(
          Model::mmm,
          {{"work", work}, {"span", span}, {"overhead", overhead}, {"bound", {90, 91, 180}}},
          "bound")},
      {"1", "8", "64"});
  CHECK(finding(rejected, "strategy")
            .ends_with("R = 0.5, not above 1: the bound is not less; the strategy takes s=1"));
  const TuningReport naive = report_of(
      {machine_of(
          Model::mmm,
          {{"work", work}, {"span", span}, {"overhead", {1, 2, 3}}, {"bound", {90, 91, 180}}},
          "bound")},
      {"1", "8", "64"});
  CHECK(finding(naive, "strategy").ends_with("it is the naive value; the strategy takes s=1"));
  const TuningReport level = report_of(
      {machine_of(
          Model::mmm,
          {{"work", work}, {"span", span}, {"overhead", {5, 5, 5}}, {"bound", {90, 80, 70}}},
          "bound")},
      {"1", "8", "64"});
  CHECK(finding(level, "strategy").empty()); // nothing to choose by
  const TuningReport busy = report_of({machine_of(Model::mmm,
                                                  {{"work", {100, 400, 900}},
                                                   {"span", span},
                                                   {"overhead", overhead},
                                                   {"bound", {90, 91, 180}}},
                                                  "bound")},
                                      {"1", "8", "64"});
  CHECK(finding(busy, "strategy")
            .find("work varies 9 times and overhead 8 times, but the strategy is for work that "
                  "varies less; ") != std::string::npos);
}

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
  CHECK(text.find("naive/value on mmm\ns    W  S  O  R\n1    1  1  1  1\n8  0.5  1  4  2\n") !=
        std::string::npos);
  CHECK(text.find("work W") != std::string::npos);
  TunedMachine none = machine_of(Model::umm, {{"time", {90, 45}}}, "time");
  for (TunedRow& row : none.rows) row.state = TunedState::failed;
  CHECK(render_tuning(report_of({none}, {"1", "8"}), Format::table).rfind("best: ", 0) == 0);
  const TuningReport umm =
      report_of({machine_of(Model::umm, {{"time", {90, 45}}}, "time")}, {"1", "8"});
  CHECK(render_tuning(umm, Format::table).find("naive/value on") == std::string::npos);
  CHECK(finding(umm, "strategy") == "");
}

TEST_CASE("another machine agrees, has a loss, or cannot say") {
  const auto with = [](std::vector<std::int64_t> there) {
    return report_of({machine_of(Model::umm, {{"time", {30, 10, 20}}}, "time"),
                      machine_of(Model::dmm, {{"time", std::move(there)}}, "time")},
                     {"1", "2", "4"});
  };
  const TuningReport agrees = with({300, 100, 200});
  const TuningConfirmation same = confirm(agrees.machines[0], agrees.machines[1]);
  CHECK(same.agrees);
  CHECK(same.loss == 0.0);
  CHECK(same.tau == 1.0);
  CHECK(same.common == 3);
  const TuningReport other = with({100, 125, 150});
  const TuningConfirmation loss = confirm(other.machines[0], other.machines[1]);
  CHECK(!loss.agrees);
  CHECK(loss.loss == 0.25);
  CHECK(finding(other, "on dmm").find("s=2 costs 25 % more there") != std::string::npos);
  CHECK(confirm(with({100, 100, 100}).machines[0], with({100, 100, 100}).machines[1]).agrees);
  TuningReport apart = with({100, 125, 150});
  for (std::size_t k = 0; k < 3; ++k)
    (k == 1 ? apart.machines[1] : apart.machines[0]).rows[k].state = TunedState::failed;
  find_best(apart);
  CHECK(confirm(apart.machines[0], apart.machines[1]).common == 0);
  CHECK(finding(apart, "on dmm") == "no value can be chosen on both machines");
}

TEST_CASE("a machine that gives the same for every value does not agree or disagree") {
  const auto with = [](std::vector<std::int64_t> here, std::vector<std::int64_t> there) {
    return report_of({machine_of(Model::umm, {{"time", std::move(here)}}, "time"),
                      machine_of(Model::dmm, {{"time", std::move(there)}}, "time")},
                     {"1", "2", "4"});
  };
  CHECK(finding(with({5, 5, 5}, {3, 1, 2}), "on dmm") ==
        "umm does not tell the values apart; here the best is s=2 (time 1)");
  CHECK(finding(with({3, 1, 2}, {5, 5, 5}), "on dmm") ==
        "dmm does not tell the values apart: every value gives time 5");
  CHECK(finding(with({7, 7, 7}, {5, 5, 5}), "on dmm") ==
        "dmm does not tell the values apart either: every value gives time 5");
}

TEST_CASE("on an MMM the value with the least time is named if the bound has another best") {
  const auto with = [](std::vector<std::int64_t> time, const char* objective) {
    return report_of(
        {machine_of(Model::mmm, {{"bound", {40, 45, 90}}, {"time", std::move(time)}}, objective)},
        {"8", "16", "32"});
  };
  CHECK(finding(with({30, 20, 60}, "bound"), "by time") == "s=16 (time 20); s=8 takes 30");
  CHECK(finding(with({30, 20, 60}, "time"), "by time").empty());
  CHECK(finding(with({20, 20, 60}, "bound"), "by time").empty()); // as good
}

TEST_CASE("rows in which all values of the second parameter give the same say so") {
  const auto with = [](std::vector<std::int64_t> counts) {
    TuningReport report = report_of({machine_of(Model::umm, {{"time", std::move(counts)}}, "time")},
                                    {"1", "2", "3", "4"});
    report.axes = {sweep::tuned_axis("s", {"1", "2"}), sweep::tuned_axis("t", {"8", "16"})};
    report.extensions.resize(2);
    for (std::size_t k = 0; k < 4; ++k) report.machines[0].rows[k].at = {k / 2, k % 2};
    find_best(report);
    return report;
  };
  CHECK(finding(with({4, 3, 2, 1}), "best t") == "s=1: 16; s=2: 16");
  CHECK(finding(with({4, 4, 2, 1}), "best t") == "s=1: all the same; s=2: 16");
  CHECK(finding(with({4, 4, 2, 2}), "best t") == "at each s, all values of t give the same time");
}

TEST_CASE("numbers of tunings have two decimals, or none where they are whole") {
  const auto text = [](double value) {
    TuningReport report =
        report_of({machine_of(Model::umm, {{"time", {9, 10}}}, "time")}, {"1", "2"});
    report.machines[0].rows[0].objective = sweep::Objective{value, {}};
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

TEST_CASE("an objective is a measure of the model or a count, and bounds fall back to Theorem 1") {
  const std::vector<sweep::StoreColumn> columns = {
      {"time", ""}, {"races", ""}, {"program", "", true}};
  CHECK(find_objective("races", Model::umm, columns)->columns == std::vector<std::string>{"races"});
  CHECK(!find_objective("program", Model::umm, columns));
  CHECK(!find_objective("overhead", Model::hmm, columns));
  CHECK(!find_objective("multiplicity", Model::agpu, columns)); // larger is better
  const auto bound = find_objective("bound", Model::mmm, columns);
  REQUIRE(bound);
  CHECK(standard_objective(Model::mmm) == "bound");
  using Cells = std::map<std::string, sweep::Cell>;
  const auto value = [&](Cells cells) {
    return bound->value([&](const std::string& column) { return cells[column]; });
  };
  CHECK(value({{"mmm_corollary1", std::int64_t{5}}, {"mmm_theorem1", std::int64_t{7}}}) ==
        sweep::Cell(std::int64_t{5}));
  CHECK(value({{"mmm_theorem1", 7.5}}) == sweep::Cell(7.5));
  CHECK(bound->label() == "bound"); // no rule yet
  TuningMeasure chosen = *bound;
  chosen.choose_rule([](const std::string& column) { return column == "mmm_theorem1"; });
  CHECK(chosen.label() == "bound (Theorem 1)");
  CHECK(chosen.columns == std::vector<std::string>{"mmm_theorem1"});
  chosen = *bound;
  chosen.choose_rule([](const std::string&) { return true; });
  CHECK(chosen.label() == "bound (Corollary 1)");
  CHECK(value({}) == sweep::Cell());
  const auto stages = find_objective("stages", Model::hmm, columns);
  REQUIRE(stages);
  Cells both = {{"global_stages", std::int64_t{5}}, {"shared_stages", std::int64_t{7}}};
  CHECK(stages->value([&](const std::string& column) { return both[column]; }) ==
        sweep::Cell(std::int64_t{12}));
}

} // namespace memlane
