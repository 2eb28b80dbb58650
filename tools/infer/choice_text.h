// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/executor/compiled_model.h"

namespace tessera::cli {

// How the kernels of a model were chosen, for the header line: "automatic", or "forced by --backend
// onednn for 5 of 7 layers; automatic for pool".
std::string describe_choice(const PlanReport& plan);

}  // namespace tessera::cli
