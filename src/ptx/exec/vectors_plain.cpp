#define MEMLANE_PTX_SET plain
#include "vectors_source.hpp"
