// The program of a request that `memlane bank --html` writes makes that request and no other.
#include "support/checked_text.hpp"
#include "support/machine_files.hpp"
#include "support/machines.hpp"

#include "memlane/points/definitions.hpp"
#include "memlane/study/bank/request_program.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace memlane::test {
namespace {

BankQuery query_of(const std::string& expression, const std::vector<std::string>& definitions = {},
                   std::vector<std::int64_t> shape = {}) {
  BankQuery query;
  query.expression = expression;
  query.definitions = definitions;
  for (const std::string& text : definitions)
    query.parameters.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  query.shape = std::move(shape);
  return query;
}

std::string text_of(const BankQuery& query, const MachineSpec& machine,
                    BankReport* told = nullptr) {
  Sources sources;
  const Result<BankReport> report = report_of(sources, query, {{"m", machine}}, "0");
  REQUIRE(report);
  if (told) *told = *report;
  const Result<std::string> text = request_program(query, *report, "memlane bank");
  REQUIRE(text);
  return *text;
}

/// Counts of a run of the program.
Counts counts_of(const BankQuery& query, const MachineSpec& machine, const std::string& text) {
  Sources sources;
  const CheckedProgram program = checked_text(sources, "request.lane", text);
  const auto point = sweep::bound_point(sources, program, machine, query.definitions);
  REQUIRE(point);
  const sweep::PointResult result = sweep::run_point(*point, sources);
  REQUIRE(result.run.stop == Stop::none);
  return result.run.counts;
}

/// The stages of the unit's only request, which reads or, in shared memory, writes the element.
std::int64_t counted_stages(const std::string& element, const std::string& type, bool shared,
                            const MachineSpec& machine) {
  const std::string memory = shared ? "" : "memory m[256]: " + type;
  const std::string access = shared
                                 ? fmt::format("shared m[256]: {0}  m[{1}] = {0}(1)", type, element)
                                 : fmt::format("let x = m[{}]", element);
  const std::string text = fmt::format(
      "{}\nkernel k() {{ {} }}\nmain {{ launch k() threads=w }}\nverify {{ }}\n", memory, access);
  const Counts counts = counts_of({}, machine, text);
  const std::vector<UnitCounts>& units =
      (shared || !machine.global) && machine.shared ? counts.shared : counts.global;
  CHECK(units.at(0).requests == 1);
  return units.at(0).stages;
}

} // namespace

TEST_CASE("the stages that bank shows are those of a run on each shipped machine") {
  Sources sources;
  const MachineFiles files =
      machine_files_on_disk(std::string(MEMLANE_SOURCE_DIR) + "/configs/machines");
  for (const std::string& name : files.shipped) {
    const auto machine = load_machine(sources, name, {}, files);
    REQUIRE(machine);
    const MachineSpec& spec = machine->spec;
    if (!has_requests(spec.model)) continue;
    for (const char* element : {"lane", "2*lane", "lane * 33 % 256", "lane / 2 * 3", "8*lane"})
      for (const auto& [bytes, type] : {std::pair(4, "int"), std::pair(8, "double")}) {
        BankQuery query = query_of(element);
        query.bytes = bytes;
        INFO(name << ' ' << element << ' ' << type);
        const Result<BankReport> report = report_of(sources, query, {{name, spec}}, "0");
        REQUIRE(report);
        const RequestStages& stages = report->requests.at(0).access.stages;
        if (spec.global) CHECK(stages.groups == counted_stages(element, type, false, spec));
        if (spec.shared)
          CHECK(stages.banks == counted_stages(element, type, spec.global.has_value(), spec));
      }
  }
}

TEST_CASE("the program of a request makes the request that bank shows") {
  std::vector<BankQuery> queries = {
      query_of("lane"),
      query_of("lane * stride + offset", {"stride=4", "offset=3"}),
      query_of("lane * stride", {"stride=1000"}),
      query_of("x + address + m + request",
               {"x=1", "address=2", "m=lane0", "lane0=3", "request=4"}),
      query_of("t[lane, 0]", {}, {32, 33}),
      query_of("t [ lane , k ]  // a column", {"k=2^2"}, {32, 32}),
      query_of("t[0, lane, 1]", {}, {2, 32, 4}),
      query_of("lane * 5", {}, {32, 9}),
      query_of("a[(lane + 1) * 2]"),
      query_of("threads - 1 - thread"),
  };
  queries.push_back(query_of("thread * 3"));
  queries.back().warp = 2;
  queries.back().active = "lane < 3 or lane == 7 // some";
  queries.push_back(query_of("lane * 6"));
  queries.back().row = 12;
  for (const BankQuery& query : queries)
    for (const MachineSpec& machine : {dmm(8, 3, 64), umm(8, 3, 64)}) {
      BankReport report;
      const std::string text = text_of(query, machine, &report);
      INFO(text);
      const Counts counts = counts_of(query, machine, text);
      const RequestStages& stages = report.requests.at(0).access.stages;
      const auto& units = machine.shared ? counts.shared : counts.global;
      REQUIRE(units.size() == 1);
      CHECK(units[0].requests == 1);
      CHECK(units[0].stages == (machine.shared ? stages.banks : stages.groups));
    }
}

TEST_CASE("a request's program has its values as parameters, and rows for layouts") {
  CHECK(text_of(query_of("lane * stride", {"stride=4"}), dmm(32, 3)) ==
        R"(/// One request of a warp: memlane bank
/// Change its numbers, the machine, and the layout of m; or the expression here.
param stride: long = 4 where 0 <= stride and stride <= 64
memory m[4*w, w]: int = index

kernel request() {
  if warp == 0 {
    let address = lane * stride
    let x = m[address / w, address % w]
  }
}
main   { launch request() threads=w }
verify { }
)");
  CHECK(text_of(query_of("t[lane, 0]", {}, {32, 32}), dmm(32, 3)).find("memory t[32, 32]: int") !=
        std::string::npos);
}

TEST_CASE("a page has no program for a request that is far away") {
  Sources sources;
  const BankQuery query = query_of("lane * 1000000");
  const Result<BankReport> report = report_of(sources, query, {{"m", dmm(32, 3)}}, "0");
  REQUIRE(report);
  CHECK(!request_program(query, *report, ""));
}

} // namespace memlane::test
