// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

// IEEE 754 binary16 and bfloat16 as bit patterns. To 16 bits: round to nearest even, overflow to
// infinity, NaN stays NaN. To float: exact.
float half_bits_to_float(uint16_t bits);
uint16_t float_to_half_bits(float value);
float bfloat16_bits_to_float(uint16_t bits);
uint16_t float_to_bfloat16_bits(float value);

}  // namespace tessera
