// Reads of textures, reads and writes of surfaces (CUDA Programming Guide, "Texture Fetching"; PTX
// ISA 9.0, sections 9.7.10 and 9.7.11). Each texel that a filter touches is an access of its own:
// configs/README.md section 11, "Textures and surfaces".
#pragma once

#include "step.hpp"

namespace memlane::ptx {

inline bool is_cube(const Words& words) { return words.any(Word::shape_cube, Word::shape_acube); }
/// Of the texels: those of a cube are on its faces.
inline int dimensions_of(const Words& words) {
  if (words.has(Word::shape_3d)) return 3;
  return is_cube(words) || words.any(Word::shape_2d, Word::shape_a2d) ? 2 : 1;
}
/// Whether the first register of the coordinates is a layer's number.
inline bool has_layer(const Words& words) {
  return words.any(Word::shape_a1d, Word::shape_a2d, Word::shape_acube);
}
inline int coordinates_of(const Words& words) {
  return (is_cube(words) ? 3 : dimensions_of(words)) + (has_layer(words) ? 1 : 0);
}

// Handlers: the object is in b, coordinates and values are in the step's elements.

void read_texture(Warp& warp, const Step& step);
void read_surface(Warp& warp, const Step& step);
void write_surface(Warp& warp, const Step& step);
/// txq and suq.
void query_object(Warp& warp, const Step& step);

} // namespace memlane::ptx
