// Sweeps into stores: each point once, nothing lost, the same content however they are run.
#include "shell.hpp"
#include "support/catch.hpp"

#include "memlane/store/query.hpp"
#include "memlane/study/results/stored_check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace memlane::test {
namespace {

using sweep::Cell;
using sweep::Rows;
using sweep::StoreReader;

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return "";
}

/// The rows of a SELECT over a store, each as one line.
std::vector<std::string> select(const std::string& path, const std::string& sql) {
  const auto reader = StoreReader::open(path);
  REQUIRE(reader);
  const auto rows = reader->select(sql);
  REQUIRE(rows);
  std::vector<std::string> lines;
  for (const auto& row : rows->rows) {
    std::string line;
    for (const Cell& cell : row) line += (line.empty() ? "" : "|") + text_of(cell);
    lines.push_back(line);
  }
  return lines;
}

/// What came out of every point, in an order that does not depend on when it was stored.
std::vector<std::string> content(const std::string& path) {
  return select(
      path, "SELECT program, machine, n, machine_latency, seed, time, verify, status FROM results "
            "ORDER BY program, machine, n, machine_latency, seed");
}

constexpr const char* sums = "memlane sweep sum prefix_sums -D n=2^4..2^9:pow2 -m dmm-w32 -m "
                             "umm-w32 --set latency=1,20 ";

std::string in(const Playground& playground, const char* file) {
  return playground.folder() + "/" + file;
}

} // namespace

TEST_CASE("a sweep runs each point once, and what is missing when it is asked for more") {
  const Playground playground;
  const Outcome first = playground.run("memlane sweep sum -D n=16,64 -m umm-w32 --store a.db");
  INFO(first.err);
  CHECK(first.status == 0);
  CHECK(first.out == "sum: 2 points\n2 run, 0 known before, in a.db\n");
  CHECK(content(in(playground, "a.db")) ==
        std::vector<std::string>{
            "sum|umm-w32|16|20|1|" +
                select(in(playground, "a.db"), "SELECT time FROM results WHERE n = 16").front() +
                "|passed|done",
            "sum|umm-w32|64|20|1|" +
                select(in(playground, "a.db"), "SELECT time FROM results WHERE n = 64").front() +
                "|passed|done"});
  CHECK(select(in(playground, "a.db"),
               "SELECT typeof(machine_latency), typeof(machine_capacity), "
               "machine_lockstep FROM results WHERE machine_threads > "
               "1000 AND n = 16") == std::vector<std::string>{"integer|null|0"});
  const Outcome more =
      playground.run("memlane sweep sum -D n=2^4..2^8:pow2 -m umm-w32 --store a.db");
  CHECK(more.out == "sum: 5 points\n3 run, 2 known before, in a.db\n");
  const Outcome again =
      playground.run("memlane sweep sum -D n=16..256:pow2 -m umm-w32 --store a.db");
  CHECK(again.out == "sum: 5 points\n0 run, 5 known before, in a.db\n");
}

TEST_CASE("a store has the same content whatever the number of jobs, shards and the order") {
  const Playground playground;
  REQUIRE(playground.run(sums + std::string("--store one.db -j 1")).status == 0);
  const std::vector<std::string> whole = content(in(playground, "one.db"));
  CHECK(whole.size() == 2 * 6 * 2 * 2);
  REQUIRE(playground.run(sums + std::string("--store seven.db -j 7")).status == 0);
  CHECK(content(in(playground, "seven.db")) == whole);
  CHECK(select(in(playground, "one.db"),
               "SELECT count(*) FROM results WHERE program = 'sum' AND "
               "machine_latency > 3 AND n >= 64") == std::vector<std::string>{"8"});
  std::size_t least = whole.size();
  CHECK(playground.run(sums + std::string("--shard 1/1000001"))
            .err.find("is no part i/n with 1 <= i <= n <= 1000000") != std::string::npos);
  for (const char* shard : {"3/3", "1/3", "2/3"}) {
    const Outcome part =
        playground.run(fmt::format("{} --store shards.db --shard {}", sums, shard));
    INFO(part.err);
    CHECK(part.status == 0);
    const std::size_t now = content(in(playground, "shards.db")).size();
    least = std::min(least, now);
  }
  CHECK(least > 0);
  CHECK(least < whole.size());
  CHECK(content(in(playground, "shards.db")) == whole);
}

TEST_CASE("a sweep that is killed at any moment goes on without a loss", "[release]") {
  const Playground playground;
  const std::string command =
      "memlane sweep sum prefix_sums -D n=2^8..2^13:pow2 -m dmm-w32 -m umm-w32 "
      "--set latency=1..10 --store killed.db -j 2";
  std::size_t before = 0;
  int killed = 0;
  for (int moment = 0; moment < 20; ++moment) {
    const double seconds = 0.01 + 0.01 * ((moment * 7) % 20);
    const Outcome outcome = playground.run(fmt::format("timeout -s KILL {} {}", seconds, command));
    killed += outcome.status == 137 ? 1 : 0;
    if (playground.run("test -e killed.db").status != 0) continue;
    const auto reader = StoreReader::open(in(playground, "killed.db"));
    if (!reader) continue; // killed before its tables were there
    // Columns of parameters come with the first point.
    const std::size_t now = select(in(playground, "killed.db"), "SELECT key FROM results").size();
    CHECK(now >= before);
    before = now;
  }
  CHECK(killed > 0);
  const Outcome rest = playground.run(command);
  INFO(rest.err);
  CHECK(rest.status == 0);
  const std::size_t all = 2 * 6 * 2 * 10;
  CHECK(rest.out == fmt::format("sum: {} points\n{} run, {} known before, in killed.db\n", all,
                                all - before, before));
  CHECK(select(in(playground, "killed.db"), "SELECT count(*), count(DISTINCT key) FROM results") ==
        std::vector<std::string>{fmt::format("{}|{}", all, all)});
  const SQLite::Database store(in(playground, "killed.db"));
  SQLite::Statement check(store, "PRAGMA integrity_check");
  REQUIRE(check.executeStep());
  CHECK(check.getColumn(0).getString() == "ok");
}

TEST_CASE("a sweep that is interrupted finishes what runs and says how to go on", "[release]") {
  const Playground playground;
  const auto sweep = [](int latencies) {
    return fmt::format("memlane sweep sum -D n=2^20,2^21 -m umm-w32 --set latency=1..{} "
                       "--store int.db -j 2",
                       latencies);
  };
  const Outcome stopped = playground.interrupt(sweep(kManyLatencies));
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  CHECK(stopped.out.find("interrupted: ") != std::string::npos);
  CHECK(stopped.out.find("the same command runs them") != std::string::npos);
  const auto stored = [&](const char* what) {
    return std::stoi(
        select(in(playground, "int.db"), fmt::format("SELECT count(*) FROM results {}", what))[0]);
  };
  CHECK(stored("") < 2 * kManyLatencies);
  const int known = stored("WHERE machine_latency <= 20");
  const Outcome rest = playground.run(sweep(20));
  CHECK(rest.status == 0);
  CHECK(rest.out ==
        fmt::format("sum: 40 points\n{} run, {} known before, in int.db\n", 40 - known, known));
}

TEST_CASE("points that fail are stored with the reason, and the rest goes on", "[release]") {
  const Playground playground;
  spit(in(playground, "odd.lane"),
       "param n: int = 4\nmemory a[n]: int\nkernel k() { forall i in 0..n { a[i] = 12 / (n - 3) } "
       "}\n"
       "main { launch k() }\nverify { assert a[0] == 12 / (n - 3) and n != 5 }\n");
  const Outcome all = playground.run("memlane sweep odd.lane -D n=2,3,4,5 -m umm-w32 --store o.db");
  CHECK(all.status == 2);
  CHECK(all.out == "odd: 4 points\n4 run, 0 known before, in o.db\n1 point with a failed check\n"
                   "1 point failed with an error\n");
  CHECK(all.err.find("n=3") != std::string::npos);
  CHECK(all.err.find("division by zero") != std::string::npos);
  CHECK(select(in(playground, "o.db"), "SELECT n, status, verify FROM results ORDER BY n") ==
        std::vector<std::string>{"2|done|passed", "3|failed|", "4|done|passed", "5|done|failed"});
  const Outcome check = playground.run("memlane sweep odd.lane -D n=4,5 -m umm-w32 --store p.db");
  CHECK(check.status == 1);
  const Outcome known = playground.run("memlane sweep odd.lane -D n=2..5 -m umm-w32 --store o.db");
  CHECK(known.status == 2);
  CHECK(known.out.find("0 run, 4 known before") != std::string::npos);
  const Outcome retried =
      playground.run("memlane sweep odd.lane -D n=2..5 -m umm-w32 --store o.db --retry");
  CHECK(retried.out.find("1 run, 3 known before") != std::string::npos);
}

TEST_CASE("a point that stops at a limit runs again under another limit", "[release]") {
  const Playground playground;
  const std::string command = "memlane sweep sum -D n=64,4096 -m umm-w32 --store l.db";
  const Outcome limited = playground.run(command + " --max-steps 10000");
  CHECK(limited.status == 3);
  CHECK(limited.out.find("1 point stopped at a limit") != std::string::npos);
  CHECK(select(in(playground, "l.db"), "SELECT n, status FROM results ORDER BY n") ==
        std::vector<std::string>{"64|done", "4096|stopped"});
  // What did not come to its end has no counts that could be compared.
  CHECK(select(in(playground, "l.db"), "SELECT n, time FROM results WHERE time IS NULL") ==
        std::vector<std::string>{"4096|"});
  CHECK(playground.run(command + " --max-steps 10000").out.find("0 run, 2 known") !=
        std::string::npos);
  const Outcome more = playground.run(command + " --max-steps 10000000");
  CHECK(more.status == 0);
  CHECK(more.out.find("1 run, 1 known") != std::string::npos);
}

TEST_CASE("the seconds of --max-seconds are each point's own") {
  const Playground playground;
  spit(in(playground, "long.lane"),
       "param n: int = 0\nmemory a[w]: int\nkernel k() { forall i in 0..w { a[i] = n } }\n"
       "main {\n  launch k()\n  var i: long = 0\n  while n == 1 and i >= 0 { i = i + 1 - 1 "
       "}\n}\nverify { assert a[0] == n }\n");
  const Outcome outcome = playground.run(
      "memlane sweep long.lane -D n=0..3 -m umm-w32 --store s.db -j 2 --max-seconds 1");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(select(in(playground, "s.db"), "SELECT n, status FROM results ORDER BY n") ==
        std::vector<std::string>{"0|done", "1|stopped", "2|done", "3|done"});
}

TEST_CASE("what is no sweep, and formats of points without a dry run, are errors") {
  const Playground playground;
  const Outcome nothing = playground.run("memlane sweep -D n=4");
  CHECK(nothing.status == 2);
  CHECK(nothing.err.find("sweep takes at least one sweep file or program, not 0") !=
        std::string::npos);
  const Outcome csv = playground.run("memlane sweep sum -D n=16 -m umm-w32 -o points.csv");
  CHECK(csv.status == 2);
  CHECK(csv.err.find("memlane results sum.db --format csv") != std::string::npos);
  CHECK(playground.run("test -e sum.db").status == 1);
}

TEST_CASE("a multiplicity is a number in stores") {
  const Playground playground;
  REQUIRE(
      playground.run("memlane sweep reduction -D n=4096 -m agpu-teaching --store m.db").status ==
      0);
  CHECK(select(in(playground, "m.db"),
               "SELECT typeof(agpu_multiplicity), agpu_multiplicity < 1000 FROM results") ==
        std::vector<std::string>{"real|1"});
}

TEST_CASE("two sweeps may write one store at once") {
  const Playground playground;
  const Outcome both = playground.run(fmt::format(
      "{} --store two.db -j 1 > a.txt & {} --store two.db -j 1 > b.txt; wait", sums, sums));
  INFO(both.err);
  CHECK(both.err.empty());
  REQUIRE(playground.run(sums + std::string("--store alone.db")).status == 0);
  CHECK(content(in(playground, "two.db")) == content(in(playground, "alone.db")));
}

TEST_CASE("results check finds every number of a column that its result does not give",
          "[release]") {
  const Playground playground;
  const std::string launch = "--launch 'tiled<<<({n}/32,{n}/32),(32,8)>>>(out: float[{n}*{n}], in: "
                             "float[{n}*{n}] = 0.., {n})'";
  for (const std::string& command :
       {std::string("sweep sum -D n=64 -m hmm-gtx1650 -m agpu-teaching --pram "
                    "--price pem:lambda=5/2,sigma=10 --store a.db"),
        std::string("sweep tensor_multiply -m hmm-tensor -D n=32 --store a.db"),
        "sweep --command \"ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx " + launch +
            "\" -D n=64 --set shared.capacity=5000 --store a.db",
        std::string("results import a.db tests/measure/synthetic.jsonl")}) {
    const Outcome filled = playground.run("memlane " + command);
    INFO(command << filled.err);
    REQUIRE(filled.status == 0);
  }
  const std::string sound = in(playground, "a.db"), path = in(playground, "b.db");
  CHECK(playground.run("memlane results check a.db").out.find("points, all sound") !=
        std::string::npos);
  CHECK(select(sound, "SELECT DISTINCT typeof(agpu_multiplicity) FROM results WHERE "
                      "agpu_multiplicity IS NOT NULL") == std::vector<std::string>{"real"});
  std::vector<std::string> missed;
  for (const std::string& line :
       select(sound, "SELECT CASE kind WHEN 0 THEN 'subjects' ELSE 'points' END || ' c' || number "
                     "|| ' ' || name "
                     "FROM columns UNION ALL SELECT 'points nanoseconds nanoseconds'")) {
    std::istringstream words(line);
    std::string table, column, name;
    words >> table >> column >> name;
    std::filesystem::copy_file(sound, path, std::filesystem::copy_options::overwrite_existing);
    const int changed =
        SQLite::Database(path, SQLite::OPEN_READWRITE)
            .exec(fmt::format("UPDATE {0} SET {1} = {1} + 1 WHERE id = (SELECT "
                              "max(id) FROM {0} WHERE typeof({1}) IN ('integer', 'real'))",
                              table, column));
    if (changed == 0) continue;
    const auto reader = StoreReader::open(path);
    REQUIRE(reader);
    const Status checked = check_store(*reader, path);
    if (checked ||
        checked.errors().front().message.find("column " + name + " of point") == std::string::npos)
      missed.push_back(name);
  }
  CHECK(missed == std::vector<std::string>());
}

TEST_CASE("a dry run lists what is missing and why, and runs nothing into the store", "[release]") {
  const Playground playground;
  const std::string command = "memlane sweep own.lane -D n=16,32 -m umm-w32 --store d.db";
  REQUIRE(playground.run("cp programs/reduction/sum.lane own.lane").status == 0);
  const Outcome empty = playground.run(command + " --dry-run --format csv");
  INFO(empty.err);
  CHECK(empty.status == 0);
  CHECK(lines_of(empty.out).size() == 3);
  CHECK(playground.run("test -e d.db").status == 1);
  REQUIRE(playground.run(command).status == 0);
  const Outcome why = playground.run(
      "memlane sweep own.lane -D n=16,32,64 -m umm-w32 --store d.db --dry-run --why");
  INFO(why.out);
  CHECK(why.out.find("1 to run, 2 known in d.db") != std::string::npos);
  CHECK(why.out.find("parameters") != std::string::npos);
  REQUIRE(playground.run("echo '// another text' >> own.lane").status == 0);
  const Outcome changed = playground.run(command + " --dry-run --why --format jsonl");
  CHECK(changed.out.find("program") != std::string::npos);
  CHECK(lines_of(changed.out).size() == 2);
  CHECK(changed.out.find("\"state\":\"known\"") == std::string::npos);
}

TEST_CASE("a sweep prices its points, and other prices are other points", "[release]") {
  const Playground playground;
  const std::string sweep = "memlane sweep reduction -m agpu-teaching -D n=64,100 --store p.db ";
  REQUIRE(playground.run(sweep + "--pram --price pem:lambda=400,sigma=10").status == 0);
  const std::string db = in(playground, "p.db");
  const std::vector<std::string> first = select(
      db, "SELECT price_pem = agpu_time + 400*agpu_io + 10*launches, pram_steps > 0, pram_work > "
          "pram_steps, price_io IS NULL, prices FROM results");
  CHECK(first == std::vector<std::string>(2, "1|1|1|1|pem:lambda=400,sigma=10"));
  CHECK(playground.run(sweep + "--price pem:lambda=800/2,sigma=10.0 --pram").out ==
        "reduction: 2 points\n0 run, 2 known before, in p.db\n");
  spit(playground.folder() + "/prices.json", R"({"pem": {"lambda": 1, "sigma": 10}, "io": {}})");
  CHECK(playground.run(sweep + "--prices prices.json").out ==
        "reduction: 2 points\n2 run, 0 known before, in p.db\n");
  CHECK(playground.run(sweep).out == "reduction: 2 points\n2 run, 0 known before, in p.db\n");
  CHECK(select(db, "SELECT DISTINCT prices FROM results WHERE price_io = agpu_io") ==
        std::vector<std::string>{"io pem:lambda=1,sigma=10"});
  // The command of a point repeats it, with its prices.
  const std::string command =
      select(db, "SELECT command FROM results WHERE pram_steps > 0 AND n = 100").front();
  CHECK(command == "memlane run reduction -m agpu-teaching -D n=100 --pram --price "
                   "pem:lambda=400,sigma=10");
  const Outcome dry = playground.run(sweep + "--dry-run --why --price io --format csv");
  CHECK(dry.out.find("prices: io") != std::string::npos);
  REQUIRE(playground.run("memlane sweep sum -D n=64,128 --pram --store q.db").status == 0);
  const Outcome less =
      playground.run("memlane sweep sum -D n=64,128 --store q.db --dry-run --why --format csv");
  for (const char* n : {"n=64", "n=128"})
    CHECK(less.out.find(fmt::format("{},1,\"without pram, in the store yes\",", n)) !=
          std::string::npos);
  const Outcome best =
      playground.run("memlane tune reduction -m agpu-teaching -D n=256 -D r=1,2,4 --price io "
                     "--objective price_io --store p.db");
  INFO(best.out << best.err);
  CHECK(best.status == 0);
  CHECK(best.out.find("price_io") != std::string::npos);
  const Outcome wrong = playground.run(sweep + "--price pem:lambda=1");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("pem lacks sigma") != std::string::npos);
}

TEST_CASE("points of verify, compare and sweep are the same points of one store", "[release]") {
  const Playground playground;
  const Outcome verified =
      playground.run("memlane verify strided --model dmm --points 10 --store v.db");
  INFO(verified.err);
  const std::string counts =
      select(in(playground, "v.db"), "SELECT count(*), min(status), max(status) FROM results")
          .front();
  CHECK(counts.find("|done|done") != std::string::npos);
  CHECK(std::stoi(counts) >= 10);
  const std::string input = " -D n=4096 --input a=programs/data/prime_gaps.txt";
  REQUIRE(
      playground.run("memlane compare sum prefix_sums -m umm-w32 --store c.db" + input).status ==
      0);
  const Outcome known =
      playground.run("memlane sweep sum prefix_sums -m umm-w32 --store c.db" + input);
  INFO(known.err);
  CHECK(known.out == "sum: 2 points\n0 run, 2 known before, in c.db\n");
  REQUIRE(playground.run("memlane sweep sum prefix_sums -m umm-w32 --store s.db" + input).status ==
          0);
  const char* const all = "SELECT program, machine, n, time, claims_hold, claims_fail, key FROM "
                          "results ORDER BY program";
  CHECK(select(in(playground, "c.db"), all) == select(in(playground, "s.db"), all));
}

TEST_CASE("a sweep file without machines takes those of -m") {
  const Playground playground;
  spit(playground.folder() + "/s.json", R"({ "programs": ["sum"], "axes": { "n": [16] } })");
  const Outcome outcome = playground.run("memlane sweep s.json -m umm-w32 --dry-run");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(playground.run("memlane sweep s.json --dry-run").err.find("machines: is missing") !=
        std::string::npos);
}

TEST_CASE("a condition with one = says how to compare") {
  const Playground playground;
  const Outcome outcome = playground.run("memlane sweep sum -D n=4..8 --where 'n=5' --dry-run");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("write == to compare") != std::string::npos);
}

} // namespace memlane::test
