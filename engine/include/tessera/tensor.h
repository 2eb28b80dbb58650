// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensor, TensorDesc, Shape, DType, Status and Result are shared by all parts of the project.
#include "core/tensor.h"
