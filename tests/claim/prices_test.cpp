// Prices on other models: their formulas, and how they are asked for.
#include "machine/schema_check.hpp"
#include "support/catch.hpp"

#include "memlane/claim/prices.hpp"

#include <nlohmann/json.hpp>

namespace memlane::test {
namespace {

Counts some_counts() {
  Counts counts;
  counts.launches = 3;
  counts.agpu.time = 280;
  counts.agpu.io = 518;
  counts.pram = PramCounts{30, 3069, PramClass::erew, {}, ""};
  counts.bsp = BspCounts{14, 100, 70};
  return counts;
}

std::string text_of(const std::string& price, const Counts& counts, bool is_volatile = true) {
  const auto requests = read_prices({price});
  REQUIRE(requests);
  REQUIRE(requests->size() == 1);
  MachineSpec machine;
  machine.is_volatile = is_volatile;
  const Price found = price_of(requests->front(), machine, counts);
  CHECK(found.value.text.empty() != found.reason.empty());
  return found.value.text;
}

/// The only error of these texts, with its help.
std::string error_of(const std::vector<std::string>& texts) {
  const auto requests = read_prices(texts);
  REQUIRE(!requests);
  REQUIRE(requests.errors().size() == 1);
  std::string text = requests.errors().front().message;
  for (const std::string& help : requests.errors().front().help) text += "\n" + help;
  return text;
}

std::string errors_of_file(const std::string& text) {
  Sources sources;
  const auto requests = read_price_file(sources, sources.add("prices.json", text));
  return requests ? "" : render(requests.errors(), sources);
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("prices are exact formulas of counts") {
  const Counts counts = some_counts();
  CHECK(text_of("pem:lambda=400,sigma=10", counts) == "207510"); // 280 + 400*518 + 3*10
  CHECK(text_of("pem:sigma=1/3,lambda=0.5", counts) == "540");   // 280 + 259 + 1
  CHECK(text_of("bsp:g=10,l=400,p=14", counts) == "2000");       // 100 + 10*70 + 3*400
  CHECK(text_of("bsp:g=1/7,l=1/2,p=14", counts) == "223/2");
  CHECK(text_of("io", counts) == "518");
  CHECK(text_of("graham_brent:p=128", counts) == "6879/128"); // 30 + 3039/128
  CHECK(text_of("graham-brent:p=1", counts) == "3069");
}

TEST_CASE("prices do not overflow") {
  Counts counts = some_counts();
  counts.agpu.io = INT64_MAX;
  CHECK(text_of("pem:lambda=999999999999999999,sigma=0", counts) ==
        "9223372036854775797776627963145224473");
}

TEST_CASE("a price that a run does not have says why") {
  Counts counts = some_counts();
  CHECK(text_of("io", counts, false).empty());
  CHECK(text_of("pem:lambda=1,sigma=1", counts, false) == "801");
  counts.agpu.io.reset();
  counts.agpu.time.reset();
  CHECK(text_of("io", counts).empty());
  CHECK(text_of("pem:lambda=1,sigma=1", counts).empty());
}

TEST_CASE("schema and reader of files of prices agree on every key with every kind of value") {
  using test::Json;
  const Json schema = Json::parse(price_file_schema().dump());
  const Json whole = Json::parse(R"({"$schema": "x", "pem": {"lambda": 400, "sigma": 2.5},
    "bsp": {"g": "5/2", "l": 0, "p": 14}, "io": {}, "graham_brent": {"p": "128"}})");
  const auto compare = [&](const Json& file) {
    Sources sources;
    const std::int32_t number = sources.add("prices.json", file.dump());
    const bool accepted = static_cast<bool>(read_price_file(sources, number));
    INFO(file.dump());
    CHECK(test::valid(schema, file) == accepted);
  };
  compare(whole);
  compare(Json::object());
  compare({{"$schema", "x"}});
  compare({{"io", Json::object()}});
  for (const char* place : {"/pem", "/io", "/pem/lambda", "/bsp/p", "/bsp/g", "/graham_brent/p"}) {
    const Json::json_pointer at(place);
    for (const char* value :
         {"null", "true", "0", "3", "-1", "1.5", "\"\"", "\"7\"", "\"0\"", "\"-7\"", "\"5/0\"",
          "\"x\"", "\"1.\"", "[]", "[1]", "{}", "{\"p\": 1}"}) {
      Json changed = whole;
      changed[at] = Json::parse(value);
      compare(changed);
    }
    Json without = whole;
    without[at.parent_pointer()].erase(at.back());
    compare(without);
    Json more = whole;
    more[at.parent_pointer()]["unknown"] = 1;
    compare(more);
  }
}

TEST_CASE("prices ask for the counts that they need") {
  RunOptions options;
  ask_for_counts(*read_prices({"io", "pem:lambda=1,sigma=1"}), options);
  CHECK(!options.pram);
  CHECK(options.bsp_multiprocessors == 0);
  ask_for_counts(*read_prices({"graham_brent:p=2", "bsp:g=1,l=1,p=7"}), options);
  CHECK(options.pram);
  CHECK(options.bsp_multiprocessors == 7);
}

TEST_CASE("numbers of prices are whole, decimal or fractions") {
  CHECK(fraction_of("400") == Fraction{400, 1});
  CHECK(fraction_of("2.50") == Fraction{5, 2});
  CHECK(fraction_of("10/4") == Fraction{5, 2});
  CHECK(fraction_of("0") == Fraction{0, 1});
  CHECK(fraction_of("0.0") == Fraction{0, 1});
  for (const char* wrong : {"", "-1", "+1", "1e3", "4abc", "1/0", "1/", "/2", ".5", "1.", "1.5/2",
                            "1/2.5", "1/2/3", "0x10", "1234567890123456789", " 1", "inf"}) {
    INFO(wrong);
    CHECK(!fraction_of(wrong));
  }
  CHECK(fraction_of("999999999999999999") == Fraction{999'999'999'999'999'999, 1});
  CHECK(!fraction_of("1.000000000000000000")); // 19 digits
}

TEST_CASE("what is wrong with a price is said, with a way out") {
  CHECK(says(error_of({"pen:lambda=1,sigma=1"}), "no model of prices is named 'pen'\n"
                                                 "did you mean 'pem'?\n"
                                                 "accepted: pem, bsp, io, graham_brent"));
  CHECK(says(error_of({"pem:sigma=10"}),
             "pem lacks lambda\nwrite it like this: --price pem:lambda=400,sigma=10"));
  CHECK(says(error_of({"bsp"}), "bsp lacks g and l and p"));
  CHECK(says(error_of({"pem:lambda=-1,sigma=1"}), "lambda of pem is '-1'\naccepted: a number"));
  CHECK(says(error_of({"pem:lambda=much,sigma=1"}), "lambda of pem is 'much'"));
  CHECK(says(error_of({"pem:lambda,sigma=1"}), "lambda of pem is ''"));
  CHECK(says(error_of({"pem:lambda=1,lambda=2,sigma=1"}), "lambda of pem is given twice"));
  CHECK(says(error_of({"pem:lambda=1,sigma=1,tau=2"}), "pem has no parameter 'tau'"));
  CHECK(says(error_of({"io:b=2"}), "io has no parameter 'b'\nit has none: --price io"));
  CHECK(says(error_of({"io", "io"}), "io is given twice"));
  CHECK(says(error_of({"pem:lambda=9999999999999999999,sigma=1"}), "at most 18 digits"));
  CHECK(error_of({"pem:lambda=" + std::string(100'000, '9') + ",sigma=1"}).size() < 300);
  for (const char* count : {"0", "1/2", "2.5"})
    CHECK(says(error_of({"graham_brent:p=" + std::string(count)}), "a whole number of at least 1"));
}

TEST_CASE("prices are read from files, with the places of their errors") {
  Sources sources;
  const auto read = read_price_file(
      sources, sources.add("prices.json", R"({"$schema": "x", "pem": {"lambda": 400, "sigma": 2.5},
        "bsp": {"g": "1/3", "l": 5, "p": 14}, "io": {}})"));
  REQUIRE(read);
  REQUIRE(read->size() == 3);
  CHECK((*read)[0].values == std::vector<Fraction>{{400, 1}, {5, 2}});
  CHECK((*read)[1].values == std::vector<Fraction>{{1, 3}, {5, 1}, {14, 1}});
  CHECK((*read)[1].values_text() == "g=1/3, l=5, p=14");
  CHECK(says(errors_of_file(R"({"pem": {"lambda": 1, "tau": 2}})"),
             "prices.json:1:23: error: pem has no parameter 'tau'"));
  CHECK(
      says(errors_of_file(R"({"pem": {"lambda": 1}})"), "prices.json:1:2: error: pem lacks sigma"));
  CHECK(says(errors_of_file(R"({"pem": {"lambda": -1, "sigma": 1}})"), "prices.json:1:20: error"));
  CHECK(
      says(errors_of_file(R"({"pem": {"lambda": null, "sigma": 1}})"), "lambda of pem is 'null'"));
  CHECK(says(errors_of_file(R"({"pem": 3})"), "must be an object of its parameters, is 3"));
  CHECK(says(errors_of_file(R"({"pme": {}})"), "did you mean 'pem'?"));
  CHECK(says(errors_of_file("[]"), "must be an object with a member for each model"));
  CHECK(says(errors_of_file(R"({"io": {}, "io": {}})"), "prices.json:1:12: error"));
  CHECK(says(errors_of_file(R"({"graham_brent": {"p": 1}, "graham-brent": {"p": 1}})"),
             "graham_brent is given twice"));
  CHECK(!errors_of_file("").empty());
  CHECK(says(errors_of_file("{}"), "prices.json:1:1: error: the file prices on no model"));
  CHECK(says(errors_of_file(R"({"$schema": "x"})"), "the file prices on no model"));
  CHECK(says(errors_of_file(R"({"pem": {"lambda": 1e-2, "sigma": 1}})"), "no sign, exponent"));
  const auto twice = join_prices(*read, *read_prices({"io"}));
  REQUIRE(!twice);
  CHECK(says(twice.errors().front().message, "the file has prices of io"));
}

} // namespace memlane::test
