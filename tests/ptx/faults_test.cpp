// Kernels that go wrong: what is said, with which line, block and thread; and going on.
#include "program.hpp"
#include "support/catch.hpp"

#include <algorithm>

namespace memlane::test {

using ptx::FaultKind;

namespace {

void allow(Program& program, FaultKind kind) {
  program.state.allowed.set(static_cast<std::size_t>(kind));
}

} // namespace

TEST_CASE("a read beyond an array is said with the lines that inlined it") {
  Program program = Program::of_kernels("faults");
  std::vector<int> x, y(64);
  x.reserve(128); // the memory behind its 40 elements is free
  x.resize(40);
  program.give(x), program.give(y);
  const Launched launched = program.launch("outside", {1, 1, 1}, {64, 1, 1}, x, y);
  says(launched,
       {"faults.cu:5: error: thread (39, 0, 0) of block (0, 0, 0) reads 4 bytes at address 0x",
        "outside of all allocations", "the allocation before it has 160 bytes", "in kernel outside",
        "faults.cu:6: note: inlined here", "faults.cu:8: note: inlined here", "the instruction",
        "--allow-out-of-bounds"});
  allow(program, FaultKind::outside);
  const Launched allowed = program.launch("outside", {1, 1, 1}, {64, 1, 1}, x, y);
  CHECK(allowed.fault.empty());
  REQUIRE(allowed.allowed.size() == 1);
  CHECK(allowed.allowed[0].find("faults.cu:5: warning: ") == 0);
  CHECK(allowed.allowed[0].find("the first of 25 times") != std::string::npos);
  CHECK(y[63] == 1); // 0 was read
}

TEST_CASE("an access before an allocation names that one") {
  Program program = Program::of_kernels("written");
  std::vector<int> in(64), out(1 << 16); // so large that nothing is near
  program.give(in), program.give(out);
  const std::int64_t stride = -1;
  says(program.launch("to_parameter", {1, 1, 1}, {2, 1, 1}, in, out, stride),
       {"thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes at address 0x",
        "outside of all allocations", "4 bytes before the allocation of 262144 bytes from 0x"});
}

TEST_CASE("addresses that are not aligned, freed, or of nothing") {
  Program program = Program::of_kernels("faults");
  std::vector<int> y(64);
  program.give(y);
  const auto begin = reinterpret_cast<std::uint64_t>(y.data());
  says(program.launch("writes", {1, 1, 1}, {32, 1, 1}, begin + 2, std::int64_t{0}),
       {"faults.cu:10: error: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes",
        "which is no multiple of that size"});
  says(program.launch("writes", {1, 1, 1}, {32, 1, 1}, y, std::int64_t{-1}),
       {"writes 4 bytes", "outside of all allocations"});
  says(program.launch("writes", {1, 1, 1}, {32, 1, 1}, std::uint64_t{0}, std::int64_t{0}),
       {"at address 0x0,", "outside of all allocations"});
  REQUIRE(program.device->free(begin));
  says(program.launch("writes", {2, 1, 1}, {32, 1, 1}, y, std::int64_t{0}),
       {"which has been freed", "the allocation before it has", "--allow-freed"});
}

TEST_CASE("shared words that nothing has written, and values of inactive lanes") {
  Program program = Program::of_kernels("faults");
  std::vector<int> y(64);
  program.give(y);
  says(program.launch("uninitialised", {1, 1, 1}, {32, 1, 1}, y),
       {"faults.cu:15: error: thread (31, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 124 of "
        "shared "
        "memory, which no thread has written",
        "write the word before"});
  allow(program, FaultKind::uninitialised);
  CHECK(program.launch("uninitialised", {3, 1, 1}, {32, 1, 1}, y).fault.empty());
  REQUIRE(program.state.faults.size() == 1);
  CHECK(program.state.faults[0].times == 3);
  says(program.launch("inactive", {1, 1, 1}, {32, 1, 1}, y),
       {"faults.cu:19: error: thread (15, 0, 0) of block (0, 0, 0) takes a value from a lane that "
        "does "
        "not execute the shuffle",
        "sm_30_intrinsics.hpp:", "note: the inlined code"});
}

TEST_CASE("assertions, traps, waits for ever, barriers that cannot open") {
  Program program = Program::of_kernels("faults");
  std::vector<int> y(64), flag(1);
  program.give(y), program.give(flag);
  says(program.launch("asserts", {1, 1, 1}, {32, 1, 1}, 20),
       {"faults.cu:4: error: thread (20, 0, 0) of block (0, 0, 0) fails an assertion: faults.cu:4:",
        "`threadIdx.x < n`", "in kernel asserts"});
  says(program.launch("traps", {4, 1, 1}, {32, 1, 1}, 2),
       {"thread (0, 0, 0) of block (2, 0, 0) executes a trap"});
  const Launched waits = program.launch("waits", {2, 1, 1}, {32, 1, 1}, flag);
  CHECK(waits.result.waits_for_ever);
  says(program.launch("parted", {1, 1, 1}, {64, 1, 1}, y),
       {"faults.cu:33: error: thread (0, 0, 0) of block (0, 0, 0) waits at a barrier that can "
        "never open"});
  CHECK(program.launch("traps", {2, 1, 1}, {32, 1, 1}, 2).fault.empty());
}

TEST_CASE("names of faults are read as they are written") {
  for (int k = 1; k < static_cast<int>(FaultKind::count); ++k) {
    const auto kind = static_cast<FaultKind>(k);
    CHECK(ptx::fault_named(ptx::name_of(kind)) == kind);
  }
  CHECK_FALSE(ptx::fault_named("none"));
}

} // namespace memlane::test
