// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/status.h"
#include "engine/image/image.h"
#include "tessera/model.h"

namespace tessera {

// What the declared shape of an input says about pictures: (N, C, H, W) with C of 1 or 3,
// (N, H, W, C) likewise when C is not second, or (N, K) with K or K / 3 a square number (a square
// picture, gray or RGB). Open extents H and W stay 0. Normalisation is pixels / 255. kUnsupported
// names the shape of another input.
Result<Preprocess> preprocess_from_shape(const ValueInfo& input);

// Changes `preprocess` as a JSON object says: {"preset", "channels": gray | rgb | bgr, "width",
// "height", "resize": none | bilinear | bicubic | shortest, "resize_size", "scale", "mean", "std",
// "layout": NCHW | NHWC}; all are optional, "formula" and unknown keys are ignored. The numbers of
// a known preset come first, so that the other keys change it; a preset that is not known is a mere
// name and then scale, mean and std must be there. mean and std have one value for each channel, or
// one for all. kInvalidModel begins with `where` and names the key.
Status apply_preprocess_json(const nlohmann::json& json, const std::string& where,
                             Preprocess& preprocess);

}  // namespace tessera
