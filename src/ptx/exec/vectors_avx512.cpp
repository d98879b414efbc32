#define MEMLANE_PTX_SET avx512
#include "vectors_source.hpp"
