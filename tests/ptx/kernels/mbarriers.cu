// arch: compute_80
// Barriers that are objects, and copies that arrive at them.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Each round, a thread reads what another warp has written before it arrived.
extern "C" __global__ void rounds(int* to, int count) {
  __shared__ Barrier barrier;
  __shared__ int words[2][128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < count; ++k) {
    words[k % 2][threadIdx.x] = k * 1000 + threadIdx.x;
    auto token = barrier.arrive();
    sum += k;
    barrier.wait(std::move(token));
    sum += words[k % 2][(threadIdx.x + 40) % 128];
  }
  to[threadIdx.x] = sum;
}

/// The next part of a row is copied while the present one is used.
extern "C" __global__ void pipelined(const int* from, int* to, int parts) {
  __shared__ int words[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int k = 0; k < 2; ++k) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, words[k], from + 128 * k, sizeof words[k], pipeline);
    pipeline.producer_commit();
  }
  for (int k = 0; k < parts; ++k) {
    pipeline.consumer_wait();
    to[128 * k + threadIdx.x] = words[k % 2][127 - threadIdx.x] + k;
    pipeline.consumer_release();
    if (k + 2 >= parts) continue;
    pipeline.producer_acquire();
    cuda::memcpy_async(block, words[k % 2], from + 128 * (k + 2), sizeof words[0], pipeline);
    pipeline.producer_commit();
  }
}
