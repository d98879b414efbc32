// The scans of Koike 2015, chapter 5, and of the lecture on scan patterns: their counts, their
// operators, and the papers' examples.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

/// The result of a run on an AGPU.
nlohmann::json agpu_result(const Playground& playground, const std::string& run) {
  const Outcome outcome = playground.run("memlane run " + run + " -m agpu-teaching --format json");
  INFO(run << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

struct ExpectedScan {
  int alpha;
  const char* options;
  int time;
};

/// Small and ragged sizes on small machines.
const std::string scan_shapes =
    " --model hmm --model agpu --points 40 --grid n=1,5,64,257 --grid w=2,32 --grid d=1,3"
    " --grid l=1 --grid L=2 --grid p=32 --grid M=12288";

/// The stages of a request to these words of w banks: the most different ones of a bank.
int stages_of(std::vector<int> words, int w) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::map<int, int> of_bank;
  int most = 0;
  for (const int word : words) most = std::max(most, ++of_bank[word % w]);
  return most;
}

/// The stages of the requests that fill a tile of alpha rows, row by row, in rows of b + 1 words.
std::map<int, int> requests_by_stages(int b, int alpha) {
  std::map<int, int> requests;
  for (int row = 0; row < alpha; ++row) {
    std::vector<int> words;
    for (int q = row * b; q < row * b + b; ++q) words.push_back(q % alpha * (b + 1) + q / alpha);
    ++requests[stages_of(words, b)];
  }
  return requests;
}

/// What is written in the program's folder, to be a program that uses `scan`.
std::string affine(const std::string& more) {
  return "use scan\n"
         "type value = (a: int, b: int)\n" // x becomes a*x + b
         "memory T[n]: value = value(random(-3, 3), random(-3, 3))\n" +
         more;
}

} // namespace

TEST_CASE("the scan of 2^14 words has the dissertation's counts at b = 32 and k = 4", "[release]") {
  const Playground playground;
  for (const ExpectedScan& expected :
       std::vector<ExpectedScan>{{1, "", 2071},
                                 {4, "", 2098},
                                 {32, "", 1234},
                                 {1, " -D commutative=false", 2077},
                                 {4, " -D commutative=false", 2104},
                                 {32, " -D commutative=false", 1240}}) {
    const nlohmann::json counts =
        agpu_result(playground, "scan --set width=32 --set multiprocessors=4"
                                " --set shared.capacity=12288 -D alpha=" +
                                    std::to_string(expected.alpha) + expected.options)["counts"];
    INFO(expected.alpha << expected.options);
    CHECK(counts["agpu"]["time"] == expected.time);
    CHECK(counts["agpu"]["io"] == 1546);
  }
}

TEST_CASE("the degree of the scan's bank conflicts is within its bound for every b and alpha",
          "[release]") {
  const Playground playground;
  for (const int b : {2, 4, 8, 16, 32})
    for (int alpha = 1; alpha <= b; ++alpha) {
      const std::map<int, int> requests = requests_by_stages(b, alpha);
      INFO(b << " banks, alpha " << alpha);
      CHECK(requests.rbegin()->first <= std::min((b - 1 + alpha - 1) / alpha + 1, alpha));
      // The simulator's conflicts are those of filling and of storing one tile.
      int lost = 0;
      for (const auto& [stages, count] : requests) lost += 2 * (stages - 1) * count;
      const nlohmann::json result = agpu_result(
          playground, "scan --set multiprocessors=1 --set shared.capacity=12288 --set width=" +
                          std::to_string(b) + " -D alpha=" + std::to_string(alpha) +
                          " -D n=" + std::to_string(alpha * b));
      const nlohmann::json& scan = result["counts"]["kernels"]["local_scan"];
      CHECK(scan["units"]["shared"][0]["conflicts"] == lost);
    }
}

TEST_CASE("scans are right on machines of many shapes, with other operators, too", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/affine.lane",
       affine("param commutative: bool = false where not commutative\n"
              "fn combine(x, y) = value(x.a*y.a, y.a*x.b + y.b)\n"
              "fn identity = value(1, 0)\n"));
  for (const std::string program :
       {"scan", "compact", "segmented_scan", "scan_blocks", "scan_naive", "affine.lane",
        "scan --fn 'combine(x, y) = max(x, y)' --fn 'identity = lowest(value)'",
        "compact --fn 'keep(x) = x > 7'",
        "segmented_scan --fn 'add(x, y) = max(x, y)' --fn 'zero = lowest(item)'"}) {
    const Outcome outcome =
        playground.run("memlane verify " + program + scan_shapes +
                       (program.rfind("scan_", 0) == 0 ? "" : " --grid r=1,3 --grid alpha=1,2"));
    INFO(program << "\n" << outcome.out << outcome.err);
    CHECK(outcome.out.find("every result right") != std::string::npos);
    CHECK(outcome.out.find("\n  fails") == std::string::npos);
  }
}

TEST_CASE("blocks that look back at earlier ones end under both schedules, by both engines",
          "[release]") {
  const Playground playground;
  for (const std::string run :
       {"look_back -D n=700 -D t=8 -D r=3", "column_prefix_sums -D n=70 -D m=37 -D t=8 -D h=5"})
    for (const std::string schedule : {"static", "dynamic"})
      for (const std::string resident : {"1", "3"})
        for (const std::string number : {"false", "true --atomics reversed"}) {
          const std::string command = "memlane run " + run +
                                      " -m hmm-teaching -D ticket=" + number +
                                      " --set block_schedule=" + schedule +
                                      " --set resident_blocks=" + resident + " --format json";
          INFO(command);
          const auto counts = [&](const std::string& options) {
            const Outcome outcome = playground.run(command + options);
            REQUIRE(outcome.status == 0);
            return nlohmann::json::parse(outcome.out)["counts"];
          };
          CHECK(counts("") == counts(" --engine reference"));
        }
}

TEST_CASE("a scan that looks back moves two words an element, the others three and four") {
  const Playground playground;
  const auto words = [&](const std::string& run) {
    const Outcome outcome =
        playground.run("memlane run " + run + " -m hmm-titan-plain -D n=65536 --format json");
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["counts"]["agpu"]["io"].get<std::int64_t>();
  };
  const std::int64_t rows = 65536 / 32;
  CHECK(words("look_back -D r=32 -D ticket=true") < 2 * rows + 10 * rows / 32);
  CHECK(words("scan -D r=4") > 3 * rows);
  CHECK(words("scan_blocks") > 4 * rows);
}

TEST_CASE("a local reduction by cascading needs an operator that commutes", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/affine.lane",
       affine("fn combine(x, y) = value(x.a*y.a, y.a*x.b + y.b)\nfn identity = value(1, 0)\n"));
  const std::string run = "memlane run affine.lane -m hmm-teaching";
  CHECK(playground.run(run).status == 1);
  CHECK(playground.run(run + " -D commutative=false").status == 0);
}

TEST_CASE("the lecture's examples of scans", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/x.txt", "3 1 7 0 4 1 6 3\n");
  spit(playground.folder() + "/bread.txt", "3 5 2 7 28 4 3 0 8 1\n");
  const auto scanned = [&](const std::string& run, const std::string& array) {
    const Outcome outcome =
        playground.run("memlane run " + run + " -m hmm-teaching --output " + array + "=out.txt");
    INFO(run << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    std::string text = slurp(playground.folder() + "/out.txt");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const std::string inclusive = "3 4 11 11 15 16 22 25 ", exclusive = "0 3 4 11 11 15 16 22 ";
  const std::string eight = " -D n=8 --input x=x.txt";
  CHECK(scanned("scan_blocks" + eight, "y") == inclusive);
  CHECK(scanned("scan_blocks -D inclusive=false" + eight, "y") == exclusive);
  CHECK(scanned("scan_blocks -D efficient=false" + eight, "y") == inclusive);
  CHECK(scanned("scan_naive" + eight, "y") == inclusive);
  CHECK(scanned("scan -D n=8 --input T=x.txt", "S") == exclusive);
  CHECK(scanned("scan -D n=8 --input T=x.txt -D inclusive=true", "S") == inclusive);
  CHECK(scanned("scan -D n=10 --input T=bread.txt -D inclusive=true", "S") ==
        "3 8 10 17 45 49 52 52 60 61 ");
}

} // namespace memlane::test
