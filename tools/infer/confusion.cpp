// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/confusion.h"

namespace tessera::cli {

int64_t Confusion::correct() const {
  int64_t sum = 0;
  for (size_t c = 0; c < classes_; ++c) sum += counts_[c * classes_ + c];
  return sum;
}

int64_t Confusion::labelled(int64_t label) const {
  int64_t sum = 0;
  for (size_t c = 0; c < classes_; ++c) sum += count(label, static_cast<int64_t>(c));
  return sum;
}

int64_t Confusion::predicted_as(int64_t predicted) const {
  int64_t sum = 0;
  for (size_t c = 0; c < classes_; ++c) sum += count(static_cast<int64_t>(c), predicted);
  return sum;
}

double Confusion::precision(int64_t c) const {
  return static_cast<double>(count(c, c)) / static_cast<double>(predicted_as(c));
}

double Confusion::recall(int64_t c) const {
  return static_cast<double>(count(c, c)) / static_cast<double>(labelled(c));
}

}  // namespace tessera::cli
