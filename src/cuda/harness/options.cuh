namespace harness {

class Options {
public:
  Options(int count, char** words) {
    for (int k = 1; k < count; ++k) {
      const std::string word = words[k];
      if (word == "--help" || word == "-h") {
        help = true;
      } else if (word == "--no-verify") {
        verify = false;
      } else if (word == "--outputs" && k + 1 < count) {
        folder = words[++k];
      } else if (word == "--input" && k + 1 < count) {
        inputs.push_back(words[++k]);
      } else if (word == "--output" && k + 1 < count) {
        outputs.push_back(words[++k]);
      } else if (word.rfind("--", 0) == 0 && k + 1 < count) {
        given_.emplace_back(word.substr(2), words[++k]);
      } else {
        fail("unknown option '" + word + "'" +
             (word.rfind("--", 0) == 0 ? ", or its value is missing" : "") + "; --help lists them");
      }
    }
  }
  /// Reads --name into `value`; false if it is absent.
  template <class T>
  bool take(const char* name, T& value) {
    known_.push_back(name);
    for (auto given = given_.begin(); given != given_.end(); ++given) {
      if (given->first != name) continue;
      value = read<T>(name, given->second);
      given_.erase(given);
      return take(name, value), true;
    }
    return false;
  }
  void fixed(const char* name, const char* parameter = nullptr) {
    for (const auto& given : given_)
      if (given.first == name)
        fail(std::string("--") + name + ": it is fixed in this file; emit it again with -D " +
             (parameter ? parameter : name) + "=…");
  }
  void finish() {
    take("seed", state.seed), take("samples", samples), take("back-to-back", repetitions);
    take("seconds", seconds), take("warm-up", warm_up);
    if (help) {
      std::printf(
          "Runs the program, checks its result, times it and prints one JSON object.\noptions:");
      std::sort(known_.begin(), known_.end());
      known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
      for (const std::string& name : known_) std::printf(" --%s VALUE", name.c_str());
      std::printf(
          " --no-verify\n"
          "--samples N          maximum number of samples (200); 0: no timing\n"
          "--seconds S          time for samples (1.5); they end earlier when the median is known\n"
          "                     within 0.5 %%\n"
          "--warm-up MS         time of runs before the samples (100)\n"
          "--back-to-back N     repetitions of main's launches without a pause (20)\n"
          "--input ARRAY=FILE   reads an array's values before main: numbers in .txt or .csv, raw\n"
          "                     words in .bin, or .npy\n"
          "--output ARRAY=FILE  writes an array as raw words at the end\n"
          "--outputs FOLDER     writes all arrays, as NAME.bin\n");
      std::exit(done);
    }
    if (!given_.empty()) fail("unknown option '--" + given_.front().first + "'; --help lists them");
    if (samples < 0 || repetitions < 0) fail("--samples and --back-to-back must not be negative");
    if (!(seconds >= 0 && seconds <= 3600 && warm_up >= 0 && warm_up <= 3.6e6))
      fail("--seconds and --warm-up must be from 0 to an hour");
  }
  static void require(bool holds, const char* name, const char* condition) {
    if (!holds) fail(std::string("--") + name + ": must satisfy " + condition);
  }

  bool help = false, verify = true;
  int samples = 200, repetitions = 20;
  double seconds = 1.5;                     ///< the longest time for samples
  double warm_up = 100;                     ///< milliseconds before them
  std::vector<std::string> inputs, outputs; ///< ARRAY=FILE
  std::string folder;                       ///< where to write all arrays, as NAME.bin

private:
  template <class T>
  static T read(const char* name, const std::string& text) {
    if constexpr (std::is_same_v<T, std::string>) {
      return text;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (text == "true" || text == "1") return true;
      if (text == "false" || text == "0") return false;
    } else {
      char* end = nullptr;
      if constexpr (std::is_integral_v<T>) {
        errno = 0;
        const long long value = std::strtoll(text.c_str(), &end, 10);
        if (!text.empty() && !*end && errno == 0 && (long long)(T(value)) == value) return T(value);
      } else {
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && !*end) return T(value);
      }
    }
    fail(std::string("--") + name + ": '" + text + "' is not a valid value");
  }
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> known_;
};

} // namespace harness
