namespace harness {

/// The array and the file of an option's value, which is ARRAY=FILE.
inline std::pair<AnyMemory*, std::string> array_and_file(const char* option,
                                                         const std::string& value) {
  const std::size_t at = value.find('=');
  const std::string name = value.substr(0, at),
                    path = at == std::string::npos ? "" : value.substr(at + 1);
  std::string names;
  for (AnyMemory* array : state.arrays) {
    if (array->name == name && !path.empty()) return {array, path};
    names += (names.empty() ? "" : ", ") + array->name;
  }
  fail(std::string(option) + " " + value + ": must be ARRAY=FILE; the arrays are " + names);
}

/// Writes an array as raw words; `output` is ARRAY=FILE.
inline void write_array(const std::string& output) {
  const auto [array, path] = array_and_file("--output", output);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) fail("cannot write " + path);
  array->write(file);
  if (std::fclose(file) != 0) fail("cannot write " + path);
}

/// Reads the arrays of --input, and gives them as a member of the result.
inline std::string read_inputs(const std::vector<std::string>& inputs) {
  std::string read;
  std::vector<const AnyMemory*> known;
  for (const std::string& input : inputs) {
    const auto [array, path] = array_and_file("--input", input);
    if (std::count(known.begin(), known.end(), array) > 0)
      fail("--input " + input + ": the array is given twice");
    known.push_back(array);
    array->read(path);
    read += (read.empty() ? "" : ", ") + quoted(array->name) + ": " + quoted(path);
  }
  return read.empty() ? "" : ", \"inputs\": {" + read + "}";
}

/// FNV-1a over the elements of all arrays.
inline std::uint64_t checksum_of_arrays() {
  std::uint64_t checksum = 0xcbf29ce484222325ull;
  for (AnyMemory* array : state.arrays) array->add_to(checksum);
  return checksum;
}

/// `passed` or `failed`; `when` completes the message.
template <class Program>
const char* verify(Program& program, const char* when) {
  try {
    program.verify();
    return "passed";
  } catch (const Wrong& wrong) {
    std::fprintf(stderr, "error: the result is wrong%s: %s\n", when, wrong.message.c_str());
    return "failed";
  }
}

inline void warn_of_drift(const Timing& timing) {
  if (timing.drift() <= max_drift) return;
  std::fprintf(stderr,
               "warning: the clock changed from %.0f to %.0f MHz during the measurement: lock it "
               "(nvidia-smi --lock-gpu-clocks=%.0f) and measure again\n",
               timing.mhz_before, timing.mhz_after, std::min(timing.mhz_before, timing.mhz_after));
}

/// Runs, checks and times a Program, which has facts (JSON members that describe it), repeatable,
/// sizes(options), parameters(), allocate(), fill(), run() and verify().
template <class Program>
int run(int count, char** words) {
  Options options(count, words);
  Program program;
  program.sizes(options);
  options.finish();
  std::string head = std::string("{\"memlane_measurement\": 1, ") + Program::facts +
                     ", \"parameters\": " + program.parameters() +
                     ", \"seed\": " + std::to_string(state.seed);
  const Device device = find_device();
  state.shared_limit = int(device.shared_bytes);
  const auto run_main = [&] {
    state.draws = 0;
    state.work.clear();
    state.launches = 0;
    state.in_main = true;
    program.run();
    state.in_main = false;
    CHECK(cudaDeviceSynchronize());
  };
  try {
    program.allocate();
    program.fill();
    head += read_inputs(options.inputs);
    for (AnyMemory* array : state.arrays) array->keep_initial();
    run_main();
    const std::size_t launches = state.launches;
    std::string verdict = options.verify ? verify(program, "") : "none";
    const std::uint64_t checksum = checksum_of_arrays();
    for (const std::string& output : options.outputs) write_array(output);
    if (!options.folder.empty())
      for (const AnyMemory* array : state.arrays)
        write_array(array->name + "=" + options.folder + "/" + array->name + ".bin");
    state.silent = true;
    Timing timing;
    if (options.samples > 0 && launches > 0) {
      timing = Stopwatch(device, run_main, Program::repeatable).run(options);
      warn_of_drift(timing);
      // Verifies again after the timing, whose load may reveal races.
      for (AnyMemory* array : state.arrays) array->restart();
      run_main();
      if (options.verify && verify(program, " after the timing") != std::string("passed"))
        verdict = "failed";
    }
    char sum[20];
    std::snprintf(sum, sizeof sum, "%016llx", (unsigned long long)checksum);
    std::string line = head + ", \"date\": " + quoted(date()) +
                       ", \"device\": " + json_of(device, timing) +
                       ", \"compiler\": " + quoted(compiler()) +
                       ", \"fmad\": " + (fuses_multiply_add() ? "true" : "false") +
                       ", \"launches\": " + std::to_string(launches);
    std::string kernels;
    for (const Kernel& kernel : state.kernels)
      kernels += (kernels.empty() ? "" : ", ") + json_of(kernel, device);
    line += ", \"kernels\": [" + kernels + "]";
    if (!timing.samples_ns.empty()) line += json_of(timing, device);
    std::printf("%s, \"checksum\": \"%s\", \"verify\": \"%s\"}\n", line.c_str(), sum,
                verdict.c_str());
    return verdict == "failed" ? wrong_result : done;
  } catch (const Wrong& wrong) { // an assert of main
    std::fprintf(stderr, "error: assert failed: %s\n", wrong.message.c_str());
    return wrong_result;
  } catch (const Beyond& beyond) {
    std::fprintf(stderr, "skipped: %s\n", beyond.message.c_str());
    std::printf("%s, \"skipped\": %s}\n", head.c_str(), quoted(beyond.message).c_str());
    return beyond_limits;
  }
}

} // namespace harness
