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

inline std::string json_of(const Device& device, const Timing& timing) {
  return "{\"name\": " + quoted(device.name) +
         ", \"multiprocessors\": " + std::to_string(device.multiprocessors) +
         ", \"compute_capability\": \"" + std::to_string(device.major) + "." +
         std::to_string(device.minor) + "\", \"l2_bytes\": " + std::to_string(device.l2_bytes) +
         ", \"shared_bytes_per_block\": " + std::to_string(device.shared_bytes) +
         ", \"driver\": \"" + dotted(device.driver) + "\", \"runtime\": \"" +
         dotted(device.runtime) + "\"" +
         (timing.mhz_before > 0 ? ", \"clock_before_mhz\": " + digits(timing.mhz_before) : "") +
         (timing.mhz_after > 0 ? ", \"clock_after_mhz\": " + digits(timing.mhz_after) : "") + "}";
}

} // namespace harness
