// Products of matrices: each shape and type of mma with the layout that PTX's manual gives for it,
// wmma from memory to memory, against products computed here; what is refused.
#include "opcode_tests.hpp"
#include "price_kernels.hpp"
#include "program.hpp"
#include "scalar.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace memlane::test {

using ptx::Opcode;
using ptx::Type;

namespace {

constexpr std::size_t lanes_of_product = 32;
constexpr const char* matrix_head = ".version 8.0\n.target sm_90\n.address_size 64\n";

using Numbers = std::vector<double>;

int bytes_of_type(Type type) { return ptx::bits_of(type) / 8; }

/// A number that the type has.
double random_number(Type type, std::mt19937_64& random) {
  const auto draw = [&](int most) {
    return static_cast<int>(
        static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(most) + 1)) - most);
  };
  switch (type) {
  case Type::s8: return draw(127);
  case Type::u8: return draw(127) + 127;
  case Type::s32: return draw(1 << 20);
  case Type::bf16: return draw(127) / 64.0;
  case Type::f16:
  case Type::tf32: return draw(1000) / 512.0;
  case Type::f32: return static_cast<double>(static_cast<float>(draw(1 << 20) / 3e5));
  default: return draw(1 << 30) / 3e8;
  }
}
std::uint64_t bits_of_number(double number, Type type) {
  switch (type) {
  case Type::f16: return half_of(number);
  case Type::bf16: return std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16;
  case Type::tf32:
  case Type::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  case Type::f64: return std::bit_cast<std::uint64_t>(number);
  default: return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  }
}
double number_of_bits(std::uint64_t bits, Type type) {
  switch (type) {
  case Type::f16: return number_of_half(static_cast<std::uint16_t>(bits));
  case Type::s32: return static_cast<std::int32_t>(bits);
  case Type::f64: return std::bit_cast<double>(bits);
  default: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

/// Row-major matrices and their product.
struct Product {
  int m, n, k;
  Numbers a, b, c;

  Product(std::array<int, 3> shape, Type of_a, Type of_b, Type of_c, std::mt19937_64& random)
      : m(shape[0]), n(shape[1]), k(shape[2]), a(filled(m * k, of_a, random)),
        b(filled(k * n, of_b, random)), c(filled(m * n, of_c, random)) {}
  /// Whether d is near enough to the element of a·b + c, for its type.
  bool is_right(int row, int column, double d, Type type) const {
    double sum = c[at(row, n, column)], size = std::abs(sum);
    for (int j = 0; j < k; ++j) {
      const double term = a[at(row, k, j)] * b[at(j, n, column)];
      sum += term;
      size += std::abs(term);
    }
    const double exact = type == Type::s32 || type == Type::u8 ? 0
                         : type == Type::f16                   ? 0x1p-11
                         : type == Type::f64                   ? 0x1p-50
                                                               : 0x1p-23;
    return std::abs(d - sum) <= exact * size;
  }
  static std::size_t at(int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  }

private:
  static Numbers filled(int count, Type type, std::mt19937_64& random) {
    Numbers all;
    for (int k = 0; k < count; ++k) all.push_back(random_number(type, random));
    return all;
  }
};

struct At {
  int row, column;
};
/// An instruction of mma, and which element is the i-th of a lane, as the manual's figures say.
/// `g`: the lane's group, `t`: its number in the group.
struct MmaForm {
  std::array<int, 3> shape;
  Type d, a, b, c;
  At (*in_a)(int g, int t, int i);
  At (*in_b)(int g, int t, int i);
};

std::vector<MmaForm> mma_forms() {
  std::vector<MmaForm> all;
  const auto halves = [&](Type product, Type sums) {
    all.push_back({{16, 8, 8},
                   sums,
                   product,
                   product,
                   sums,
                   [](int g, int t, int i) {
                     return At{i < 2 ? g : g + 8, 2 * t + (i & 1)};
                   },
                   [](int g, int t, int i) {
                     return At{2 * t + i, g};
                   }});
    all.push_back(
        {{16, 8, 16},
         sums,
         product,
         product,
         sums,
         [](int g, int t, int i) {
           return At{i < 2 || (i >= 4 && i < 6) ? g : g + 8, 2 * t + (i & 1) + (i < 4 ? 0 : 8)};
         },
         [](int g, int t, int i) {
           return At{2 * t + (i & 1) + (i < 2 ? 0 : 8), g};
         }});
  };
  halves(Type::f16, Type::f32);
  halves(Type::f16, Type::f16);
  halves(Type::bf16, Type::f32);
  const auto single_b = [](int g, int t, int i) { return At{t + 4 * i, g}; };
  const auto single_a = [](int g, int t, int i) {
    return At{i % 2 == 0 ? g : g + 8, t + 4 * (i / 2)};
  };
  all.push_back({{16, 8, 4}, Type::f32, Type::tf32, Type::tf32, Type::f32, single_a, single_b});
  all.push_back({{16, 8, 8}, Type::f32, Type::tf32, Type::tf32, Type::f32, single_a, single_b});
  all.push_back({{8, 8, 4},
                 Type::f64,
                 Type::f64,
                 Type::f64,
                 Type::f64,
                 [](int g, int t, int) {
                   return At{g, t};
                 },
                 single_b});
  for (const int k : {4, 8, 16})
    all.push_back({{16, 8, k}, Type::f64, Type::f64, Type::f64, Type::f64, single_a, single_b});
  for (const Type a : {Type::s8, Type::u8})
    for (const Type b : {Type::s8, Type::u8}) {
      all.push_back({{8, 8, 16},
                     Type::s32,
                     a,
                     b,
                     Type::s32,
                     [](int g, int t, int i) {
                       return At{g, 4 * t + i};
                     },
                     [](int g, int t, int i) {
                       return At{4 * t + i, g};
                     }});
      all.push_back({{16, 8, 16},
                     Type::s32,
                     a,
                     b,
                     Type::s32,
                     [](int g, int t, int i) {
                       return At{i < 4 ? g : g + 8, 4 * t + (i & 3)};
                     },
                     [](int g, int t, int i) {
                       return At{4 * t + i, g};
                     }});
      all.push_back(
          {{16, 8, 32},
           Type::s32,
           a,
           b,
           Type::s32,
           [](int g, int t, int i) {
             return At{i < 4 || (i >= 8 && i < 12) ? g : g + 8, 4 * t + (i & 3) + (i < 8 ? 0 : 16)};
           },
           [](int g, int t, int i) {
             return At{4 * t + (i & 3) + (i < 4 ? 0 : 16), g};
           }});
    }
  return all;
}

/// Registers of a fragment of so many elements of all lanes.
int registers_of(int elements, Type type) {
  return elements / static_cast<int>(lanes_of_product) * std::min(ptx::bits_of(type), 32) / 32;
}
std::string registers_text(const char* name, int first, int count) {
  std::vector<std::string> all;
  for (int k = 0; k < count; ++k) all.push_back(fmt::format("{}{}", name, first + k));
  return fmt::format("{{{}}}", fmt::join(all, ", "));
}
std::string type_text(Type type) { return std::string(ptx::name_of(type)); }

/// `k0`, …: each lane has 32 words of 64 bits of `in` and `out`: registers of a, b, c, and d.
std::string kernel_of(const MmaForm& form, std::size_t number) {
  const auto [m, n, k] = form.shape;
  const bool wide = form.d == Type::f64;
  const char* const name = wide ? "%l" : "%r";
  const int a = registers_of(m * k, form.a), b = registers_of(k * n, form.b),
            c = registers_of(m * n, form.c), d = registers_of(m * n, form.d);
  std::string text =
      fmt::format(".visible .entry k{}(.param .u64 in, .param .u64 out)\n{{\n.reg .b32 %r<64>;\n"
                  ".reg .b64 %l<64>;\nld.param.u64 %l50, [in];\nld.param.u64 %l51, [out];\n"
                  "mov.u32 %r60, %tid.x;\nmad.wide.u32 %l50, %r60, 256, %l50;\n"
                  "mad.wide.u32 %l51, %r60, 256, %l51;\n",
                  number);
  for (int reg = 0; reg < a + b + c; ++reg)
    text += fmt::format("ld.global.b{} {}{}, [%l50+{}];\n", wide ? 64 : 32, name, reg, 8 * reg);
  text += fmt::format("mma.sync.aligned.m{}n{}k{}.row.col.{}.{}.{}.{} {}, {}, {}, {};\n", m, n, k,
                      type_text(form.d), type_text(form.a), type_text(form.b), type_text(form.c),
                      registers_text(name, 30, d), registers_text(name, 0, a),
                      registers_text(name, a, b), registers_text(name, a + b, c));
  for (int reg = 0; reg < d; ++reg)
    text +=
        fmt::format("st.global.b{} [%l51+{}], {}{};\n", wide ? 64 : 32, 8 * reg, name, 30 + reg);
  return text + "ret;\n}\n";
}

} // namespace

const std::vector<Opcode>& matrix_opcodes() {
  static const std::vector<Opcode> all{Opcode::mma, Opcode::wmma};
  return all;
}

TEST_CASE("products of matrices in registers have the manual's layouts") {
  const std::vector<MmaForm> forms = mma_forms();
  std::string text = matrix_head;
  for (std::size_t k = 0; k < forms.size(); ++k) text += kernel_of(forms[k], k);
  Program program("mma.ptx", text);
  std::vector<std::uint64_t> in(32 * lanes_of_product), out(32 * lanes_of_product);
  program.give(in), program.give(out);
  std::mt19937_64 random(8);
  for (std::size_t number = 0; number < forms.size(); ++number) {
    const MmaForm& form = forms[number];
    const Product product(form.shape, form.a, form.b, form.c, random);
    const int per = std::max(1, 32 / ptx::bits_of(form.a)),
              per_sum = std::max(1, 32 / ptx::bits_of(form.c));
    const auto in_sum = [](int g, int t, int i) { return At{i < 2 ? g : g + 8, 2 * t + (i & 1)}; };
    const int a = registers_of(product.m * product.k, form.a),
              b = registers_of(product.k * product.n, form.b),
              c = registers_of(product.m * product.n, form.c);
    std::fill(in.begin(), in.end(), 0);
    for (int lane = 0; lane < static_cast<int>(lanes_of_product); ++lane) {
      const int g = lane / 4, t = lane % 4;
      std::uint64_t* const own = &in[static_cast<std::size_t>(32 * lane)];
      const auto put = [&](int first, int registers, int of_register, Type type, auto place,
                           const Numbers& numbers, int columns) {
        for (int i = 0; i < registers * of_register; ++i) {
          const At at = place(g, t, i);
          const std::uint64_t bits =
              bits_of_number(numbers[Product::at(at.row, columns, at.column)], type);
          const std::uint64_t all = ~std::uint64_t{0} >> (64 - ptx::bits_of(type));
          own[first + i / of_register] |= (bits & all) << (ptx::bits_of(type) * (i % of_register));
        }
      };
      put(0, a, per, form.a, form.in_a, product.a, product.k);
      put(a, b, per, form.b, form.in_b, product.b, product.n);
      put(a + b, c, per_sum, form.c, in_sum, product.c, product.n);
    }
    const Launched launched =
        program.launch(fmt::format("k{}", number), {1, 1, 1}, {lanes_of_product, 1, 1}, in, out);
    INFO(kernel_of(form, number) << launched.fault);
    REQUIRE(launched.fault.empty());
    for (int lane = 0; lane < static_cast<int>(lanes_of_product); ++lane)
      for (int i = 0; i < c * per_sum; ++i) {
        const At at = in_sum(lane / 4, lane % 4, i);
        const std::uint64_t bits =
            out[static_cast<std::size_t>(32 * lane + i / per_sum)] >> (16 * (i % per_sum));
        INFO("lane " << lane << ", element " << i);
        REQUIRE(product.is_right(at.row, at.column, number_of_bits(bits, form.d), form.d));
      }
  }
}

namespace {

struct WmmaForm {
  std::array<int, 3> shape;
  Type d, a, c;
  bool rows_a, rows_b, rows_c;
  bool shared;
};

std::vector<WmmaForm> wmma_forms() {
  std::vector<WmmaForm> all;
  int number = 0;
  const auto add = [&](std::array<int, 3> shape, Type d, Type a, Type c) {
    for (int layouts = 0; layouts < 8; ++layouts, ++number)
      all.push_back({shape, d, a, c, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0,
                     number % 3 == 0});
  };
  for (const std::array<int, 3> shape : {std::array{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}) {
    for (const Type d : {Type::f16, Type::f32})
      for (const Type c : {Type::f16, Type::f32}) add(shape, d, Type::f16, c);
    add(shape, Type::f32, Type::bf16, Type::f32);
    add(shape, Type::s32, Type::s8, Type::s32);
    add(shape, Type::s32, Type::u8, Type::s32);
  }
  add({16, 16, 8}, Type::f32, Type::tf32, Type::f32);
  add({8, 8, 4}, Type::f64, Type::f64, Type::f64);
  return all;
}

/// Lines of a matrix in memory have so many elements more than they need.
constexpr int spare = 8;

std::string kernel_of(const WmmaForm& form, std::size_t number) {
  const auto [m, n, k] = form.shape;
  const bool wide = form.d == Type::f64;
  const char* const name = wide ? "%l" : "%r";
  const int half = form.a == Type::f16 ? 8 : 0;
  const int a = half != 0 ? half : registers_of(m * k, form.a),
            b = half != 0 ? half : registers_of(k * n, form.a), c = registers_of(m * n, form.c),
            d = registers_of(m * n, form.d);
  const std::string shape = fmt::format("m{}n{}k{}", m, n, k);
  const auto layout = [](bool rows) { return rows ? "row" : "col"; };
  const char* const space = form.shared ? ".shared" : ".global";
  std::string text = fmt::format(
      ".visible .entry k{}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n"
      ".reg .b32 %r<64>;\n.reg .b64 %l<64>;\n.reg .pred %p1;\n.shared .align 32 .b8 s[24576];\n"
      "ld.param.u64 %l50, [a];\nld.param.u64 %l51, [b];\nld.param.u64 %l52, [c];\n"
      "ld.param.u64 %l53, [d];\n",
      number);
  if (form.shared) { // by the first lane
    text += "mov.u64 %l55, s;\nmov.u32 %r50, 0;\nCOPY:\ncvt.u64.u32 %l56, %r50;\n";
    int at = 0;
    for (const char* const from : {"%l50", "%l51", "%l52"}) {
      text += fmt::format("add.u64 %l57, {0}, %l56;\nld.global.u32 %r51, [%l57];\n"
                          "add.u64 %l57, %l55, %l56;\nst.shared.u32 [%l57+{1}], %r51;\n",
                          from, at);
      at += 8192;
    }
    text += "add.u32 %r50, %r50, 4;\nsetp.lt.u32 %p1, %r50, 8192;\n@%p1 bra COPY;\n"
            "mov.u64 %l50, %l55;\nadd.u64 %l51, %l55, 8192;\nadd.u64 %l52, %l55, 16384;\n";
  }
  const auto line = [&](bool rows, int height, int width) {
    return (rows ? width : height) + spare;
  };
  text += fmt::format("mov.u32 %r60, {};\n", line(form.rows_b, k, n));
  text += fmt::format("wmma.load.a.sync.aligned.{}.{}{}.{} {}, [%l50], {};\n", layout(form.rows_a),
                      shape, space, type_text(form.a), registers_text(name, 0, a),
                      line(form.rows_a, m, k));
  text +=
      fmt::format("wmma.load.b.sync.aligned.{}.{}{}.{} {}, [%l51], %r60;\n", layout(form.rows_b),
                  shape, space, type_text(form.a), registers_text(name, a, b));
  text += fmt::format("wmma.load.c.sync.aligned.{}.{}{}.{} {}, [%l52], {};\n", layout(form.rows_c),
                      shape, space, type_text(form.c), registers_text(name, a + b, c),
                      line(form.rows_c, m, n));
  const std::string types =
      form.a == Type::f16 ? fmt::format("{}.{}", type_text(form.d), type_text(form.c))
                          : fmt::format("{0}.{1}.{1}.{2}{3}", type_text(form.d), type_text(form.a),
                                        type_text(form.c), wide ? ".rn" : "");
  text += fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", layout(form.rows_a),
                      layout(form.rows_b), shape, types, registers_text(name, 40, d),
                      registers_text(name, 0, a), registers_text(name, a, b),
                      registers_text(name, a + b, c));
  text += fmt::format("wmma.store.d.sync.aligned.{}.{}.global.{} [%l53], {}, {};\n",
                      layout(form.rows_c), shape, type_text(form.d), registers_text(name, 40, d),
                      line(form.rows_c, m, n));
  return text + "ret;\n}\n";
}

/// Bytes of a matrix in memory.
std::size_t place_in(bool rows, int height, int width, int row, int column, Type type) {
  const int line = (rows ? width : height) + spare;
  return static_cast<std::size_t>((rows ? row * line + column : column * line + row) *
                                  bytes_of_type(type));
}

} // namespace

TEST_CASE("products of matrices in memory, of all shapes, types and layouts") {
  const std::vector<WmmaForm> forms = wmma_forms();
  std::string text = matrix_head;
  for (std::size_t k = 0; k < forms.size(); ++k) text += kernel_of(forms[k], k);
  Program program("wmma.ptx", text);
  std::vector<std::uint64_t> a(1024), b(1024), c(1024), d(1024);
  program.give(a), program.give(b), program.give(c), program.give(d);
  std::mt19937_64 random(9);
  for (std::size_t number = 0; number < forms.size(); ++number) {
    const WmmaForm& form = forms[number];
    const Product product(form.shape, form.a, form.a, form.c, random);
    const auto put = [&](std::vector<std::uint64_t>& memory, const Numbers& numbers, bool rows,
                         int height, int width, Type type) {
      for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
          const std::uint64_t bits = bits_of_number(numbers[Product::at(row, width, column)], type);
          std::memcpy(reinterpret_cast<char*>(memory.data()) +
                          place_in(rows, height, width, row, column, type),
                      &bits, static_cast<std::size_t>(bytes_of_type(type)));
        }
    };
    put(a, product.a, form.rows_a, product.m, product.k, form.a);
    put(b, product.b, form.rows_b, product.k, product.n, form.a);
    put(c, product.c, form.rows_c, product.m, product.n, form.c);
    std::fill(d.begin(), d.end(), 0x5a5a5a5a5a5a5a5a);
    const Launched launched =
        program.launch(fmt::format("k{}", number), {1, 1, 1}, {lanes_of_product, 1, 1}, a, b, c, d);
    INFO(kernel_of(form, number) << launched.fault);
    REQUIRE(launched.fault.empty());
    std::vector<std::uint8_t> untouched(d.size() * 8, 1);
    for (int row = 0; row < product.m; ++row)
      for (int column = 0; column < product.n; ++column) {
        const std::size_t at = place_in(form.rows_c, product.m, product.n, row, column, form.d);
        const auto bytes = static_cast<std::size_t>(bytes_of_type(form.d));
        std::uint64_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const char*>(d.data()) + at, bytes);
        INFO("row " << row << ", column " << column);
        REQUIRE(product.is_right(row, column, number_of_bits(bits, form.d), form.d));
        std::fill_n(untouched.begin() + static_cast<std::ptrdiff_t>(at), bytes, 0);
      }
    for (std::size_t k = 0; k < untouched.size(); ++k)
      REQUIRE((untouched[k] == 0 || reinterpret_cast<const std::uint8_t*>(d.data())[k] == 0x5a));
  }
}

namespace {

/// What decoding an instruction says; empty: it can be executed.
std::string refusal_of(const std::string& instruction) {
  Sources sources;
  const std::int32_t file = sources.add(
      "m.ptx", fmt::format("{}.visible .entry k()\n{{\n.reg .b32 %r<40>;\n.reg .b64 %l<40>;\n{}\n"
                           "ret;\n}}\n",
                           matrix_head, instruction));
  const Result<ptx::Module> decoded = ptx::parse(sources, file);
  return decoded ? "" : render(decoded.errors(), sources);
}

} // namespace

TEST_CASE("shapes, types and registers of matrices that do not belong together are refused") {
  const auto says = [](const std::string& instruction, const std::string& what) {
    const std::string said = refusal_of(instruction);
    INFO(instruction << "\n" << said);
    CHECK(said.find(what) != said.npos);
    CHECK(said.find("m.ptx:8:") == 0);
  };
  const std::string four = "{%r0, %r1, %r2, %r3}", two = "{%r0, %r1}";
  CHECK(refusal_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " + four + ", " + four +
                   ", " + two + ", " + four + ";") == "");
  CHECK(refusal_of("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " + four + ", " + two +
                   ", %r5, " + four + ";") == "");
  says("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " + four + ", " + two + ", " + two + ", " +
           four + ";",
       "no such shape of these types");
  says("mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 " + four + ", " + two + ", %r1, " + four +
           ";",
       "a is .row, b is .col");
  says("mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 " + four + ", " + two + ", %r1, " + four +
           ";",
       "a and b have different types");
  says("mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 " + two + ", " + two + ", %r1, " + two +
           ";",
       "no such types of d and c");
  says("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + two + ", " + two + ", %r1, " + four +
           ";",
       "matrix d has 4 registers here, not 2");
  says("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + four + ", {%l0, %l1}, %r1, " + four +
           ";",
       "matrix a has registers of 32 bits");
  says("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 " + two + ", %r0, %r1, " + two + ";",
       "memlane does not execute mma with .m8n8k32");
  says("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " + two + ", " + two + ", " + two +
           ", " + two + ";",
       "memlane does not execute mma with .sp");
  says("wmma.load.a.sync.aligned.row.m16n16k8.f16 " + four + ", [%l1], 16;", "no such shape");
  says("wmma.load.a.sync.aligned.m16n16k16.f16 " + four + ", [%l1], 16;", "needs .row or .col");
  says("wmma.load.a.sync.aligned.row.m16n16k8.tf32 " + four + ", [%r1], 16;",
       "an address has 64 bits");
  says("wmma.store.d.sync.aligned.row.m16n16k16.s32 [%l1], " + four + ", 16;",
       "matrix in memory has 8 registers here, not 4");
}

TEST_CASE("all lanes of a warp take part in a product of matrices") {
  Program program("part.ptx",
                  std::string(matrix_head) +
                      ".visible .entry k()\n{\n.reg .b32 %r<9>;\nmov.u32 %r0, 0;\nmov.u32 %r1, 0;\n"
                      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r0, %r1}, "
                      "{%r0}, {%r0, %r1};\nret;\n}\n");
  CHECK(program.launch("k", {1, 1, 1}, {64, 1, 1}).fault.empty());
  CHECK(program.launch("k", {1, 1, 1}, {48, 1, 1}).fault.find("part.ptx:9:1") != std::string::npos);
}

TEST_CASE("a product on tensor cores that nvcc has compiled") {
  Program program = Program::of_kernels("matrices");
  constexpr std::size_t n = 64;
  std::vector<std::uint16_t> a(n * n), b(n * n);
  std::vector<float> c(n * n);
  std::mt19937_64 random(3);
  for (std::uint16_t& one : a) one = half_of(random_number(Type::f16, random));
  for (std::uint16_t& one : b) one = half_of(random_number(Type::f16, random));
  program.give(a), program.give(b), program.give(c);
  const Launched launched =
      program.launch("tensor_product", {n / 32, n / 16, 1}, {64, 1, 1}, a, b, c, 64);
  INFO(launched.fault);
  REQUIRE(launched.fault.empty());
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += 2 * number_of_half(a[row * n + k]) * number_of_half(b[k * n + column]);
      REQUIRE(std::abs(static_cast<double>(c[row * n + column]) - sum) < 1e-3);
    }
}

TEST_CASE("loads and stores of matrices are a request for each register that is whole in memory") {
  PricedRun run("matrices.ptx", hmm(2, 32, 1, 1));
  const auto a = run.kernels.array<std::uint16_t>(1024, "a"),
             b = run.kernels.array<std::uint16_t>(1024, "b");
  auto* const c = run.kernels.array<float>(1024, "c");
  REQUIRE(run.launch("tensor_product", grid_of({1, 2, 1}, {64, 1, 1}), a, b, c, 32));
  // Of 2 blocks, 2 warps and 2 parts: 4 registers with pairs of a; 8 elements of b, whose pairs are
  // in columns; 8 numbers of c.
  CHECK(run.line("load_matrix_sync(in_a").requests == 8 * 4);
  CHECK(run.line("load_matrix_sync(in_b").requests == 8 * 8);
  CHECK(run.line("store_matrix_sync(c").requests == 4 * 8);
  // A register of a has 8 rows of 4 words, 8 words apart; of b 4 halves of words in each row.
  CHECK(run.line("load_matrix_sync(in_a").stages == 8 * 4 * 2);
  CHECK(run.pricing.result().races.races == 0);
}

} // namespace memlane::test
