// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/status.h"
#include "engine/passes/passes.h"
#include "engine/program/kernel_choice.h"
#include "engine/program/program.h"

namespace tessera {

// A 2-D convolution in the layouts that `kernel` prefers. Requires: `conv` is row-major and the
// kernel supports it.
ConvProblem in_preferred_layouts(const ConvProblem& conv, const KernelEntry& kernel,
                                 const DeviceInfo& device);

// Chooses the kernel of every step, and with it the memory layout of every value. Convolutions read
// and write the layouts that their kernel prefers; pooling, element-wise functions and additions
// take the layout that their input has when a kernel can; everything else is row-major. Where a
// value is needed in another layout than it has, a reorder step is inserted once and shared.
// Returns the kernel of each step of the changed program. kUnsupported lists every step that the
// forced kernel, or every kernel, refuses, with the reasons.
Result<std::vector<KernelChoice>> assign_kernels(Program& program, const KernelChooser& chooser);

}  // namespace tessera
