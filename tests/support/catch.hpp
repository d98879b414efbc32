// Catch2 2.13 (Debian 12) and 3.x (Ubuntu 24.04) behind one include.
#pragma once

#ifdef MEMLANE_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx; // version 2 has it at global scope
#else
#include <catch2/catch.hpp>
#endif
