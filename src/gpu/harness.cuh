// ---- The harness: memory with a mirror on the host, launches, timing, one JSON object. It is the
// same in every file that
// ---- memlane emits. Compiled with -DMEMLANE_HOST, the threads of a block run one after the other
// on the CPU.
#include "prelude.cuh"

namespace harness {

enum Exit { done = 0, wrong_result = 1, failure = 2, beyond_limits = 3 };

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(failure);
}

inline std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// What is wrong with the machine and what helps; empty if it is something else.
inline std::string machine_trouble(cudaError_t status) {
  int driver = 0, runtime = 0;
  switch (status) {
  case cudaErrorInsufficientDriver:
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
      return "there is no driver of an NVIDIA GPU on this machine: install one";
    cudaRuntimeGetVersion(&runtime);
    return "the driver has CUDA " + dotted(driver) + ", and this program was built with CUDA " +
           dotted(runtime) + ": update the driver, or build with an nvcc of " + dotted(driver);
  case cudaErrorNoDevice:
    return "there is no CUDA device, or CUDA_VISIBLE_DEVICES hides it: nvidia-smi lists those "
           "there "
           "are";
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
    return "this program was not built for the machine's GPU: build it there, with nvcc "
           "-arch=native";
  default: return "";
  }
}

inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const std::string trouble = machine_trouble(status);
  fail(trouble.empty() ? std::string(call) + ": " + cudaGetErrorString(status) : trouble);
}
#define CHECK(call) harness::check((call), #call)

/// The result is not what it has to be.
struct Wrong {
  std::string message;
};
inline void insist(bool holds, const char* message) {
  if (!holds) throw Wrong{message};
}

/// What the device cannot hold: the run ends with a line that says so.
struct Beyond {
  std::string message;
};

// ---- Random numbers: those of `memlane run` with the same seed (Philox4x32-10, Salmon et al.
// 2011) ----

struct Philox {
  std::uint32_t x[4];
  Philox(std::uint64_t stream, std::uint64_t counter)
      : x{std::uint32_t(counter), std::uint32_t(counter >> 32), std::uint32_t(stream),
          std::uint32_t(stream >> 32)} {}
  void scramble(std::uint64_t seed) {
    std::uint32_t key0 = std::uint32_t(seed), key1 = std::uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = 0xD2511F53ull * x[0], b = 0xCD9E8D57ull * x[2];
      const std::uint32_t y0 = std::uint32_t(b >> 32) ^ x[1] ^ key0,
                          y2 = std::uint32_t(a >> 32) ^ x[3] ^ key1;
      x[0] = y0, x[1] = std::uint32_t(b), x[2] = y2, x[3] = std::uint32_t(a);
      key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
    }
  }
  std::uint64_t half(int k) const { return std::uint64_t(x[2 * k + 1]) << 32 | x[2 * k]; }
};

/// Everything that belongs to one run of the program.
struct AnyMemory;
struct State {
  std::uint64_t seed = 1;
  std::uint64_t draws = 0; ///< of the host code
  std::vector<AnyMemory*> arrays;
  std::vector<std::function<void()>> launches;
  bool in_main = false;
  bool interleaved = false; ///< host code reads or writes memory after a launch
  bool timing_launches = false;
  double launch_ns = 0; ///< of the launches so far, if each is timed by itself
  cudaEvent_t begin{}, end{};
  long long* cycles =
      nullptr; ///< one word: clock cycles inside the kernels, of those that count them
  int shared_limit = 48 * 1024;
};
inline State state;

constexpr std::uint64_t initial_stream(std::uint64_t array, std::uint64_t site) {
  return 1ull << 60 | array << 32 | site;
}
constexpr std::uint64_t layout_stream(std::uint64_t array) { return 2ull << 60 | array << 32; }
constexpr std::uint64_t host_stream(std::uint64_t site) { return 3ull << 60 | site; }

/// An integer of lo..hi, each equally likely.
inline long long random_integer(std::uint64_t stream, std::uint64_t counter, long long lo,
                                long long hi) {
  if (lo > hi)
    fail("random(" + std::to_string(lo) + ", " + std::to_string(hi) + ") has nothing to draw from");
  const std::uint64_t base = std::uint64_t(lo), size = std::uint64_t(hi) - base + 1;
  const std::uint64_t unfair = size == 0 ? 0 : (0 - size) % size;
  Philox block(stream, counter);
  for (;;) {
    block.scramble(state.seed);
    for (int k = 0; k < 2; ++k) {
      const std::uint64_t bits = block.half(k);
      if (bits >= unfair) return (long long)(base + (size == 0 ? bits : bits % size));
    }
  }
}

/// A real number of [lo, hi).
template <class Real>
Real random_real(std::uint64_t stream, std::uint64_t counter, Real lo, Real hi) {
  if (!(lo < hi)) fail("random(lo, hi) of real numbers needs lo < hi");
  Philox block(stream, counter);
  block.scramble(state.seed);
  const double unit = double(block.half(0) >> 11) * 0x1p-53, extent = double(hi) - double(lo);
  double value = std::isfinite(extent) ? double(lo) + unit * extent
                                       : double(lo) * (1 - unit) + double(hi) * unit;
  if (!(value < double(hi))) value = std::nextafter(double(hi), double(lo));
  const Real rounded = Real(value);
  return rounded >= hi ? std::nextafter(hi, lo) : rounded;
}

/// An array of the program's memory: initial values are numbered by the element.
template <class T>
T random_element(int array, int site, long long element, T lo, T hi) {
  const std::uint64_t stream = initial_stream(std::uint64_t(array), std::uint64_t(site));
  if constexpr (std::is_integral_v<T>)
    return T(random_integer(stream, std::uint64_t(element), lo, hi));
  else
    return random_real<T>(stream, std::uint64_t(element), lo, hi);
}
/// The next one of the host code.
template <class T>
T random_draw(int site, T lo, T hi) {
  const std::uint64_t stream = host_stream(std::uint64_t(site)), draw = state.draws++;
  if constexpr (std::is_integral_v<T>)
    return T(random_integer(stream, draw, lo, hi));
  else
    return random_real<T>(stream, draw, lo, hi);
}

/// The turns of the rows of an array: random_shift's (each row's own), random_permute's (of row
/// number mod w).
inline std::vector<int> random_shifts(std::uint64_t stream,
                                      std::initializer_list<long long> extents,
                                      long long row_length) {
  long long elements = 1;
  for (const long long extent : extents) elements *= extent;
  std::vector<int> turns;
  for (long long row = 0; row * row_length < elements; ++row)
    turns.push_back(int(random_integer(stream, std::uint64_t(row), 0, row_length - 1)));
  return turns;
}
inline std::vector<int> random_permutation(std::uint64_t stream, int width) {
  std::vector<int> sigma{};
  sigma.resize(std::size_t(width));
  for (int i = 0; i < width; ++i) sigma[i] = i;
  for (int last = width - 1; last > 0; --last)
    std::swap(sigma[last], sigma[random_integer(stream, std::uint64_t(last), 0, last)]);
  return sigma;
}

// ---- Memory ----

constexpr long long most_words = 1ll << 30; ///< of an array: kernels count with int

struct AnyMemory {
  std::string name;
  virtual ~AnyMemory() = default;
  virtual void keep_initial() = 0;
  virtual void restart() = 0; ///< to the initial content
  virtual void save() = 0;    ///< what the device holds …
  virtual void restore() = 0; ///< … again
  virtual void add_to(std::uint64_t& checksum) = 0;
  virtual void write(std::FILE* file) = 0;
};

/// An array of global memory and its mirror on the host: each is brought up to date when it is
/// asked for.
template <class T>
class Memory final : public AnyMemory {
public:
  /// Elements of 0; `place` says at which word an element lies, if not at that of its number.
  void allocate(const std::string& its_name, std::initializer_list<long long> extents,
                const std::function<int(int)>& place = {}) {
    name = its_name, elements_ = 1;
    for (const long long extent : extents) {
      if (extent < 1)
        fail("array " + name + " has an extent of " + std::to_string(extent) + "; 1 is the least");
      if (extent > most_words / elements_)
        throw Beyond{"array " + name +
                     " has more than 2^30 elements, which int indices cannot tell apart"};
      elements_ *= extent;
    }
    long long words = elements_;
    if (place) {
      for (int i = 0; i < elements_; ++i) place_.push_back(place(i));
      words = 1 + *std::max_element(place_.begin(), place_.end());
    }
    host_.assign(std::size_t(words), T());
    state.arrays.push_back(this);
  }
  long long elements() const { return elements_; }
  int words() const { return int(host_.size()); }

  // On the host, by word.
  struct Word {
    Memory& memory;
    long long at;
    operator T() const { return memory.get(at); }
    Word& operator=(T value) { return memory.put(at, value), *this; }
    Word& operator=(const Word& other) { return *this = T(other); }
    Word& operator+=(T value) { return *this = T(*this) + value; }
    Word& operator-=(T value) { return *this = T(*this) - value; }
    Word& operator*=(T value) { return *this = T(*this) * value; }
  };
  Word operator[](long long at) { return {*this, at}; }
  T get(long long at) {
    fetch();
    return host_.at(std::size_t(at));
  }
  void put(long long at, T value) {
    fetch();
    host_.at(std::size_t(at)) = value;
    on_device_ = false;
  }
  T initial(long long at) const { return initial_.at(std::size_t(at)); }
  void fill(long long element, T value) { host_[std::size_t(word(element))] = value; }

  // For kernels: those that write it, those that only read it.
  T* device() {
    send();
    on_host_ = false;
    return device_;
  }
  const T* input() {
    send();
    return device_;
  }

  void keep_initial() override { initial_ = host_; }
  void restart() override { host_ = initial_, on_host_ = true, on_device_ = false; }
  void save() override {
    send();
    if (!saved_) obtain(&saved_);
    CHECK(cudaMemcpy(saved_, device_, bytes(), cudaMemcpyDeviceToDevice));
  }
  void restore() override { CHECK(cudaMemcpy(device_, saved_, bytes(), cudaMemcpyDeviceToDevice)); }
  void add_to(std::uint64_t& checksum) override { // FNV-1a over the elements
    fetch();
    for (long long i = 0; i < elements_; ++i) {
      const T value = host_[std::size_t(word(i))];
      unsigned char octets[sizeof(T)];
      std::memcpy(octets, &value, sizeof(T));
      for (unsigned char octet : octets) checksum = (checksum ^ octet) * 0x100000001b3ull;
    }
  }
  void write(std::FILE* file) override {
    fetch();
    std::vector<T> in_order;
    for (long long i = 0; i < elements_; ++i) in_order.push_back(host_[std::size_t(word(i))]);
    if (std::fwrite(in_order.data(), sizeof(T), in_order.size(), file) != in_order.size())
      fail("cannot write array " + name);
  }

private:
  std::size_t bytes() const { return host_.size() * sizeof(T); }
  long long word(long long element) const {
    return place_.empty() ? element : place_[std::size_t(element)];
  }
  void obtain(T** place) {
    const cudaError_t status = cudaMalloc(place, bytes());
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw Beyond{"array " + name + ": the device has no " + std::to_string(bytes()) +
                   " bytes left"};
    }
    CHECK(status);
  }
  void fetch() {
    if (state.in_main && !state.launches.empty()) state.interleaved = true;
    if (on_host_) return;
    CHECK(cudaMemcpy(host_.data(), device_, bytes(), cudaMemcpyDeviceToHost));
    on_host_ = true;
  }
  void send() {
    if (on_device_) return;
    if (!device_) obtain(&device_);
    CHECK(cudaMemcpy(device_, host_.data(), bytes(), cudaMemcpyHostToDevice));
    on_device_ = true;
  }

  std::vector<T> host_, initial_;
  std::vector<int> place_; ///< word of each element; empty: that of its number
  T *device_ = nullptr, *saved_ = nullptr;
  long long elements_ = 0;
  bool on_host_ = true, on_device_ = false;
};

/// How far the rows of an array are turned.
class Turns {
public:
  void set(std::vector<int> turns, long long row_length) {
    turns_ = std::move(turns);
    for (int& turn : turns_) turn = int(turn % row_length);
  }
  int operator[](long long row) const { return turns_[std::size_t(row)]; }
  const int* device() {
    if (!device_) {
      CHECK(cudaMalloc(&device_, turns_.size() * sizeof(int)));
      CHECK(
          cudaMemcpy(device_, turns_.data(), turns_.size() * sizeof(int), cudaMemcpyHostToDevice));
    }
    return device_;
  }

private:
  std::vector<int> turns_;
  int* device_ = nullptr;
};

/// Part of an array on the host, from an element on.
template <class Array>
struct Slice {
  Array& array;
  long long first;
  decltype(auto) operator[](long long i) { return array[first + i]; }
};
template <class Array>
Slice<Array> slice(Array& array, long long first) {
  return {array, first};
}

// ---- Launches ----

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

// ---- The command line ----

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
  /// Takes --name over, if it was given.
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
  void fixed(const char* name) {
    for (const auto& given : given_)
      if (given.first == name)
        fail(std::string("--") + name + ": it is fixed in this file; emit it again with -D " +
             name + "=…");
  }
  void finish() {
    take("seed", state.seed), take("samples", samples), take("back-to-back", repetitions);
    if (help) {
      std::printf(
          "Runs the program, checks its result, times it and prints one JSON object.\noptions:");
      std::sort(known_.begin(), known_.end());
      known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
      for (const std::string& name : known_) std::printf(" --%s VALUE", name.c_str());
      std::printf(" --no-verify\n--samples 0 leaves the timing out; --output ARRAY=FILE writes an "
                  "array as raw words at the end,\n--outputs FOLDER all arrays, as NAME.bin\n");
      std::exit(done);
    }
    if (!given_.empty()) fail("unknown option '--" + given_.front().first + "'; --help lists them");
    if (samples < 0 || repetitions < 0) fail("--samples and --back-to-back are not negative");
  }
  static void require(bool holds, const char* name, const char* condition) {
    if (!holds) fail(std::string("--") + name + ": it has to be that " + condition);
  }

  bool help = false, verify = true;
  int samples = 30, repetitions = 20;
  std::vector<std::string> outputs; ///< ARRAY=FILE
  std::string folder;               ///< for all arrays, as NAME.bin

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
    fail(std::string("--") + name + ": '" + text + "' is no value for it");
  }
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> known_;
};

// ---- The device ----

struct Device {
  std::string name;
  int multiprocessors = 0, major = 0, minor = 0, driver = 0, runtime = 0;
  long long l2_bytes = 0, shared_bytes = 0;
};

inline Device find_device() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count == 0) check(cudaErrorNoDevice, "");
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  Device device;
  device.name = properties.name;
  device.multiprocessors = properties.multiProcessorCount;
  device.major = properties.major, device.minor = properties.minor;
  device.l2_bytes = properties.l2CacheSize;
  device.shared_bytes = (long long)properties.sharedMemPerBlockOptin;
  CHECK(cudaDriverGetVersion(&device.driver));
  CHECK(cudaRuntimeGetVersion(&device.runtime));
  return device;
}

#ifdef MEMLANE_HOST
inline double clock_mhz() { return 0; }
#else
/// Counts cycles for about a millisecond of the global timer.
__global__ void spin(long long* cycles_and_ns) {
  long long ns0, ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns0));
  const long long start = clock64();
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  while (ns - ns0 < 2000000);
  cycles_and_ns[0] = clock64() - start, cycles_and_ns[1] = ns - ns0;
}
inline double clock_mhz() {
  long long* words = nullptr;
  long long result[2] = {0, 1};
  CHECK(cudaMalloc(&words, sizeof result));
  spin<<<1, 1>>>(words);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, words, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(words));
  return double(result[0]) * 1e3 / double(result[1]);
}
#endif

// ---- Timing ----

struct Timing {
  std::vector<double> samples_ns, cycles;
  double back_to_back_ns = -1, mhz_before = 0, mhz_after = 0;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Times the launches of the program's main: `again` runs main once more from the initial contents.
class Stopwatch {
public:
  Stopwatch(const Device& device, std::function<void()> again, bool repeatable)
      : again_(std::move(again)), repeatable_(repeatable) {
    flush_bytes_ = std::size_t(2 * std::max(device.l2_bytes, 1ll << 20));
    if (cudaMalloc(&flush_, flush_bytes_) != cudaSuccess)
      throw Beyond{"no memory left to flush the L2 cache with"};
  }
  Timing run(int samples, int repetitions) {
    Timing timing;
    launches_ = state.launches;
    timing.mhz_before = clock_mhz();
    for (int warm_up = 0; warm_up < 3; ++warm_up) sample();
    for (int k = 0; k < samples; ++k) {
      timing.samples_ns.push_back(sample());
      if (state.cycles) timing.cycles.push_back(double(cycles()));
    }
    if (repetitions > 0 && repeatable_ && !state.interleaved)
      timing.back_to_back_ns = back_to_back(repetitions);
    timing.mhz_after = clock_mhz();
    return timing;
  }

private:
  long long cycles() {
    long long value = 0;
    CHECK(cudaMemcpy(&value, state.cycles, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  void prepare() {
    if (state.cycles) CHECK(cudaMemset(state.cycles, 0, sizeof(long long)));
    CHECK(cudaMemset(flush_, 1, flush_bytes_));
    CHECK(cudaDeviceSynchronize());
  }
  double sample() {
    if (state.interleaved) { // host code between the launches: each is timed by itself
      for (AnyMemory* array : state.arrays) array->restart();
      prepare();
      state.launch_ns = 0;
      state.timing_launches = true;
      again_();
      state.timing_launches = false;
      return state.launch_ns;
    }
    for (AnyMemory* array : state.arrays) array->restore();
    prepare();
    return elapsed([&] { run_all(); });
  }
  double back_to_back(int repetitions) {
    for (AnyMemory* array : state.arrays) array->restore();
    CHECK(cudaDeviceSynchronize());
    return elapsed([&] {
             for (int k = 0; k < repetitions; ++k) run_all();
           }) /
           repetitions;
  }
  void run_all() {
    for (const auto& launch : launches_) launch();
  }
  template <class Work>
  double elapsed(Work work) {
    float ms = 0;
    CHECK(cudaEventRecord(state.begin));
    work();
    CHECK(cudaEventRecord(state.end));
    CHECK(cudaEventSynchronize(state.end));
    CHECK(cudaEventElapsedTime(&ms, state.begin, state.end));
    return double(ms) * 1e6;
  }

  std::function<void()> again_;
  bool repeatable_;
  std::vector<std::function<void()>> launches_;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
};

// ---- The result ----

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
// ---- End of the harness ----
