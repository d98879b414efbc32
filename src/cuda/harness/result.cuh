namespace harness {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char code[8];
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if ((unsigned char)c < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", unsigned((unsigned char)c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}
inline std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}
inline std::string list(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + digits(value);
  return "[" + out + "]";
}
inline std::string member(const char* name, bool value) {
  return quoted(name) + ": " + (value ? "true" : "false");
}
inline std::string member(const char* name, long long value) {
  return quoted(name) + ": " + std::to_string(value);
}
inline std::string member(const char* name, const std::string& value) {
  return quoted(name) + ": " + quoted(value);
}
inline std::string member(const char* name, int value) { return member(name, (long long)value); }
inline std::string member(const char* name, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return quoted(name) + ": " + text;
}
inline std::string member(const char* name, float value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", double(value));
  return quoted(name) + ": " + text;
}
inline std::string compiler() {
#if defined(__CUDACC_VER_MAJOR__)
  return "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__);
#else
  return std::string("host ") + __VERSION__;
#endif
}

/// The time in ISO 8601, UTC.
inline std::string date() {
  const std::time_t now = std::time(nullptr);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

/// A kernel's name without namespace and parameters.
inline std::string plain_name(const std::string& symbol) {
  int status = 0;
  char* const readable = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && readable ? readable : symbol;
  std::free(readable);
  name = name.substr(0, name.find('('));
  if (name.rfind("void ", 0) == 0) name = name.substr(5);
  if (name.rfind("program::", 0) == 0) name = name.substr(9);
  return name;
}

inline std::string json_of(const Kernel& kernel, const Device& device) {
  std::string text = "{";
  if (!kernel.name.empty()) text += member("name", plain_name(kernel.name)) + ", ";
  text += member("blocks", kernel.blocks) + ", " + member("threads", kernel.threads) + ", " +
          member("registers", kernel.registers) + ", " + member("local_bytes", kernel.local_bytes) +
          ", " + member("shared_bytes", kernel.shared_bytes) + ", " +
          member("resident_blocks", kernel.resident_blocks);
  const long long warp = 32;
  const double resident =
      double(kernel.resident_blocks * ((kernel.threads + warp - 1) / warp * warp));
  if (device.threads > 0) text += ", \"occupancy\": " + digits(resident / device.threads);
  return text + "}";
}

/// The time that the model predicts: for a DMM the block's clock64 between the copies into and out
/// of shared memory, otherwise the time between the events around the launches.
inline std::string priced_json(const Timing& timing) {
  const double mhz = (timing.mhz_before + timing.mhz_after) / 2;
  const auto& cycles = timing.cycles;
  if (cycles.empty() || *std::min_element(cycles.begin(), cycles.end()) <= 0 || mhz <= 0)
    return ", \"priced_clock\": \"events\", \"priced_ns\": " + digits(median(timing.samples_ns));
  std::vector<double> ns;
  for (const double count : cycles) ns.push_back(count * 1e3 / mhz);
  return ", \"clock_cycles\": " + list(cycles) +
         ", \"priced_clock\": \"block\", \"priced_ns\": " + digits(median(ns)) +
         ", \"priced_samples_ns\": " + list(ns) + ", \"priced_spread\": " + digits(spread(ns));
}

/// The bandwidth if each of the kernels' arrays is moved once.
inline std::string bandwidth_json(const Timing& timing, const Device& device) {
  const double bytes = double(bytes_of_arrays()), rate = bytes / median(timing.samples_ns);
  std::string text =
      ", \"array_bytes\": " + digits(bytes) + ", \"array_bandwidth_gbps\": " + digits(rate);
  const double peak = device.peak_bandwidth();
  if (peak > 0) text += ", \"array_bandwidth_share\": " + digits(rate / peak);
  return text;
}

inline std::string json_of(const Timing& timing, const Device& device) {
  std::string text = ", \"samples_ns\": " + list(timing.samples_ns) +
                     ", \"median_ns\": " + digits(median(timing.samples_ns)) +
                     ", \"spread\": " + digits(spread(timing.samples_ns)) +
                     ", \"noise\": " + digits(noise(timing.samples_ns)) +
                     ", \"stopped\": " + quoted(timing.stopped) +
                     ", \"held\": " + (timing.held ? "true" : "false") +
                     ", \"clock_drift\": " + digits(timing.drift());
  if (!timing.back_to_back_ns.empty())
    text += ", \"back_to_back_ns\": " + digits(median(timing.back_to_back_ns)) +
            ", \"back_to_back_samples_ns\": " + list(timing.back_to_back_ns) +
            ", \"back_to_back_spread\": " + digits(spread(timing.back_to_back_ns));
  return text + priced_json(timing) + bandwidth_json(timing, device);
}

inline std::string json_of(const Device& device, const Timing& timing) {
  return "{\"name\": " + quoted(device.name) +
         ", \"multiprocessors\": " + std::to_string(device.multiprocessors) +
         ", \"compute_capability\": \"" + std::to_string(device.major) + "." +
         std::to_string(device.minor) + "\", \"l2_bytes\": " + std::to_string(device.l2_bytes) +
         ", \"shared_bytes_per_block\": " + std::to_string(device.shared_bytes) +
         (device.uuid.empty() ? "" : ", \"uuid\": " + quoted(device.uuid)) +
         (device.clock_khz > 0 ? ", \"clock_most_mhz\": " + digits(device.clock_khz / 1e3) : "") +
         (device.peak_bandwidth() > 0
              ? ", \"peak_bandwidth_gbps\": " + digits(device.peak_bandwidth())
              : "") +
         ", \"driver\": \"" + dotted(device.driver) + "\", \"runtime\": \"" +
         dotted(device.runtime) + "\"" +
         (timing.mhz_before > 0 ? ", \"clock_before_mhz\": " + digits(timing.mhz_before) : "") +
         (timing.mhz_after > 0 ? ", \"clock_after_mhz\": " + digits(timing.mhz_after) : "") + "}";
}

} // namespace harness
