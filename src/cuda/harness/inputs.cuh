namespace harness {

template <class T>
constexpr const char* type_name = std::is_integral_v<T> ? sizeof(T) == 4 ? "int" : "long"
                                  : sizeof(T) == 4      ? "float"
                                                        : "double";
template <class T>
constexpr const char* numpy_name = std::is_integral_v<T> ? sizeof(T) == 4 ? "<i4" : "<i8"
                                   : sizeof(T) == 4      ? "<f4"
                                                         : "<f8";

/// The elements of an array in a file: numbers as text (.txt, .csv), raw words (.bin) or NumPy's
/// format (.npy), as `memlane run --input` reads them.
template <class T>
class InputFile {
public:
  InputFile(std::string array, std::vector<long long> shape, std::string path)
      : array_(std::move(array)), path_(std::move(path)), shape_(std::move(shape)) {
    for (const long long extent : shape_) elements_ *= extent;
    load();
  }

  std::vector<T> read() const {
    if (ends_with(".txt") || ends_with(".csv")) return from_text();
    if (ends_with(".bin")) return from_words(content_);
    if (ends_with(".npy")) return from_numpy();
    fail(file() + ": its name must end in .txt, .csv, .bin or .npy");
  }

private:
  bool ends_with(std::string_view ending) const {
    return path_.size() >= ending.size() &&
           std::string_view(path_).substr(path_.size() - ending.size()) == ending;
  }
  std::string file() const { return "--input " + array_ + "=" + path_; }
  std::string needed() const {
    return "the array has " + std::to_string(elements_) + " elements of type " + type_name<T>;
  }

  /// Not more than any file of the array needs.
  void load() {
    std::FILE* const from = std::fopen(path_.c_str(), "rb");
    if (!from) fail(file() + ": cannot be read: " + std::strerror(errno));
    const std::size_t most = std::size_t(elements_) * 64 + (1 << 20);
    std::vector<char> part(1 << 16);
    for (std::size_t count; (count = std::fread(part.data(), 1, part.size(), from)) > 0;) {
      content_.append(part.data(), count);
      if (content_.size() > most) fail(file() + ": the file is too long: " + needed());
    }
    if (std::ferror(from)) fail(file() + ": cannot be read: " + std::strerror(errno));
    std::fclose(from);
  }

  std::vector<T> from_words(std::string_view bytes) const {
    if (bytes.size() != std::size_t(elements_) * sizeof(T))
      fail(file() + ": " + needed() + ", so " + std::to_string(elements_ * (long long)sizeof(T)) +
           " bytes; the file has " + std::to_string(bytes.size()) +
           ". The program's parameters set the size: --help");
    std::vector<T> values{};
    values.resize(std::size_t(elements_));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  /// Numbers separated by white space or commas.
  std::vector<T> from_text() const {
    std::vector<T> values;
    std::string_view rest = content_;
    if (rest.substr(0, 3) == "\xef\xbb\xbf") rest.remove_prefix(3);
    bool after_number = false;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" \t\r\n,"), rest.size());
      if (end > 0) {
        values.push_back(number(rest.substr(0, end)));
        after_number = true;
      } else {
        if (rest.front() == ',' && !after_number)
          fail(file() + ": a number is missing before the comma after number " +
               std::to_string(values.size()));
        after_number = after_number && rest.front() != ',';
      }
      rest.remove_prefix(std::max<std::size_t>(end, 1));
    }
    if ((long long)values.size() != elements_)
      fail(file() + ": " + needed() + ", the file has " + std::to_string(values.size()) +
           " numbers. The program's parameters set the size: --help");
    return values;
  }
  T number(std::string_view text) const {
    std::string_view digits = text;
    if (digits.front() == '+') digits.remove_prefix(1);
    T value{};
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc() && result.ptr == digits.data() + digits.size() && !digits.empty())
      return value;
    fail(file() + ": '" + std::string(text.substr(0, 40)) + "' is not a number of type " +
         type_name<T>);
  }

  /// What stands behind 'key': in the header; empty: nothing.
  static std::string_view member(std::string_view header, const std::string& key) {
    const std::size_t at = header.find("'" + key + "':");
    if (at == std::string_view::npos) return {};
    header.remove_prefix(at + key.size() + 3);
    header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
    return header;
  }
  std::vector<T> from_numpy() const {
    const std::string_view all = content_;
    if (all.substr(0, 6) != "\x93NUMPY") fail(file() + ": it is not a file of NumPy");
    const auto byte = [&](std::size_t at) { return std::size_t((unsigned char)all[at]); };
    const std::size_t begin = all.size() > 6 && byte(6) == 1 ? 10 : 12;
    if (all.size() < begin) fail(file() + ": the file is cut off in its header");
    std::size_t length = byte(8) | byte(9) << 8;
    if (begin == 12) length |= byte(10) << 16 | byte(11) << 24;
    if (all.size() - begin < length) fail(file() + ": the file is cut off in its header");
    const std::string_view header = all.substr(begin, length);
    const std::string type = std::string("'") + numpy_name<T> + "'";
    if (member(header, "descr").substr(0, type.size()) != type)
      fail(file() + ": " + needed() + ", so the file's type must be " + type +
           ". In Python: numpy.save(file, array.astype(" + type + "))");
    std::string shape = "(";
    for (const long long extent : shape_)
      shape += (shape.size() > 1 ? ", " : "") + std::to_string(extent);
    shape += shape_.size() == 1 ? ",)" : ")";
    if (member(header, "shape").substr(0, shape.size()) != shape)
      fail(file() + ": the array has shape " + shape +
           ", the file has another one. The program's parameters set it: --help");
    if (shape_.size() > 1 && member(header, "fortran_order").substr(0, 4) == "True")
      fail(file() + ": the file is in column-major order. In Python: numpy.save(file, "
                    "array.copy(order='C'))");
    return from_words(all.substr(begin + length));
  }

  std::string array_, path_, content_;
  std::vector<long long> shape_;
  long long elements_ = 1;
};

} // namespace harness
