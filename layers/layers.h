// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layers/layer.h"

// Declares softmax_layer, conv_layer, ...: one definition for each row of layers.inc.
namespace tessera {

#define TESSERA_LAYER(name) extern const LayerDef name##_layer;
#include "layers/layers.inc"
#undef TESSERA_LAYER

}  // namespace tessera
