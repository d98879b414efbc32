// Kernels that write to memory by addresses of several origins.
#include <mma.h>

struct Matrix {
  long long rows;
  int* words;
};
__device__ int counts[64];

extern "C" __global__ void to_parameter(const int* in, int* out, long long stride) {
  out[threadIdx.x * stride] = in[threadIdx.x];
}
extern "C" __global__ void to_structure(const int* in, Matrix out) {
  for (long long row = 0; row < out.rows; ++row) out.words[row * 32 + threadIdx.x] = in[row];
}
extern "C" __global__ void to_either(int* even, int* odd, const int* in) {
  int* to = in[threadIdx.x] % 2 == 0 ? even : odd;
  for (int k = 0; k < 2; ++k, to += 32) atomicAdd(to + threadIdx.x, 1);
}
extern "C" __global__ void to_variable(const int* in) { counts[threadIdx.x] = in[threadIdx.x]; }
extern "C" __global__ void to_shared(const int* in, int* out) {
  __shared__ int part[64];
  int* const to = in[0] == 0 ? part : out;
  to[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void to_nothing(const int* in) {
  if (in[threadIdx.x] == 0) __trap();
}
// Any memory: by an address in memory, by another function, by an address that is a number.
extern "C" __global__ void to_read(int** out, const int* in) {
  out[threadIdx.x % 2][threadIdx.x] = in[threadIdx.x];
}
__device__ __noinline__ void put(int* out, int value) { out[threadIdx.x] = value; }
extern "C" __global__ void by_function(const int* in, int* out) { put(out, in[threadIdx.x]); }
extern "C" __global__ void to_number(const int* in) {
  *reinterpret_cast<int*>(static_cast<long long>(in[0]) * 4096 + in[1]) = 1;
}
extern "C" __global__ void to_halves(const int* in) {
  asm volatile("{ .reg .b64 to; mov.b64 to, {%0, %1}; st.global.u32 [to], 0; }" ::"r"(in[0]),
               "r"(in[1]));
}
// Several accesses of one line.
extern "C" __global__ void unrolled(int* out) {
#pragma unroll
  for (int k = 0; k < 4; ++k) out[k] += blockIdx.x;
}

// Two names for the memory that a launch brings.
extern __shared__ int turned[];
extern __shared__ int sorted[];
extern "C" __global__ void turn(int* out) {
  turned[threadIdx.x * 2] = 1;
  __syncthreads();
  out[threadIdx.x] = turned[threadIdx.x];
}
extern "C" __global__ void sort(int* out) {
  sorted[threadIdx.x * 2] = 1;
  __syncthreads();
  out[threadIdx.x] = sorted[threadIdx.x];
}
extern "C" __global__ void large(int* out) {
  __shared__ int own[4096];
  own[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x ^ 1];
}

// Words and their bytes: one warp writes the ones, the other one reads the others.
extern "C" __global__ void word_of_bytes(unsigned char* bytes, int* out) {
  if (threadIdx.x < 32)
    bytes[4 * threadIdx.x + 1] = 1;
  else
    out[threadIdx.x] = reinterpret_cast<const int*>(bytes)[threadIdx.x - 32];
}
extern "C" __global__ void byte_of_words(int* words, unsigned char* out) {
  __shared__ int own[32];
  if (threadIdx.x < 32) own[threadIdx.x] = 1;
  if (threadIdx.x >= 32) reinterpret_cast<unsigned char*>(own)[4 * (threadIdx.x - 32) + 3] = 2;
  __syncthreads();
  if (threadIdx.x < 32) words[threadIdx.x] = own[threadIdx.x];
}
// Bytes beside the words that others write.
extern "C" __global__ void bytes_beside_words(int* words, unsigned char* out) {
  if (threadIdx.x < 32)
    words[threadIdx.x] = 1;
  else
    reinterpret_cast<unsigned char*>(words)[4 * threadIdx.x + 3] = 2;
}
// A product's tile is what every warp stores.
extern "C" __global__ void to_tile(float* out) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> tile;
  nvcuda::wmma::fill_fragment(tile, 1.0F);
  nvcuda::wmma::store_matrix_sync(out, tile, 16, nvcuda::wmma::mem_row_major);
}
// Later blocks read more.
extern "C" __global__ void rising(const int* in, int* out) {
  int sum = 0;
  for (int k = 0; k < blockIdx.x; ++k) sum += in[32 * k + threadIdx.x % 32];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
