// Races of launches: found, counted, named by their lines; and what is none.
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

namespace memlane::test {

TEST_CASE("races of a line that is unrolled are told once for each kind") {
  PricedRun run("written.ptx", hmm(2, 32, 1, 1));
  int* const out = run.kernels.array<int>(4, "out");
  REQUIRE(run.launch("unrolled", grid_of({2, 1, 1}, {1, 1, 1}), out));
  const RaceCounts races = run.pricing.result().races;
  CHECK(races.races == 8);
  REQUIRE(races.pairs.size() == 2);
  CHECK(races.pairs[0].races == 4);
  CHECK(races.pairs[1].races == 4);
}

TEST_CASE("words race with their bytes, and not with bytes beside them") {
  const auto races_of = [](const std::string& kernel, bool to_words) {
    PricedRun run("written.ptx", hmm(2, 32, 1, 1));
    int* const words = run.kernels.array<int>(64, "words");
    auto* const out = run.kernels.array<unsigned char>(256, "out");
    const auto shape = grid_of({1, 1, 1}, {64, 1, 1});
    const auto done =
        to_words ? run.launch(kernel, shape, words, out) : run.launch(kernel, shape, out, words);
    REQUIRE(done);
    CHECK(*done);
    return run.pricing.result().races;
  };
  const RaceCounts read = races_of("word_of_bytes", false);
  CHECK(read.races == 32);
  REQUIRE(read.pairs.size() == 1);
  const bool reads_last = read.pairs[0].later == AccessKind::read;
  CHECK((reads_last ? read.pairs[0].earlier : read.pairs[0].later) == AccessKind::write);
  CHECK(read.pairs[0].array == "out");
  const RaceCounts write = races_of("byte_of_words", true);
  CHECK(write.races == 32);
  REQUIRE(write.pairs.size() == 1);
  CHECK(write.pairs[0].array == "shared");
  CHECK(races_of("bytes_beside_words", true).races == 0);
}

TEST_CASE("warps that store one tile race") {
  PricedRun run("written.ptx", hmm(2, 32, 1, 1));
  REQUIRE(
      run.launch("to_tile", grid_of({1, 1, 1}, {64, 1, 1}), run.kernels.array<float>(256, "out")));
  CHECK(run.pricing.result().races.races == 256);
}

TEST_CASE("races are found, counted and named by their lines") {
  const MachineSpec machine = hmm(2, 32, 1, 1);
  SECTION("a missing barrier") {
    PricedRun run("price.ptx", machine);
    auto* const out = run.kernels.array<int>(64, "out");
    REQUIRE(run.launch("no_barrier", grid_of({1, 1, 1}, {64, 1, 1}), out));
    const RaceCounts races = run.pricing.result().races;
    CHECK(races.races == 64); // each warp writes what the other one reads, before or behind that
    REQUIRE(races.pairs.size() == 2);
    CHECK(races.pairs[0].races == 32);
    CHECK(races.pairs[0].later == AccessKind::write);
    CHECK(races.pairs[1].earlier == AccessKind::write);
    CHECK(races.pairs[1].kernel == "no_barrier");
    const std::string said = render({races.pairs[0].first}, run.pricing.sources());
    INFO(said);
    CHECK(said.find("out[threadIdx.x] = part[63 - threadIdx.x]") != std::string::npos);
    CHECK(said.find("part[threadIdx.x] = threadIdx.x") != std::string::npos);
    CHECK(said.find("price.cu:") == 0);
  }
  SECTION("blocks that write one word, and the run ends if that is asked for") {
    ptx::PriceOptions options;
    options.races = ptx::RaceCheck::error;
    PricedRun run("price.ptx", machine, options);
    auto* const out = run.kernels.array<int>(1, "out");
    const auto done = run.launch("same_word", grid_of({4, 1, 1}, {32, 1, 1}), out);
    REQUIRE(done);
    CHECK(!*done);
    const RunResult result = run.pricing.result();
    CHECK(result.stop == Stop::error);
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors[0].message.find("race in kernel same_word at byte 0 of out: thread 0 of "
                                        "block 1 writes what thread 0 of block 0 wrote") == 0);
  }
  SECTION("also in the last steps of a launch, of one block") {
    ptx::PriceOptions options;
    options.races = ptx::RaceCheck::error;
    PricedRun run("price.ptx", machine, options);
    const auto done =
        run.launch("no_barrier", grid_of({1, 1, 1}, {64, 1, 1}), run.kernels.array<int>(64, "out"));
    REQUIRE(done);
    CHECK(!*done);
    CHECK(run.pricing.stop() == Stop::error);
    CHECK(run.result.stop == Stop::error);
  }
  SECTION("an atomic counts as a write beside a plain access") {
    PricedRun run("price.ptx", machine);
    auto* const out = run.kernels.array<int>(64, "out");
    auto* const count = run.kernels.array<int>(1, "count");
    REQUIRE(run.launch("read_beside_atomic", grid_of({3, 1, 1}, {1, 1, 1}), count, out));
    REQUIRE(run.launch("shared_beside_atomic", grid_of({1, 1, 1}, {64, 1, 1}), out));
    const RaceCounts races = run.pricing.result().races;
    REQUIRE(races.pairs.size() == 3);
    CHECK(races.pairs[0].first.message ==
          "race in kernel read_beside_atomic at byte 0 of count: thread 0 of block 1 atomically "
          "updates what thread 0 of block 0 read");
    CHECK(races.pairs[1].first.message ==
          "race in kernel read_beside_atomic at byte 0 of count: thread 0 of block 2 reads what "
          "thread 0 of block 1 atomically updated");
    CHECK(races.pairs[2].array == "shared");
    CHECK(races.pairs[1].kernel == "read_beside_atomic");
    CHECK(races.pairs[2].kernel == "shared_beside_atomic");
    CHECK(races.races == 3); // of shared memory's words, word 0 alone is updated
    CHECK(races.pairs[0].later == AccessKind::atomic);
    CHECK(races.pairs[1].earlier == AccessKind::atomic);
    CHECK(races.pairs[1].later == AccessKind::read);
  }
  SECTION("launches are ordered, and so are bytes of one word, barriers, fences, atomics") {
    PricedRun run("price.ptx", machine);
    auto* const out = run.kernels.array<int>(8192, "out");
    auto* const in = run.kernels.array<int>(8192, "in");
    auto* const flags = run.kernels.array<int>(64, "flags");
    const auto blocks = grid_of({6, 1, 1}, {48, 1, 1});
    for (int times = 0; times < 2; ++times)
      REQUIRE(run.launch("same_word", grid_of({1, 1, 1}, {32, 1, 1}), out));
    REQUIRE(run.launch("bytes_beside", grid_of({5, 1, 1}, {33, 1, 1}), out));
    REQUIRE(run.launch("sums", grid_of({9, 1, 1}, {256, 1, 1}), out, in, 2200));
    REQUIRE(run.launch("grid_steps", blocks, out, flags, 3));
    REQUIRE(run.launch("chain", blocks, out, flags + 16, in));
    REQUIRE(run.launch("histogram", blocks, out, in, 3000));
    REQUIRE(run.launch("last_resets", blocks, flags + 32, out));
    CHECK(flags[32] == 0);
    CHECK(run.pricing.result().races.races == 0);
    CHECK(run.pricing.result().launches.size() == 8);
  }
  SECTION("a release is a fence before its access, an acquire one behind it") {
    PricedRun run("ordered.ptx", machine);
    auto* const words = run.kernels.array<int>(64, "words");
    const auto blocks = grid_of({2, 1, 1}, {1, 1, 1});
    for (const char* kernel : {"released", "relaxed"}) {
      words[0] = words[32] = 0;
      REQUIRE(run.launch(kernel, blocks, words, words + 32, words + 48));
      CHECK(words[48] == 42);
    }
    CHECK(run.pricing.result().races.races == 1); // the relaxed word orders nothing
  }
}

} // namespace memlane::test
