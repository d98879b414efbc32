namespace harness {

/// Where kernels that hold a DMM's memory count their clock cycles.
inline long long* cycles() {
  if (!state.cycles) {
    CHECK(cudaMalloc(&state.cycles, sizeof(long long)));
    CHECK(cudaMemset(state.cycles, 0, sizeof(long long)));
  }
  return state.cycles;
}
inline long long only_block(long long blocks) {
  if (blocks != 1)
    throw Beyond{"the memory of a DMM is that of one block here, and " + std::to_string(blocks) +
                 " are launched"};
  return blocks;
}

/// Does what main asks of the device: a launch, or a call of a library.
inline void perform(const std::function<void()>& start) {
  if (state.launches.empty())
    for (AnyMemory* array : state.arrays) array->save();
  state.launches.push_back(start);
  if (!state.timing_launches) return start();
  float ms = 0;
  CHECK(cudaEventRecord(state.begin));
  start();
  CHECK(cudaEventRecord(state.end));
  CHECK(cudaEventSynchronize(state.end));
  CHECK(cudaEventElapsedTime(&ms, state.begin, state.end));
  state.launch_ns += double(ms) * 1e6;
}

template <class... Formals, class... Actuals>
void launch(void (*kernel)(Formals...), long long blocks, long long threads, long long shared_bytes,
            Actuals... actuals) {
  if (blocks < 1 || blocks > most_words / 1024)
    throw Beyond{"a launch of " + std::to_string(blocks) + " blocks"};
  if (threads < 1 || threads > 1024)
    throw Beyond{"a block of " + std::to_string(threads) + " threads; CUDA has 1 to 1024"};
  if (shared_bytes > state.shared_limit)
    throw Beyond{"a kernel needs " + std::to_string(shared_bytes) +
                 " bytes of shared memory, the device has " + std::to_string(state.shared_limit) +
                 " for a block: take smaller arrays"};
  const std::tuple<Formals...> given(static_cast<Formals>(actuals)...);
  const std::function<void()> start = [=] {
    std::apply(
        [&](auto... each) {
#ifdef MEMLANE_HOST
          memlane_host::launch(kernel, unsigned(blocks), unsigned(threads),
                               std::size_t(shared_bytes), each...);
#else
          kernel<<<unsigned(blocks), unsigned(threads), std::size_t(shared_bytes)>>>(each...);
#endif
        },
        given);
    CHECK(cudaGetLastError());
  };
  if (shared_bytes > 48 * 1024)
    CHECK(cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_bytes)));
  perform(start);
}

} // namespace harness
