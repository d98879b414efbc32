// Both ways of pricing a launch, held against each other and against numbers that are known.
#include "price/price_launch.hpp"
#include "price/priced_kernel.hpp"
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/counts.hpp"
#include "memlane/support/random.hpp"

#include <functional>
#include <numeric>

namespace memlane::test {

namespace {

/// A launch of a test kernel: what it is called with is made anew for each run.
struct TestLaunch {
  std::string name;
  ptx::GridShape shape;
  std::function<std::vector<std::uint8_t>(LoadedKernels&)> params;
};

std::vector<int> counting_up(std::size_t count) {
  std::vector<int> numbers(count);
  for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<int>((k * 7919 + 13) % 997);
  return numbers;
}
int* filled(LoadedKernels& kernels, std::size_t count, const std::string& name) {
  int* const array = kernels.array<int>(count, name);
  const std::vector<int> numbers = counting_up(count);
  std::copy(numbers.begin(), numbers.end(), array);
  return array;
}

ptx::GridShape grid(std::int64_t blocks, std::int64_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}, 0};
}

std::vector<TestLaunch> test_launches() {
  std::vector<TestLaunch> all;
  for (const char* const name : {"transpose_naive", "transpose_tiled", "transpose_padded"})
    all.push_back({name, {{4, 4, 1}, {32, 8, 1}, 0}, [name](LoadedKernels& kernels) {
                     return kernels.params(name, kernels.array<float>(128 * 128, "out"),
                                           kernels.array<float>(128 * 128, "in"), 128);
                   }});
  all.push_back({"sums", grid(9, 256), [](LoadedKernels& kernels) {
                   return kernels.params("sums", kernels.array<int>(9, "out"),
                                         filled(kernels, 2200, "in"), 2200);
                 }});
  for (const int stride : {1, 3, 8, 16})
    all.push_back({"widths", grid(3, 96), [stride](LoadedKernels& kernels) {
                     constexpr std::size_t bytes = 4096 * 27;
                     return kernels.params("widths", kernels.array<char>(bytes, "to"),
                                           kernels.array<char>(bytes, "from"), stride);
                   }});
  all.push_back({"histogram", grid(5, 160), [](LoadedKernels& kernels) {
                   auto* const data = kernels.array<unsigned char>(3000, "data");
                   for (int k = 0; k < 3000; ++k) data[k] = static_cast<unsigned char>(k * k / 7);
                   return kernels.params("histogram", kernels.array<int>(64, "bins"), data, 3000);
                 }});
  all.push_back({"rounds", grid(6, 70), [](LoadedKernels& kernels) {
                   return kernels.params("rounds", kernels.array<int>(400, "out"),
                                         filled(kernels, 400, "in"), 400);
                 }});
  all.push_back({"calls", grid(3, 64), [](LoadedKernels& kernels) {
                   return kernels.params("calls", kernels.array<int>(192, "out"),
                                         filled(kernels, 512, "in"), 3);
                 }});
  all.push_back({"grid_steps", grid(7, 40), [](LoadedKernels& kernels) {
                   return kernels.params("grid_steps", filled(kernels, 2 * 7 * 40, "data"),
                                         kernels.array<unsigned>(1, "arrived"), 3);
                 }});
  all.push_back({"chain", grid(6, 32), [](LoadedKernels& kernels) {
                   return kernels.params("chain", kernels.array<int>(6, "sums"),
                                         kernels.array<int>(6, "flags"), filled(kernels, 6, "in"));
                 }});
  return all;
}

/// Launches of atomics.ptx.
std::vector<TestLaunch> launches_of_atomics() {
  std::vector<TestLaunch> all;
  all.push_back({"three_warps", grid(1, 96), [](LoadedKernels& kernels) {
                   return kernels.params("three_warps", kernels.array<int>(32, "words"));
                 }});
  for (const int size : {1, 40, 900})
    all.push_back({"counts", grid(5, 96), [size](LoadedKernels& kernels) {
                     return kernels.params("counts", kernels.array<int>(900, "bins"),
                                           filled(kernels, 2000, "data"), 2000, size);
                   }});
  all.push_back({"counter", grid(3, 64), [](LoadedKernels& kernels) {
                   return kernels.params("counter", kernels.array<unsigned>(64, "count"), 200);
                 }});
  all.push_back({"mixed", grid(4, 80), [](LoadedKernels& kernels) {
                   return kernels.params("mixed", kernels.array<unsigned long long>(96, "longs"),
                                         kernels.array<unsigned short>(24, "shorts"),
                                         kernels.array<int>(8, "out"));
                 }});
  return all;
}

/// A machine with any values of the keys of atomics and groups.
MachineSpec machine_of_atomics(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return random_integer(11, seed, drawn++, low, high);
  };
  MachineSpec machine = hmm(draw(1, 3), 32, draw(1, 6), draw(1, 60));
  machine.shared->ports = draw(1, 2);
  machine.global->ports = draw(1, 4);
  machine.shared->atomic_stages = {Decimal::one + draw(0, 3) * 750000};
  machine.global->atomic_service = {draw(0, 2) == 0 ? 1 : draw(1, 40)};
  if (draw(0, 2) > 0) machine.global->group = std::int64_t{1} << draw(0, 5);
  machine.resident_blocks = draw(1, 3);
  machine.lockstep = draw(0, 4) == 0;
  if (draw(0, 2) == 0) machine.block_schedule = BlockSchedule::dynamic;
  if (draw(0, 2) == 0) machine.instruction_cost = {draw(0, 2)};
  if (draw(0, 2) == 0) machine.barrier_cost = {draw(0, 9)};
  if (!machine.lockstep && draw(0, 1) == 0) machine.requests_in_flight = draw(2, 9);
  if (draw(0, 2) == 0) machine.schedule = Schedule::hoisted;
  if (draw(0, 2) == 0) machine.shared->widest = std::int64_t{4} << draw(0, 2);
  return machine;
}

std::vector<MachineSpec> test_machines() {
  std::vector<MachineSpec> all{hmm(1, 32, 1, 1), hmm(2, 32, 3, 20), hmm(3, 32, 20, 100)};
  MachineSpec more = hmm(2, 32, 5, 40);
  more.shared->ports = 2;
  more.global->ports = 3;
  more.resident_blocks = 3;
  more.barrier_cost = {7};
  more.launch_cost = {11};
  all.push_back(more);
  more.lockstep = true;
  more.resident_blocks = 2;
  all.push_back(more);
  more.lockstep = false;
  more.block_schedule = BlockSchedule::dynamic;
  more.multiprocessors = 4;
  more.instruction_cost = {2};
  all.push_back(more);
  more.requests_in_flight = 3;
  all.push_back(more);
  more.instruction_cost = {0};
  more.operations = {{"issue", 4, {4}, {16, 4, 20, 1}}};
  more.global->own_port = true;
  more.global->reuse = Reuse::block;
  more.requests_in_flight = 6;
  all.push_back(more);
  more.schedule = Schedule::hoisted;
  more.shared->widest = 16;
  all.push_back(more);
  return all;
}

struct Priced {
  ptx::PricedLaunch launch;
  std::vector<std::uint8_t> memory; ///< all arrays afterwards
  std::vector<bool> counted;
};

Priced price(const std::string& file, const TestLaunch& test, const MachineSpec& machine,
             bool reference, ptx::GridRaces* races = nullptr, TimeObserver* times = nullptr) {
  LoadedKernels kernels(file);
  const ptx::Code& code = kernels.kernel(test.name);
  Sources sources;
  const ptx::SourcePlaces places(kernels.module, kernels.sources, sources, read_kernel_source());
  const ptx::PricedKernel kernel = ptx::priced_kernel(kernels.module, code, machine, places);
  const std::vector<std::uint8_t> params = test.params(kernels);
  const ptx::GridLaunch launch{kernel, kernels.image,  code,          test.shape,
                               params, kernels.device, kernels.module};
  if (races) races->begin_launch(kernel, kernels.device);
  ptx::LaunchPricing pricing{machine, kernels.sources.limits()};
  pricing.reference = reference;
  pricing.races = races;
  pricing.times = times;
  const LaunchShape shape = ptx::shape_of(launch.kernel, launch.code, launch.grid);
  Priced priced{ptx::price_launch(launch, shape, pricing), {}, {}};
  for (const auto& array : kernels.arrays) {
    // The 256-byte aligned part: the host's address of the array differs.
    const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
    const std::size_t skip = (256 - begin % 256) % 256;
    priced.memory.insert(priced.memory.end(), array.begin() + static_cast<std::ptrdiff_t>(skip),
                         array.end() - static_cast<std::ptrdiff_t>(256 - skip));
  }
  return priced;
}

} // namespace

namespace {

/// Prices a launch in both ways; returns its time.
std::int64_t check_both_ways(const std::string& file, const TestLaunch& test,
                             const MachineSpec& machine) {
  const Priced fast = price(file, test, machine, false);
  const Priced slow = price(file, test, machine, true);
  const LaunchTally &a = fast.launch.outcome.tally, &b = slow.launch.outcome.tally;
  REQUIRE(fast.launch.outcome.stop == Stop::none);
  REQUIRE(slow.launch.outcome.stop == Stop::none);
  CHECK(a.time == b.time);
  CHECK(a.barriers == b.barriers);
  CHECK(a.multiprocessors == b.multiprocessors);
  CHECK(a.shared == b.shared);
  CHECK(a.global == b.global);
  CHECK(fast.memory == slow.memory);
  CHECK(fast.launch.sectors == slow.launch.sectors);
  CHECK(fast.launch.result.warp_steps == slow.launch.result.warp_steps);
  // With the dynamic schedule sites without requests may be missing.
  REQUIRE(a.dynamic.size() == b.dynamic.size());
  for (std::size_t mp = 0; mp < a.dynamic.size(); ++mp) {
    std::vector<RequestTally> x = a.dynamic[mp], y = b.dynamic[mp];
    x.resize(std::max(x.size(), y.size()));
    y.resize(x.size());
    CHECK(x == y);
  }
  return a.time.value;
}

} // namespace

TEST_CASE("a launch costs the same on the reference machine and in the fast way") {
  const std::vector<TestLaunch> launches = test_launches();
  const std::vector<MachineSpec> machines = test_machines();
  for (std::size_t k = 0; k < launches.size(); ++k) {
    for (std::size_t number = 0; number < machines.size(); ++number) {
      if (sanitized && number != k % machines.size()) continue;
      CAPTURE(launches[k].name, number);
      check_both_ways("price.ptx", launches[k], machines[number]);
    }
  }
}

TEST_CASE("atomics and smaller groups cost the same in both ways on random machines") {
  for (const TestLaunch& test : launches_of_atomics())
    for (std::uint64_t seed = 0; seed < (sanitized ? 6 : 60); ++seed) {
      CAPTURE(test.name, seed);
      check_both_ways("atomics.ptx", test, machine_of_atomics(seed));
    }
  for (const TestLaunch& test : test_launches())
    for (std::uint64_t seed = 100; seed < (sanitized ? 101 : 106); ++seed) {
      CAPTURE(test.name, seed);
      check_both_ways("price.ptx", test, machine_of_atomics(seed));
    }
}

TEST_CASE("launches whose reads are hoisted ask the same") {
  std::int64_t faster = 0;
  for (const TestLaunch& test : test_launches())
    for (const std::int64_t k : {1, 3}) {
      MachineSpec machine = hmm(2, 32, 4, 40);
      machine.requests_in_flight = k;
      const Priced plain = price("price.ptx", test, machine, false);
      machine.schedule = Schedule::hoisted;
      const Priced hoisted = price("price.ptx", test, machine, false);
      CAPTURE(test.name, k);
      CHECK(hoisted.memory == plain.memory);
      CHECK(hoisted.launch.sectors == plain.launch.sectors);
      const LaunchTally &a = plain.launch.outcome.tally, &b = hoisted.launch.outcome.tally;
      CHECK(b.multiprocessors == a.multiprocessors);
      CHECK(b.barriers == a.barriers);
      faster += b.time.value < a.time.value ? 1 : 0;
    }
  CHECK(faster > 3);
}

TEST_CASE("atomics of one memory cost the same in both ways, on groups and on banks") {
  for (const TestLaunch& test : launches_of_atomics()) {
    if (test.name == "mixed") continue; // it uses shared memory
    for (MachineSpec machine : {umm(32, 7), dmm(32, 9)}) {
      machine.resident_blocks = 2;
      CAPTURE(test.name, name_of(machine.model));
      CHECK(check_both_ways("atomics.ptx", test, machine) > 0);
    }
  }
}

// The numbers of configs/README.md sections 10 and 11, on warps of 32 lanes.

namespace {

/// The stages that a launch took, and those that it lost.
std::pair<std::int64_t, std::int64_t> stages_and_lost(const Priced& priced) {
  std::int64_t stages = 0, lost = 0;
  for (const Tally& of_mp : priced.launch.outcome.tally.multiprocessors)
    for (const RequestTally& site : of_mp.requests) {
      stages += site.stages();
      lost += site.stages() - site.requests() - site.further_needed;
    }
  return {stages, lost};
}

} // namespace

TEST_CASE("atomics: shared stages are not merged, groups serve one atomic after the other") {
  MachineSpec machine = hmm(1, 32, 4, 20);
  machine.shared->atomic_stages = {2500000};
  machine.global->atomic_service = {3};
  const TestLaunch shared{"shared_words", grid(1, 4),
                          [](LoadedKernels& kernels) { return kernels.params("shared_words"); }};
  CHECK(check_both_ways("atomics.ptx", shared, machine) == 13);
  CHECK(stages_and_lost(price("atomics.ptx", shared, machine, false)) ==
        std::pair<std::int64_t, std::int64_t>(10, 9));
  const TestLaunch warps = launches_of_atomics().front();
  CHECK(check_both_ways("atomics.ptx", warps, machine) == 26);
  struct Completions : TimeObserver {
    std::vector<std::int64_t> times;
    void dispatched(const Dispatch& dispatch) override {
      times.push_back(dispatch.completion.value);
    }
  } completions;
  price("atomics.ptx", warps, machine, true, nullptr, &completions);
  CHECK(completions.times == std::vector<std::int64_t>{23, 26, 22});
}

TEST_CASE("doubles: lanes of two words form pieces, and need the stages of their words") {
  const MachineSpec machine = hmm(1, 32, 4, 20);
  const auto doubles = [](std::string name, int step) {
    return TestLaunch{name, grid(1, 32), [name, step](LoadedKernels& kernels) {
                        if (name == "doubles_of_shared") return kernels.params(name, step);
                        return kernels.params(name, kernels.array<double>(64, "from"), step);
                      }};
  };
  using Stages = std::pair<std::int64_t, std::int64_t>;
  const auto check = [&](const TestLaunch& test, std::int64_t time, Stages stages) {
    CHECK(check_both_ways("atomics.ptx", test, machine) == time);
    CHECK(stages_and_lost(price("atomics.ptx", test, machine, false)) == stages);
  };
  check(doubles("doubles_of_shared", 1), 5, {2, 0});
  check(doubles("doubles_of_global", 1), 21, {2, 0});
  check(doubles("doubles_of_shared", 2), 7, {4, 2});
}

TEST_CASE("groups of fewer words: a stage takes one, and lost are those beyond the words' own") {
  MachineSpec machine = hmm(1, 32, 4, 20);
  machine.global->group = 8;
  const auto words = [](int first, int step) {
    return TestLaunch{"words_of_global", grid(1, 32), [=](LoadedKernels& kernels) {
                        return kernels.params("words_of_global", kernels.array<int>(300, "from"),
                                              first, step);
                      }};
  };
  using Stages = std::pair<std::int64_t, std::int64_t>;
  const auto check = [&](const TestLaunch& test, std::int64_t time, Stages stages) {
    CHECK(check_both_ways("atomics.ptx", test, machine) == time);
    const Priced priced = price("atomics.ptx", test, machine, false);
    CHECK(stages_and_lost(priced) == stages);
    // A block of one full warp has I/O, in groups of w words.
    std::int64_t groups = 0;
    for (const RequestTally& site : priced.launch.outcome.tally.multiprocessors[0].requests)
      groups += site.groups;
    return groups;
  };
  CHECK(check(words(0, 1), 23, {4, 0}) == 1);
  CHECK(check(words(4, 1), 24, {5, 1}) == 2);
  CHECK(check(words(0, 8), 51, {32, 28}) == 8);
  CHECK(check(words(5, 0), 20, {1, 0}) == 1);
}

TEST_CASE("equal intervals between barriers are not counted twice") {
  const TestLaunch test{"binomial", grid(3, 64), [](LoadedKernels& kernels) {
                          return kernels.params("binomial", kernels.array<float>(3, "strike"),
                                                kernels.array<float>(3, "price"), 40);
                        }};
  for (const MachineSpec& machine : test_machines()) {
    const Priced fast = price("binomial.ptx", test, machine, false);
    const Priced slow = price("binomial.ptx", test, machine, true);
    CHECK(fast.launch.outcome.tally.barriers == 3 * (2 * 40 + 1));
    CHECK(fast.launch.outcome.tally.time == slow.launch.outcome.tally.time);
    CHECK(fast.launch.outcome.tally.shared == slow.launch.outcome.tally.shared);
    CHECK(fast.launch.outcome.tally.global == slow.launch.outcome.tally.global);
  }
}

namespace {

template <class Draw>
int some_work(const Draw& draw) {
  const auto what = static_cast<int>(draw(0, 17));
  return what < 17 ? what : 16 + 32;
}

/// Plans of tests/ptx/kernels/intervals.cu: rounds of loops, with others among them.
std::vector<int> some_plan(std::uint64_t seed, std::int64_t blocks, std::int64_t rounds) {
  std::uint64_t drawn = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return random_integer(6, seed, drawn++, low, high);
  };
  std::vector<int> of_all;
  for (std::int64_t length = draw(1, 3), k = 0; k < rounds; ++k)
    of_all.push_back(k < length ? some_work(draw) : of_all[static_cast<std::size_t>(k - length)]);
  std::vector<int> plan;
  for (std::int64_t block = 0; block < blocks; ++block)
    for (const int usual : of_all) plan.push_back(draw(0, 19) == 0 ? some_work(draw) : usual);
  return plan;
}

} // namespace

TEST_CASE("what blocks do as others did costs the same and has the same races as if it were new") {
  for (std::uint64_t seed = 0; seed < (sanitized ? 24 : 400); ++seed) {
    const std::int64_t blocks = random_integer(6, seed, 1000, 1, 30);
    const std::int64_t rounds = random_integer(6, seed, 1001, 1, 12);
    const std::int64_t threads = 32 * random_integer(6, seed, 1002, 2, 4);
    const TestLaunch test{
        "intervals", grid(blocks, threads), [&](LoadedKernels& kernels) {
          const auto count = static_cast<std::size_t>(blocks * threads);
          int* const out = kernels.array<int>(count, "out");
          int* const plan = kernels.array<int>(static_cast<std::size_t>(blocks * rounds), "plan");
          const std::vector<int> planned = some_plan(seed, blocks, rounds);
          std::copy(planned.begin(), planned.end(), plan);
          return kernels.params("intervals", out, filled(kernels, count + 12, "in"), plan,
                                kernels.array<int>(1, "count"), static_cast<int>(rounds));
        }};
    const std::vector<MachineSpec> machines = test_machines();
    const MachineSpec& machine = machines[seed % machines.size()];
    CAPTURE(seed, blocks, rounds, threads);
    check_both_ways("intervals.ptx", test, machine);
    ptx::GridRaces followed, one_by_one;
    price("intervals.ptx", test, machine, false, &followed);
    price("intervals.ptx", test, machine, true, &one_by_one);
    CHECK(followed.counts().races == one_by_one.counts().races);
    REQUIRE(followed.counts().pairs.size() == one_by_one.counts().pairs.size());
    for (std::size_t k = 0; k < followed.counts().pairs.size(); ++k) {
      const RacePair &a = followed.counts().pairs[k], &b = one_by_one.counts().pairs[k];
      CHECK(a.first.message == b.first.message);
      CHECK(a.races == b.races);
    }
  }
}

TEST_CASE("kernels without shared memory cost the same in both ways on machines of one memory") {
  for (TestLaunch test : test_launches()) {
    if (test.name != "rounds" && test.name != "transpose_naive" && test.name != "chain") continue;
    if (test.name == "rounds") test.shape = grid(13, 32);
    for (const MachineSpec& machine : {umm(32, 7), dmm(32, 9)}) {
      CAPTURE(test.name, name_of(machine.model));
      const Priced fast = price("price.ptx", test, machine, false);
      const Priced slow = price("price.ptx", test, machine, true);
      REQUIRE(fast.launch.outcome.stop == Stop::none);
      CHECK(fast.launch.outcome.tally.time.value > 0);
      CHECK(fast.launch.outcome.tally.time == slow.launch.outcome.tally.time);
      CHECK(fast.launch.outcome.tally.multiprocessors == slow.launch.outcome.tally.multiprocessors);
      CHECK(fast.launch.outcome.tally.shared == slow.launch.outcome.tally.shared);
      CHECK(fast.launch.outcome.tally.global == slow.launch.outcome.tally.global);
    }
  }
}

TEST_CASE("instructions of compute capability 8.0 cost the same in both ways") {
  const TestLaunch copies{"copies", grid(1, 128), [](LoadedKernels& kernels) {
                            return kernels.params("copies", kernels.array<int>(128, "out"),
                                                  filled(kernels, 512, "in"));
                          }};
  const TestLaunch matrices{"matrices", grid(2, 64), [](LoadedKernels& kernels) {
                              return kernels.params("matrices", kernels.array<int>(128, "out"),
                                                    filled(kernels, 256, "in"));
                            }};
  for (const TestLaunch& test : {copies, matrices})
    for (const MachineSpec& machine : test_machines()) {
      CAPTURE(test.name);
      const Priced fast = price("price80.ptx", test, machine, false);
      const Priced slow = price("price80.ptx", test, machine, true);
      REQUIRE(fast.launch.outcome.stop == Stop::none);
      CHECK(fast.launch.outcome.tally.time == slow.launch.outcome.tally.time);
      CHECK(fast.launch.outcome.tally.multiprocessors == slow.launch.outcome.tally.multiprocessors);
      CHECK(fast.launch.outcome.tally.shared == slow.launch.outcome.tally.shared);
      CHECK(fast.memory == slow.memory);
    }
}

} // namespace memlane::test
