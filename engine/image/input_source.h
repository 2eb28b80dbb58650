// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "engine/image/image.h"

namespace tessera {

// What the samples of a source are.
enum class SampleKind : uint8_t {
  kPixels,  // pictures, to be fitted by a Preprocess
  kTensor,  // finished float32 network inputs, taken as they are
};

// An ordered set of samples, read on demand and from several threads at once.
class InputSource {
 public:
  virtual ~InputSource() = default;
  [[nodiscard]] virtual size_t size() const = 0;
  [[nodiscard]] virtual SampleKind kind() const = 0;
  // For messages and the first output column: "images/cat.png", "t10k.gz[17]".
  [[nodiscard]] virtual std::string name(size_t index) const = 0;
  // kTensor: shape of one sample, without the batch dimension. kPixels: empty.
  [[nodiscard]] virtual Shape sample_shape() const = 0;
  // Writes sample `index` to `out`: pixels fitted by `preprocess` (uint8, interleaved), or the
  // tensor's bytes. Thread-safe. An error concerns this sample only.
  virtual Status read(size_t index, const Preprocess& preprocess,
                      std::span<std::byte> out) const = 0;
};

struct InputOptions {
  bool recursive = false;
};

// Turns command line arguments into sources: consecutive pictures (files, and folders in sorted
// order) form one source; every IDX, IDX.gz, .npy and .pb file is one of its own. kNotFound for a
// path that is not there or an empty folder.
Result<std::vector<std::unique_ptr<InputSource>>> open_inputs(std::span<const std::string> paths,
                                                              const InputOptions& options);

// Labels of `infer eval`: an IDX1(.gz) file, a .npy of integers, a text file with one integer a
// line, or a .csv with columns name,label. kNotFound, kInvalidArgument.
struct LabelSet {
  std::vector<int64_t> by_index;                         // in the order of the samples, or
  std::vector<std::pair<std::string, int64_t>> by_name;  // by file name without folder
};
Result<LabelSet> load_label_set(const std::string& path);

}  // namespace tessera
