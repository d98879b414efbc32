// The functions of neighbours.hpp. Included by vectors_source.hpp: loops over lanes without
// branches become instructions of whole vectors.

Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words) {
  // Each lane beside the one before it, so that loops have as many rounds as there are lanes. Two
  // results of 32 bits are found together.
  std::uint64_t before[warp_lanes], distances[warp_lanes + 1];
  before[0] = addresses[0];
  for (int l = 1; l < warp_lanes; ++l) before[l] = addresses[l - 1];
  distances[0] = 0;
  std::uint64_t same_next = 0, apart_rising = 0, sector_group = 0, even = 0;
  for (int l = 0; l < warp_lanes; ++l) {
    const std::uint64_t low = std::uint64_t{1} << l, high = low << 32;
    const std::uint64_t distance = (addresses[l] >> shift) - (before[l] >> shift);
    const std::uint64_t changed = addresses[l] ^ before[l];
    distances[l + 1] = distance;
    same_next |= (distance == 0 ? low : 0) | (distance == words ? high : 0);
    apart_rising |=
        (static_cast<std::int64_t>(distance) >= static_cast<std::int64_t>(words) ? low : 0) |
        (static_cast<std::int64_t>(distance) >= 0 ? high : 0);
    sector_group |= (changed >= 32 ? low : 0) | (changed >= 128 ? high : 0);
  }
  for (int l = 0; l < warp_lanes; ++l)
    even |= distances[l + 1] == distances[l] ? std::uint64_t{1} << l : 0;
  const auto lower = [](std::uint64_t both) { return static_cast<std::uint32_t>(both); };
  const auto upper = [](std::uint64_t both) { return static_cast<std::uint32_t>(both >> 32); };
  return {lower(same_next), upper(same_next),    lower(apart_rising), upper(apart_rising),
          lower(even),      lower(sector_group), upper(sector_group)};
}

bool are_moved(const std::uint64_t* addresses, const std::uint64_t* others, std::uint64_t period) {
  const std::uint64_t distance = addresses[0] - others[0];
  std::uint64_t wrong = distance & (period - 1);
  for (int l = 0; l < warp_lanes; ++l) wrong |= (addresses[l] - others[l]) ^ distance;
  return wrong == 0;
}
