// The part of CUDA that emitted programs use, on the CPU, for tests without a GPU. The threads of a
// block are fibres, so that __syncthreads, __syncwarp and __ballot_sync wait as on a GPU. Blocks
// run one after the other. Times have no meaning.
//
// Environment variables:
//   MEMLANE_HOST_ORDER   reverse: threads run from the last to the first, which changes the result
//                        of a program that lacks a barrier; streams, too
//   MEMLANE_HOST_DEVICE  simulates a machine that cannot run programs (none, no-driver, old-driver,
//                        other-architecture), or one with 48 KiB of shared memory for a block
//                        (small)
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__
#define __restrict__
#define __launch_bounds__(...)

struct memlane_uint3 {
  unsigned x = 0, y = 0, z = 0;
};
inline memlane_uint3 threadIdx, blockIdx;
inline memlane_uint3 blockDim{1, 1, 1}, gridDim{1, 1, 1};

namespace memlane_host {

constexpr unsigned warp_size = 32;

enum class Waiting { no, block, warp };

struct Thread {
  boost::context::fiber fiber;
  Waiting waiting = Waiting::no;
  unsigned mask = 0; ///< lanes for which it waits
  bool predicate = false;
  unsigned ballot = 0;
  std::uint64_t word = 0;     ///< a shuffle's value
  std::size_t source = 0;     ///< the lane whose value it reads
  std::uint64_t received = 0; ///< the value it has read
  bool done = false;
};

/// The block that is running.
struct Block {
  std::vector<Thread> threads;
  boost::context::fiber scheduler;
  std::size_t current = 0;
  std::vector<unsigned char> dynamic;
  bool at_fence = false; ///< a thread has stopped at one and runs on
};
inline Block block;

inline unsigned char* dynamic_shared() { return block.dynamic.data(); }

/// Suspends the thread until it is released.
inline void wait(Waiting what, unsigned mask) {
  Thread& self = block.threads[block.current];
  self.waiting = what;
  self.mask = mask;
  block.scheduler = std::move(block.scheduler).resume();
}

/// Releases the lanes of a warp that wait for each other.
inline bool release_warp(std::size_t first) {
  const std::size_t last = std::min(block.threads.size(), first + warp_size);
  bool released = false;
  for (std::size_t i = first; i < last; ++i) {
    if (block.threads[i].waiting != Waiting::warp) continue;
    const unsigned mask = block.threads[i].mask;
    bool all = true;
    unsigned ballot = 0;
    for (std::size_t j = first; j < last; ++j) {
      const Thread& other = block.threads[j];
      if ((mask >> (j - first) & 1) == 0 || other.done) continue;
      all = all && other.waiting == Waiting::warp && other.mask == mask;
      if (other.predicate) ballot |= 1u << (j - first);
    }
    if (!all) continue;
    released = true;
    for (std::size_t j = first; j < last; ++j) {
      Thread& other = block.threads[j];
      if ((mask >> (j - first) & 1) == 0 || other.done) continue;
      other.waiting = Waiting::no;
      other.ballot = ballot;
      const std::size_t source = first + other.source;
      // No lane continues before all have received.
      other.received = source < last ? block.threads[source].word : 0;
    }
  }
  return released;
}

inline bool release() {
  bool released = false;
  for (std::size_t first = 0; first < block.threads.size(); first += warp_size)
    released = release_warp(first) || released;
  if (released) return true;
  for (const Thread& thread : block.threads)
    if (!thread.done && thread.waiting != Waiting::block) return false;
  for (Thread& thread : block.threads) thread.waiting = Waiting::no;
  return true;
}

inline void resume(std::size_t i) {
  Thread& thread = block.threads[i];
  block.current = i;
  threadIdx.x = static_cast<unsigned>(i);
  thread.fiber = std::move(thread.fiber).resume();
  thread.done = !thread.fiber;
}

inline bool runs_in_reverse() {
  static const char* const order = std::getenv("MEMLANE_HOST_ORDER");
  return order != nullptr && std::string_view(order) == "reverse";
}

template <class Body>
void run_block(unsigned count, Body& body) {
  static boost::context::pooled_fixedsize_stack stacks(128 * 1024, 64);
  const bool reverse = runs_in_reverse();
  block.threads.clear();
  block.threads.resize(count);
  for (Thread& thread : block.threads) {
    thread.fiber =
        boost::context::fiber(std::allocator_arg, stacks, [&body](boost::context::fiber&& back) {
          block.scheduler = std::move(back);
          body();
          return std::move(block.scheduler);
        });
  }
  for (;;) {
    bool running = false, alive = false;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = reverse ? count - 1 - k : k;
      Thread& thread = block.threads[i];
      if (!thread.done && thread.waiting == Waiting::no) resume(i), running = true;
      alive = alive || !thread.done;
    }
    if (!alive) return;
    // A thread that polls runs on and on: the warps that it waits for go on beside it.
    const bool polls = std::exchange(block.at_fence, false);
    if ((!running || polls) && !release() && !running) {
      std::fprintf(stderr,
                   "error: the threads of a block wait for each other at different barriers\n");
      std::exit(2);
    }
  }
}

template <class... Formals>
void launch(void (*kernel)(Formals...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
            Formals... actuals) {
  blockDim.x = threads;
  gridDim.x = blocks;
  auto body = [&] { kernel(actuals...); };
  for (unsigned b = 0; b < blocks; ++b) {
    blockIdx.x = b;
    block.dynamic.assign(shared_bytes, 0xA5);
    run_block(threads, body);
  }
}

// Work of the main stream runs at once. Work of another stream runs only when the program waits for
// an event recorded behind it: without the join, the result is wrong.

struct Stream {
  std::vector<std::function<void()>> work;
  std::size_t done = 0;

  void run_to(std::size_t end) {
    while (done < end) work[done++]();
  }
};

/// A place in a stream.
struct Event {
  std::chrono::steady_clock::time_point time;
  Stream* stream = nullptr;
  std::size_t end = 0;
};

inline std::vector<std::unique_ptr<Stream>> streams;

inline void enqueue(Stream* stream, std::function<void()> work) {
  if (!stream) return work();
  stream->work.push_back(std::move(work));
}

/// The main stream waits for the event. In reverse order, later streams run first.
inline void wait_for(const Event& event) {
  if (!event.stream) return;
  if (runs_in_reverse())
    for (std::size_t k = streams.size(); k-- > 0;) streams[k]->run_to(streams[k]->work.size());
  event.stream->run_to(event.end);
}

} // namespace memlane_host

inline void __syncthreads() { memlane_host::wait(memlane_host::Waiting::block, 0); }
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  memlane_host::wait(memlane_host::Waiting::warp, mask);
}
inline unsigned __ballot_sync(unsigned mask, bool predicate) {
  using namespace memlane_host;
  block.threads[block.current].predicate = predicate;
  wait(Waiting::warp, mask);
  Thread& self = block.threads[block.current];
  self.predicate = false;
  return self.ballot;
}
namespace memlane_host {

/// The value of another lane; unspecified if that lane is missing or not in the mask.
template <class T>
T shuffle(unsigned mask, T value, long long source) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  Thread& self = block.threads[block.current];
  const std::size_t own = block.current % warp_size;
  self.word = 0;
  std::memcpy(&self.word, &value, sizeof(T));
  self.source = source >= 0 && source < static_cast<long long>(warp_size)
                    ? static_cast<std::size_t>(source)
                    : own;
  wait(Waiting::warp, mask);
  T result;
  std::memcpy(&result, &block.threads[block.current].received, sizeof(T));
  return result;
}

inline long long lane() { return static_cast<long long>(block.current % warp_size); }

} // namespace memlane_host

template <class T>
T __shfl_sync(unsigned mask, T value, int source) {
  return memlane_host::shuffle(mask, value, source);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  const unsigned here = __ballot_sync(mask, true);
  unsigned same = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (here >> lane & 1)
      same |= (memlane_host::shuffle(mask, value, lane) == value ? 1u : 0u) << lane;
  return same;
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  return memlane_host::shuffle(mask, value, memlane_host::lane() + distance);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  return memlane_host::shuffle(mask, value, memlane_host::lane() - distance);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, unsigned lanes) {
  return memlane_host::shuffle(mask, value, memlane_host::lane() ^ lanes);
}
inline int __ffs(int word) { return __builtin_ffs(word); }

// Every operation is atomic, since threads switch only at barriers and fences. At a fence, since a
// loop that waits for another thread's word has one.
inline void __threadfence() {
  memlane_host::block.at_fence = true;
  memlane_host::block.scheduler = std::move(memlane_host::block.scheduler).resume();
}
template <class T>
T atomicAdd(T* at, T value) {
  return std::exchange(*at, static_cast<T>(*at + value));
}
template <class T>
T atomicExch(T* at, T value) {
  return std::exchange(*at, value);
}
template <class T>
T atomicMin(T* at, T value) {
  return std::exchange(*at, value < *at ? value : *at);
}
template <class T>
T atomicMax(T* at, T value) {
  return std::exchange(*at, *at < value ? value : *at);
}
template <class T>
T atomicAnd(T* at, T value) {
  return std::exchange(*at, *at & value);
}
template <class T>
T atomicOr(T* at, T value) {
  return std::exchange(*at, *at | value);
}
template <class T>
T atomicXor(T* at, T value) {
  return std::exchange(*at, *at ^ value);
}
template <class T>
T atomicCAS(T* at, T expected, T value) {
  return std::exchange(*at, *at == expected ? value : *at);
}
inline unsigned atomicInc(unsigned* at, unsigned greatest) {
  return std::exchange(*at, *at >= greatest ? 0 : *at + 1);
}

struct int4 {
  int x, y, z, w;
};

inline long long clock64() { return 0; }

// By value, as in CUDA, since words of arrays are volatile.
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}

// ---- The runtime ----

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum { cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1 };
using cudaStream_t = memlane_host::Stream*; ///< null: the main one
using cudaEvent_t = memlane_host::Event*;

struct cudaUUID_t {
  char bytes[16] = {};
};
struct cudaFuncAttributes {
  int numRegs = 0;
  std::size_t localSizeBytes = 0, sharedSizeBytes = 0;
};
enum cudaDeviceAttr {
  cudaDevAttrClockRate,
  cudaDevAttrMemoryClockRate,
  cudaDevAttrGlobalMemoryBusWidth,
  cudaDevAttrMaxThreadsPerMultiProcessor
};

struct cudaDeviceProp {
  char name[64] = "host (fibres)";
  int multiProcessorCount = 1, major = 0, minor = 0, l2CacheSize = 0;
  std::size_t sharedMemPerBlockOptin = 232448;
  cudaUUID_t uuid;
};

namespace memlane_host {

inline bool simulates(std::string_view machine) {
  static const char* const simulated = std::getenv("MEMLANE_HOST_DEVICE");
  return simulated != nullptr && machine == simulated;
}

} // namespace memlane_host

inline const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
  case cudaErrorMemoryAllocation: return "out of memory";
  case cudaErrorInsufficientDriver:
    return "CUDA driver version is insufficient for CUDA runtime version";
  case cudaErrorNoDevice: return "no CUDA-capable device is detected";
  case cudaErrorNoKernelImageForDevice:
    return "no kernel image is available for execution on the device";
  default: return "no error";
  }
}
inline cudaError_t cudaGetLastError() {
  return memlane_host::simulates("other-architecture") ? cudaErrorNoKernelImageForDevice
                                                       : cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (memlane_host::simulates("none")) return cudaErrorNoDevice;
  if (memlane_host::simulates("no-driver") || memlane_host::simulates("old-driver"))
    return cudaErrorInsufficientDriver;
  return *count = 1, cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  if (memlane_host::simulates("small")) properties->sharedMemPerBlockOptin = 48 * 1024;
  return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  return *version = memlane_host::simulates("old-driver") ? 11040 : 0, cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = memlane_host::simulates("old-driver") ? 13000 : 0, cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  return *attributes = {}, cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int,
                                                                 std::size_t) {
  return *blocks = 1, cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = 0, cudaSuccess; // unknown
}

template <class T>
cudaError_t cudaMalloc(T** place, std::size_t bytes) {
  *place = static_cast<T*>(std::malloc(bytes));
  return *place != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* place) { return std::free(place), cudaSuccess; }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemset(void* place, int value, std::size_t bytes) {
  return std::memset(place, value, bytes), cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* place, int value, std::size_t bytes) {
  return std::memset(place, value, bytes), cudaSuccess;
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  memlane_host::streams.push_back(std::make_unique<memlane_host::Stream>());
  return *stream = memlane_host::streams.back().get(), cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!stream) memlane_host::wait_for(*event); // the main stream's own events are always reached
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  static std::vector<std::unique_ptr<memlane_host::Event>> events;
  events.push_back(std::make_unique<memlane_host::Event>());
  return *event = events.back().get(), cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  *event = {std::chrono::steady_clock::now(), stream, stream ? stream->work.size() : 0};
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  return *ms = std::chrono::duration<float, std::milli>(end->time - begin->time).count(),
         cudaSuccess;
}
