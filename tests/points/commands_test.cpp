// Commands in plans: points whose runs are `memlane cuda` or `memlane ptx` with words.
#include "sweep_files.hpp"

#include "memlane/points/kernel_command.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

using test::SweepWorld;
using Texts = std::vector<std::string>;

SweepOptions of_command(const std::string& text, const Texts& definitions) {
  SweepOptions options;
  options.commands = {text};
  options.machines = {"hmm-titan-plain"};
  options.definitions = definitions;
  return options;
}

/// A part of the point's key.
std::string part(const PlannedPoint& point, const std::string& name) {
  for (const auto& [known, text] : point.key_parts)
    if (known == name) return text;
  return "none";
}

void check_problem(SweepWorld& world, const SweepOptions& options, const std::string& problem) {
  const auto plan = world.plan(world.options(options));
  INFO(problem << "\n" << world.problems);
  CHECK_FALSE(plan);
  CHECK(world.problems.find(problem) != std::string::npos);
}

} // namespace

TEST_CASE("words of a command are those of a shell") {
  const auto words = words_of_command("  ptx 'a b.ptx'  --launch \"k<<<1,'2'>>>()\" x\"y\"z ''");
  REQUIRE(words);
  CHECK(*words == Texts{"ptx", "a b.ptx", "--launch", "k<<<1,'2'>>>()", "xyz", ""});
  for (const char* const wrong : {"", " ", "run sum", "ptx 'a", "'cuda"})
    CHECK_FALSE(words_of_command(wrong));
}

TEST_CASE("only names in braces have values") {
  const Texts words = {"cuda", "./my", "{n}", "{\"a\":{n},\"b\":[{m_2}]}",
                       "{1}",  "{}",   "{n",  "{{n}}"};
  CHECK(names_in_words(words) == std::set<std::string>{"m_2", "n"});
  // A value is not read again.
  CHECK(words_with_values(words, {{"n", "{m_2}"}, {"m_2", "7"}}) ==
        Texts{"cuda", "./my", "{m_2}", "{\"a\":{m_2},\"b\":[7]}", "{1}", "{}", "{n", "{{m_2}}"});
}

TEST_CASE("commands of one file are called by what differs") {
  const auto named = [](const std::vector<Texts>& all) {
    std::vector<KernelCommand> commands;
    for (const Texts& words : all) commands.push_back({words, 1, words[1], ""});
    return names_of_commands(commands);
  };
  CHECK(named({{"cuda", "a/my", "{n}"}, {"cuda", "a/other", "{n}"}}) == Texts{"my", "other"});
  CHECK(named({{"cuda", "my", "{n}", "8"}, {"cuda", "my", "{n}", "16"}}) == Texts{"my 8", "my 16"});
  CHECK(named({{"ptx", "t.ptx", "--launch", "naive<<<1,32>>>(x)"},
               {"ptx", "t.ptx", "--launch", "tiled<<<1,32>>>(x)"}}) ==
        Texts{"t.ptx naive", "t.ptx tiled"});
  CHECK(named({{"cuda", "a/my"}, {"cuda", "b/my"}}) == Texts{"a/my", "b/my"});
  CHECK(named({{"ptx", "t.ptx", "--launch", "k<<<1,32>>>(x)"},
               {"ptx", "t.ptx", "--launch", "k<<<2,32>>>(x)"}}) ==
        Texts{"ptx t.ptx --launch k<<<1,32>>>(x)", "ptx t.ptx --launch k<<<2,32>>>(x)"});
}

TEST_CASE("a command's points have values of its words and of the machine") {
  SweepWorld world;
  SweepOptions options =
      of_command("ptx a.ptx --launch 'k<<<{n},32>>>()'", {"n=2^3,16", "p=32,64"});
  options.settings = {"shared.latency=1"};
  options.seeds = 2;
  options.where = "n*4 >= p";
  const auto plan = world.plan(world.options(options));
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 6);
  CHECK(plan->excluded() == 2);
  const PlannedPoint point = plan->point(5);
  CHECK(point.label == "a.ptx on hmm-titan-plain, n=16, p=64, shared.latency=1, seed 2");
  CHECK(point.command ==
        "memlane ptx -m hmm-titan-plain --set threads=64 --set shared.latency=1 --seed 2 "
        "a.ptx --launch 'k<<<16,32>>>()'");
  CHECK(point.machine->spec.threads == 64);
  CHECK(plan->point(0).command.find("k<<<8,32>>>") != std::string::npos);
  CHECK(bind_point(point.point, world.sources));
}

TEST_CASE("texts, padded numbers and words of the language are values, too") {
  SweepWorld world;
  const auto plan = world.plan(
      world.options(of_command("cuda ./my {in} {s} {kind}", {"in=4", "s=007,8", "kind=a b,c"})));
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 4);
  const PlannedPoint first = plan->point(0);
  CHECK(first.command == "memlane cuda -m hmm-titan-plain ./my 4 007 'a b'");
  CHECK(first.point.texts == std::vector<std::pair<std::string, std::string>>{
                                 {"in", "4"}, {"s", "007"}, {"kind", "a b"}});
}

TEST_CASE("a command's key is made of its file, its words, the machine and the seed") {
  SweepWorld world;
  const auto key = [&](const std::string& command, const Texts& definitions,
                       const std::string& machine = "hmm-titan-plain") {
    SweepOptions options = of_command(command, definitions);
    options.machines = {machine};
    const auto plan = world.plan(world.options(options));
    INFO(world.problems);
    REQUIRE(plan);
    return plan->point(0).key;
  };
  const std::string own = key("cuda ./my {n} {m}", {"n=1", "m=2"});
  CHECK(own == key("cuda ./my {n} {m}", {"m=2", "n=1"}));
  CHECK(own == key("cuda ./my 1 {x}", {"x=2"}));
  CHECK(own != key("cuda ./my {n} {m}", {"n=2", "m=1"}));
  CHECK(own != key("cuda ./other {n} {m}", {"n=1", "m=2"}));
  CHECK(own != key("cuda ./my {n} {m}", {"n=1", "m=2"}, "hmm-h200-plain"));
  CHECK(own != key("cuda ./my '{n} {m}'", {"n=1", "m=2"}));
  CHECK(own != key("ptx ./my {n} {m}", {"n=1", "m=2"}));
}

TEST_CASE("a sweep file names commands among its programs") {
  SweepWorld world;
  const auto plan = world.plan_file(R"j({
    "programs": ["sum", {"command": "cuda ./a/sum {n}"}, {"command": "cuda ./b/sum {n}"}],
    "machines": ["hmm-titan-plain", "hmm-h200-plain"], "axes": {"n": {"pow2": [64, 128]}}})j");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 12);
  CHECK(plan->point(0).command == "memlane run sum -m hmm-titan-plain -D n=64");
  CHECK(plan->point(5).label == "./a/sum on hmm-titan-plain, n=128");
  CHECK(plan->point(11).command == "memlane cuda -m hmm-h200-plain ./b/sum 128");
  CHECK(part(plan->point(11), "words") == "cuda 128");
}

TEST_CASE("what commands lack is an error with a way out") {
  SweepWorld world;
  const std::string command = "cuda ./my {size}";
  check_problem(world, of_command(command, {"siez=4"}), "the command has no {siez}");
  check_problem(world, of_command(command, {"siez=4"}), "did you mean 'size'");
  check_problem(world, of_command(command, {}), "give some: -D size=1024,2048");
  check_problem(world, of_command("run sum", {}), "neither 'cuda PROGRAM …'");
  SweepOptions options = of_command(command, {"size=4"});
  options.layouts = {"t=rows"};
  check_problem(world, options, "runs of --command do not have it");
  options = of_command(command, {"size=4"});
  options.pram = true;
  check_problem(world, options, "--pram: error: runs of --command do not have it");
  options = of_command(command, {"size=4"});
  options.seeds = 2;
  check_problem(world, options, "with -D s=1..4");
  options = of_command(command, {"size=4"});
  options.machines = {"umm-teaching"};
  check_problem(world, options, "warps of PTX have 32 threads");
  options = of_command(command, {"size=4"});
  options.commands.push_back("cuda ./other {m}");
  check_problem(world, options, "other has no {size}");
  options = of_command(command, {"size=a,b"});
  options.where = "size == a";
  check_problem(world, options, "size");
  CHECK_FALSE(world.plan_file(
      R"j({"programs": [{"command": "cuda ./my {n}"}], "machines": ["hmm-titan-plain"]})j"));
  CHECK(world.problems.find("give it an axis: \"n\": [1024, 2048]") != std::string::npos);
}

TEST_CASE("points of commands on wrong machines may be left out") {
  SweepWorld world;
  SweepOptions options = of_command("cuda ./my {n}", {"n=4,8"});
  options.settings = {"width=16,32"};
  const auto spec = world.options(options);
  REQUIRE(spec);
  const auto plan = Plan::make(*spec, world.files(), world.sources, WrongPoints::leave_out);
  REQUIRE(plan);
  CHECK(plan->size() == 2);
  REQUIRE(plan->wrong().size() == 2);
  CHECK(plan->wrong()[0].message == "warps of PTX have 32 threads");
}

} // namespace memlane::sweep
