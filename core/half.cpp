// SPDX-License-Identifier: Apache-2.0
#include "core/half.h"

#include <bit>
#include <cmath>

namespace tessera {

float half_bits_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  float magnitude = 0.0f;
  if (exponent == 0x1f) {
    magnitude = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t float_to_half_bits(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  const float magnitude = std::fabs(value);
  if (magnitude == 0.0f) return sign;
  // 65520 is half way between the largest half (65504) and the next power of two.
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // One unit in the last place of a normal half of this exponent, or of the subnormals below them.
  const int ulp_exponent = exponent < -13 ? -24 : exponent - 11;
  // nearbyint rounds to even in the default rounding mode; the carry moves into the exponent.
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -ulp_exponent)));
  const uint32_t biased = exponent < -13 ? 0 : static_cast<uint32_t>(exponent + 13);
  return static_cast<uint16_t>(sign | ((biased << 10) + units));
}

float bfloat16_bits_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t float_to_bfloat16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  const uint32_t rounding = 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>((bits + rounding) >> 16);
}

}  // namespace tessera
