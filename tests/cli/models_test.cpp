// Prices of a run, the table of all models, and the pages of models.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace memlane::test {
namespace {

using ModelsJson = nlohmann::json;

ModelsJson models_json_of(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return ModelsJson::parse(outcome.out);
}

/// The value of a row of --all-models; null if there is no such row.
ModelsJson model_value_of(const ModelsJson& models, const std::string& machine,
                          const std::string& count) {
  for (const ModelsJson& row : models.at("rows"))
    if (row.at("machine") == machine && row.at("count") == count) return row.at("value");
  return nullptr;
}

std::string on_one_line(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  for (std::string word; in >> word;) line += ' ' + word;
  return line;
}

} // namespace

TEST_CASE("PEM's price is the sum of its launches' prices") {
  const Playground playground;
  const ModelsJson run =
      models_json_of(playground, "memlane run reduction -m agpu-teaching -D n=500 "
                                 "--price pem:lambda=3,sigma=7 --price io");
  std::int64_t sum = 0;
  const ModelsJson& launches = run.at("counts").at("by_launch");
  REQUIRE(launches.size() > 1);
  for (const ModelsJson& launch : launches) {
    const ModelsJson& agpu = launch.at("agpu");
    sum += agpu.at("time").get<std::int64_t>() + 3 * agpu.at("io").get<std::int64_t>() + 7;
  }
  CHECK(run.at("prices").at("pem").at("text") == std::to_string(sum));
  CHECK(run.at("prices").at("pem").at("parameters") ==
        ModelsJson({{"lambda", "3"}, {"sigma", "7"}}));
  CHECK(run.at("prices").at("io").at("value") == run.at("counts").at("agpu").at("io"));
}

TEST_CASE("a run has a PRAM's counts and prices if they are asked for") {
  const Playground playground;
  const ModelsJson plain = models_json_of(playground, "memlane run sum -D n=64");
  CHECK(!plain.contains("prices"));
  CHECK(!plain.at("counts").contains("pram"));
  const ModelsJson priced =
      models_json_of(playground, "memlane run sum -D n=64 --price graham_brent:p=2");
  const ModelsJson& pram = priced.at("counts").at("pram");
  CHECK(pram.at("class") == "EREW");
  CHECK(pram.at("line") == nullptr);
  const auto work = pram.at("work").get<double>(), steps = pram.at("steps").get<double>();
  CHECK(priced.at("prices").at("graham_brent").at("value") == steps + (work - steps) / 2);
  const Outcome csv = playground.run("memlane run sum -D n=64 --pram --price io --format csv");
  CHECK(csv.out.find(",pram_steps,pram_work,pram_class,pram_line") != std::string::npos);
  CHECK(csv.out.find(",price_pem,price_bsp,price_io,price_graham_brent") != std::string::npos);
  // Without data, the same.
  CHECK(models_json_of(playground, "memlane run sum -D n=64 --pram --timing-only")
            .at("counts")
            .at("pram") == pram);
}

TEST_CASE("the table of all models has each machine's own numbers", "[release]") {
  const Playground playground;
  const ModelsJson models =
      models_json_of(playground, "memlane compare reduction --all-models -D n=64 "
                                 "--price bsp:g=2,l=1,p=4");
  const ModelsJson run =
      models_json_of(playground, "memlane run reduction -D n=64 -m agpu-teaching --pram "
                                 "--price bsp:g=2,l=1,p=4");
  const ModelsJson& counts = run.at("counts");
  const auto text = [](const ModelsJson& count) {
    return std::to_string(count.get<std::int64_t>());
  };
  const std::string agpu = "agpu-teaching";
  CHECK(model_value_of(models, agpu, "agpu_time") == text(counts.at("time")));
  CHECK(model_value_of(models, agpu, "agpu_io") == text(counts.at("agpu").at("io")));
  CHECK(model_value_of(models, agpu, "agpu_multiplicity") == counts.at("agpu").at("multiplicity"));
  CHECK(model_value_of(models, agpu, "pram_steps") == text(counts.at("pram").at("steps")));
  CHECK(model_value_of(models, agpu, "pram_work") == text(counts.at("pram").at("work")));
  CHECK(model_value_of(models, agpu, "pram_class") == counts.at("pram").at("class"));
  CHECK(model_value_of(models, agpu, "price_bsp") == run.at("prices").at("bsp").at("text"));
  CHECK(model_value_of(models, agpu, "price_io") == text(counts.at("agpu").at("io")));
  CHECK(model_value_of(models, agpu, "price_pem") == nullptr);
  CHECK(model_value_of(models, "hmm-teaching", "time") ==
        text(models_json_of(playground,
                            "memlane run reduction -D n=64 -m hmm-teaching")["counts"]["time"]));
}

TEST_CASE("what --all-models and --price cannot do is said", "[release]") {
  const Playground playground;
  const auto error_of = [&](const std::string& command) {
    const Outcome outcome = playground.run("memlane " + command);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(error_of("compare sum prefix_sums --all-models").find("one program is priced, not 2") !=
        std::string::npos);
  CHECK(error_of("compare sum --all-models --lines").find("no use for --lines") !=
        std::string::npos);
  CHECK(error_of("compare sum --price io").find("add --all-models") != std::string::npos);
  CHECK(error_of("run sum --price pem:lambda=4").find("pem lacks sigma") != std::string::npos);
  CHECK(error_of("run sum --prices missing.json").find("missing.json") != std::string::npos);
  CHECK(error_of("explain model prem").find("did you mean 'pram'?") != std::string::npos);
  CHECK(error_of("explain relations reduction --price io").find("is no price of model pem") !=
        std::string::npos);
}

TEST_CASE("every model that is listed has a page", "[release]") {
  const Playground playground;
  const Outcome list = playground.run("memlane explain model");
  REQUIRE(list.status == 0);
  int models = 0;
  for (std::size_t at = 0; at < list.out.size(); at = list.out.find('\n', at) + 1) {
    const std::string name = list.out.substr(at, list.out.find(' ', at) - at);
    const Outcome page = playground.run("memlane explain model " + name);
    CHECK(page.status == 0);
    CHECK(page.out.rfind(name + " ", 0) == 0);
    const auto lines = std::count(page.out.begin(), page.out.end(), '\n');
    CHECK(lines >= 5);
    CHECK(lines <= 11);
    ++models;
  }
  CHECK(models == 11);
  CHECK(playground.run("memlane explain model tmm").out.find("does not compute it") !=
        std::string::npos);
}

TEST_CASE("a comparison of commands names the bound that the command itself names") {
  const Playground playground;
  const std::string command = "ptx " MEMLANE_SOURCE_DIR "/configs/kernels/matrices.ptx --launch "
                              "'gray_by_doubles<<<64,256>>>(out: float[65536], in: uint[65536], "
                              "16384)'";
  const Outcome run =
      playground.run("memlane " + command + " -m hmm-rtx3080 --format json -o run.json");
  REQUIRE(run.status == 0);
  const Outcome compared =
      playground.run("memlane compare --command \"" + command + "\" -m hmm-rtx3080 --format json");
  INFO(compared.out << compared.err);
  CHECK(slurp(playground.folder() + "/run.json").find("\"largest\": \"operations\"") !=
        std::string::npos);
  CHECK(compared.out.find("\"largest\": \"operations\"") != std::string::npos);
}

TEST_CASE("a comparison of commands has their times on machines with one memory") {
  const Playground playground;
  const std::string command = "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --launch "
                              "'naive<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096], 64)'";
  for (const std::string machine : {"dmm-w32", "umm-w32"}) {
    const Outcome run = playground.run("memlane " + command + " -m " + machine);
    const std::string time = run.out.substr(run.out.find("\ntime ") + 6);
    const Outcome compared = playground.run("memlane compare --command \"" + command + "\" -m " +
                                            machine + " --format json");
    INFO(compared.out << compared.err);
    CHECK(std::stoll(time) > 0);
    CHECK(compared.out.find("\"time\": " + std::to_string(std::stoll(time))) != std::string::npos);
  }
}

TEST_CASE("on a machine with sectors, what is said of stages is true") {
  const Playground playground;
  const Outcome run = playground.run(
      "memlane run sum -m hmm-rtx3080 -D n=4096 --set requests_in_flight=1 --explain --try "
      "shared.latency=30");
  REQUIRE(run.status == 0);
  const std::string text = on_one_line(run.out);
  CHECK(text.find("with the stages that each request takes at least, wherever its words lie") !=
        std::string::npos);
  CHECK(text.find("one stage for each request") == std::string::npos);
  CHECK(text.find("no request has extra stages") == std::string::npos);
  CHECK(text.find("requests_in_flight=8") != std::string::npos); // it would help
  CHECK(text.find(" 0 0 all lines") != std::string::npos);
  const Outcome naive =
      playground.run("memlane ptx '" MEMLANE_SOURCE_DIR
                     "/programs/cuda/transpose.ptx' -m hmm-rtx3080 --explain --launch "
                     "'naive<<<(8,8),(32,8)>>>(out: float[65536], in: float[65536], 256)'");
  REQUIRE(naive.status == 0);
  const std::string of_naive = on_one_line(naive.out);
  CHECK(of_naive.find("extra stages of words that lie apart") != std::string::npos);
  CHECK(of_naive.find("if its blocks could still reuse the same") != std::string::npos);
  CHECK(of_naive.find("no request has extra stages") == std::string::npos);
}

TEST_CASE("without the extra stages of a line a run takes as long as a program without conflicts",
          "[release]") {
  const Playground playground;
  // Arrays, a kernel's line with conflicts, the same without them, and the lines behind.
  const std::string cases[][4] = {
      {"memory a[n, 32, 32]: int = 1\nmemory c[n, 32, 8]: int",
       "c[block, lane, 0] = a[block, 0, lane] + a[block, 1, lane] + a[block, 2, lane]",
       "c[block, lane/8, lane % 8] = a[block, 0, lane] + a[block, 1, lane] + a[block, 2, lane]",
       ""},
      {"memory c[n, 32, 4]: double", "c[block, lane, 0] = 1.5", "c[block, lane/4, lane % 4] = 1.5",
       ""},
      {"memory c[n, 32, 8]: int", "atomic c[block, lane, 0] += 1",
       "atomic c[block, lane/8, lane % 8] += 1", ""},
      // The second read needs none but the groups that the first one still reads.
      {"memory a[n, 32, 8]: int = 1\nmemory c[n, 32]: int", "let x = a[block, lane, 0]",
       "let x = a[block, lane/8, lane % 8]",
       "let y = a[block, lane/8, lane % 8]\nc[block, lane] = x + y"},
      // Reads of two arrays are no reuses of each other.
      {"memory a[n, 32, 8], b[n, 32, 8]: int = 1\nmemory c[n, 32]: int",
       "c[block, lane] = a[block, lane, 0] + b[block, lane, 0]",
       "c[block, lane] = a[block, lane/8, lane % 8] + b[block, lane/8, lane % 8]", ""}};
  for (const auto& [arrays, line, free, behind] : cases) {
    INFO(line);
    const auto explained = [&, &arrays = arrays, &behind = behind](const std::string& first) {
      spit(playground.folder() + "/line.lane",
           "param n: int = 2048\n" + arrays + "\nkernel k() {\n" + first + "\n" + behind +
               "\n}\nmain { launch k() blocks=n threads=32 }\nverify { assert true }\n");
      return models_json_of(playground, "memlane run line.lane -m hmm-rtx3080 --explain");
    };
    const ModelsJson conflicts = explained(line);
    CHECK(conflicts.at("/explanation/advice/conflict_free_line/predicted_time"_json_pointer) ==
          explained(free).at("/counts/time"_json_pointer));
  }
  const std::string direct =
      "memlane run transpose_direct -m hmm-rtx3080 -D n=128 --set launch_cost=0 ";
  CHECK(models_json_of(playground, direct + "--explain")
            .at("/explanation/advice/conflict_free_line/predicted_time"_json_pointer) ==
        models_json_of(playground, direct + "--layout 'c=strides(1, 128)'")
            .at("/counts/time"_json_pointer));
}

TEST_CASE("changes are tried for what they can gain beside the cost of launches") {
  const Playground playground;
  const ModelsJson run = models_json_of(playground, "memlane run sum -m hmm-gtx1650 --explain");
  const ModelsJson& best = run.at("/explanation/advice/suggestions/0"_json_pointer);
  CHECK(best.at("change") == "requests_in_flight=8");
  CHECK(run.at("/latency_hiding/global/hidden"_json_pointer) == false);
}

TEST_CASE("time without data is the run's where a warp has several requests on its way") {
  const Playground playground;
  for (const std::string keys : {"requests_in_flight=2", "schedule=hoisted",
                                 "requests_in_flight=4 --set schedule=hoisted"}) {
    INFO(keys);
    const std::string command = "memlane run sum -m hmm-teaching -D n=64 --set " + keys;
    const Outcome whole = playground.run(command + " | grep ^time");
    CHECK(whole.out.find("time units") != std::string::npos);
    CHECK(playground.run(command + " --timing-only | grep ^time").out == whole.out);
  }
}

} // namespace memlane::test
