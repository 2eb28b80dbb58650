// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/problem/epilogue.h"

namespace tessera::reference {

// f(x) as kernels/problem/epilogue.h defines it. NaN gives NaN for every kind.
double apply_activation(const Activation& activation, double x);

}  // namespace tessera::reference
