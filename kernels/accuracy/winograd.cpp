// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/winograd.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace tessera {
namespace {

// y = |M| |x| for M (Rows, Inner) given by its coefficients, transposed to (Columns, Rows). A
// coefficient of 0 leaves an element out, infinite or not.
template <int kRows, int kInner, int kColumns, typename Coefficient>
void multiply_magnitudes(Coefficient coefficient, const double (&x)[kInner][kColumns],
                         double (&y)[kColumns][kRows]) {
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      y[j][i] = 0;
      for (int a = 0; a < kInner; ++a) {
        const double factor = std::fabs(coefficient(i, a));
        if (factor != 0) y[j][i] += factor * std::fabs(x[a][j]);
      }
    }
  }
}

// y = |M| |x| |M|^T.
template <int kRows, int kColumns, typename Coefficient>
void transform_magnitudes(Coefficient coefficient, const double (&x)[kColumns][kColumns],
                          double (&y)[kRows][kRows]) {
  double half[kColumns][kRows];
  multiply_magnitudes(coefficient, x, half);
  multiply_magnitudes(coefficient, half, y);
}

template <int kOutputs>
class Magnitudes {
 public:
  Magnitudes(const ConvProblem& problem, const std::vector<std::vector<double>>& values)
      : p_(problem), values_(values) {}

  std::vector<double> run() {
    transform_weights();
    std::vector<double> result(static_cast<size_t>(p_.N * p_.K * p_.P * p_.Q));
    for (int64_t n = 0; n < p_.N; ++n) {
      for (int64_t tile_p = 0; tile_p < p_.P; tile_p += kOutputs) {
        for (int64_t tile_q = 0; tile_q < p_.Q; tile_q += kOutputs) {
          add_tile(n, tile_p, tile_q, result);
        }
      }
    }
    return result;
  }

 private:
  static constexpr int kTile = Winograd<kOutputs>::kTile;
  struct Square {
    double at[kTile][kTile];
  };

  void transform_weights() {
    const std::vector<double>& weights = values_[ConvProblem::kWeights];
    weights_.resize(static_cast<size_t>(p_.K * p_.C));
    for (size_t i = 0; i < weights_.size(); ++i) {
      double filter[3][3];
      std::copy_n(&weights[i * 9], 9, &filter[0][0]);
      transform_magnitudes<kTile, 3>(Winograd<kOutputs>::filter, filter, weights_[i].at);
    }
  }

  Square transform_src(int64_t n, int64_t c, int64_t tile_p, int64_t tile_q) const {
    double patch[kTile][kTile] = {};
    for (int i = 0; i < kTile; ++i) {
      for (int j = 0; j < kTile; ++j) {
        const int64_t h = tile_p + i - p_.pad_top;
        const int64_t w = tile_q + j - p_.pad_left;
        if (h < 0 || h >= p_.H || w < 0 || w >= p_.W) continue;
        const int64_t index = ((n * p_.C + c) * p_.H + h) * p_.W + w;
        patch[i][j] = values_[ConvProblem::kSrc][static_cast<size_t>(index)];
      }
    }
    Square result;
    transform_magnitudes<kTile, kTile>(Winograd<kOutputs>::input, patch, result.at);
    return result;
  }

  void add_tile(int64_t n, int64_t tile_p, int64_t tile_q, std::vector<double>& result) const {
    std::vector<Square> src;
    for (int64_t c = 0; c < p_.C; ++c) src.push_back(transform_src(n, c, tile_p, tile_q));
    for (int64_t k = 0; k < p_.K; ++k) {
      double sums[kTile][kTile] = {};
      for (int64_t c = 0; c < p_.C; ++c) {
        const Square& filter = weights_[static_cast<size_t>(k * p_.C + c)];
        for (int i = 0; i < kTile; ++i) {
          for (int j = 0; j < kTile; ++j) {
            sums[i][j] += filter.at[i][j] * src[static_cast<size_t>(c)].at[i][j];
          }
        }
      }
      double outputs[kOutputs][kOutputs];
      transform_magnitudes<kOutputs, kTile>(Winograd<kOutputs>::output, sums, outputs);
      for (int64_t i = 0; i < kOutputs && tile_p + i < p_.P; ++i) {
        for (int64_t j = 0; j < kOutputs && tile_q + j < p_.Q; ++j) {
          const int64_t index = ((n * p_.K + k) * p_.P + tile_p + i) * p_.Q + tile_q + j;
          result[static_cast<size_t>(index)] = outputs[i][j] + epilogue(k, index);
        }
      }
    }
  }

  double epilogue(int64_t k, int64_t index) const {
    double sum = 0;
    if (p_.epilogue.has_bias) {
      sum += std::fabs(values_[ConvProblem::kBias][static_cast<size_t>(k)]);
    }
    if (p_.epilogue.has_residual) {
      sum += std::fabs(values_[ConvProblem::kResidual][static_cast<size_t>(index)]);
    }
    return sum;
  }

  const ConvProblem& p_;
  const std::vector<std::vector<double>>& values_;
  std::vector<Square> weights_;  // (K, C)
};

}  // namespace

std::vector<double> winograd_magnitudes(const ConvProblem& problem, int outputs,
                                        const std::vector<std::vector<double>>& values) {
  if (outputs == 2) return Magnitudes<2>(problem, values).run();
  return Magnitudes<4>(problem, values).run();
}

}  // namespace tessera
