// Moves, packing, and operations that look at other lanes (PTX ISA 9.0, sections 9.7.9 and 9.7.13).
// Included by vectors.cpp.

template <class T>
void move(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  for_lanes<T>(w, s.d, [=](int l) { return a[l]; });
}
/// A Part with ones in its lowest bits.
template <class Part, std::size_t bits>
inline constexpr Part low_ones = static_cast<Part>(static_cast<Part>(~Part{0}) >>
                                                   (8 * sizeof(Part) - bits));

/// d has the elements of a vector, the first in its lowest bits. The steps' places: `elements`,
/// rows of Part, each with so many bits.
template <class Whole, class Part, std::size_t bits = 8 * sizeof(Part)>
void pack(Warp& w, const Step& s) {
  constexpr std::size_t count = 8 * sizeof(Whole) / bits;
  const Part* parts[8] = {};
  for (std::size_t k = 0; k < count; ++k) parts[k] = source<Part>(w, s.elements[k]);
  for_lanes<Whole>(w, s.d, [&](int l) {
    Whole all = 0;
    for (std::size_t k = 0; k < count; ++k)
      all |=
          static_cast<Whole>(static_cast<Whole>(parts[k][l] & low_ones<Part, bits>) << (bits * k));
    return all;
  });
}
template <class Whole, class Part, std::size_t bits = 8 * sizeof(Part)>
void unpack(Warp& w, const Step& s) {
  const Whole* const a = source<Whole>(w, s.a);
  for (std::size_t k = 0; k < 8 * sizeof(Whole) / bits; ++k)
    if (s.elements[k] >= 0)
      for_lanes<Part>(w, s.elements[k], [=](int l) {
        return static_cast<Part>(a[l] >> (bits * k) & low_ones<Part, bits>);
      });
}

/// The lane whose value each lane takes, and whether it is in range (section 9.7.9.6): `c` has the
/// segment's mask in bits 8 to 12 and the clamp in bits 0 to 4.
inline void shuffle(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const Words words = s.op->words;
  std::uint32_t values[warp_lanes] = {}, in_range = 0;
  for (int l = 0; l < warp_lanes; ++l) {
    const std::uint32_t lane = static_cast<std::uint32_t>(l), n = b[l] & 31;
    const std::uint32_t clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    const std::uint32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    std::uint32_t from = 0;
    bool good = false;
    if (words.has(Word::up)) {
      from = lane - n;
      good = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
    } else if (words.has(Word::down)) {
      from = lane + n;
      good = from <= last;
    } else if (words.has(Word::bfly)) {
      from = lane ^ n;
      good = from <= last;
    } else {
      from = first | (n & ~segment);
      good = from <= last;
    }
    if (!good) from = lane;
    from &= 31;
    in_range |= static_cast<std::uint32_t>(good) << l;
    values[l] = a[from];
    if ((w.mask >> l & 1) != 0 && (w.mask >> from & 1) == 0)
      w.inactive_source |= std::uint32_t{1} << l;
  }
  if (s.d >= 0) for_lanes<std::uint32_t>(w, s.d, [&](int l) { return values[l]; });
  if (s.q >= 0) set_predicate(w, s.q, in_range);
}

inline std::uint32_t voters(Warp& w, const Step& s) {
  const std::uint32_t p = *source<std::uint32_t>(w, s.e);
  return (s.e_negated ? ~p : p) & w.mask;
}
inline void vote(Warp& w, const Step& s) {
  const std::uint32_t yes = voters(w, s);
  const Words words = s.op->words;
  if (words.has(Word::ballot)) return for_lanes<std::uint32_t>(w, s.d, [=](int) { return yes; });
  const bool holds = words.has(Word::all)   ? yes == w.mask
                     : words.has(Word::any) ? yes != 0
                                            : yes == 0 || yes == w.mask;
  set_predicate(w, s.d, holds ? all_lanes : 0);
}
template <class T>
void match(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  std::uint32_t same[warp_lanes] = {};
  bool all = true;
  for (int l = 0; l < warp_lanes; ++l)
    for (int k = 0; k < warp_lanes; ++k) {
      if ((w.mask >> l & 1) == 0 || (w.mask >> k & 1) == 0) continue;
      if (a[l] == a[k])
        same[l] |= std::uint32_t{1} << k;
      else
        all = false;
    }
  const bool of_all = s.op->words.has(Word::all);
  for_lanes<std::uint32_t>(w, s.d, [&](int l) { return of_all ? (all ? w.mask : 0) : same[l]; });
  if (s.q >= 0) set_predicate(w, s.q, all ? all_lanes : 0);
}
/// A reduction over the lanes that are active.
template <class T>
void reduce(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const Words words = s.op->words;
  T value = 0;
  bool first = true;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    if (first)
      value = a[l];
    else if (words.has(Word::add))
      value = wrapped_add(value, a[l]);
    else if (words.has(Word::min))
      value = std::min(value, a[l]);
    else if (words.has(Word::max))
      value = std::max(value, a[l]);
    else
      value = static_cast<T>(words.has(Word::and_)  ? value & a[l]
                             : words.has(Word::or_) ? value | a[l]
                                                    : value ^ a[l]);
    first = false;
  }
  for_lanes<T>(w, s.d, [=](int) { return value; });
}
inline void active_mask(Warp& w, const Step& s) {
  const std::uint32_t mask = w.mask;
  for_lanes<std::uint32_t>(w, s.d, [=](int) { return mask; });
}
inline void elect(Warp& w, const Step& s) {
  const int leader = std::countr_zero(w.mask);
  if (s.d >= 0)
    for_lanes<std::uint32_t>(w, s.d, [=](int) { return static_cast<std::uint32_t>(leader); });
  if (s.q >= 0) set_predicate(w, s.q, std::uint32_t{1} << leader);
}
