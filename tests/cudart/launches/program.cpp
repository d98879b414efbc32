// A CUDA program that needs no nvcc: it is linked with memlane's libcudart, and registers the
// kernels of tests/ptx/fat/scale.cu. Its arguments say what it does.
// usage: program FATBIN WORD…
#include "api.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace memlane::cudart;

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
Error cudaMalloc(void**, std::size_t);
Error cudaFree(void*);
Error cudaGetLastError();
Error cudaPeekAtLastError();
Error cudaDeviceReset();
Error cudaDeviceSynchronize();
Error cudaDeviceGetAttribute(int*, int, int);
Error cudaEventCreate(Event**);
Error cudaEventRecord(Event*, StreamHandle);
Error cudaEventElapsedTime(float*, Event*, Event*);
Error cudaStreamCreate(StreamHandle*);
Error cudaStreamBeginCapture(StreamHandle, int);
Error cudaStreamEndCapture(StreamHandle, Graph**);
Error cudaGraphInstantiate(GraphRun**, Graph*, unsigned long long);
Error cudaGraphLaunch(GraphRun*, StreamHandle);
Error cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
Error cudaLaunchKernel_ptsz(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
Error cudaLaunchCooperativeKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
Error cudaLaunchKernelExC(const LaunchConfig*, const void*, void**);
Error __cudaGetKernel(const void**, const void*);
Error __cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
}

namespace {

/// What a fat binary is registered as.
struct Wrapper {
  int magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* const* linked = nullptr;
};

char write_at = 0, dynamic_sum = 0, bounded = 0; // their addresses stand for kernels
int* words = nullptr;

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(9);
}

Error launch_bounded(unsigned threads, StreamHandle stream = nullptr) {
  void* arguments[] = {&words};
  return cudaLaunchKernel(&bounded, {1, 1, 1}, {threads, 1, 1}, arguments, 0, stream);
}

Error launch_write(unsigned blocks, int at = 0) {
  void* arguments[] = {&words, &at};
  return cudaLaunchKernel(&write_at, {blocks, 1, 1}, {32, 1, 1}, arguments, 0, nullptr);
}

/// Every function that launches.
void launch_each_way() {
  int *sum = words + 64, at = 0;
  void *summed[] = {&words, &sum}, *written[] = {&words, &at};
  const Dim one, threads{32, 1, 1};
  cudaLaunchKernel(&dynamic_sum, one, threads, summed, 128, nullptr);
  cudaLaunchKernel_ptsz(&write_at, {1, 2, 1}, threads, written, 0, nullptr);
  cudaLaunchCooperativeKernel(&write_at, {1, 1, 2}, threads, written, 0, nullptr);
  LaunchConfig config;
  config.grid = {2, 1, 1};
  config.block = threads;
  cudaLaunchKernelExC(&config, &write_at, written);
  const void* handle = nullptr;
  expect(__cudaGetKernel(&handle, &dynamic_sum) == Error::success, "a handle");
  __cudaLaunchKernel(handle, one, threads, summed, 256, nullptr);
}

void launch_captured() {
  StreamHandle stream = nullptr;
  Graph* graph = nullptr;
  GraphRun* run = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, 0);
  launch_bounded(32, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(run, stream);
}

/// The program's last error is its own.
void keep_errors() {
  expect(launch_bounded(2048) == Error::invalid_configuration, "a launch that fails");
  expect(launch_bounded(64) == Error::success, "a launch that does not");
  expect(cudaPeekAtLastError() == Error::invalid_configuration, "the error of the first is kept");
  expect(cudaGetLastError() == Error::invalid_configuration, "it can be taken");
  expect(launch_bounded(32) == Error::success, "another launch");
  expect(cudaGetLastError() == Error::success, "there is no other error");
}

/// Prints what the device says of its time: kHz, bits, and the milliseconds of a launch.
void time_launch() {
  Event *begin = nullptr, *end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, nullptr);
  launch_bounded(64);
  cudaEventRecord(end, nullptr);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  constexpr int clock_rate = 13, bus_width = 37;
  int khz = 0, bits = 0;
  cudaDeviceGetAttribute(&khz, clock_rate, 0);
  cudaDeviceGetAttribute(&bits, bus_width, 0);
  std::printf("[%d, %d, %.9f]\n", khz, bits, static_cast<double>(milliseconds));
}

int do_word(const std::string& word) {
  const auto is = [&](const char* name) { return word == name; };
  if (is("twice")) return launch_bounded(64), launch_write(2), launch_bounded(64), 0;
  if (is("ways")) return launch_each_way(), 0;
  if (is("capture")) return launch_captured(), 0;
  if (is("errors")) return keep_errors(), 0;
  if (is("time")) time_launch();
  if (is("many"))
    for (int k = 0; k < 200; ++k) launch_bounded(32);
  if (is("blocks")) { // as many as the environment says
    const char* const set = std::getenv("BLOCKS");
    launch_write(set ? static_cast<unsigned>(std::atoi(set)) : 1);
  }
  if (is("more") && std::getenv("BLOCKS")) launch_bounded(32);
  if (is("reset")) return launch_bounded(32), cudaDeviceReset(), 0;
  if (is("fault")) launch_write(1, 1 << 20);
  if (is("fail")) return 7;
  if (is("abort")) std::abort();
  if (is("_exit")) _exit(0);
  return 0;
}

} // namespace

int main(int count, char** words_of_program) {
  const std::vector<std::string> arguments(words_of_program + 1, words_of_program + count);
  if (arguments.empty()) return 1;
  std::ifstream in(arguments.front(), std::ios::binary);
  static const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  static Wrapper wrapper;
  wrapper.data = bytes.data();
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](char* function, const char* name) {
    __cudaRegisterFunction(handle, function, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  };
  add(&write_at, "write_at");
  add(&dynamic_sum, "dynamic_sum");
  add(&bounded, "bounded");
  __cudaRegisterFatBinaryEnd(handle);
  cudaMalloc(reinterpret_cast<void**>(&words), 4096);
  for (std::size_t k = 1; k < arguments.size(); ++k)
    if (const int status = do_word(arguments[k]); status != 0) return status;
  std::puts("the program has ended");
  return 0;
}
