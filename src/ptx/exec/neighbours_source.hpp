// The functions of neighbours.hpp. Included by vectors_source.hpp: loops over lanes without
// branches become instructions of whole vectors.

Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words) {
  std::uint64_t same = 0, next = 0, apart = 0, rising = 0, even = 0, sector = 0, group = 0;
  for (int l = 1; l < warp_lanes; ++l) {
    const std::uint64_t bit = std::uint64_t{1} << l;
    const std::uint64_t distance = (addresses[l] >> shift) - (addresses[l - 1] >> shift);
    const std::uint64_t changed = addresses[l] ^ addresses[l - 1];
    same |= distance == 0 ? bit : 0;
    next |= distance == words ? bit : 0;
    apart |= static_cast<std::int64_t>(distance) >= static_cast<std::int64_t>(words) ? bit : 0;
    rising |= static_cast<std::int64_t>(distance) >= 0 ? bit : 0;
    sector |= changed >= 32 ? bit : 0;
    group |= changed >= 128 ? bit : 0;
  }
  for (int l = 2; l < warp_lanes; ++l) {
    const std::uint64_t between = addresses[l - 1] >> shift;
    even |= (addresses[l] >> shift) - between == between - (addresses[l - 2] >> shift)
                ? std::uint64_t{1} << l
                : 0;
  }
  const auto bits = [](std::uint64_t lanes) { return static_cast<std::uint32_t>(lanes); };
  return {bits(same), bits(next), bits(apart), bits(rising), bits(even), bits(sector), bits(group)};
}

std::size_t alike(const std::uint64_t* const* rows, std::size_t n, std::uint64_t least) {
  const auto looked_at = [least](std::uint64_t number) {
    return number < least ? 0 : number >> ignored_bits;
  };
  const std::uint64_t* const a = rows[0];
  const std::uint64_t* const b = rows[1];
  const std::uint64_t* const c = rows[2];
  const std::uint64_t first[] = {looked_at(a[0]), looked_at(b[0]), looked_at(c[0])};
  const auto difference = [&](std::size_t k) {
    return (looked_at(a[k]) ^ first[0]) | (looked_at(b[k]) ^ first[1]) |
           (looked_at(c[k]) ^ first[2]);
  };
  constexpr std::size_t chunk = 16;
  std::size_t count = 0;
  for (; count + chunk <= n; count += chunk) {
    std::uint64_t different = 0;
    for (std::size_t k = 0; k < chunk; ++k) different |= difference(count + k);
    if (different != 0) break;
  }
  while (count < n && difference(count) == 0) ++count;
  return count;
}
