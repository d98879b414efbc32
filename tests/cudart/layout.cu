// The structures of memlane's libcudart are held against CUDA's headers: it runs under memlane.

#include <cstdio>
#include <cstring>

static int wrong = 0;

static void expect(const char* name, long long property, cudaDeviceAttr attribute) {
  int value = -1;
  cudaDeviceGetAttribute(&value, attribute, 0);
  if (property == value && value > 0) return;
  std::printf("%s is %lld, its attribute %d\n", name, property, value);
  ++wrong;
}
#define EXPECT(member, attribute) expect(#member, (long long)p.member, attribute)

__global__ void __launch_bounds__(96) kernel(int* x) {
  __shared__ int words[32];
  words[threadIdx.x % 32] = 1;
  __syncthreads();
  x[threadIdx.x] = words[0];
}

static void expect_that(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++wrong;
}

int main() {
  cudaDeviceProp p;
  std::memset(&p, 0x5a, sizeof p);
  cudaGetDeviceProperties(&p, 0);
  EXPECT(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
  EXPECT(maxThreadsDim[0], cudaDevAttrMaxBlockDimX);
  EXPECT(maxThreadsDim[1], cudaDevAttrMaxBlockDimY);
  EXPECT(maxThreadsDim[2], cudaDevAttrMaxBlockDimZ);
  EXPECT(maxGridSize[0], cudaDevAttrMaxGridDimX);
  EXPECT(maxGridSize[1], cudaDevAttrMaxGridDimY);
  EXPECT(maxGridSize[2], cudaDevAttrMaxGridDimZ);
  EXPECT(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
  EXPECT(totalConstMem, cudaDevAttrTotalConstantMemory);
  EXPECT(warpSize, cudaDevAttrWarpSize);
  EXPECT(memPitch, cudaDevAttrMaxPitch);
  EXPECT(regsPerBlock, cudaDevAttrMaxRegistersPerBlock);
  EXPECT(textureAlignment, cudaDevAttrTextureAlignment);
  EXPECT(multiProcessorCount, cudaDevAttrMultiProcessorCount);
  EXPECT(canMapHostMemory, cudaDevAttrCanMapHostMemory);
  EXPECT(surfaceAlignment, cudaDevAttrSurfaceAlignment);
  EXPECT(maxTexture1D, cudaDevAttrMaxTexture1DWidth);
  EXPECT(maxTexture2D[1], cudaDevAttrMaxTexture2DHeight);
  EXPECT(maxTexture3D[2], cudaDevAttrMaxTexture3DDepth);
  EXPECT(maxTexture1DLayered[1], cudaDevAttrMaxTexture1DLayeredLayers);
  EXPECT(maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers);
  EXPECT(maxTexture2DGather[1], cudaDevAttrMaxTexture2DGatherHeight);
  EXPECT(maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch);
  EXPECT(maxSurface1D, cudaDevAttrMaxSurface1DWidth);
  EXPECT(maxSurface2D[1], cudaDevAttrMaxSurface2DHeight);
  EXPECT(maxSurface3D[2], cudaDevAttrMaxSurface3DDepth);
  EXPECT(maxSurface1DLayered[1], cudaDevAttrMaxSurface1DLayeredLayers);
  EXPECT(maxSurface2DLayered[2], cudaDevAttrMaxSurface2DLayeredLayers);
  EXPECT(concurrentKernels, cudaDevAttrConcurrentKernels);
  EXPECT(pciBusID, cudaDevAttrPciBusId);
  EXPECT(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
  EXPECT(l2CacheSize, cudaDevAttrL2CacheSize);
  EXPECT(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
  EXPECT(asyncEngineCount, cudaDevAttrAsyncEngineCount);
  EXPECT(unifiedAddressing, cudaDevAttrUnifiedAddressing);
  EXPECT(texturePitchAlignment, cudaDevAttrTexturePitchAlignment);
  EXPECT(major, cudaDevAttrComputeCapabilityMajor);
  EXPECT(streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported);
  EXPECT(globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported);
  EXPECT(localL1CacheSupported, cudaDevAttrLocalL1CacheSupported);
  EXPECT(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  EXPECT(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
  EXPECT(managedMemory, cudaDevAttrManagedMemory);
  EXPECT(concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess);
  EXPECT(computePreemptionSupported, cudaDevAttrComputePreemptionSupported);
  EXPECT(canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem);
  EXPECT(cooperativeLaunch, cudaDevAttrCooperativeLaunch);
  EXPECT(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  EXPECT(hostRegisterSupported, cudaDevAttrHostRegisterSupported);
  EXPECT(directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost);
  EXPECT(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor);
  EXPECT(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
  expect_that(std::strstr(p.name, "memlane") != nullptr, "the name");
  expect_that(p.totalGlobalMem == 16ull << 30, "16 GiB");

  cudaFuncAttributes f;
  cudaFuncGetAttributes(&f, kernel);
  expect_that(f.maxThreadsPerBlock == 96, "96 threads by the bounds");
  expect_that(f.sharedSizeBytes == 128, "128 bytes of shared memory");
  expect_that(f.numRegs > 0 && f.numRegs < 64, "registers");
  expect_that(f.ptxVersion == 75 && f.binaryVersion == 75, "compiled for 75");

  int* x = nullptr;
  cudaMallocManaged(&x, 4096);
  cudaPointerAttributes a;
  cudaPointerGetAttributes(&a, x + 7);
  expect_that(a.type == cudaMemoryTypeManaged && a.devicePointer == x + 7, "managed memory");
  cudaPointerGetAttributes(&a, &a);
  expect_that(a.type == cudaMemoryTypeUnregistered, "memory of the host's");

  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 96;
  cudaLaunchAttribute cooperative;
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  expect_that(cudaLaunchKernelEx(&config, kernel, x) == cudaSuccess && x[95] == 1, "a launch");

  cudaMemcpy3DParms copy = {};
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  copy.srcPtr = make_cudaPitchedPtr(from, 8, 2, 2);
  copy.dstPtr = make_cudaPitchedPtr(x, 8, 2, 2);
  copy.srcPos = make_cudaPos(4, 0, 0);
  copy.extent = make_cudaExtent(4, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  expect_that(cudaMemcpy3D(&copy) == cudaSuccess, "a copy of 3 dimensions");
  expect_that(x[0] == 2 && x[2] == 4 && x[4] == 6 && x[6] == 8 && x[1] == 1, "its words");
  cudaGraphNodeParams node = {};
  const auto place = [&](const void* member) { return (const char*)member - (const char*)&node; };
  expect_that(sizeof node == 256 && place(&node.kernel) == 16, "parameters of nodes");
  expect_that(place(&node.alloc.bytesize) == 16 + 104 && place(&node.alloc.dptr) == 16 + 112,
              "those of memory");
  expect_that(place(&node.memcpy.copyParams) == 16 + 16, "those of copies");
  std::printf(wrong == 0 ? "layout: ok\n" : "layout: wrong\n");
  return wrong != 0;
}
