// The functions of neighbours.hpp. Included by vectors_source.hpp: loops over lanes without
// branches become instructions of whole vectors.

Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words) {
  std::uint64_t word[warp_lanes], distance[warp_lanes];
  for (int l = 0; l < warp_lanes; ++l) word[l] = addresses[l] >> shift;
  distance[0] = 0;
  for (int l = 1; l < warp_lanes; ++l) distance[l] = word[l] - word[l - 1];
  std::uint64_t same = 0, next = 0, apart = 0, rising = 0, even = 0, sector = 0, group = 0;
  for (int l = 1; l < warp_lanes; ++l) {
    const std::uint64_t bit = std::uint64_t{1} << l;
    const std::uint64_t changed = addresses[l] ^ addresses[l - 1];
    same |= distance[l] == 0 ? bit : 0;
    next |= distance[l] == words ? bit : 0;
    apart |= static_cast<std::int64_t>(distance[l]) >= static_cast<std::int64_t>(words) ? bit : 0;
    rising |= static_cast<std::int64_t>(distance[l]) >= 0 ? bit : 0;
    even |= distance[l] == distance[l - 1] ? bit : 0;
    sector |= changed >= 32 ? bit : 0;
    group |= changed >= 128 ? bit : 0;
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
