namespace harness {

/// Where a kernel that simulates a DMM adds its clock cycles.
inline long long* cycles() {
  if (!state.cycles) {
    CHECK(cudaMalloc(&state.cycles, sizeof(long long)));
    CHECK(cudaMemset(state.cycles, 0, sizeof(long long)));
  }
  return state.cycles;
}
inline long long only_block(long long blocks) {
  if (blocks != 1)
    throw Beyond{"a DMM's memory is the shared memory of one block, and the program launches " +
                 std::to_string(blocks)};
  return blocks;
}

/// Checks the threads of a block against those the kernel was compiled for.
inline int up_to(int most, long long threads) {
  if (threads > most)
    throw Beyond{"a block of " + std::to_string(threads) + " threads; the kernel is compiled for " +
                 std::to_string(most)};
  return static_cast<int>(threads);
}

/// Runs and records work of main on the device: launches, or a library call.
inline void perform(const std::function<void()>& start, std::size_t launches = 1) {
  if (state.work.empty())
    for (AnyMemory* array : state.arrays) array->save();
  state.work.push_back(start);
  state.launches += launches;
  if (state.time_launch) return state.time_launch(start);
  start();
}

/// Records a kernel for each combination of threads and shared memory, with its most blocks.
inline void note_kernel(const void* function, long long blocks, long long threads,
                        long long dynamic_bytes) {
  for (Kernel& kernel : state.kernels) {
    if (kernel.function != function || kernel.threads != threads ||
        kernel.dynamic_bytes != dynamic_bytes)
      continue;
    kernel.blocks = std::max(kernel.blocks, blocks);
    return;
  }
  Kernel kernel;
  kernel.function = function;
  kernel.blocks = blocks, kernel.threads = threads, kernel.dynamic_bytes = dynamic_bytes;
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, function));
  kernel.registers = attributes.numRegs;
  kernel.local_bytes = (long long)attributes.localSizeBytes;
  kernel.shared_bytes = (long long)attributes.sharedSizeBytes + dynamic_bytes;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&kernel.resident_blocks, function,
                                                      int(threads), std::size_t(dynamic_bytes)));
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12030
  const char* name = nullptr;
  if (cudaFuncGetName(&name, function) == cudaSuccess && name)
    kernel.name = name;
  else
    cudaGetLastError(); // unsupported by older drivers
#endif
  state.kernels.push_back(kernel);
}

template <class... Formals, class... Actuals>
void launch(void (*kernel)(Formals...), long long blocks, long long threads, long long shared_bytes,
            Actuals... actuals) {
  if (blocks < 1 || blocks > max_words / 1024)
    throw Beyond{"a launch of " + std::to_string(blocks) + " blocks"};
  if (threads < 1 || threads > 1024)
    throw Beyond{"a block of " + std::to_string(threads) + " threads; CUDA has 1 to 1024"};
  if (shared_bytes > state.shared_limit)
    throw Beyond{"a kernel needs " + std::to_string(shared_bytes) +
                 " bytes of shared memory, the device has " + std::to_string(state.shared_limit) +
                 " for a block: use smaller arrays"};
  const std::tuple<Formals...> arguments(static_cast<Formals>(actuals)...);
  const Start start = [=](cudaStream_t stream) {
    std::apply(
        [&](auto... each) {
#ifdef MEMLANE_HOST
          memlane_host::enqueue(stream, [=] {
            memlane_host::launch(kernel, unsigned(blocks), unsigned(threads),
                                 std::size_t(shared_bytes), each...);
          });
#else
          kernel<<<unsigned(blocks), unsigned(threads), std::size_t(shared_bytes), stream>>>(
              each...);
#endif
        },
        arguments);
    CHECK(cudaGetLastError());
  };
  if (shared_bytes > 48 * 1024)
    CHECK(cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_bytes)));
  note_kernel((const void*)kernel, blocks, threads, shared_bytes);
  if (state.together) return state.together->push_back(start);
  perform([start] { start(nullptr); });
}

} // namespace harness
