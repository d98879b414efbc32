#include "support/catch.hpp"

#include "memlane/machine/spec.hpp"

using namespace memlane;
using Letters = std::map<std::string, std::int64_t, std::less<>>;

TEST_CASE("the letters of a UMM: l is the latency of its only memory") {
  MachineSpec machine;
  machine.width = 4;
  machine.threads = 8;
  machine.global = UnitSpec{UnitKind::unified, {5}, 1, {}};
  CHECK(letters(machine) ==
        Letters{
            {"width", 4}, {"w", 4}, {"b", 4}, {"mps", 1}, {"d", 1}, {"k", 1}, {"p", 8}, {"l", 5}});
  CHECK(&machine.memory_unit() == &*machine.global);
}

TEST_CASE("the letters of a DMM with a bounded memory") {
  MachineSpec machine;
  machine.model = Model::dmm;
  machine.shared = UnitSpec{UnitKind::discrete, {7}, 1, 100};
  CHECK(letters(machine).at("l") == 7);
  CHECK(letters(machine).at("M") == 100);
  CHECK(letters(machine).at("capacity") == 100);
  CHECK(letters(machine).count("L") == 0);
  CHECK(&machine.memory_unit() == &*machine.shared);
}

TEST_CASE("the letters of an HMM: l shared, L global, M the shared capacity") {
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.multiprocessors = 14;
  machine.shared = UnitSpec{UnitKind::discrete, {2}, 1, 12288};
  machine.global = UnitSpec{UnitKind::unified, {400}, 1, 1 << 30};
  CHECK(letters(machine).at("l") == 2);
  CHECK(letters(machine).at("L") == 400);
  CHECK(letters(machine).at("M") == 12288);
  CHECK(letters(machine).at("d") == 14);
  CHECK(&machine.memory_unit() == &*machine.global);
}

TEST_CASE("the letters of an MMM are Z, U and P, the latter where it is bounded") {
  MachineSpec machine = machine_of(Model::mmm);
  machine.local_words = 100;
  machine.transfer = 7;
  derive_values(machine);
  using Letters = std::map<std::string, std::int64_t, std::less<>>;
  CHECK(letters(machine) == Letters{{"U", 7}, {"Z", 100}});
  machine.processors = 3;
  CHECK(letters(machine) == Letters{{"P", 3}, {"U", 7}, {"Z", 100}});
  CHECK(machine.threads == 100);
  CHECK(machine.width == 32);
}

TEST_CASE("every model has its name in machine files") {
  CHECK(name_of(Model::dmm) == "dmm");
  CHECK(name_of(Model::umm) == "umm");
  CHECK(name_of(Model::hmm) == "hmm");
  CHECK(name_of(Model::agpu) == "agpu");
  CHECK(name_of(Model::mmm) == "mmm");
}
