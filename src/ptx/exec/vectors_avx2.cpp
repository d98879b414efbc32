#define MEMLANE_PTX_SET avx2
#include "vectors_source.hpp"
