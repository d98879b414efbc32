// What programs do with the runtime: launches, symbols, managed and pinned memory, streams, events,
// graphs, occupancy. Each result is checked here.

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

__constant__ int offsets[32];
__device__ int calls = 5;
__managed__ int managed_sum = 100;

template <class T>
__global__ void add(T* x, const T* y, int n, T more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i] + more + T(offsets[threadIdx.x % 32]);
  if (i == 0) atomicAdd(&calls, 1);
}

__global__ void sum(const int* x, int n) {
  extern __shared__ int parts[];
  int own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) managed_sum += parts[0];
}

static void count(void* number) { ++*static_cast<int*>(number); }

static void memory_and_launches() {
  const int n = 1000;
  std::vector<double> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = 2 * i;
  int table[32];
  for (int i = 0; i < 32; ++i) table[i] = i;
  OK(cudaMemcpyToSymbol(offsets, table, sizeof table));
  double *on_gpu, *other;
  OK(cudaMalloc(&on_gpu, n * sizeof(double)));
  OK(cudaHostAlloc(&other, n * sizeof(double), cudaHostAllocMapped));
  OK(cudaMemcpy(on_gpu, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  for (int i = 0; i < n; ++i) other[i] = y[i];
  double* mapped;
  OK(cudaHostGetDevicePointer(&mapped, other, 0));
  add<<<(n + 127) / 128, 128>>>(on_gpu, mapped, n, 0.25);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(x.data(), on_gpu, n * sizeof(double), cudaMemcpyDefault));
  for (int i = 0; i < n; ++i) CHECK(x[i] == 3 * i + 0.25 + i % 128 % 32);
  int number = 0;
  OK(cudaMemcpyFromSymbol(&number, calls, sizeof number));
  CHECK(number == 6);
  std::size_t before, after, total;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaFree(on_gpu));
  OK(cudaMemGetInfo(&after, &total));
  CHECK(after - before == n * sizeof(double));
  OK(cudaFreeHost(other));
}

static void managed() {
  int* x;
  OK(cudaMallocManaged(&x, 1000 * sizeof(int)));
  for (int i = 0; i < 1000; ++i) x[i] = i;
  managed_sum += 1;
  sum<<<1, 256, 256 * sizeof(int)>>>(x, 1000);
  OK(cudaDeviceSynchronize());
  CHECK(managed_sum == 101 + 499500);
  OK(cudaFree(x));
}

static void streams_and_graphs() {
  cudaStream_t one, two;
  cudaEvent_t forked, joined;
  OK(cudaStreamCreate(&one));
  OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  OK(cudaEventCreate(&forked));
  OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  int *x, *y, called = 0;
  OK(cudaMalloc(&x, 64 * sizeof(int)));
  OK(cudaMalloc(&y, 64 * sizeof(int)));
  cudaGraph_t graph;
  cudaGraphExec_t run;
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(x, 0, 64 * sizeof(int), one));
  OK(cudaEventRecord(forked, one));
  OK(cudaStreamWaitEvent(two, forked, 0));
  OK(cudaMemsetAsync(y, 0, 64 * sizeof(int), two));
  add<<<1, 64, 0, two>>>(y, x, 64, 7);
  OK(cudaEventRecord(joined, two));
  OK(cudaStreamWaitEvent(one, joined, 0));
  add<<<1, 64, 0, one>>>(x, y, 64, 1);
  OK(cudaLaunchHostFunc(one, count, &called));
  OK(cudaStreamEndCapture(one, &graph));
  OK(cudaGraphInstantiate(&run, graph, 0));
  CHECK(called == 0);
  for (int k = 0; k < 3; ++k) OK(cudaGraphLaunch(run, one));
  OK(cudaStreamSynchronize(one));
  CHECK(called == 3);
  int words[64];
  OK(cudaMemcpy(words, x, sizeof words, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) CHECK(words[i] == 8 + 2 * (i % 32));
  cudaGraph_t made;
  OK(cudaGraphCreate(&made, 0));
  cudaGraphNode_t fill, launch;
  cudaMemsetParams set = {};
  set.dst = x;
  set.value = 3;
  set.elementSize = 4;
  set.width = 64;
  set.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, made, nullptr, 0, &set));
  int n = 64, more = 10;
  void* arguments[] = {&x, &y, &n, &more};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add<int>;
  kernel.gridDim = 1;
  kernel.blockDim = 64;
  kernel.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&launch, made, &fill, 1, &kernel));
  cudaGraphExec_t made_run;
  OK(cudaGraphInstantiate(&made_run, made, 0));
  OK(cudaGraphLaunch(made_run, two));
  OK(cudaMemcpy(words, x, sizeof words, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) CHECK(words[i] == 3 + 7 + 10 + 2 * (i % 32));
  OK(cudaGraphExecDestroy(run));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(one));
  OK(cudaStreamDestroy(two));
}

/// Nodes by cudaGraphAddNode: memory of the graph's own is filled, used by a kernel and copied.
static void graph_of_any_nodes() {
  int *x, words[64] = {}, n = 64, more = 5;
  OK(cudaMalloc(&x, sizeof words));
  OK(cudaMemset(x, 0, sizeof words));
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaGraphNode_t memory, fill, launch, copy, end;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams allocation = {cudaGraphNodeTypeMemAlloc};
  allocation.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  allocation.alloc.bytesize = sizeof words;
#if CUDART_VERSION >= 13000
#define ADD(node, after, parameters)                                                               \
  cudaGraphAddNode(node, graph, after, nullptr, (after) ? 1 : 0, parameters)
#else
#define ADD(node, after, parameters)                                                               \
  cudaGraphAddNode(node, graph, after, (after) ? 1 : 0, parameters)
#endif
  cudaGraphNode_t* const none = nullptr;
  OK(ADD(&memory, none, &allocation));
  int* own = (int*)allocation.alloc.dptr;
  CHECK(own != nullptr);
  cudaGraphNodeParams set = {cudaGraphNodeTypeMemset};
  set.memset.dst = own;
  set.memset.value = 3;
  set.memset.elementSize = 4;
  set.memset.width = 64;
  set.memset.height = 1;
  OK(ADD(&fill, &memory, &set));
  void* arguments[] = {&own, &x, &n, &more};
  cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
  kernel.kernel.func = (void*)add<int>;
  kernel.kernel.gridDim = 1;
  kernel.kernel.blockDim = 64;
  kernel.kernel.kernelParams = arguments;
  OK(ADD(&launch, &fill, &kernel));
  cudaGraphNodeParams back = {cudaGraphNodeTypeMemcpy};
  back.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(own, sizeof words, sizeof words, 1);
  back.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(words, sizeof words, sizeof words, 1);
  back.memcpy.copyParams.extent = make_cudaExtent(sizeof words, 1, 1);
  back.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  OK(ADD(&copy, &launch, &back));
  OK(cudaGraphAddMemFreeNode(&end, graph, &copy, 1, own));
  OK(cudaGraphInstantiate(&run, graph, 0));
  OK(cudaGraphLaunch(run, 0));
  OK(cudaDeviceSynchronize());
  const int first = words[0], other = words[40] - 40 % 32;
  CHECK(first == 3 + more && other == first);
  more = 9;
  OK(cudaGraphExecNodeSetParams(run, launch, &kernel));
  OK(cudaGraphLaunch(run, 0));
  OK(cudaDeviceSynchronize());
  CHECK(words[0] == first + 4);
  CHECK(cudaGraphExecNodeSetParams(run, launch, &set) == cudaErrorInvalidValue);
  cudaGraphNodeParams conditional = {cudaGraphNodeTypeConditional};
  CHECK(ADD(&end, none, &conditional) == cudaErrorNotSupported);
  CHECK(cudaGetLastError() == cudaErrorNotSupported);
  OK(cudaGraphExecDestroy(run));
  OK(cudaGraphDestroy(graph));
}

static void occupancy_and_errors() {
  int blocks, grid, threads, multiprocessors;
  OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 1024, 1024 * sizeof(int)));
  CHECK(blocks == 2);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, add<double>));
  CHECK(threads == 1024 && grid == 2 * multiprocessors);
  int* x;
  CHECK(cudaMalloc(&x, 1ull << 50) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  sum<<<1, 2000>>>(nullptr, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaErrorIllegalAddress == 700 && cudaErrorLaunchFailure == 719);
  cudaEvent_t a, b;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventRecord(a));
  sum<<<1, 32, 128>>>(nullptr, 0);
  OK(cudaEventRecord(b));
  OK(cudaEventSynchronize(b));
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, a, b));
  CHECK(ms > 0);
}

int main() {
  memory_and_launches();
  managed();
  streams_and_graphs();
  graph_of_any_nodes();
  occupancy_and_errors();
  std::printf("functions: ok\n");
}
