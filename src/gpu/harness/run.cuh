namespace harness {

/// Writes an array as raw words: ARRAY=FILE.
inline void write_array(const std::string& output) {
  const std::size_t at = output.find('=');
  const std::string name = output.substr(0, at),
                    path = at == std::string::npos ? "" : output.substr(at + 1);
  for (AnyMemory* array : state.arrays) {
    if (array->name != name || path.empty()) continue;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) fail("cannot write " + path);
    array->write(file);
    if (std::fclose(file) != 0) fail("cannot write " + path);
    return;
  }
  fail("--output " + output + ": it is ARRAY=FILE, the array one of memory");
}

/// Runs, checks and times a program, which has: facts (JSON of what it is), repeatable,
/// sizes(options), parameters(), allocate(), fill(), run(), verify().
template <class Program>
int run(int count, char** words) {
  Options options(count, words);
  Program program;
  program.sizes(options);
  options.finish();
  const std::string head = std::string("{\"memlane_measurement\": 1, ") + Program::facts +
                           ", \"parameters\": " + program.parameters() +
                           ", \"seed\": " + std::to_string(state.seed);
  const Device device = find_device();
  state.shared_limit = int(device.shared_bytes);
  CHECK(cudaEventCreate(&state.begin));
  CHECK(cudaEventCreate(&state.end));
  const auto run_main = [&] {
    state.draws = 0;
    state.launches.clear();
    state.in_main = true;
    program.run();
    state.in_main = false;
    CHECK(cudaDeviceSynchronize());
  };
  try {
    program.allocate();
    program.fill();
    for (AnyMemory* array : state.arrays) array->keep_initial();
    run_main();
    const std::size_t launches = state.launches.size();
    std::string verdict = "none";
    if (options.verify) {
      try {
        program.verify();
        verdict = "passed";
      } catch (const Wrong& wrong) {
        verdict = "failed";
        std::fprintf(stderr, "error: the result is wrong: %s\n", wrong.message.c_str());
      }
    }
    std::uint64_t checksum = 0xcbf29ce484222325ull;
    for (AnyMemory* array : state.arrays) array->add_to(checksum);
    for (const std::string& output : options.outputs) write_array(output);
    if (!options.folder.empty())
      for (const AnyMemory* array : state.arrays)
        write_array(array->name + "=" + options.folder + "/" + array->name + ".bin");
    Timing timing;
    if (options.samples > 0)
      timing = Stopwatch(device, run_main, Program::repeatable)
                   .run(options.samples, options.repetitions);
    char sum[20];
    std::snprintf(sum, sizeof sum, "%016llx", (unsigned long long)checksum);
    std::string line = head + ", \"device\": " + json_of(device, timing) +
                       ", \"compiler\": " + quoted(compiler()) +
                       ", \"launches\": " + std::to_string(launches);
    if (!timing.samples_ns.empty())
      line += ", \"samples_ns\": " + list(timing.samples_ns) +
              ", \"median_ns\": " + digits(median(timing.samples_ns));
    if (timing.back_to_back_ns >= 0)
      line += ", \"back_to_back_ns\": " + digits(timing.back_to_back_ns);
    const auto& cycles = timing.cycles; // none where there is no clock
    if (!cycles.empty() && *std::min_element(cycles.begin(), cycles.end()) > 0)
      line += ", \"clock_cycles\": " + list(cycles);
    std::printf("%s, \"checksum\": \"%s\", \"verify\": \"%s\"}\n", line.c_str(), sum,
                verdict.c_str());
    return verdict == "failed" ? wrong_result : done;
  } catch (const Beyond& beyond) {
    std::fprintf(stderr, "skipped: %s\n", beyond.message.c_str());
    std::printf("%s, \"skipped\": %s}\n", head.c_str(), quoted(beyond.message).c_str());
    return beyond_limits;
  }
}

} // namespace harness
