// Memlane's libcudart: what programs get from it.
#include "library.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace memlane::test {

namespace {

struct ScaleChange {
  float factor = 2;
  char unused = 0;
  double added = 0.5;
};

/// Scales n numbers on the device and checks them.
void scale_and_check(const ScaleProgram& program, int n, void* stream = nullptr) {
  const CudaLibrary& cuda = program.cuda;
  const float factors[4] = {1, 2, 3, 4};
  REQUIRE(cuda.call("cudaMemcpyToSymbol", static_cast<const void*>(&program.factors),
                    static_cast<const void*>(factors), sizeof factors, std::size_t{0},
                    to_device) == 0);
  std::vector<float> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 0.0F);
  const std::size_t bytes = x.size() * sizeof(float);
  float* on_gpu = cuda.allocate<float>(x.size());
  REQUIRE(cuda.call("cudaMemcpy", static_cast<void*>(on_gpu), static_cast<const void*>(x.data()),
                    bytes, to_device) == 0);
  ScaleChange change;
  const unsigned blocks = static_cast<unsigned>((n + 63) / 64);
  REQUIRE(cuda.launch(&program.scale, {blocks, 1, 1}, {64, 1, 1}, 0, stream, on_gpu, n, change) ==
          0);
  REQUIRE(cuda.call("cudaMemcpy", static_cast<void*>(x.data()), static_cast<const void*>(on_gpu),
                    bytes, to_host) == 0);
  for (int i = 0; i < n; ++i)
    REQUIRE(x[static_cast<std::size_t>(i)] == static_cast<float>(i) * 2 * factors[i % 4] + 0.5F);
  REQUIRE(cuda.call("cudaFree", static_cast<void*>(on_gpu)) == 0);
}

} // namespace

TEST_CASE("kernels run with both versions of the library") {
  for (const int version : {12, 13}) {
    INFO("libcudart.so." << version);
    const ScaleProgram program(version);
    scale_and_check(program, 1000);
    int calls = 0, runtime = 0;
    CHECK(program.cuda.call("cudaMemcpyFromSymbol", static_cast<void*>(&calls),
                            static_cast<const void*>(&program.calls), sizeof calls, std::size_t{0},
                            to_host) == 0);
    CHECK(calls == 1000);
    CHECK(program.cuda.call("cudaRuntimeGetVersion", &runtime) == 0);
    CHECK(runtime == 1000 * version);
    std::size_t size = 0;
    void* address = nullptr;
    CHECK(program.cuda.call("cudaGetSymbolSize", &size,
                            static_cast<const void*>(&program.factors)) == 0);
    CHECK(size == 16);
    CHECK(program.cuda.call("cudaGetSymbolAddress", &address,
                            static_cast<const void*>(&program.calls)) == 0);
    CHECK(*static_cast<const int*>(address) == 1000);
    CHECK(program.cuda.call("cudaGetSymbolSize", &size, static_cast<const void*>(&size)) ==
          invalid_symbol);
  }
}

TEST_CASE("the launch that nvcc 13 writes, with a configuration that is pushed and popped") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  CHECK(cuda.call<unsigned>("__cudaPushCallConfiguration", CudaDim{1, 2, 3}, CudaDim{64, 1, 1},
                            std::size_t{256}, static_cast<void*>(nullptr)) == 0);
  CudaDim grid, block;
  std::size_t shared = 0;
  void* stream = &shared;
  CHECK(cuda.call("__cudaPopCallConfiguration", &grid, &block, &shared, &stream) == 0);
  CHECK((grid.x == 1 && grid.y == 2 && grid.z == 3 && block.x == 64 && shared == 256));
  CHECK(stream == nullptr);
  CHECK(cuda.call("__cudaPopCallConfiguration", &grid, &block, &shared, &stream) ==
        invalid_configuration);
  int *x = cuda.allocate<int>(64), *sum = cuda.allocate<int>(1);
  std::iota(x, x + 64, 1);
  void *kernel = nullptr, *arguments[] = {&x, &sum};
  CHECK(cuda.call("__cudaGetKernel", &kernel, static_cast<const void*>(&program.dynamic_sum)) == 0);
  CHECK(cuda.call("__cudaLaunchKernel", kernel, CudaDim{}, CudaDim{64, 1, 1},
                  static_cast<void**>(arguments), std::size_t{256}, stream) == 0);
  CHECK(*sum == 64 * 65 / 2);
  int no_kernel = 0;
  CHECK(cuda.call("__cudaGetKernel", &kernel, static_cast<const void*>(&no_kernel)) ==
        invalid_function);
}

TEST_CASE("a fault is the error of every call that follows, until the device is reset") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  int* x = cuda.allocate<int>(40);
  int index = 9;
  CHECK(cuda.launch(&program.write_at, {}, {32, 1, 1}, 0, nullptr, x, index) == illegal_address);
  CHECK(cuda.call("cudaDeviceSynchronize") == illegal_address);
  CHECK(cuda.call("cudaGetLastError") == illegal_address);
  CHECK(cuda.call("cudaGetLastError") == illegal_address); // it stays
  void* more = nullptr;
  CHECK(cuda.call("cudaMalloc", &more, std::size_t{16}) == illegal_address);
  CHECK(cuda.error_name(illegal_address) == "cudaErrorIllegalAddress");
  CHECK(cuda.call("cudaDeviceReset") == 0);
  CHECK(cuda.call("cudaGetLastError") == 0);
  scale_and_check(program, 100);
}

TEST_CASE("a mistake of one call is the last error once, and hurts nothing else") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  int* x = cuda.allocate<int>(64);
  CHECK(cuda.launch(&program.bounded, {1, 1, 1}, {2048, 1, 1}, 0, nullptr, x) ==
        invalid_configuration);
  CHECK(cuda.call("cudaPeekAtLastError") == invalid_configuration);
  CHECK(cuda.call("cudaGetLastError") == invalid_configuration);
  CHECK(cuda.call("cudaGetLastError") == 0);
  CHECK(cuda.launch(&x, {}, {}, 0, nullptr, x) == invalid_function);
  CHECK(cuda.call("cudaSetDevice", 1) == invalid_device);
  const auto copy = [&](void* to, const void* from, std::size_t bytes, int kind) {
    return cuda.call("cudaMemcpy", to, from, bytes, kind);
  };
  std::vector<int> host(65, 7);
  CHECK(copy(x, host.data(), 256, to_device) == 0);
  CHECK(copy(x, host.data(), 257, to_device) == invalid_value);       // beyond its end
  CHECK(copy(x + 32, host.data(), 129, by_address) == invalid_value); // whatever it is called
  CHECK(copy(host.data(), host.data() + 1, 4, to_device) == invalid_value);
  CHECK(copy(host.data(), x, 4, on_device) == invalid_value);
  CHECK(copy(host.data(), x, 256, 9) == invalid_direction);
  CHECK(copy(host.data(), nullptr, 4, to_host) == invalid_value);
  CHECK(copy(nullptr, nullptr, 0, to_host) == 0);
  CHECK(cuda.call("cudaMemset", static_cast<void*>(x), 1, std::size_t{257}) == invalid_value);
  CHECK(cuda.call("cudaMemset", static_cast<void*>(x), 1, std::size_t{256}) == 0);
  CHECK(x[63] == 0x01010101);
  CHECK(cuda.call("cudaFree", static_cast<void*>(x + 1)) == invalid_value);
  CHECK(cuda.call("cudaFree", static_cast<void*>(x)) == 0);
  CHECK(cuda.call("cudaFree", static_cast<void*>(x)) == invalid_value);
  CHECK(cuda.call("cudaFree", static_cast<void*>(nullptr)) == 0);
  scale_and_check(program, 100);
}

TEST_CASE("rows are copied with their pitches, and no byte more") {
  const CudaLibrary cuda(13);
  void* device = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cuda.call("cudaMallocPitch", &device, &pitch, std::size_t{100}, std::size_t{3}) == 0);
  CHECK(pitch == 512);
  REQUIRE(cuda.call("cudaMemset", device, 9, 2 * pitch + 100) == 0);
  std::vector<char> host(3 * 64);
  std::iota(host.begin(), host.end(), static_cast<char>(0));
  REQUIRE(cuda.call("cudaMemcpy2D", device, pitch, static_cast<const void*>(host.data()),
                    std::size_t{64}, std::size_t{60}, std::size_t{3}, to_device) == 0);
  const char* const rows = static_cast<const char*>(device);
  for (std::size_t y = 0; y < 3; ++y) {
    CHECK(rows[y * pitch] == host[y * 64]);
    CHECK(rows[y * pitch + 59] == host[y * 64 + 59]);
    CHECK(rows[y * pitch + 60] == 9);
  }
  // Rows that are wider than the distance between them.
  CHECK(cuda.call("cudaMemcpy2D", device, pitch, static_cast<const void*>(host.data()),
                  std::size_t{59}, std::size_t{60}, std::size_t{3}, to_device) == 12);
  // A fourth row is outside.
  CHECK(cuda.call("cudaMemcpy2D", device, pitch, static_cast<const void*>(host.data()),
                  std::size_t{16}, std::size_t{16}, std::size_t{4}, to_device) == invalid_value);
}

TEST_CASE("events are never at the same time, and have a time only after they were recorded") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  void *first = nullptr, *second = nullptr;
  REQUIRE(cuda.call("cudaEventCreate", &first) == 0);
  REQUIRE(cuda.call("cudaEventCreate", &second) == 0);
  float milliseconds = -1;
  CHECK(cuda.call("cudaEventElapsedTime", &milliseconds, first, second) == invalid_handle);
  CHECK(cuda.call("cudaEventRecord", first, static_cast<void*>(nullptr)) == 0);
  scale_and_check(program, 1000);
  CHECK(cuda.call("cudaEventRecord", second, static_cast<void*>(nullptr)) == 0);
  CHECK(cuda.call("cudaEventSynchronize", second) == 0);
  CHECK(cuda.call("cudaEventElapsedTime", &milliseconds, first, second) == 0);
  CHECK(milliseconds > 0.001F);
  CHECK(cuda.call("cudaEventRecord", first, static_cast<void*>(nullptr)) == 0);
  CHECK(cuda.call("cudaEventRecord", second, static_cast<void*>(nullptr)) == 0);
  CHECK(cuda.call("cudaEventElapsedTime", &milliseconds, first, second) == 0);
  CHECK(milliseconds > 0);
  CHECK(cuda.call("cudaEventDestroy", first) == 0);
  CHECK(cuda.call("cudaEventDestroy", first) == invalid_handle);
  CHECK(cuda.call("cudaEventRecord", first, static_cast<void*>(nullptr)) == invalid_handle);
}

TEST_CASE("a captured stream does nothing until its graph is launched") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  void *stream = nullptr, *graph = nullptr, *run = nullptr;
  REQUIRE(cuda.call("cudaStreamCreate", &stream) == 0);
  int* x = cuda.allocate<int>(64);
  int* sum = cuda.allocate<int>(1);
  *sum = -1;
  std::vector<int> host(64, 2);
  REQUIRE(cuda.call("cudaStreamBeginCapture", stream, 0) == 0);
  REQUIRE(cuda.call("cudaMemcpyAsync", static_cast<void*>(x), static_cast<const void*>(host.data()),
                    std::size_t{256}, to_device, stream) == 0);
  REQUIRE(cuda.launch(&program.dynamic_sum, {}, {64, 1, 1}, 256, stream, x, sum) == 0);
  static int called = 0;
  REQUIRE(cuda.call(
              "cudaLaunchHostFunc", stream, +[](void* by) { called += *static_cast<int*>(by); },
              static_cast<void*>(&host[0])) == 0);
  CHECK(cuda.call("cudaStreamSynchronize", stream) == capture_unsupported);
  REQUIRE(cuda.call("cudaStreamEndCapture", stream, &graph) == 0);
  CHECK(*sum == -1);
  CHECK(called == 0);
  std::size_t nodes = 0;
  CHECK(cuda.call("cudaGraphGetNodes", graph, static_cast<void**>(nullptr), &nodes) == 0);
  CHECK(nodes == 3);
  REQUIRE(cuda.call("cudaGraphInstantiate", &run, graph, 0ULL) == 0);
  REQUIRE(cuda.call("cudaGraphLaunch", run, stream) == 0);
  CHECK(*sum == 128);
  CHECK(called == 2);
  // The work has copies of the arguments and reads memory anew.
  std::fill(host.begin(), host.end(), 3);
  sum = x = nullptr;
  REQUIRE(cuda.call("cudaGraphLaunch", run, stream) == 0);
  CHECK(called == 5);
  CHECK(cuda.call("cudaGraphExecDestroy", run) == 0);
  CHECK(cuda.call("cudaGraphLaunch", run, stream) == invalid_value);
  CHECK(cuda.call("cudaGraphDestroy", graph) == 0);
  CHECK(cuda.call("cudaStreamDestroy", stream) == 0);
  CHECK(cuda.call("cudaStreamSynchronize", stream) == invalid_handle);
}

TEST_CASE("nodes of a graph run behind those that they depend on, a circle is refused") {
  const CudaLibrary cuda(13);
  static std::string order;
  struct HostNode {
    void (*function)(void*);
    void* argument;
  };
  const auto note = +[](void* letter) { order += *static_cast<const char*>(letter); };
  char letters[] = "abc";
  void *graph = nullptr, *run = nullptr, *nodes[3] = {};
  REQUIRE(cuda.call("cudaGraphCreate", &graph, 0U) == 0);
  for (int k = 0; k < 3; ++k) {
    const HostNode node{note, &letters[k]};
    REQUIRE(cuda.call("cudaGraphAddHostNode", &nodes[k], graph, static_cast<void**>(nullptr),
                      std::size_t{0}, &node) == 0);
  }
  const auto depend = [&](int from, int to) {
    return cuda.call("cudaGraphAddDependencies", graph, &nodes[from], &nodes[to],
                     static_cast<const void*>(nullptr), std::size_t{1});
  };
  REQUIRE(depend(2, 0) == 0); // c before a
  REQUIRE(cuda.call("cudaGraphInstantiate", &run, graph, 0ULL) == 0);
  REQUIRE(cuda.call("cudaGraphLaunch", run, static_cast<void*>(nullptr)) == 0);
  CHECK(order == "bca");
  REQUIRE(depend(0, 2) == 0);
  CHECK(cuda.call("cudaGraphInstantiate", &run, graph, 0ULL) == invalid_value);
}

TEST_CASE("nodes of graphs are added by their type") {
  struct Parameters { // cudaGraphNodeParams
    int type = 0, unused[3] = {};
    std::size_t words[30] = {};
  };
  for (const int version : {12, 13}) {
    const CudaLibrary cuda(version);
    void *graph = nullptr, *run = nullptr, *node = nullptr, *host = nullptr;
    REQUIRE(cuda.call("cudaGraphCreate", &graph, 0U) == 0);
    const auto add = [&](void** into, Parameters& parameters) {
      void** const none = nullptr;
      return version == 13
                 ? cuda.call("cudaGraphAddNode", into, graph, none,
                             static_cast<const void*>(nullptr), std::size_t{0}, &parameters)
                 : cuda.call("cudaGraphAddNode", into, graph, none, std::size_t{0}, &parameters);
    };
    Parameters allocation;
    allocation.type = 10;
    allocation.words[13] = 256;
    REQUIRE(add(&node, allocation) == 0);
    auto* const memory = reinterpret_cast<int*>(allocation.words[14]);
    REQUIRE(memory != nullptr);
    int kind = 0;
    CHECK(cuda.call("cudaGraphNodeGetType", node, &kind) == 0);
    CHECK(kind == 10);
    Parameters call;
    call.type = 3;
    call.words[0] = reinterpret_cast<std::size_t>(+[](void* at) { *static_cast<int*>(at) = 7; });
    call.words[1] = reinterpret_cast<std::size_t>(memory);
    REQUIRE(add(&host, call) == 0);
    CHECK(cuda.call("cudaGraphAddMemFreeNode", &node, graph, &host, std::size_t{1},
                    static_cast<void*>(memory)) == 0);
    REQUIRE(cuda.call("cudaGraphInstantiate", &run, graph, 0ULL) == 0);
    REQUIRE(cuda.call("cudaGraphLaunch", run, static_cast<void*>(nullptr)) == 0);
    CHECK(memory[0] == 7);
    call.words[1] += sizeof(int);
    CHECK(cuda.call("cudaGraphExecNodeSetParams", run, host, &allocation) == invalid_value);
    REQUIRE(cuda.call("cudaGraphExecNodeSetParams", run, host, &call) == 0);
    REQUIRE(cuda.call("cudaGraphLaunch", run, static_cast<void*>(nullptr)) == 0);
    CHECK(memory[1] == 7);
    Parameters conditional;
    conditional.type = 13;
    CHECK(add(&node, conditional) == 801);
    CHECK(cuda.call("cudaFree", static_cast<void*>(memory)) == 0);
  }
}

TEST_CASE("fat binaries that were linked are one module") {
  const CudaLibrary cuda(13);
  const std::string code = fat_bytes("without_ptx.fatbin"), a = fat_bytes("part_a.fatbin"),
                    b = fat_bytes("part_b.fatbin");
  const void* const linked[] = {a.data(), b.data(), nullptr};
  const CudaWrapper wrapper{0x466243b1, 2, code.data(), linked};
  void** const handle = cuda.add(wrapper);
  char kernel = 0, total = 0;
  cuda.add_kernel(handle, &kernel, "use_other");
  cuda.add_variable(handle, &total, "total", 4);
  int* x = cuda.allocate<int>(32);
  std::iota(x, x + 32, 0);
  CHECK(cuda.launch(&kernel, {}, {32, 1, 1}, 0, nullptr, x) == 0);
  for (int i = 0; i < 32; ++i) CHECK(x[i] == 2 * i + 10 * (1 + i % 4) + 1);
}

TEST_CASE("machine code without PTX is an error of the launch, not of the program's beginning") {
  const CudaLibrary cuda(13);
  const std::string code = fat_bytes("without_ptx.fatbin");
  CudaWrapper wrapper;
  wrapper.data = code.data();
  void** const handle = cuda.add(wrapper);
  char kernel = 0;
  cuda.add_kernel(handle, &kernel, "bounded");
  int* x = cuda.allocate<int>(64);
  CHECK(cuda.launch(&kernel, {}, {64, 1, 1}, 0, nullptr, x) == no_kernel_image);
  CHECK(cuda.call("cudaDeviceSynchronize") == 0);
  wrapper.magic = 1;
  void** const other = cuda.add(wrapper);
  char strange = 0;
  cuda.add_kernel(other, &strange, "bounded");
  CHECK(cuda.launch(&strange, {}, {64, 1, 1}, 0, nullptr, x) == 218);
}

TEST_CASE("attributes, occupancy and more shared memory on permission") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  const void* const kernel = &program.dynamic_sum;
  int blocks = 0;
  CHECK(cuda.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, kernel, 256,
                  std::size_t{0}) == 0);
  CHECK(blocks == 8); // 2048 / 256
  int *x = cuda.allocate<int>(64), *sum = cuda.allocate<int>(1);
  const std::size_t large = 60 << 10;
  CHECK(cuda.launch(kernel, {}, {64, 1, 1}, large, nullptr, x, sum) == invalid_value);
  constexpr int dynamic_shared = 8;
  CHECK(cuda.call("cudaFuncSetAttribute", kernel, dynamic_shared, 200 << 10) == invalid_value);
  CHECK(cuda.call("cudaFuncSetAttribute", kernel, dynamic_shared, 60 << 10) == 0);
  CHECK(cuda.launch(kernel, {}, {64, 1, 1}, large, nullptr, x, sum) == 0);
  CHECK(cuda.launch(kernel, {}, {64, 1, 1}, large + 1, nullptr, x, sum) == invalid_value);
  int value = 0;
  constexpr int multiprocessors = 16, major = 75;
  CHECK(cuda.call("cudaDeviceGetAttribute", &value, multiprocessors, 0) == 0);
  CHECK(value == 16);
  CHECK(cuda.call("cudaDeviceGetAttribute", &value, major, 0) == 0);
  CHECK(value == 8);
  // The machine code beside the PTX says the registers.
  int attributes[36] = {};
  CHECK(cuda.call("cudaFuncGetAttributes", static_cast<void*>(attributes),
                  static_cast<const void*>(&program.bounded)) == 0);
  CHECK(attributes[6] == 64); // threads, by its __launch_bounds__
  CHECK(attributes[7] > 0);   // registers
  CHECK(attributes[8] == 75); // of the PTX
}

TEST_CASE("threads of the host may use the library side by side") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  std::vector<int> wrong(4, 0);
  const auto work = [&](std::size_t number) {
    for (int round = 0; round < 25; ++round) {
      void *x = nullptr, *sum = nullptr;
      int failed = cuda.call("cudaMalloc", &x, std::size_t{256}) |
                   cuda.call("cudaMalloc", &sum, std::size_t{4});
      std::vector<int> host(64, static_cast<int>(number) + round);
      failed |= cuda.call("cudaMemcpy", x, static_cast<const void*>(host.data()), std::size_t{256},
                          to_device);
      failed |= cuda.launch(&program.dynamic_sum, {}, {64, 1, 1}, 256, nullptr, x, sum);
      int result = 0;
      failed |= cuda.call("cudaMemcpy", static_cast<void*>(&result), static_cast<const void*>(sum),
                          std::size_t{4}, to_host);
      failed |= cuda.call("cudaFree", x) | cuda.call("cudaFree", sum);
      if (failed != 0 || result != 64 * (static_cast<int>(number) + round)) ++wrong[number];
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < wrong.size(); ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
  // The last error is each thread's own.
  CHECK(cuda.call("cudaSetDevice", 5) == invalid_device);
  int other = -1;
  std::thread([&] { other = cuda.call("cudaGetLastError"); }).join();
  CHECK(other == 0);
  CHECK(cuda.call("cudaGetLastError") == invalid_device);
}

TEST_CASE("a child of fork has a device of its own, a copy of its parent's") {
  const ScaleProgram program(13);
  const CudaLibrary& cuda = program.cuda;
  scale_and_check(program, 100);
  int *x = cuda.allocate<int>(64), *sum = cuda.allocate<int>(1);
  std::fill(x, x + 64, 3);
  *sum = -1;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int failed = cuda.launch(&program.dynamic_sum, {}, {64, 1, 1}, 256, nullptr, x, sum);
    _exit(failed == 0 && *sum == 192 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(*sum == -1);
  CHECK(cuda.launch(&program.dynamic_sum, {}, {64, 1, 1}, 256, nullptr, x, sum) == 0);
  CHECK(*sum == 192);
}

TEST_CASE("a line of JSON is written for each launch when it has ended") {
  char path[] = "/tmp/memlane-report-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  REQUIRE(setenv("MEMLANE_CUDA_REPORT", path, 1) == 0);
  const ScaleProgram program(13);
  scale_and_check(program, 100);
  int* nowhere = nullptr;
  int index = 5;
  CHECK(program.cuda.launch(&program.write_at, {}, {1, 1, 1}, 0, nullptr, nowhere, index) ==
        illegal_address);
  std::ifstream in(path);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  std::remove(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["launch"] == 0);
  CHECK(lines[0]["kernel"] == "scale");
  CHECK(lines[0]["grid"] == nlohmann::json({2, 1, 1}));
  CHECK(lines[0]["block"] == nlohmann::json({64, 1, 1}));
  CHECK(lines[0]["static_shared"] == 256);
  CHECK(lines[0]["registers"] > 0);
  CHECK(lines[0]["warp_instructions"] > 4 * 20);
  CHECK(lines[0]["faults"].empty());
  REQUIRE(lines[1]["faults"].size() == 1);
  const nlohmann::json& fault = lines[1]["faults"][0];
  CHECK(fault["fault"] == "out-of-bounds");
  CHECK(fault["line"] == "/tmp/fat/scale.cu:24");
  CHECK(fault["allowed"] == false);
  CHECK(fault["thread"] == nlohmann::json({0, 0, 0}));
}

TEST_CASE("functions of one version of CUDA are in its library alone") {
  const CudaLibrary twelve(12), thirteen(13);
  CHECK(twelve.has("cudaGetDeviceProperties_v2"));
  CHECK_FALSE(thirteen.has("cudaGetDeviceProperties_v2"));
  CHECK(thirteen.has("cudaGetDeviceProperties"));
  CHECK(twelve.has("cudaThreadSynchronize"));
  CHECK_FALSE(thirteen.has("cudaThreadSynchronize"));
  // Names of memlane's own are not exported.
  CHECK_FALSE(thirteen.has("_ZN7memlane6cudart7runtimeEv"));
}

TEST_CASE("properties of the device are where CUDA 12 and 13 have them") {
  // Offsets of CUDA 13 are held against an installed nvcc's by layout.cu; both sizes are CUDA's.
  alignas(8) char bytes[1100];
  const auto number = [&](std::size_t at) {
    int value = 0;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
  };
  for (const int version : {12, 13}) {
    INFO(version);
    const CudaLibrary cuda(version);
    std::memset(bytes, 0x5a, sizeof bytes);
    const char* const name =
        version == 12 ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
    REQUIRE(cuda.call(name, static_cast<void*>(bytes), 0) == 0);
    CHECK(std::string(bytes) == "memlane");
    const std::size_t size = version == 12 ? 1032 : 1008;
    CHECK(bytes[size - 1] == 0);
    CHECK(bytes[size] == 0x5a);
    CHECK(number(308) == 32);                       // warpSize
    CHECK(number(360) == 8);                        // major
    CHECK(number(version == 12 ? 388 : 384) == 16); // multiProcessorCount
    CHECK(cuda.call(name, static_cast<void*>(bytes), 1) == invalid_device);
  }
}

} // namespace memlane::test
