// Kernels of a PTX file, launched and priced from the command line.
#include "ptx_commands.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <sstream>
#include <string>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

void check_error(const Playground& playground, const std::string& command, int status,
                 const std::string& text) {
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.err.find(text) != std::string::npos);
  CHECK(outcome.out.empty());
}

} // namespace

TEST_CASE("transposes of a PTX file have their stages, and their results are right") {
  const Playground playground;
  const Json naive = priced_json(playground, transpose_command("naive"));
  CHECK(most_stages(naive["counts"]["units"]["global"]) == 32);
  CHECK(naive["sectors"].size() == 1);
  CHECK(naive["sectors"][0]["sectors"] == 36 * 2048);
  CHECK(most_stages(priced_json(playground,
                                transpose_command("tiled"))["counts"]["units"]["shared"]) == 32);
  const Json padded = priced_json(playground, transpose_command("padded"));
  CHECK(most_stages(padded["counts"]["units"]["shared"]) == 1);
  CHECK(most_stages(padded["counts"]["units"]["global"]) == 1);
  const Outcome shown = playground.run(
      transpose_command("padded", "--print 'out[0..4]' --output out=out.txt --details"));
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK(shown.out.find("out[0..4]: 0 256 512 768\n") != std::string::npos);
  CHECK(shown.out.find("transpose.cu") != std::string::npos);
  CHECK(shown.out.find("out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];") !=
        std::string::npos);
  CHECK(slurp(playground.folder() + "/out.txt").rfind("0\n256\n512\n", 0) == 0);
}

TEST_CASE("both engines and a run in several launches give the same") {
  const Playground playground;
  const std::string twice =
      transpose_command("tiled", "--launch 'naive<<<(8,8),(32,8)>>>(in, out, 256)'");
  const Json fast = priced_json(playground, twice);
  Json reference = priced_json(playground, twice + " --engine reference");
  CHECK(fast["counts"] == reference["counts"]);
  CHECK(fast["counts"]["launches"] == 2);
  const Outcome back = playground.run(twice + " --print 'in[5]'");
  CHECK(back.out.find("in[5..6]: 5\n") != std::string::npos);
}

TEST_CASE("a sample of the blocks gives an estimate, which text, JSON and CSV call one") {
  const Playground playground;
  const std::string few = "--set multiprocessors=2 --sample-blocks 5";
  const Json whole = priced_json(playground, transpose_command("tiled", "--set multiprocessors=2"));
  CHECK(!whole.contains("estimated"));
  const Json part = priced_json(playground, transpose_command("tiled", few));
  CHECK(part["estimated"]["launches"] == 1);
  CHECK(part["estimated"]["blocks"] == 64);
  CHECK(part["estimated"]["executed"] == 6);
  const double time = whole["counts"]["time"], estimated = part["estimated"]["time"];
  CHECK(part["counts"]["time"].get<double>() < time / 8);
  CHECK(std::abs(estimated / time - 1) < 0.05);
  const std::string number = part["estimated"]["time"].dump();
  const Outcome shown = playground.run(transpose_command("tiled", few));
  CHECK(shown.out.find("\nestimated  " + number +
                       " time units for all blocks. Executed are 6 of 64 "
                       "blocks") != std::string::npos);
  CHECK(playground.run(transpose_command("tiled", few + " --format csv"))
            .out.find("," + number + ",") != std::string::npos);
  for (const char* const option : {"--print 'out[0]'", "--output out=out.txt", "--explain",
                                   "--timeline a.txt", "--trace a.gz", "--engine reference"})
    check_error(playground, transpose_command("tiled", few + ' ' + option), 2,
                "a part of the blocks is priced");
}

TEST_CASE("races of CUDA programs have the kernel's name in text and JSON") {
  const Playground playground;
  spit(playground.folder() + "/races.ptx", R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry first(.param .u64 x) {
.reg .b32 %r<2>;
.reg .b64 %l<2>;
ld.param.u64 %l0, [x];
mov.u32 %r0, %ctaid.x;
st.global.u32 [%l0], %r0;
ret;
}
.visible .entry second(.param .u64 x) {
.reg .b32 %r<2>;
.reg .b64 %l<2>;
ld.param.u64 %l0, [x];
mov.u32 %r0, %ctaid.x;
st.global.u32 [%l0+4], %r0;
ret;
})");
  const std::string both = "memlane ptx races.ptx --launch 'first<<<2, 32>>>(x: uint[2])' "
                           "--launch 'second<<<3, 32>>>(x)'";
  const Outcome shown = playground.run(both);
  INFO(shown.out << shown.err);
  CHECK(shown.out.find("races  array   kernel  what") != std::string::npos);
  const Json pairs = priced_json(playground, both)["race_pairs"];
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0]["kernel"] == "first");
  CHECK(pairs[1]["kernel"] == "second");
}

TEST_CASE("mistakes in a launch are named at their place, with the way out") {
  const Playground playground;
  check_error(playground, transpose_command("naiv"), 2, "did you mean 'naive'");
  check_error(playground, transpose_command("tiled", "-m dmm-w32"), 2, "use an hmm");
  check_error(playground, transpose_command("naive", "-m hmm-teaching"), 2,
              "such as hmm-titan-plain");
  check_error(playground, transpose_command("naive", "--set threads=128"), 2, "--set threads=256");
  check_error(playground, transpose_command("naive", "--print 'ou[1]'"), 2, "did you mean 'out'");
  check_error(playground, transpose_command("naive", "--print 'out[70000]'"), 2, "65536 elements");
  const Outcome stopped = playground.run(transpose_command("naive", "--max-time 10"));
  CHECK(stopped.status == 3);
  CHECK(stopped.err.find("10 time units, in launch 1 of the run, kernel naive") !=
        std::string::npos);
  const std::string file = std::string(MEMLANE_SOURCE_DIR) + "/programs/cuda/transpose.ptx";
  const auto launch = [&](const std::string& text) {
    return "memlane ptx " + file + " --launch '" + text + "'";
  };
  check_error(playground, launch("naive<<<1, 32>>>(1)"), 2, "has 3 parameters, 1 is given");
  check_error(playground, launch("naive<<<1, 32>>>(o: flaot[8], 0, 1)"), 2, "--launch:1:21: ");
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], a, 1)"), 2, "no array 'a'");
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], o, 0.5)"), 2,
              "an integer of 4 bytes");
  check_error(playground, launch("naive<<<1 32>>>()"), 2, "--launch:1:11: ");
  check_error(playground, launch("naive<<<8,8,32,8>>>()"), 2, "kernel<<<(8,8), (32,8)>>>");
  CHECK(playground
            .run(launch("naive<<<dim3(8, 8), dim3(32,8)>>>(o: float[2^16], i: float[2^16], 256)"))
            .status == 0);
  // What the machine cannot run is refused before the launches in front of it are run.
  const std::string two = launch("naive<<<1,(32,8)>>>(o: float[1024], o, 1000)") +
                          " --launch 'tiled<<<1,(32,8)>>>(o, o, 32)' -m umm-w32";
  check_error(playground, two, 2, "tiled uses shared memory");
  CHECK(playground.run(two).err.find("out of bounds") == std::string::npos);
  CHECK(playground.run(two).err.find("outside of") == std::string::npos);
  // Accesses outside of the array.
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], o, 1024)"), 2, "thread");
  CHECK(playground.run("memlane ptx " + file)
            .out.find("naive(pointer or 64-bit integer, pointer or "
                      "64-bit integer, 32-bit integer)\n") == 0);
}

TEST_CASE("options without a launch are errors, and arrays that there are not are told") {
  const Playground playground;
  const std::string file = std::string(MEMLANE_SOURCE_DIR) + "/programs/cuda/transpose.ptx";
  for (const std::string option : {"--print 'x'", "--explain", "--format json", "--trace t.jsonl"})
    check_error(playground, "memlane ptx " + file + " " + option, 2,
                option.substr(0, option.find(' ')) +
                    ": error: without --launch, the kernels of the file are listed only");
  CHECK(playground.run("memlane ptx " + file + " --max-memory 100000000").status == 0);
  const Outcome nope = playground.run(transpose_command("naive", "--output nope=a.txt"));
  CHECK(nope.status == 2);
  CHECK(nope.err.find("the launches have in, out") != std::string::npos);
}

TEST_CASE("a kernel whose blocks wait for each other is launched cooperatively") {
  const Playground playground;
  const std::string file = std::string(MEMLANE_SOURCE_DIR) + "/tests/ptx/kernels/cooperative.ptx";
  const auto launch = [&](int blocks) {
    return playground.run("memlane ptx " + file + " --launch 'grid_sum<<<" +
                          std::to_string(blocks) +
                          ",64>>>(x: int[1000] = 0.., sums: int[4096], 1000, total: int[1])' "
                          "--print total");
  };
  const Outcome done = launch(4);
  INFO(done.err);
  CHECK(done.status == 0);
  CHECK(done.out.find("total[0..1]: 499500") != std::string::npos);
  CHECK(launch(100000).err.find("cooperative launch") != std::string::npos);
}

TEST_CASE("memlane ptx goes on after faults that are allowed, and says which") {
  const Playground playground;
  const std::string outside =
      "memlane ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --launch 'naive<<<(1,1),(32,8)>>>(out: float[1024], in: "
      "float[1000] = 0.., 32)' --print 'out[31]' --print 'out[287]'";
  check_error(playground, outside, 2, "--allow-out-of-bounds");
  const Outcome allowed = playground.run(outside + " --allow-out-of-bounds");
  CHECK(allowed.status == 0);
  CHECK(allowed.err.find("outside of all allocations") != std::string::npos);
  CHECK(allowed.err.find("(the first of 24 times)") != std::string::npos);
  CHECK(allowed.out.find("out[287..288]: 0\n") != std::string::npos); // in[1000], behind the end
  CHECK(allowed.out.find("out[31..32]: 992\n") != std::string::npos);
}

TEST_CASE("unsigned and short integers are in text files, and none that their type has not") {
  const Playground playground;
  const std::string launch =
      "memlane ptx transpose.ptx --launch 'naive<<<1,(32,8)>>>(out: uint[1024], in: uint[1024] = ";
  spit(playground.folder() + "/in.txt", [] {
    std::string numbers = "4294967295\n";
    for (int k = 1; k < 1024; ++k) numbers += std::to_string(k) + '\n';
    return numbers;
  }());
  const Outcome outcome =
      playground.run(launch + "in.txt, 32)' --output out=out.csv -m hmm-titan-plain");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(slurp(playground.folder() + "/out.csv").rfind("4294967295\n32\n64\n", 0) == 0);
  playground.run("sed -i 3s/2/-1/ in.txt");
  check_error(playground, launch + "in.txt, 32)'", 2,
              "'in.txt' has -1 as element 2, the type uint has 0 to 4294967295");
  const std::string all_ones =
      "memlane ptx transpose.ptx --launch 'naive<<<1,(32,8)>>>(out: ulong[512], in: ulong[512] = "
      "ones.bin, 32)' --output out=out.txt";
  playground.run("head -c 4096 /dev/zero | tr '\\0' '\\377' > ones.bin");
  const Outcome too_large = playground.run(all_ones);
  CHECK(too_large.status == 2);
  CHECK(too_large.err.find("element 0 of out is 18446744073709551615") != std::string::npos);
}

TEST_CASE("a source is compiled, and a shipped PTX file is found by its name") {
  const Playground playground;
  CHECK(playground.run("memlane ptx transpose.ptx").out.rfind("naive(", 0) == 0);
  check_error(playground, "memlane ptx transposed.ptx", 2, "cannot read 'transposed.ptx'");
  // The folder of shipped files has a `.`, too.
  check_error(playground, "memlane ptx .", 2, "'.' is a folder, no PTX file");
  check_error(playground, "memlane ptx .", 2, "name a .ptx file in it, or a .cu file");
  playground.run("mkdir bin");
  spit(playground.folder() + "/my.cu", "__global__ void k() {}\n");
  spit(playground.folder() + "/bin/nvcc",
       "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\ncp programs/cuda/transpose.ptx $1\n");
  CHECK(playground.run("chmod +x bin/nvcc && PATH=$T/bin:$PATH memlane ptx my.cu")
            .out.rfind("naive(", 0) == 0);
}

TEST_CASE("a time chart has a window of one launch") {
  const Playground playground;
  const std::string launch =
      "memlane ptx transpose.ptx --launch 'naive<<<1,(32,8)>>>(out: float[1024], in: float[1024], "
      "32)' --launch 'padded<<<1,(32,8)>>>(out, in, 32)' --timeline-launch 1 --timeline ";
  REQUIRE(playground.run(launch + "all.json").status == 0);
  REQUIRE(playground.run(launch + "part.json --window 10:300").status == 0);
  const Json all = Json::parse(slurp(playground.folder() + "/all.json"))["window"];
  const Json part = Json::parse(slurp(playground.folder() + "/part.json"))["window"];
  CHECK(all["from"].get<std::int64_t>() > 0);
  CHECK(part["from"] == all["from"].get<std::int64_t>() + 10);
  CHECK(part["to"] == all["from"].get<std::int64_t>() + 300);
  check_error(playground, launch + "none.json --window 100000:", 2,
              "launch 1 ends before its time unit 100000");
}

TEST_CASE("a volatile write is an ordinary request of a trace") {
  const Playground playground;
  const Outcome run = playground.run(
      "memlane ptx " MEMLANE_SOURCE_DIR "/tests/ptx/kernels/pieces.ptx --launch "
      "'around_a_volatile_write<<<1,32>>>(a: uint[32], b: uint[32], c: uint[32], 3)' "
      "--trace t.jsonl");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const Outcome replayed = playground.run("memlane replay t.jsonl -m hmm-titan-plain");
  INFO(replayed.err);
  CHECK(replayed.status == 0);
}

TEST_CASE("memlane ptx --timeline charts a launch in every format") {
  const Playground playground;
  const std::string small =
      "memlane ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --set multiprocessors=2 --launch "
      "'tiled<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = 0.., 64)' --launch "
      "'padded<<<(2,2),(32,8)>>>(out, in, 64)' ";
  const Outcome made = playground.run(small + "--timeline t.json --format json");
  INFO(made.err);
  REQUIRE(made.status == 0);
  const Json run = Json::parse(made.out);
  const Json chart = Json::parse(slurp(playground.folder() + "/t.json"));
  CHECK(made.err.find("time chart: 1024 requests, ") != std::string::npos);
  CHECK(chart["time"] == run["counts"]["time"]);
  CHECK(chart["launches"].size() == 2);
  CHECK(chart["launches"][0]["kernel"] == "tiled");
  CHECK(chart["requests"]["unit"].size() == 1024);
  std::int64_t stages = 0;
  for (const Json& count : chart["requests"]["stages"]) stages += count.get<std::int64_t>();
  CHECK(stages == 896 + 128 * 32);
  std::set<std::string> names;
  for (const Json& array : chart["arrays"]) names.insert(array["name"]);
  CHECK(names == std::set<std::string>{"in", "out", "part"});
  for (const Json& array : chart["requests"]["array"]) CHECK(array.is_number());
  // One launch; the time units count from the start of the run.
  const Outcome second = playground.run(small + "--timeline t.json --timeline-launch 1");
  CHECK(second.status == 0);
  const Json launch = Json::parse(slurp(playground.folder() + "/t.json"));
  CHECK(launch["launches"].size() == 1);
  CHECK(launch["launches"][0]["kernel"] == "padded");
  CHECK(launch["window"]["from"] == chart["launches"][1]["begin"]);
  CHECK(launch["requests"]["unit"].size() == 512);
  for (const char* const ending : {"html", "svg", "txt", "perfetto", "kanata"}) {
    const std::string path = std::string("t.") + ending;
    CHECK(playground.run(small + "--window 0:200 --timeline " + path).status == 0);
    CHECK(slurp(playground.folder() + "/" + path).size() > 1000);
  }
  check_error(playground, small + "--timeline t.pdf", 2, "endings: .html");
  check_error(playground, small + "--window 0:9", 2, "add --timeline FILE");
  check_error(playground, small + "--timeline t.txt --timeline-launch 2", 2, "launches 0 to 1");
  check_error(playground, small + "--timeline t.txt --window 100000000:", 2, "choose one in 0:");
}

TEST_CASE("a sweep of launches fills a store as programs do") {
  const Playground playground;
  const std::string launches =
      "memlane sweep --command \"ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --launch 'tiled<<<({n}/32,{n}/32),(32,8)>>>(out: "
      "float[{n}*{n}], in: float[{n}*{n}] = 0.., {n})'\" ";
  const Outcome first =
      playground.run(launches + "-D n=64,128 --set resident_blocks=1,2 --store a.db");
  INFO(first.err << first.out);
  REQUIRE(first.status == 0);
  // Each row has what the run alone gives.
  const Outcome rows = playground.run(
      "memlane results a.db --columns n,machine_resident_blocks,time,command --order "
      "n,machine_resident_blocks --format jsonl");
  INFO(rows.err);
  std::istringstream lines(rows.out);
  std::string line;
  std::int64_t count = 0;
  while (std::getline(lines, line)) {
    const Json row = Json::parse(line);
    CHECK(row["n"] == (count < 2 ? 64 : 128));
    CHECK(row["machine_resident_blocks"] == 1 + count % 2);
    const Json alone = priced_json(playground, row["command"].get<std::string>());
    CHECK(alone["counts"]["time"] == row["time"]);
    ++count;
  }
  CHECK(count == 4);
  // What the store has is not run again.
  const Outcome again =
      playground.run(launches + "-D n=64,128,256 --set resident_blocks=1,2 --store a.db");
  CHECK(again.status == 0);
  CHECK(again.out.find("4") != std::string::npos);
  CHECK(playground.run("memlane results a.db --format jsonl --columns n").out.size() ==
        std::string("{\"n\":64}\n").size() * 2 + std::string("{\"n\":128}\n").size() * 4);
  const Outcome plotted =
      playground.run("memlane plot a.db --x n --y time --by machine_resident_blocks -o a.svg");
  INFO(plotted.err);
  CHECK(plotted.status == 0);
  // A run that fails is a row with its reason.
  const Outcome failed = playground.run(launches + "-D n=16 --store b.db");
  CHECK(failed.status == 2);
  CHECK(failed.err.find("the number must be 1 to") != std::string::npos);
  CHECK(failed.err.find("help") == std::string::npos);
  // Its first error alone is the reason.
  const Outcome outside = playground.run(
      "memlane sweep --command \"ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --launch "
      "'naive<<<1,32>>>(out: float[8], out, {n})'\" -D n=1024 --store o.db");
  INFO(outside.err);
  CHECK(outside.status == 2);
  CHECK(outside.err.find("in kernel naive\n") != std::string::npos);
  check_error(playground, launches + "-D m=64", 2, "the command has no {m}");
  check_error(playground, launches, 2, "give some: -D n=1024,2048");
  check_error(playground, launches + "-D n=64 --pram", 2, "runs of --command do not have it");
  check_error(playground, "memlane sweep --command 'run sum'", 2, "neither 'cuda PROGRAM");
  check_error(playground, launches + "-D n=64 -m umm-teaching", 2, "such as hmm-titan-plain");
}

TEST_CASE("commands of sweeps have what sweeps of programs have") {
  const Playground playground;
  const std::string ptx =
      "memlane sweep --command \"ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --launch '{k}<<<({n}/32,{n}/32),(32,8)>>>(out: "
      "float[{n}*{n}], in: float[{n}*{n}] = 0.., {n})'\" ";
  const std::string grid = ptx + "-D k=naive,tiled -D n=64,128 ";
  const auto said = [&](const std::string& line, int status) {
    const Outcome outcome = playground.run(line);
    INFO(line << '\n' << outcome.err << outcome.out);
    CHECK(outcome.status == status);
    return outcome.out + outcome.err;
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  // Nothing is run for an estimate.
  const std::string dry = said(grid + "--dry-run --store a.db", 0);
  contains(dry, "missing  transpose.ptx  hmm-titan-plain  k=naive, n=128     1");
  contains(dry, "time: unknown");
  contains(said(grid + "--where 'n > 64' --store a.db", 0), "2 points, 2 more excluded");
  contains(said(grid + "--dry-run --store a.db", 0), "2 to run, 2 known in a.db");
  // Two shards are the whole.
  said(grid + "--shard 1/2 --store 1.db", 0);
  said(grid + "--shard 2/2 --store 2.db", 0);
  said("memlane results merge all.db 1.db 2.db", 0);
  contains(said(grid + "--store all.db", 0), "0 run, 4 known before");
  // A point that stops at a limit is stored as stopped, and runs again under another one.
  contains(said(grid + "--max-time 100 --store l.db", 3), "stopped at the limit of --max-time");
  contains(said("memlane results l.db --columns status,stopped_by,time --format csv", 0),
           "stopped,--max-time 100,\n");
  contains(said(grid + "--max-time 100 --store l.db", 3), "0 run, 4 known before");
  contains(said(grid + "--store l.db", 0), "4 run");
  // One that fails is stored with its reason and run again only if that is asked for.
  const std::string wrong = ptx + "-D k=naive,lacking -D n=64 --store w.db";
  contains(said(wrong, 2), "transpose.ptx on hmm-titan-plain, k=lacking, n=64: ");
  contains(said(wrong, 2), "0 run, 2 known before");
  contains(said(wrong + " --retry", 2), "1 run, 1 known before");
  contains(said("memlane results w.db --where \"status = 'failed'\" --columns k,reason", 0),
           "lacking");
  // Several commands, and programs beside them.
  contains(said(ptx + "-D k=naive -D n=64 sum --store m.db", 2), "sum has no such parameter");
  const std::string file = MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx";
  const auto launch = [&](const std::string& kernel) {
    return " --command \"ptx " + file + " --launch '" + kernel +
           "<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = 0.., 64)'\"";
  };
  contains(said("memlane sweep" + launch("naive") + launch("padded") + " --store m.db", 0),
           "2 points");
  contains(said("memlane results m.db --columns program,time --format csv", 0),
           "transpose.ptx naive,5195\ntranspose.ptx padded,1990\n");
  // The command of a sweep is read before anything runs.
  const auto refused = [&](const std::string& command, const std::string& why) {
    contains(said("memlane sweep --command \"" + command + "\" --store x.db", 2), why);
  };
  refused("", "neither 'cuda PROGRAM");
  refused("ptx", "a file follows 'ptx'");
  refused("ptx " + file, "one file and a launch");
  refused("ptx " + file + " --lanch x", "did you mean '--launch'");
  refused("ptx none.ptx --launch x", "cannot read 'none.ptx'");
  refused("cuda --kernel tiled -m hmm-titan-plain ./my",
          "--machine is no option of a single run here");
  refused("cuda ./my_{n}", "the file './my_{n}' depends on {n}");
  const std::string misspelt = "memlane sweep --command \"ptx " + file +
                               " --launch 'naive<<<{n}-64,32>>(x: float[4096], x, {n})'\" -D n=128 "
                               "--store x.db --dry-run";
  contains(said(misspelt, 2), "column 18: '>>>' is needed here");
  contains(said("memlane sweep --command 'cuda ./my' --engine reference", 2), "have one engine");
}

TEST_CASE("a sweep of commands that is interrupted ends their processes and goes on later",
          "[release]") {
  const Playground playground;
  const std::string sweep =
      "memlane sweep --command \"ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --launch 'naive<<<({n}/32,{n}/32),(32,8)>>>(out: "
      "float[{n}*{n}], in: float[{n}*{n}] = 0.., {n})'\" -D n=64,8192 --jobs 2 "
      "--store a.db";
  const Outcome stopped = playground.interrupt(sweep);
  INFO(stopped.err << stopped.out);
  CHECK(stopped.status == 130);
  CHECK(stopped.out.find("interrupted: 1 point left") != std::string::npos);
  CHECK(playground.run("memlane results a.db --columns n,status --format csv").out ==
        "n,status\n64,done\n");
  const Outcome limited = playground.run(sweep + " --max-seconds 1");
  INFO(limited.err << limited.out);
  CHECK(limited.status == 3);
  CHECK(limited.out.find("1 run, 1 known before") != std::string::npos);
}

} // namespace memlane::test
