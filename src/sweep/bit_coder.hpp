// Binary arithmetic coding with probabilities that adapt: a bit that is nearly always the same
// costs nearly nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace memlane::sweep {

/// How likely a bit is 1 where it is coded; adapts fast at first.
class BitChance {
public:
  /// Of 65536.
  std::uint32_t of_one() const { return chance_; }
  void update(bool bit) {
    const int rate = seen_ < 2 ? 2 : seen_ < 6 ? 3 : 4;
    if (bit)
      chance_ = static_cast<std::uint16_t>(chance_ + ((most - chance_) >> rate));
    else
      chance_ = static_cast<std::uint16_t>(chance_ - ((chance_ - least) >> rate));
    if (seen_ < 6) ++seen_;
  }

private:
  static constexpr int least = 400, most = 65136; // no bit costs much more than 7 bits
  std::uint16_t chance_ = 32768;
  std::uint8_t seen_ = 0;
};

/// Writes bits into bytes().
class BitEncoder {
public:
  bool bit(BitChance& chance, bool bit) {
    const std::uint32_t middle = split(low_, high_, chance);
    if (bit)
      high_ = middle;
    else
      low_ = middle + 1;
    chance.update(bit);
    for (; (low_ ^ high_) >> 24 == 0; low_ <<= 8, high_ = high_ << 8 | 0xff)
      bytes_ += static_cast<char>(static_cast<unsigned char>(high_ >> 24));
    return bit;
  }
  /// To be called once, at the end.
  const std::string& bytes() {
    // Behind the end, a decoder reads zeros.
    if (low_ != 0) bytes_ += static_cast<char>(static_cast<unsigned char>((low_ >> 24) + 1));
    return bytes_;
  }

  static std::uint32_t split(std::uint32_t low, std::uint32_t high, const BitChance& chance) {
    return low + static_cast<std::uint32_t>((std::uint64_t{high - low} * chance.of_one()) >> 16);
  }

private:
  std::string bytes_;
  std::uint32_t low_ = 0, high_ = 0xffffffff;
};

/// Reads them: any bytes give some bits.
class BitDecoder {
public:
  explicit BitDecoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) next();
  }
  /// The argument stands for the bit that an encoder takes.
  bool bit(BitChance& chance, bool = false) {
    const std::uint32_t middle = BitEncoder::split(low_, high_, chance);
    const bool bit = code_ <= middle;
    if (bit)
      high_ = middle;
    else
      low_ = middle + 1;
    chance.update(bit);
    for (; (low_ ^ high_) >> 24 == 0; low_ <<= 8, high_ = high_ << 8 | 0xff) next();
    return bit;
  }

private:
  void next() {
    const bool more = place_ < bytes_.size();
    code_ = code_ << 8 | (more ? static_cast<unsigned char>(bytes_[place_++]) : 0U);
  }

  std::string_view bytes_;
  std::size_t place_ = 0;
  std::uint32_t low_ = 0, high_ = 0xffffffff, code_ = 0;
};

/// A number from 0: how many bits it has, one by one, then its bits (Elias gamma).
class NumberChances {
public:
  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t number) {
    const int wanted = number == UINT64_MAX ? 64 : static_cast<int>(std::bit_width(number + 1)) - 1;
    int bits = 0;
    while (bits < 64 && coder.bit(length_[static_cast<std::size_t>(bits)], bits < wanted)) ++bits;
    if (bits == 64) return UINT64_MAX;
    std::uint64_t value = 1;
    for (int i = bits - 1; i >= 0; --i) {
      const bool next = ((number + 1) >> i & 1) != 0;
      // Only the highest bits are worth a chance of their own.
      const bool is_high = bits - i <= 2;
      const std::size_t context = is_high ? static_cast<std::size_t>(value & 3) : 4;
      value =
          value << 1 | (coder.bit(bits_[static_cast<std::size_t>(bits)][context], next) ? 1 : 0);
    }
    return value - 1;
  }

private:
  std::array<BitChance, 64> length_;
  std::array<std::array<BitChance, 5>, 64> bits_;
};

/// A text, character by character.
class TextChances {
public:
  template <class Coder>
  std::string code(Coder& coder, std::string_view text, std::uint64_t most) {
    std::string out;
    const std::uint64_t size = size_.code(coder, text.size());
    std::size_t kind = 0; // of the character before: decimals are digits
    for (std::uint64_t i = 0; i < size && i < most; ++i) {
      const unsigned next = i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
      unsigned code = 1;
      for (int b = 7; b >= 0; --b)
        code = code << 1 | (coder.bit(characters_[kind][code], (next >> b & 1) != 0) ? 1U : 0U);
      out += static_cast<char>(static_cast<unsigned char>(code & 0xff));
      kind = out.back() >= '0' && out.back() <= '9' ? 1 : 0;
    }
    return out;
  }

private:
  NumberChances size_;
  std::array<std::array<BitChance, 256>, 2> characters_;
};

} // namespace memlane::sweep
