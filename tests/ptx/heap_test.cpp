// Memory that kernels allocate, threads that sleep, and names that nothing defines.
#include "program.hpp"
#include "support/catch.hpp"

#include "memlane/ptx/link.hpp"

#include <numeric>

namespace memlane::test {

namespace {

/// The errors of a module of one kernel with these lines before it and in it.
std::string undefined(const std::string& before, const std::string& code) {
  Sources sources;
  const std::int32_t text =
      sources.add("a.ptx", ".version 9.0\n.target sm_75\n.address_size 64\n" + before +
                               ".visible .entry k() {\n" + code + "ret;\n}\n");
  const auto module = ptx::parse(sources, text);
  REQUIRE(module);
  return render(ptx::undefined_names(*module), sources);
}

} // namespace

TEST_CASE("what a thread allocates others use and free in later launches") {
  Program program = Program::of_kernels("heap");
  ptx::DeviceHeap heap;
  program.state.heap = &heap;
  program.state.memory = program.device.get();
  std::vector<std::uint64_t> lists(64);
  std::vector<int> sums(64), wanted(64), got(64);
  program.give(lists), program.give(sums), program.give(got);
  constexpr int most = 40;
  for (int round = 0; round < 2; ++round) {
    CHECK(program.launch("allocates", {1, 1, 1}, {64, 1, 1}, lists, most).fault.empty());
    CHECK(program.launch("frees", {1, 1, 1}, {64, 1, 1}, lists, most, sums).fault.empty());
    for (int t = 0; t < 64; ++t) {
      const int other = t ^ 1, count = other % most + 1;
      wanted[static_cast<std::size_t>(t)] = 100 * other * count + count * (count - 1) / 2;
    }
    CHECK(sums == wanted);
  }
  // Eight lists of 1 MiB are all that 8 MiB hold, and what was freed is there again.
  CHECK(program.launch("exhausts", {1, 1, 1}, {64, 1, 1}, got).fault.empty());
  CHECK(std::accumulate(got.begin(), got.end(), 0) == 8);
}

TEST_CASE("wrong uses of allocated memory are said") {
  Program program = Program::of_kernels("heap");
  ptx::DeviceHeap heap;
  program.state.heap = &heap;
  program.state.memory = program.device.get();
  std::vector<std::uint64_t> lists(64);
  program.give(lists);
  CHECK(program.launch("allocates", {1, 1, 1}, {64, 1, 1}, lists, 40).fault.empty());
  // The first list has one element.
  const Launched beyond = program.launch("beyond", {1, 1, 1}, {1, 1, 1}, lists);
  INFO(beyond.fault);
  CHECK(beyond.fault.find("heap.cu:16: error: thread (0, 0, 0)") == 0);
  const Launched twice = program.launch("twice", {1, 1, 1}, {1, 1, 1}, lists);
  INFO(twice.fault);
  CHECK(twice.fault.find("heap.cu:19: error: thread (0, 0, 0)") == 0);
  CHECK(twice.fault.find("which has been freed") != std::string::npos);
}

TEST_CASE("a block that uses what a block before it has freed has a fault") {
  Program program = Program::of_kernels("heap");
  ptx::DeviceHeap heap;
  program.state.heap = &heap;
  program.state.memory = program.device.get();
  std::vector<std::uint64_t> lists(64);
  std::vector<int> sums(64);
  program.give(lists), program.give(sums);
  CHECK(program.launch("allocates", {1, 1, 1}, {64, 1, 1}, lists, 40).fault.empty());
  const Launched frees = program.launch("frees", {2, 1, 1}, {64, 1, 1}, lists, 40, sums);
  INFO(frees.fault);
  CHECK(frees.fault.find("heap.cu:12: error: thread ") == 0); // the line that reads
  CHECK(frees.fault.find("of block (1, 0, 0) reads 4 bytes") != std::string::npos);
  CHECK(frees.fault.find("which has been freed") != std::string::npos);
}

TEST_CASE("a thread sleeps as long as a register says") {
  Program program = Program::of_kernels("heap");
  std::vector<int> y(64);
  program.give(y);
  CHECK(program.launch("sleeps", {1, 1, 1}, {64, 1, 1}, y, 7).fault.empty());
  CHECK(y == std::vector<int>(64, 7));
}

TEST_CASE("a function that nothing defines is named at its first call, before anything runs") {
  const std::string declared = ".extern .func mine ();\n.extern .func (.param .b32 r) "
                               "cudaDeviceSynchronize ();\n.extern .func malloc2 ();\n";
  const std::string said =
      undefined(declared, "call.uni mine, ();\ncall.uni mine, ();\n{ .param .b32 r;\ncall.uni "
                          "(r), cudaDeviceSynchronize, ();\n}\n");
  INFO(said);
  CHECK(said.find("a.ptx:8:1: error: nothing defines the function mine") == 0);
  CHECK(said.find("a.ptx:9") == std::string::npos);
  CHECK(said.find("a.ptx:11:1: error: a kernel calls cudaDeviceSynchronize") != std::string::npos);
  CHECK(said.find("malloc2") == std::string::npos); // nothing calls it
  CHECK(undefined(".extern .func free (.param .b64 p);\n",
                  "{ .param .b64 p;\ncall.uni free, (p);\n}\n")
            .empty());
}

TEST_CASE("what CUDA's runtime for devices lacks is named where the user's code calls it") {
  const std::string runtime =
      ".extern .func cnpLaunch ();\n"
      ".visible .func cudaLaunchDevice ()\n{\ncall.uni cnpLaunch, ();\nret;\n}\n"
      ".visible .func cuda_of_user ()\n{\nret;\n}\n";
  const std::string said =
      undefined(runtime, "call.uni cuda_of_user, ();\ncall.uni cudaLaunchDevice, ();\n");
  INFO(said);
  CHECK(said.find("error: a kernel calls cudaLaunchDevice: memlane does not have CUDA's runtime") !=
        std::string::npos);
  CHECK(said.find("cnpLaunch") == std::string::npos);
  CHECK(said.find("cuda_of_user, ") == std::string::npos);
  // A runtime that nothing calls cannot run either.
  CHECK(undefined(runtime, "").find("a kernel calls cnpLaunch") != std::string::npos);
}

} // namespace memlane::test
