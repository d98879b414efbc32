// arch: compute_80
// Numbers of 16, 32 and 64 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// y has 8 numbers of 16 bits for each thread.
extern "C" __global__ void halves(const float* x, unsigned short* y) {
  const int t = threadIdx.x;
  const __half a = __float2half_rn(x[t]), b = __float2half_rn(x[t + 1]);
  unsigned short* own = y + 8 * t;
  own[0] = __half_as_ushort(__hadd(a, b));
  own[1] = __half_as_ushort(__hmul(a, b));
  own[2] = __half_as_ushort(__hfma(a, b, a));
  own[3] = __half_as_ushort(__hsub(a, b));
  const __nv_bfloat16 c = __float2bfloat16_rn(x[t]), d = __float2bfloat16_rn(x[t + 1]);
  own[4] = __bfloat16_as_ushort(__hfma(c, d, c));
  own[5] = __bfloat16_as_ushort(__hmax(c, d));
  own[6] = __hlt(a, b) ? 1 : 0;
  own[7] = __half_as_ushort(__int2half_rn((int)x[t]));
}
/// y has 8 doubles for each thread.
extern "C" __global__ void doubles(const double* x, double* y) {
  const int t = threadIdx.x;
  double* own = y + 8 * t;
  own[0] = x[t] / x[t + 1];
  own[1] = sqrt(fabs(x[t]));
  own[2] = fma(x[t], x[t + 1], x[t]);
  own[3] = sin(x[t]);
  own[4] = exp(x[t] * 0.01);
  own[5] = floor(x[t]);
  own[6] = (double)__double2ll_rn(x[t]);
  own[7] = (double)(float)x[t];
}
/// y has 8 floats for each thread.
extern "C" __global__ void floats(const float* x, float* y) {
  const int t = threadIdx.x;
  float* own = y + 8 * t;
  own[0] = x[t] / x[t + 1];
  own[1] = sqrtf(fabsf(x[t]));
  own[2] = fmaf(x[t], x[t + 1], x[t]);
  own[3] = sinf(x[t]);
  own[4] = expf(x[t] * 0.01f);
  own[5] = floorf(x[t]);
  own[6] = __fdividef(x[t], x[t + 1]);
  own[7] = tanhf(x[t] * 0.01f);
}
/// y has 8 integers for each thread.
extern "C" __global__ void integers(const long long* x, long long* y) {
  const int t = threadIdx.x;
  const long long a = x[t], b = x[t + 1];
  long long* own = y + 8 * t;
  own[0] = b != 0 ? a / b : 0;
  own[1] = b != 0 ? a % b : 0;
  own[2] = __mul64hi(a, b);
  own[3] = __brevll(a);
  own[4] = __popcll(a) * 100 + __clzll(a);
  own[5] = (int)a / 7 + (unsigned)b % 13;
  own[6] = (long long)__funnelshift_l((unsigned)a, (unsigned)b, 5) << 32 |
           __byte_perm((unsigned)a, (unsigned)b, 0x5140);
  own[7] = __mulhi((int)a, (int)b) + __dp4a((int)a, (int)b, 3);
}
