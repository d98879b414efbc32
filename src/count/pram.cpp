#include "memlane/count/pram.hpp"

#include <array>

namespace memlane {

std::string_view name_of(PramClass needs) {
  constexpr std::array<std::string_view, 3> names = {"EREW", "CREW", "CRCW"};
  return names[static_cast<std::size_t>(needs)];
}

PramCounts& PramCounts::operator+=(const PramCounts& other) {
  steps += other.steps;
  work += other.work;
  const bool needs_more = other.needs > needs;
  const bool needs_earlier = other.needs == needs && other.place < place;
  if (needs_more || needs_earlier) {
    needs = other.needs;
    place = other.place;
    file = other.file;
  }
  return *this;
}

BspCounts& BspCounts::operator+=(const BspCounts& other) {
  operators += other.operators;
  words += other.words;
  return *this;
}

} // namespace memlane
