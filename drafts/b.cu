#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void b(int* p, unsigned long long* q, float* f, double* d, __half2* h, __nv_bfloat162* bb, const int4* v) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t * 4], &v[t], 16); __pipeline_commit(); __pipeline_wait_prior(0);
  atomicMin(p, 3); atomicMax(p, 3); atomicExch(p, 2); atomicInc((unsigned*)p, 7u); atomicXor(p, 5); atomicAdd(q, 5ull); atomicAdd(f, 1.f);
  atomicAdd(h, __floats2half2_rn(1.f, 2.f));
  int x = __reduce_add_sync(~0u, t); x += __match_any_sync(~0u, t & 3); x += __popc(__activemask());
  x += __clz(t) + __ffs(t) + __brev(t) + __byte_perm(t, x, 0x3210) + __funnelshift_l(t, x, 3) + __dp4a(t, x, 4) + __mulhi(t, x) + __sad(t, x, 1u) + __fns(t, 0, 1);
  p[t] = x; f[t] = __sinf(f[t]) + __cosf(f[t]) + __log2f(f[t]) + rsqrtf(f[t]) + tanhf(f[t]) + fmaxf(f[t], 2.f) + copysignf(f[t], 1.f) + __fdividef(f[t], 3.f) + f[t] / 7.f + __frcp_rn(f[t]);
  d[t] = sqrt(d[t]) / 3.0 + fma(d[t], 2.0, 1.0) + sin(d[t]) + (double)(int)d[t] + __double2ll_rn(d[t]) + exp(d[t]);
  bb[t] = __hfma2(bb[t], bb[t], bb[t]);
  h[t] = __hmul2(h[t], h2exp2(h[t]));
  unsigned r0, r1, r2, r3; unsigned a = (unsigned)__cvta_generic_to_shared(s);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a));
  p[t] += r0 + r1 + r2 + r3;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block()); p[t] += cg::reduce(tile, t, cg::plus<int>()); tile.sync();
  if (__syncthreads_count(t > 3) > 2) __nanosleep(3);
  __threadfence(); __threadfence_block(); __threadfence_system();
  long long m = (long long)t * x; q[t] = m % 7 + m / 3 + __umul64hi(m, m); volatile int* w = p; w[3] = w[4]; if (t == 77) __trap();
  __ldg(p); __ldcs(p + t); __stwt(p, 3); if (__isShared(p)) p[0] = 1; p[9] = clock() + (int)clock64();
}
