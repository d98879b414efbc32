// Loads and stores whose lanes have no fault and whose addresses are in one range, which are most;
// the others are left to memory.cpp. Included by vectors.cpp.

/// The addresses of an access: those of lanes that take no part are that of one that does.
struct Addresses {
  explicit Addresses(const Warp& w, std::size_t bytes)
      : lanes(Space::global, static_cast<int>(bytes), w.mask) {}

  LaneAddresses lanes; ///< the space is found later
  std::uint64_t least = 0, most = 0;
  bool aligned = false;
};

/// Addresses of type A of an access of `bytes` bytes.
template <class A, std::size_t bytes>
inline Addresses addresses_of(const Warp& w, Place place, std::int64_t offset) {
  const A* const base = source<A>(w, place);
  const A added = static_cast<A>(offset);
  // Processors compare signed numbers of 64 bits in one instruction. An address with the highest
  // bit is nowhere, and is left to the general way.
  using Compared = std::conditional_t<sizeof(A) == 8, std::int64_t, A>;
  Compared of[warp_lanes];
  Addresses made(w, bytes);
  if (w.mask == all_lanes) {
    for (int l = 0; l < warp_lanes; ++l) of[l] = static_cast<Compared>(base[l] + added);
  } else {
    const A other = base[std::countr_zero(w.mask)];
    const std::uint32_t mask = w.mask;
    for (int l = 0; l < warp_lanes; ++l)
      of[l] = static_cast<Compared>(((mask >> l & 1) != 0 ? base[l] : other) + added);
  }
  Compared together = 0, least = of[0], most = of[0];
  for (int l = 0; l < warp_lanes; ++l) {
    together |= of[l];
    least = std::min(least, of[l]);
    most = std::max(most, of[l]);
  }
  for (int l = 0; l < warp_lanes; ++l) made.lanes.address[l] = static_cast<std::uint64_t>(of[l]);
  made.least = static_cast<std::uint64_t>(least);
  made.most = static_cast<std::uint64_t>(most);
  made.aligned = (static_cast<std::uint64_t>(together) & (bytes - 1)) == 0 && least >= 0;
  return made;
}

/// Reads find the words of shared memory written, and writes note them.
template <bool writes>
bool note_words(const Warp& w, const Addresses& addresses, std::uint64_t begin,
                std::uint64_t bytes) {
  SharedWords* const words = w.memories->shared_words;
  const std::uint64_t end = addresses.most - begin + bytes;
  if (!words || words->left == 0 || end <= 4 * words->ready) return true;
  for (int l = 0; l < warp_lanes; ++l) {
    const std::uint64_t at = addresses.lanes.address[l] - begin;
    if constexpr (writes)
      words->write(at, bytes); // lanes that take no part have the address of one that does
    else if (!words->has(at, bytes))
      return false;
  }
  return true;
}

/// Where memory is that lanes access.
struct Found {
  Space space = Space::global; ///< which memory a generic address means
  std::uint64_t base = 0;      ///< the host's address of an address 0
  std::uint64_t begin = 0;     ///< an address's part that is not its place in the space
};

/// False: the general way finds out what is wrong.
template <bool writes>
bool find_memory(const Warp& w, Space space, const Addresses& addresses, std::uint64_t bytes,
                 Found& found) {
  const Memories& m = *w.memories;
  const std::uint64_t end = addresses.most + bytes;
  if (!addresses.aligned || end < bytes) return false;
  const auto in_known = [&] {
    found = {space == Space::constant ? Space::constant : Space::global, 0, 0};
    for (const Memories::Known& known : m.known)
      if (addresses.least >= known.begin && end <= known.end) return true;
    return false;
  };
  switch (space) {
  case Space::shared:
    found = {Space::shared, reinterpret_cast<std::uint64_t>(m.shared), 0};
    return end <= static_cast<std::uint64_t>(m.shared_bytes) &&
           note_words<writes>(w, addresses, 0, bytes);
  case Space::global:
  case Space::constant: return in_known();
  case Space::generic: {
    const auto shared = reinterpret_cast<std::uint64_t>(m.shared);
    if (addresses.least < shared || end > shared + static_cast<std::uint64_t>(m.shared_bytes))
      return in_known();
    found = {Space::shared, 0, shared};
    return note_words<writes>(w, addresses, shared, bytes);
  }
  default: return false;
  }
}

/// Tells who watches, before the access happens.
[[gnu::noinline]] void tell_access(const Warp& w, const Step& s, Addresses& addresses,
                                   const Found& found) {
  LaneAddresses& lanes = addresses.lanes;
  lanes.space = found.space;
  if (found.begin == 0) return w.memories->observer->accesses(w, s, lanes);
  LaneAddresses moved = lanes;
  for (std::uint64_t& address : moved.address) address -= found.begin;
  w.memories->observer->accesses(w, s, moved);
}

/// As find_memory, with the observer told; `base`: the host's address of an address 0.
template <bool writes>
bool find_base(const Warp& w, const Step& s, Addresses& addresses, std::size_t bytes,
               std::uint64_t& base) {
  Found found;
  if (!find_memory<writes>(w, s.op->space, addresses, bytes, found)) return false;
  if (w.memories->observer && found.space != Space::constant) tell_access(w, s, addresses, found);
  base = found.base;
  return true;
}

/// Of local memory and parameters the lanes have parts that follow each other.
inline bool find_lane_base(const Warp& w, Space space, Addresses& addresses, std::uint64_t bytes) {
  const Memories& m = *w.memories;
  const bool local = space == Space::local;
  if (!addresses.aligned || !(local || space == Space::param)) return false;
  const auto first = static_cast<std::uint64_t>(local ? m.local_base : 0);
  const auto size = static_cast<std::uint64_t>(local ? m.local_bytes : m.param_bytes);
  const auto begin = reinterpret_cast<std::uint64_t>(local ? m.local : m.params);
  const std::uint64_t end = addresses.most + bytes;
  if (end < bytes || end > size || first > size - end) return false;
  for (int l = 0; l < warp_lanes; ++l)
    addresses.lanes.address[l] += begin + first + static_cast<std::uint64_t>(l) * size;
  return true;
}

template <class T>
T word_at(std::uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}

/// A row, in pieces that are one instruction each.
template <std::size_t bytes>
inline void copy_row(void* to, const void* from) {
  constexpr std::size_t piece = 32;
  for (std::size_t at = 0; at < bytes; at += piece)
    std::memcpy(static_cast<std::uint8_t*>(to) + at, static_cast<const std::uint8_t*>(from) + at,
                piece);
}

/// Whether all lanes take part, with words that follow each other.
template <class T>
bool is_row(const Warp& w, const Addresses& a) {
  const std::uint64_t* const of = a.lanes.address;
  if (w.mask != all_lanes || of[warp_lanes - 1] - of[0] != (warp_lanes - 1) * sizeof(T))
    return false;
  std::uint64_t wrong = 0;
  for (int l = 0; l < warp_lanes; ++l)
    wrong |= of[l] ^ (of[0] + static_cast<std::uint64_t>(l) * sizeof(T));
  return wrong == 0;
}

/// `count` words of type T in rows of R.
template <class A, class T, class R, int count>
void load_lanes(Warp& w, const Step& s) {
  constexpr std::size_t bytes = sizeof(T) * count;
  Addresses a = addresses_of<A, bytes>(w, s.a, s.value);
  std::uint64_t base = 0;
  if (find_base<false>(w, s, a, bytes, base)) {
    if (a.least == a.most) { // all lanes load the same
      T words[count];
      std::memcpy(words, reinterpret_cast<const void*>(a.least + base), bytes);
      for (int k = 0; k < count; ++k) {
        const Place place = count == 1 ? s.d : s.elements[k];
        const R value = static_cast<R>(words[k]);
        if (place >= 0) for_lanes<R>(w, place, [value](int) { return value; });
      }
      return;
    }
  } else if (!find_lane_base(w, s.op->space, a, bytes)) {
    return load(w, s);
  }
  if constexpr (count == 1) {
    if (sizeof(T) == sizeof(R) && is_row<T>(w, a)) {
      copy_row<warp_lanes * sizeof(T)>(destination<R>(w, s.d),
                                       reinterpret_cast<const void*>(a.lanes.address[0] + base));
      return;
    }
    R values[warp_lanes];
    for (int l = 0; l < warp_lanes; ++l)
      values[l] = static_cast<R>(word_at<T>(a.lanes.address[l] + base));
    if (w.mask == all_lanes)
      copy_row<sizeof values>(destination<R>(w, s.d), values);
    else
      for_lanes<R>(w, s.d, [&](int l) { return values[l]; });
  } else {
    R values[count][warp_lanes];
    for (int l = 0; l < warp_lanes; ++l) {
      T words[count];
      std::memcpy(words, reinterpret_cast<const void*>(a.lanes.address[l] + base), bytes);
      for (int k = 0; k < count; ++k) values[k][l] = static_cast<R>(words[k]);
    }
    for (int k = 0; k < count; ++k) {
      if (s.elements[k] < 0) continue;
      if (w.mask == all_lanes)
        copy_row<sizeof values[0]>(destination<R>(w, s.elements[k]), values[k]);
      else
        for_lanes<R>(w, s.elements[k], [&](int l) { return values[k][l]; });
    }
  }
}

template <class A, class T, class R, int count>
void store_lanes(Warp& w, const Step& s) {
  constexpr std::size_t bytes = sizeof(T) * count;
  Addresses a = addresses_of<A, bytes>(w, s.b, s.value);
  std::uint64_t base = 0;
  if (find_base<true>(w, s, a, bytes, base))
    ++w.memories->writes;
  else if (!find_lane_base(w, s.op->space, a, bytes) || s.op->space == Space::constant)
    return store(w, s);
  const R* rows[count];
  for (int k = 0; k < count; ++k) rows[k] = source<R>(w, count == 1 ? s.a : s.elements[k]);
  if constexpr (count == 1) {
    if (sizeof(T) == sizeof(R) && is_row<T>(w, a)) {
      copy_row<warp_lanes * sizeof(T)>(reinterpret_cast<void*>(a.lanes.address[0] + base), rows[0]);
      return;
    }
  }
  // Of lanes that write the same word, the highest remains.
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    T words[count];
    for (int k = 0; k < count; ++k) words[k] = static_cast<T>(rows[k][l]);
    std::memcpy(reinterpret_cast<void*>(a.lanes.address[l] + base), words, bytes);
  }
}

template <bool stores, class A, class T, class R>
Handler access_of_count(int count) {
  switch (count) {
  case 1: return stores ? store_lanes<A, T, R, 1> : load_lanes<A, T, R, 1>;
  case 2: return stores ? store_lanes<A, T, R, 2> : load_lanes<A, T, R, 2>;
  case 4:
    if constexpr (sizeof(T) <= 4) return stores ? store_lanes<A, T, R, 4> : load_lanes<A, T, R, 4>;
    return nullptr;
  default: return nullptr;
  }
}
/// Rows as wide as the words, or those that nvcc gives to narrower ones.
template <bool stores, class A>
Handler access_of(const Operation& op, int row_bits) {
  const int count = op.lanes_of_vector, bits = bits_of(op.type);
  const bool sign = !stores && is_signed(op.type);
  if (bits == 64 && row_bits == 64)
    return access_of_count<stores, A, std::uint64_t, std::uint64_t>(count);
  if (bits == 32 && row_bits == 32)
    return access_of_count<stores, A, std::uint32_t, std::uint32_t>(count);
  if (bits == 16 && row_bits == 16)
    return access_of_count<stores, A, std::uint16_t, std::uint16_t>(count);
  if (count > 1) return nullptr;
  if (bits == 8 && row_bits == 16)
    return sign ? access_of_count<stores, A, std::int8_t, std::uint16_t>(1)
                : access_of_count<stores, A, std::uint8_t, std::uint16_t>(1);
  if (bits == 8 && row_bits == 32)
    return sign ? access_of_count<stores, A, std::int8_t, std::uint32_t>(1)
                : access_of_count<stores, A, std::uint8_t, std::uint32_t>(1);
  if (bits == 16 && row_bits == 32)
    return sign ? access_of_count<stores, A, std::int16_t, std::uint32_t>(1)
                : access_of_count<stores, A, std::uint16_t, std::uint32_t>(1);
  return nullptr;
}
