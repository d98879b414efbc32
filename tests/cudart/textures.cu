// Programs with textures and surfaces: each result is checked here.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("line %d: not so: %s\n", __LINE__, #condition);                                  \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void rotate(cudaTextureObject_t picture, float *out, int width, int height, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x / float(width) - 0.5F, v = y / float(height) - 0.5F;
  const float c = cosf(angle), s = sinf(angle);
  out[y * width + x] = tex2D<float>(picture, u * c - v * s + 0.5F, v * c + u * s + 0.5F);
}
__global__ void slices(cudaTextureObject_t volume, float *out, float z) {
  out[threadIdx.y * blockDim.x + threadIdx.x] =
      tex3D<float>(volume, threadIdx.x + 0.5F, threadIdx.y + 0.5F, z);
}
__global__ void invert(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width) {
  const uchar4 old = surf2Dread<uchar4>(in, threadIdx.x * sizeof(uchar4), threadIdx.y);
  const uchar4 now = make_uchar4(255 - old.x, 255 - old.y, 255 - old.z, old.w);
  surf2Dwrite(now, out, (width - 1 - threadIdx.x) * sizeof(uchar4), threadIdx.y);
}
__global__ void beyond(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 4 * threadIdx.x, 0); }
__global__ void fetched(cudaTextureObject_t words, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(words, n - 1 - i) + tex1Dfetch<int>(words, n);
}
__global__ void layers(cudaTextureObject_t t, short2 *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = tex2DLayered<short2>(t, threadIdx.x, 1, blockIdx.x);
}
__global__ void rows(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.5F + 0.5F, 1.5F);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter,
                                      cudaTextureAddressMode mode, bool normalized,
                                      cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc how = {};
  for (auto &one : how.addressMode) one = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  cudaTextureObject_t made = 0;
  OK(cudaCreateTextureObject(&made, &resource, &how, nullptr));
  return made;
}
static cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

// The mean of four pixels as the guide defines it, in a picture that repeats.
static float mean_of(const std::vector<float> &picture, int width, int height, float u, float v) {
  const double x = double(u) * width - 0.5, y = double(v) * height - 0.5;
  const double i = std::floor(x), j = std::floor(y);
  const double a = std::floor((x - i) * 256 + 0.5) / 256, b = std::floor((y - j) * 256 + 0.5) / 256;
  const auto pixel = [&](double px, double py) {
    const int cx = (int(px) % width + width) % width, cy = (int(py) % height + height) % height;
    return double(picture[cy * width + cx]);
  };
  return float((1 - a) * (1 - b) * pixel(i, j) + a * (1 - b) * pixel(i + 1, j) +
               (1 - a) * b * pixel(i, j + 1) + a * b * pixel(i + 1, j + 1));
}

static void picture() {
  const int width = 48, height = 32;
  std::vector<float> in(width * height), out(in.size());
  for (size_t k = 0; k < in.size(); ++k) in[k] = float(k * 37 % 101) / 100;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, width, height));
  OK(cudaMemcpy2DToArray(array, 0, 0, in.data(), width * 4, width * 4, height,
                         cudaMemcpyHostToDevice));
  cudaChannelFormatDesc same;
  cudaExtent extent;
  unsigned flags;
  OK(cudaArrayGetInfo(&same, &extent, &flags, array));
  CHECK(same.x == 32 && same.y == 0 && same.f == cudaChannelFormatKindFloat);
  CHECK(extent.width == width && extent.height == height && extent.depth == 0 && flags == 0);
  OK(cudaGetChannelDesc(&same, array));
  CHECK(same.x == 32 && same.f == cudaChannelFormatKindFloat);
  const cudaTextureObject_t t =
      texture_of(resource_of(array), cudaFilterModeLinear, cudaAddressModeWrap, true);
  cudaResourceDesc resource;
  cudaTextureDesc how;
  OK(cudaGetTextureObjectResourceDesc(&resource, t));
  OK(cudaGetTextureObjectTextureDesc(&how, t));
  CHECK(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
  CHECK(how.filterMode == cudaFilterModeLinear && how.normalizedCoords == 1);
  float *pixels;
  OK(cudaMalloc(&pixels, in.size() * sizeof(float)));
  const float angle = 0.5F;
  rotate<<<dim3(width / 16, height / 8), dim3(16, 8)>>>(t, pixels, width, height, angle);
  OK(cudaMemcpy(out.data(), pixels, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      // Coordinates that are rounded otherwise give weights that differ by 1/256.
      const float u = x / float(width) - 0.5F, v = y / float(height) - 0.5F;
      const float c = std::cos(angle), s = std::sin(angle);
      const float wanted = mean_of(in, width, height, u * c - v * s + 0.5F, v * c + u * s + 0.5F);
      CHECK(std::fabs(out[y * width + x] - wanted) <= 0.01F);
    }
  OK(cudaDestroyTextureObject(t));
  CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
  std::vector<float> back(width * 2), line(width);
  OK(cudaMemcpy2DFromArray(back.data(), width * 4, array, 0, 3, width * 4, 2,
                           cudaMemcpyDeviceToHost));
  for (int k = 0; k < 2 * width; ++k) CHECK(back[k] == in[3 * width + k]);
  cudaArray_t other;
  OK(cudaMallocArray(&other, &format, width, height));
  OK(cudaMemcpy2DArrayToArray(other, 4, 1, array, 0, 0, 8, 2));
  OK(cudaMemcpy2DFromArray(back.data(), 8, other, 4, 2, 8, 1, cudaMemcpyDeviceToHost));
  CHECK(back[0] == in[width] && back[1] == in[width + 1]);
  CHECK(cudaMemcpy2DToArray(array, 4, 0, in.data(), width * 4, width * 4, 1,
                            cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  OK(cudaFreeArray(other));
  OK(cudaFreeArray(array));
  CHECK(cudaFreeArray(array) == cudaErrorInvalidValue);
  OK(cudaFree(pixels));
}

static void volume() {
  const int n = 8, depth = 4;
  std::vector<unsigned char> in(n * n * depth);
  for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<unsigned char>(k * 11);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(n, n, depth)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), n, n, n);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(n, n, depth);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  float *out;
  OK(cudaMallocManaged(&out, n * n * sizeof(float)));
  const cudaTextureObject_t t = texture_of(resource_of(array), cudaFilterModeLinear,
                                           cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
  slices<<<1, dim3(n, n)>>>(t, out, 2.0F);
  OK(cudaDeviceSynchronize());
  for (int k = 0; k < n * n; ++k) {
    const float below = in[n * n + k] / 255.0F, above = in[2 * n * n + k] / 255.0F;
    CHECK(out[k] == float(0.5 * below + 0.5 * above));
  }
  std::vector<unsigned char> corner(8);
  cudaMemcpy3DParms part = {};
  part.srcArray = array;
  part.srcPos = make_cudaPos(6, 6, 2);
  part.dstPtr = make_cudaPitchedPtr(corner.data(), 2, 2, 2);
  part.extent = make_cudaExtent(2, 2, 2);
  part.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&part));
  CHECK(corner[7] == in.back() && corner[0] == in[(2 * n + 6) * n + 6]);
  part.srcPos = make_cudaPos(7, 6, 2);
  CHECK(cudaMemcpy3D(&part) == cudaErrorInvalidValue);
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(array));
}

static void surfaces() {
  const int width = 32, height = 8;
  std::vector<uchar4> in(width * height), out(in.size());
  for (int k = 0; k < width * height; ++k)
    in[k] = make_uchar4(k % 256, k * 3 % 256, k * 7 % 256, k % 2);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t arrays[2];
  cudaSurfaceObject_t objects[2];
  for (int k = 0; k < 2; ++k) {
    OK(cudaMallocArray(&arrays[k], &format, width, height, cudaArraySurfaceLoadStore));
    const cudaResourceDesc resource = resource_of(arrays[k]);
    OK(cudaCreateSurfaceObject(&objects[k], &resource));
  }
  OK(cudaMemcpy2DToArrayAsync(arrays[0], 0, 0, in.data(), width * 4, width * 4, height,
                              cudaMemcpyHostToDevice, 0));
  invert<<<1, dim3(width, height)>>>(objects[0], objects[1], width);
  OK(cudaMemcpy2DFromArrayAsync(out.data(), width * 4, arrays[1], 0, 0, width * 4, height,
                                cudaMemcpyDeviceToHost, 0));
  OK(cudaDeviceSynchronize());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const uchar4 from = in[y * width + x], to = out[y * width + width - 1 - x];
      CHECK(to.x == 255 - from.x && to.y == 255 - from.y && to.z == 255 - from.z && to.w == from.w);
    }
  cudaArray_t plain;
  OK(cudaMallocArray(&plain, &format, width, height));
  const cudaResourceDesc resource = resource_of(plain);
  cudaSurfaceObject_t none;
  CHECK(cudaCreateSurfaceObject(&none, &resource) == cudaErrorInvalidValue);
  CHECK(cudaDestroyTextureObject(objects[0]) == cudaErrorInvalidValue);
  for (const auto object : objects) OK(cudaDestroySurfaceObject(object));
}

static void linear_and_layers() {
  const int n = 100;
  std::vector<int> in(n), out(n);
  for (int k = 0; k < n; ++k) in[k] = k * k - 50;
  int *words, *reversed;
  OK(cudaMalloc(&words, n * sizeof(int)));
  OK(cudaMalloc(&reversed, n * sizeof(int)));
  OK(cudaMemcpy(words, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = words;
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  linear.res.linear.sizeInBytes = n * sizeof(int);
  const cudaTextureObject_t t =
      texture_of(linear, cudaFilterModePoint, cudaAddressModeClamp, false);
  fetched<<<4, 32>>>(t, reversed, n);
  OK(cudaMemcpy(out.data(), reversed, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int k = 0; k < n; ++k) CHECK(out[k] == in[n - 1 - k]);

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(16, 2, 3), cudaArrayLayered));
  std::vector<short2> texels(16 * 2 * 3);
  for (int k = 0; k < 96; ++k) texels[k] = make_short2(k, -k);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), 16 * sizeof(short2), 16, 2);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(16, 2, 3);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  short2 *found;
  OK(cudaMallocManaged(&found, 48 * sizeof(short2)));
  layers<<<3, 16>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false),
                    found);
  OK(cudaDeviceSynchronize());
  for (int k = 0; k < 48; ++k)
    CHECK(found[k].x == k / 16 * 32 + 16 + k % 16 && found[k].y == -found[k].x);

  float *pitched, *means;
  size_t pitch;
  OK(cudaMallocPitch(&pitched, &pitch, 20 * sizeof(float), 3));
  std::vector<float> picture(60);
  for (int k = 0; k < 60; ++k) picture[k] = float(k);
  OK(cudaMemcpy2D(pitched, pitch, picture.data(), 80, 80, 3, cudaMemcpyHostToDevice));
  cudaResourceDesc rows_of = {};
  rows_of.resType = cudaResourceTypePitch2D;
  rows_of.res.pitch2D.devPtr = pitched;
  rows_of.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  rows_of.res.pitch2D.width = 20;
  rows_of.res.pitch2D.height = 3;
  rows_of.res.pitch2D.pitchInBytes = pitch;
  OK(cudaMallocManaged(&means, 32 * sizeof(float)));
  rows<<<1, 32>>>(texture_of(rows_of, cudaFilterModeLinear, cudaAddressModeClamp, false), means);
  OK(cudaDeviceSynchronize());
  for (int k = 0; k < 32; ++k) CHECK(means[k] == 20 + k * 0.5F);
}

int main(int argc, char **) {
  picture();
  volume();
  surfaces();
  linear_and_layers();
  std::printf("textures: ok\n");
  if (argc == 1) return 0;
  cudaArray_t small;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&small, &format, 16, 2, cudaArraySurfaceLoadStore));
  const cudaResourceDesc resource = resource_of(small);
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &resource));
  beyond<<<1, 32>>>(s);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 3 : 0;
}
