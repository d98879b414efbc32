// Conversions of rows: numbers of type From, each the lower bits of a register, become registers
// that have a To. Included by vectors_source.hpp. Every pair of types has a function; what does
// not depend on both is in functions that they share, or compilers would make megabytes of them.

/// A row of registers of `bits` bits as numbers, which are in `narrowed` if the registers are
/// wider.
template <class T>
[[gnu::noinline]] void narrow_row(const Warp& w, Place place, int bits, T* narrowed) {
  const auto narrow = [&](const auto* row) {
    for (int l = 0; l < warp_lanes; ++l) narrowed[l] = static_cast<T>(row[l]);
  };
  if (bits == 16) return narrow(source<std::uint16_t>(w, place));
  if (bits == 32) return narrow(source<std::uint32_t>(w, place));
  narrow(source<std::uint64_t>(w, place));
}
template <class T>
const T* numbers_of(const Warp& w, Place place, int bits, T* narrowed) {
  if (std::is_floating_point_v<T> || bits == 8 * sizeof(T)) return source<T>(w, place);
  narrow_row(w, place, bits, narrowed);
  return narrowed;
}

/// Numbers in a row of registers of `bits` bits; those with a sign fill wider ones with it.
template <class T>
[[gnu::noinline]] void write_row(Warp& w, Place place, int bits, const T* numbers) {
  if constexpr (!std::is_floating_point_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto widened = [&]<class R>(R) {
      for_lanes<R>(w, place, [=](int l) { return static_cast<R>(Wide{numbers[l]}); });
    };
    if (bits != 8 * sizeof(T))
      return bits == 16   ? widened(std::uint16_t{})
             : bits == 32 ? widened(std::uint32_t{})
                          : widened(std::uint64_t{});
  }
  for_lanes<T>(w, place, [=](int l) { return numbers[l]; });
}

/// Floats as integral numbers, which a conversion to an integer then limits.
template <class From>
[[gnu::noinline]] void integral_row(const From* __restrict a, Words words,
                                    double* __restrict numbers) {
  const bool ftz = words.has(Word::ftz);
  for (int l = 0; l < warp_lanes; ++l)
    numbers[l] = to_integral(static_cast<double>(ftz ? flushed(a[l]) : a[l]), words);
}

/// Numbers with 53 bits that become halves as the exact ones do.
template <class From>
[[gnu::noinline]] void doubles_for_halves(const From* __restrict a, Words words,
                                          double* __restrict numbers) {
  const bool ftz = words.has(Word::ftz);
  for (int l = 0; l < warp_lanes; ++l) {
    if constexpr (std::is_integral_v<From>)
      numbers[l] = odd_double(a[l]);
    else
      numbers[l] = static_cast<double>(ftz ? flushed(a[l]) : a[l]);
  }
}
template <class Format>
[[gnu::noinline]] void halves_row(const double* __restrict numbers, Words words,
                                  std::uint16_t* __restrict d) {
  for (int l = 0; l < warp_lanes; ++l) {
    double number = numbers[l];
    if (words.has(Word::sat)) number = saturated(number);
    if (words.has(Word::relu) && !(number > 0) && number == number) number = 0;
    d[l] = Format::of(number, {toward_of(words)});
  }
}

template <class To, class From>
To converted_float(From value, const Words& words) {
  if (words.has(Word::ftz)) value = flushed(value);
  To number{};
  if constexpr (std::is_same_v<To, From>)
    number = words.any(Word::rni, Word::rzi, Word::rmi, Word::rpi)
                 ? static_cast<To>(to_integral(value, words))
                 : value;
  else if constexpr (std::is_same_v<To, float>)
    number = rounded_float(value, words);
  else
    number = static_cast<To>(value);
  if (words.has(Word::ftz)) number = flushed(number);
  number = canonical(number);
  return words.has(Word::sat) ? saturated(number) : number;
}

template <class To, class From>
To limited_integer(From value) {
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <class To, class From>
void convert_row(const Stored<From>* __restrict a, Words words, Stored<To>* __restrict d) {
  const auto each = [=](auto convert) {
    for (int l = 0; l < warp_lanes; ++l) d[l] = convert(a[l]);
  };
  if constexpr (is_half<From>) {
    float numbers[warp_lanes];
    for (int l = 0; l < warp_lanes; ++l) numbers[l] = From::Format::to(a[l]);
    if constexpr (is_half<To>)
      if (words.any(Word::rni, Word::rzi, Word::rmi, Word::rpi))
        for (float& number : numbers)
          number = static_cast<float>(
              to_integral(words.has(Word::ftz) ? flushed(number) : number, words));
    convert_row<To, float>(numbers, words, d);
  } else if constexpr (is_half<To>) {
    double numbers[warp_lanes];
    doubles_for_halves(a, words, numbers);
    halves_row<typename To::Format>(numbers, words, d);
  } else if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>) {
    each([=](From value) { return converted_float<To>(value, words); });
  } else if constexpr (std::is_floating_point_v<To>) {
    if (!words.any(Word::rz, Word::rm, Word::rp))
      each([](From value) { return static_cast<To>(value); });
    else if constexpr (std::is_same_v<To, float>)
      each([=](From value) { return rounded_float(value, words); });
    else
      each([=](From value) { return rounded_double(value, words); });
    if (words.has(Word::sat))
      for (int l = 0; l < warp_lanes; ++l) d[l] = saturated(d[l]);
  } else if constexpr (std::is_floating_point_v<From>) {
    double numbers[warp_lanes];
    integral_row(a, words, numbers);
    for (int l = 0; l < warp_lanes; ++l) d[l] = limited<To>(numbers[l]);
  } else if (words.has(Word::sat)) {
    each([](From value) { return limited_integer<To>(value); });
  } else {
    each([](From value) { return static_cast<To>(value); });
  }
}

template <class To, class From>
void convert_lanes(Warp& w, const Step& s) {
  Stored<From> narrowed[warp_lanes];
  Stored<To> results[warp_lanes];
  convert_row<To, From>(numbers_of(w, s.a, s.bits_a, narrowed), s.op->words, results);
  write_row(w, s.d, s.bits_d, results);
}
