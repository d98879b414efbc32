// Reads of textures, reads and writes of surfaces: each shape, type and mode.

#define TEXTURE_READS(NAME, T)                                                                     \
  extern "C" __global__ void NAME##_1d(cudaTextureObject_t t, const float4 *at, T *out) {          \
    out[threadIdx.x] = tex1D<T>(t, at[threadIdx.x].x);                                             \
  }                                                                                                \
  extern "C" __global__ void NAME##_2d(cudaTextureObject_t t, const float4 *at, T *out) {          \
    out[threadIdx.x] = tex2D<T>(t, at[threadIdx.x].x, at[threadIdx.x].y);                          \
  }                                                                                                \
  extern "C" __global__ void NAME##_3d(cudaTextureObject_t t, const float4 *at, T *out) {          \
    out[threadIdx.x] = tex3D<T>(t, at[threadIdx.x].x, at[threadIdx.x].y, at[threadIdx.x].z);       \
  }                                                                                                \
  extern "C" __global__ void NAME##_a1d(cudaTextureObject_t t, const float4 *at, T *out) {         \
    out[threadIdx.x] = tex1DLayered<T>(t, at[threadIdx.x].x, int(at[threadIdx.x].w));              \
  }                                                                                                \
  extern "C" __global__ void NAME##_a2d(cudaTextureObject_t t, const float4 *at, T *out) {         \
    out[threadIdx.x] =                                                                             \
        tex2DLayered<T>(t, at[threadIdx.x].x, at[threadIdx.x].y, int(at[threadIdx.x].w));          \
  }
TEXTURE_READS(floats, float4)
TEXTURE_READS(ints, int4)
TEXTURE_READS(unsigned_ints, uint4)

extern "C" __global__ void fetch(cudaTextureObject_t t, const int *at, float4 *out) {
  out[threadIdx.x] = tex1Dfetch<float4>(t, at[threadIdx.x]);
}
// What is fetched comes from one of two textures.
extern "C" __global__ void fetch_either(cudaTextureObject_t a, cudaTextureObject_t b, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(threadIdx.x % 2 == 0 ? a : b, threadIdx.x);
}
extern "C" __global__ void gather(cudaTextureObject_t t, const float4 *at, float4 *out) {
  const float x = at[threadIdx.x].x, y = at[threadIdx.x].y;
  out[4 * threadIdx.x] = tex2Dgather<float4>(t, x, y, 0);
  out[4 * threadIdx.x + 1] = tex2Dgather<float4>(t, x, y, 1);
  out[4 * threadIdx.x + 2] = tex2Dgather<float4>(t, x, y, 2);
  out[4 * threadIdx.x + 3] = tex2Dgather<float4>(t, x, y, 3);
}
extern "C" __global__ void levels(cudaTextureObject_t t, const float4 *at, float4 *out) {
  const float x = at[threadIdx.x].x, y = at[threadIdx.x].y;
  bool is_there = false;
  out[3 * threadIdx.x] = tex2DLod<float4>(t, x, y, 3.0F);
  out[3 * threadIdx.x + 1] = tex2DGrad<float4>(t, x, y, make_float2(x, 1), make_float2(1, y));
  const float4 value = tex2D<float4>(t, x, y, &is_there);
  out[3 * threadIdx.x + 2] = is_there ? value : make_float4(-1, -1, -1, -1);
}
extern "C" __global__ void cubes(cudaTextureObject_t t, const float4 *at, float4 *out) {
  const float4 p = at[threadIdx.x];
  out[2 * threadIdx.x] = texCubemap<float4>(t, p.x, p.y, p.z);
  out[2 * threadIdx.x + 1] = texCubemapLayered<float4>(t, p.x, p.y, p.z, int(p.w));
}
extern "C" __global__ void sizes(cudaTextureObject_t t, cudaSurfaceObject_t s, int *out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
  asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
  asm("suq.height.b32 %0, [%1];" : "=r"(out[4]) : "l"(s));
  asm("suq.array_size.b32 %0, [%1];" : "=r"(out[5]) : "l"(s));
}

// Surfaces: each thread moves a word and then copies one, at places in bytes.
#define SURFACE_MOVES(NAME, T, MODE)                                                               \
  extern "C" __global__ void NAME##_1d(cudaSurfaceObject_t s, const int4 *at, T *words) {          \
    const int4 p = at[threadIdx.x];                                                                \
    const T old = surf1Dread<T>(s, p.x, MODE);                                                     \
    surf1Dwrite(words[threadIdx.x], s, p.x, MODE);                                                 \
    words[threadIdx.x] = old;                                                                      \
  }                                                                                                \
  extern "C" __global__ void NAME##_2d(cudaSurfaceObject_t s, const int4 *at, T *words) {          \
    const int4 p = at[threadIdx.x];                                                                \
    const T old = surf2Dread<T>(s, p.x, p.y, MODE);                                                \
    surf2Dwrite(words[threadIdx.x], s, p.x, p.y, MODE);                                            \
    words[threadIdx.x] = old;                                                                      \
  }                                                                                                \
  extern "C" __global__ void NAME##_3d(cudaSurfaceObject_t s, const int4 *at, T *words) {          \
    const int4 p = at[threadIdx.x];                                                                \
    const T old = surf3Dread<T>(s, p.x, p.y, p.z, MODE);                                           \
    surf3Dwrite(words[threadIdx.x], s, p.x, p.y, p.z, MODE);                                       \
    words[threadIdx.x] = old;                                                                      \
  }                                                                                                \
  extern "C" __global__ void NAME##_a1d(cudaSurfaceObject_t s, const int4 *at, T *words) {         \
    const int4 p = at[threadIdx.x];                                                                \
    const T old = surf1DLayeredread<T>(s, p.x, p.w, MODE);                                         \
    surf1DLayeredwrite(words[threadIdx.x], s, p.x, p.w, MODE);                                     \
    words[threadIdx.x] = old;                                                                      \
  }                                                                                                \
  extern "C" __global__ void NAME##_a2d(cudaSurfaceObject_t s, const int4 *at, T *words) {         \
    const int4 p = at[threadIdx.x];                                                                \
    const T old = surf2DLayeredread<T>(s, p.x, p.y, p.w, MODE);                                    \
    surf2DLayeredwrite(words[threadIdx.x], s, p.x, p.y, p.w, MODE);                                \
    words[threadIdx.x] = old;                                                                      \
  }
SURFACE_MOVES(bytes_zero, unsigned char, cudaBoundaryModeZero)
SURFACE_MOVES(shorts_clamp, short2, cudaBoundaryModeClamp)
SURFACE_MOVES(words_zero, int, cudaBoundaryModeZero)
SURFACE_MOVES(words_clamp, int, cudaBoundaryModeClamp)
SURFACE_MOVES(words_trap, int, cudaBoundaryModeTrap)
SURFACE_MOVES(vectors_zero, uint4, cudaBoundaryModeZero)
SURFACE_MOVES(longs_clamp, longlong2, cudaBoundaryModeClamp)

// Costs: one access a line.
extern "C" __global__ void costs(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out, int shift) {
  const int x = threadIdx.x;
  const float a = tex2D<float>(t, x + 0.5F, 1.5F);
  const float b = tex2D<float>(t, 1.5F, x + 0.5F);
  const float c = surf2Dread<float>(s, 4 * x, 2);
  surf2Dwrite(a + b, s, 4 * (x / 2), 3 + shift);
  out[x] = c;
}
extern "C" __global__ void means(cudaTextureObject_t t, float *out) {
  const float mean = tex3D<float>(t, threadIdx.x + 1.0F, 1.0F, 1.0F);
  out[threadIdx.x] = mean;
}
extern "C" __global__ void races(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
  const float old = tex2D<float>(t, threadIdx.x + 0.5F, 0.5F);
  out[blockIdx.x * blockDim.x + threadIdx.x] = old;
  if (blockIdx.x == 1) surf2Dwrite(1.0F, s, 4 * int(threadIdx.x), 0);
}
