// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/problem/conv.h"

namespace tessera {

// Winograd's minimal filtering F(m x m, 3 x 3): Lavin and Gray, Fast Algorithms for Convolutional
// Neural Networks, 2015, section 4. A tile of (m + 2) x (m + 2) of src gives m x m outputs:
//
//   Y = A^T ((G g G^T) .* (B^T d B)) A, the products .* summed over the channels
//
// The coefficients are functions, since device code can read no static array.
template <int kOutputs>
struct Winograd {
  static_assert(kOutputs == 2 || kOutputs == 4, "F(2 x 2, 3 x 3) or F(4 x 4, 3 x 3)");
  static constexpr int kTile = kOutputs + 2;

  // B^T, (Tile, Tile).
  static constexpr double input(int i, int j) {
    if constexpr (kOutputs == 2) {
      constexpr double k[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
      return k[i][j];
    } else {
      constexpr double k[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                  {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
      return k[i][j];
    }
  }
  // G, (Tile, 3).
  static constexpr double filter(int i, int j) {
    if constexpr (kOutputs == 2) {
      constexpr double k[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
      return k[i][j];
    } else {
      constexpr double k[6][3] = {{1.0 / 4, 0, 0},
                                  {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                  {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                  {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                  {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                  {0, 0, 1}};
      return k[i][j];
    }
  }
  // A^T, (Outputs, Tile).
  static constexpr double output(int i, int j) {
    if constexpr (kOutputs == 2) {
      constexpr double k[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
      return k[i][j];
    } else {
      constexpr double k[4][6] = {
          {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
      return k[i][j];
    }
  }
};

// The roundings of one output beside those of the sum over channels, in units of u times the
// magnitude below: a product with a matrix of r columns has r roundings, and src, weights and
// result are multiplied twice each.
constexpr double winograd_roundings(int outputs) {
  return 2.0 * (outputs + 2) + 2.0 * 4 + 2.0 * (outputs + 2);
}

// What the rounding errors of Winograd's algorithm are relative to, for each output as it lies in
// memory: |A^T| (sum over channels (|G| |g| |G^T|) .* (|B^T| |d| |B|)) |A| + |bias| + |residual|.
// By the rules for sums of products (Higham, Accuracy and Stability of Numerical Algorithms,
// section 3.5) the error of each factor is at most its roundings times u times this: the element by
// element form of theorem 2 in Barabasz, Anderson, Soodhalter and Gregg, Error Analysis and
// Improving the Accuracy of Winograd Convolution for Deep Neural Networks, 2020. Not finite where
// an infinity or NaN of src takes part in the tile's sums for this output, though the direct sum
// leaves it out. Requires: a 3 x 3 filter with stride and dilation 1 and one group; NCHW; values by
// operand.
std::vector<double> winograd_magnitudes(const ConvProblem& problem, int outputs,
                                        const std::vector<std::vector<double>>& values);

}  // namespace tessera
