namespace harness {

constexpr long long max_words = 1ll << 30; ///< an array's most words: kernels count with int

struct AnyMemory {
  std::string name;
  virtual ~AnyMemory() = default;
  virtual void keep_initial() = 0;
  virtual void restart() = 0; ///< sets the initial content
  virtual void save() = 0;    ///< keeps what the device holds
  virtual void restore() = 0; ///< sets what `save` kept
  virtual void add_to(std::uint64_t& checksum) = 0;
  virtual void read(const std::string& path) = 0; ///< replaces its initial values
  virtual void write(std::FILE* file) = 0;
  virtual long long bytes_for_kernels() const = 0; ///< 0: none was given it
};

/// An array of global memory and its mirror on the host: each is brought up to date when it is
/// asked for.
template <class T>
class Memory final : public AnyMemory {
public:
  /// Elements of 0; `place` says at which word an element lies, if not at that of its number.
  void allocate(const std::string& its_name, std::initializer_list<long long> extents,
                const std::function<int(int)>& place = {}) {
    name = its_name, elements_ = 1, extents_ = extents;
    for (const long long extent : extents) {
      if (extent < 1)
        fail("array " + name + " has an extent of " + std::to_string(extent) + "; 1 is the least");
      if (extent > max_words / elements_)
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
    on_host_ = false, given_ = true;
    return device_;
  }
  const T* input() {
    send();
    given_ = true;
    return device_;
  }

  void keep_initial() override { initial_ = host_; }
  void restart() override { host_ = initial_, on_host_ = true, on_device_ = false; }
  void save() override {
    send();
    if (!saved_) obtain(&saved_);
    CHECK(cudaMemcpy(saved_, device_, bytes(), cudaMemcpyDeviceToDevice));
  }
  void restore() override {
    CHECK(cudaMemcpyAsync(device_, saved_, bytes(), cudaMemcpyDeviceToDevice));
  }
  void add_to(std::uint64_t& checksum) override { // FNV-1a over the elements
    fetch();
    for (long long i = 0; i < elements_; ++i) {
      const T value = host_[std::size_t(word(i))];
      unsigned char octets[sizeof(T)];
      std::memcpy(octets, &value, sizeof(T));
      for (unsigned char octet : octets) checksum = (checksum ^ octet) * 0x100000001b3ull;
    }
  }
  void read(const std::string& path) override {
    const std::vector<T> values = InputFile<T>(name, extents_, path).read();
    for (long long i = 0; i < elements_; ++i) fill(i, values[std::size_t(i)]);
  }
  void write(std::FILE* file) override {
    fetch();
    std::vector<T> in_order;
    for (long long i = 0; i < elements_; ++i) in_order.push_back(host_[std::size_t(word(i))]);
    if (std::fwrite(in_order.data(), sizeof(T), in_order.size(), file) != in_order.size())
      fail("cannot write array " + name);
  }

  long long bytes_for_kernels() const override { return given_ ? (long long)bytes() : 0; }

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
    if (state.in_main && !state.work.empty()) state.interleaved = true;
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
  std::vector<long long> extents_;
  long long elements_ = 0;
  bool on_host_ = true, on_device_ = false, given_ = false;
};

inline long long bytes_of_arrays() {
  long long bytes = 0;
  for (const AnyMemory* array : state.arrays) bytes += array->bytes_for_kernels();
  return bytes;
}

/// How far the rows of an array are rotated.
class RowOffsets {
public:
  void set(std::vector<int> offsets, long long row_length) {
    offsets_ = std::move(offsets);
    for (int& offset : offsets_) offset = int(offset % row_length);
  }
  int operator[](long long row) const { return offsets_[std::size_t(row)]; }
  const int* device() {
    if (!device_) {
      CHECK(cudaMalloc(&device_, offsets_.size() * sizeof(int)));
      CHECK(cudaMemcpy(device_, offsets_.data(), offsets_.size() * sizeof(int),
                       cudaMemcpyHostToDevice));
    }
    return device_;
  }

private:
  std::vector<int> offsets_;
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

} // namespace harness
