// Which launches are chosen, and how the choice is written.
#include "support/catch.hpp"

#include "memlane/kernels/launch_choice.hpp"
#include "memlane/kernels/launch_text.hpp"
#include "memlane/kernels/price_order.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/ptx/names.hpp"

namespace memlane::test {

TEST_CASE("launches are numbers and ranges from 0 on") {
  const auto read = [](const char* text) {
    const auto ranges = read_launch_ranges(text);
    REQUIRE(ranges.ok());
    return *ranges;
  };
  CHECK(read("3") == std::vector<LaunchRange>{{3, 3}});
  CHECK(read("0") == std::vector<LaunchRange>{{0, 0}});
  CHECK(read("1,5-7,10-") == std::vector<LaunchRange>{{1, 1}, {5, 7}, {10, INT64_MAX}});
  for (const char* const wrong :
       {"", "-3", "1,", ",1", "2-1", "1-2-3", "x", "1 2", " 1", "+1", "99999999999999999999"}) {
    const auto ranges = read_launch_ranges(wrong);
    INFO(wrong);
    REQUIRE_FALSE(ranges.ok());
    CHECK(ranges.errors().front().help.size() == 1);
  }
  CHECK(read_launch_ranges("7-5").errors().front().help.front() == "write 5-7");
}

TEST_CASE("a launch names its kernel as a list of kernels does") {
  const auto kernel_of = [](const std::string& name) {
    Sources sources;
    const auto launch = read_launch(sources, sources.add("--launch", name + "<<<2, 32>>>(1)"));
    return launch ? launch->kernel : launch.errors().front().message;
  };
  for (const char* const name : {"scan", "scan<unsigned int>", "own::scan<float, 4>", "own::scan",
                                 "scan<pair<int, long> >", "scan<(bool)1>", "_Z4scanIfEvPT_"})
    CHECK(kernel_of(name) == name);
  CHECK(kernel_of("scan<int> ") == "scan<int>");
  CHECK(kernel_of("scan ") == "scan");
  CHECK(kernel_of("own::") == "a kernel's name is needed here");
  CHECK(kernel_of("::scan") == "a kernel's name is needed here");
  CHECK(kernel_of("scan(2)") ==
        "'<<<' and the shape: kernel<<<blocks, threads>>>(…) is needed here");
  Sources sources;
  CHECK_FALSE(read_launch(sources, sources.add("--launch", "scan<int")).ok());
}

TEST_CASE("a range that fills an array ends where the array ends") {
  const auto error_of = [](const std::string& range) {
    Sources sources;
    const auto launch = read_launch(
        sources, sources.add("--launch", "k<<<1, 32>>>(a: float[8] = " + range + ", 1)"));
    return launch ? "" : launch.errors().front().message;
  };
  for (const char* const right :
       {"0..", "2..", "0..8", "2..10", "-3..5", "0.5..8.5", "-0.7..7.3", "2 .. 2^3+2"})
    CHECK(error_of(right).empty());
  CHECK(error_of("2..6") == "8 elements from 2 on end before 10, not before 6");
  for (const char* const wrong : {"0..3", "0..7", "0..9", "5..1", "0..1.5"})
    CHECK(error_of(wrong).starts_with("8 elements from "));
  Sources sources;
  const auto launch =
      read_launch(sources, sources.add("--launch", "k<<<1, 32>>>(a: int[8] = 2..6)"));
  REQUIRE_FALSE(launch.ok());
  const Diagnostic& error = launch.errors().front();
  CHECK(error.help == std::vector<std::string>{"leave the end out: 2.."});
  CHECK((error.span.begin == 25 && error.span.end == 29));
}

TEST_CASE("an array is filled with numbers that its elements can have") {
  const auto error_of = [](const std::string& array) {
    Sources sources;
    const auto launch =
        read_launch(sources, sources.add("--launch", "k<<<1, 32>>>(a: " + array + ")"));
    return launch ? "" : launch.errors().front().message;
  };
  for (const char* const right :
       {"uchar[4] = 255", "char[4] = -128", "int[4] = 2^31 - 1", "ulong[4] = 2^62", "bool[4] = 1",
        "float[4] = 0.5", "short[4] = random(-5, 5)", "uchar[512] = 0.."})
    CHECK(error_of(right).empty());
  CHECK(error_of("uchar[4] = 300") == "elements of type uchar are from 0 to 2^8 - 1");
  CHECK(error_of("char[4] = random(-129, 5)") == "elements of type char are from -2^7 to 2^7 - 1");
  CHECK(error_of("int[4] = 2^40") == "elements of type int are from -2^31 to 2^31 - 1");
  CHECK(error_of("bool[4] = 2") == "elements of type bool are from 0 to 2^1 - 1");
  CHECK(error_of("int[4] = 1.5") == "elements of type int are integers");
}

TEST_CASE("a kernel has the names that its source gives it") {
  CHECK(ptx::source_name("_Z3addIfEvPT_S0_") == "add<float>");
  CHECK(ptx::source_name("_ZN12_GLOBAL__N_16hiddenEPi") == "hidden");
  CHECK(ptx::source_name("plain") == "plain");
  for (const char* const name : {"_Z3addIfEvPT_S0_", "add<float>", "add"})
    CHECK(names_kernel(name, "_Z3addIfEvPT_S0_"));
  for (const char* const name : {"own::twice<int>", "own::twice", "twice"})
    CHECK(names_kernel(name, "_ZN3own5twiceIiEEvPT_"));
  CHECK_FALSE(names_kernel("own", "_ZN3own5twiceIiEEvPT_"));
  for (const char* const name : {"", "ad", "add<int>", "add<float>(float*)"})
    CHECK_FALSE(names_kernel(name, "_Z3addIfEvPT_S0_"));
}

TEST_CASE("a launch is chosen by its kernel and its number") {
  LaunchChoice choice;
  CHECK(choice.all());
  CHECK(choice.has(1, "any"));
  choice.kernels = {"twice", "add"};
  CHECK(choice.has(9, "_Z5twicePi"));
  CHECK_FALSE(choice.has(9, "_Z6squarePi"));
  choice.ranges = {{1, 1}, {4, 5}};
  CHECK(choice.has(5, "_Z5twicePi"));
  CHECK_FALSE(choice.has(3, "_Z5twicePi"));
  CHECK_FALSE(choice.has(4, "_Z6squarePi"));
  CHECK_FALSE(choice.all());
}

TEST_CASE("an order is read as it was written") {
  PriceOrder order;
  Sources sources;
  MachineFiles files;
  files.read = [](const std::string&) -> Result<std::string> {
    return std::string(
        R"({"name": "own", "model": "dmm", "width": 32, "threads": 64, "latency": 9})");
  };
  const auto machine = load_machine(sources, "./m.json", {}, files);
  if (!machine) FAIL(render(machine.errors(), sources));
  order.machine = machine->spec;
  order.machine_path = "m.json";
  order.prices = false;
  order.choice.kernels = {"twice", "add<int>"};
  order.choice.ranges = {{2, 3}, {7, INT64_MAX}};
  order.most_seconds = 2.5;
  order.host = {"a", "b", "c"};
  const auto read = read_price_order(text_of(order));
  REQUIRE(read.ok());
  CHECK_FALSE(read->prices);
  CHECK(read->machine.width == 32);
  CHECK(read->choice.kernels == order.choice.kernels);
  CHECK(read->choice.ranges == order.choice.ranges);
  CHECK(read->most_seconds == 2.5);
  CHECK_FALSE(read_price_order("{}").ok());
  CHECK_FALSE(read_price_order("").ok());
}

} // namespace memlane::test
