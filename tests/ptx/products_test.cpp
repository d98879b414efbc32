// The kernels of configs/kernels/products.cu, which the figure product-order prices: each computes
// the product. Small whole numbers have exact sums.
#include "program.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <sstream>

namespace memlane::test {

TEST_CASE("each of ten kernels computes the product of two matrices") {
  std::ifstream file(std::string(MEMLANE_SOURCE_DIR) + "/configs/kernels/products.ptx");
  std::ostringstream text;
  text << file.rdbuf();
  constexpr int n = 128, l = 64;
  std::vector<float> a(n * l), b(l * n), product(n * n);
  for (int k = 0; k < n * l; ++k) {
    a[static_cast<std::size_t>(k)] = static_cast<float>(k * 7 % 11 - 5);
    b[static_cast<std::size_t>(k)] = static_cast<float>(k * 5 % 13 - 6);
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < l; ++k)
      for (int j = 0; j < n; ++j)
        product[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * l + k)] * b[static_cast<std::size_t>(k * n + j)];
  struct Shape {
    const char* kernel;
    std::int64_t blocks; ///< in each direction
    ptx::Dim3 threads;
  };
  const Shape shapes[] = {
      {"down_columns", 4, {32, 32, 1}},    {"along_rows", 4, {32, 32, 1}},
      {"by_tiles", 4, {32, 32, 1}},        {"by_columns_of_8", 2, {512, 1, 1}},
      {"by_squares_of_8", 1, {256, 1, 1}}, {"by_vectors", 1, {256, 1, 1}},
      {"by_spread_words", 1, {256, 1, 1}}, {"by_padded_rows", 1, {256, 1, 1}},
      {"by_deeper_tiles", 1, {256, 1, 1}}, {"by_tiles_of_warps", 1, {128, 1, 1}}};
  Program program("products.ptx", text.str());
  std::vector<float> c(n * n);
  for (std::vector<float>* const array : {&a, &b, &c}) program.give(*array);
  for (const Shape& shape : shapes) {
    INFO(shape.kernel);
    c.assign(n * n, -1);
    const Launched launched =
        program.launch(shape.kernel, {shape.blocks, shape.blocks, 1}, shape.threads, c, a, b, n, l);
    CHECK(launched.fault.empty());
    CHECK(c == product);
  }
}

} // namespace memlane::test
