// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "core/tensor.h"
#include "kernels/problem/problem.h"

namespace tessera {

// Whether a kernel can compute a problem on a device, and if not, why: a reason that a user reads
// ("K = 12 is not a multiple of 8"), not a code.
class Support {
 public:
  static Support yes() { return Support(""); }
  static Support no(std::string reason) { return Support(std::move(reason)); }

  [[nodiscard]] bool ok() const { return reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  explicit Support(std::string reason) : reason_(std::move(reason)) {}
  std::string reason_;
};

// Pointers of one launch, in device memory, in the order that the problem's header gives. An absent
// operand is null. Sizes follow from the problem.
struct Operands {
  std::span<const void* const> inputs;
  void* output = nullptr;
  void* workspace = nullptr;  // workspace_bytes() bytes, aligned to 256
};

// A kernel prepared for one problem on one device: primitives created, weights packed.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Scratch memory that launch needs, in device memory; its content is lost between launches.
  [[nodiscard]] virtual size_t workspace_bytes() const { return 0; }

  // Called at most once, before the first launch. `constants` has one entry per operand: a host
  // tensor where the operand is a constant of the model, null otherwise. Returns the indices of the
  // operands that the kernel has taken over in a form of its own; they will be null at launch.
  virtual Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants);

  // Enqueues the computation on `stream`. Does not wait, does not allocate, can be captured into a
  // graph. May be called from one thread at a time.
  virtual Status launch(const Operands& operands, Stream& stream) = 0;
};

// The layouts in which a kernel would like to read its first operand and write its result.
struct LayoutPreference {
  Layout src = Layout::kRowMajor;
  Layout dst = Layout::kRowMajor;
};

// One row of a backend's list of kernels. All functions require a problem of `family`; `create`
// requires supports(...).ok() too.
struct KernelEntry {
  std::string_view name;         // "conv_direct": unique within a backend
  std::string_view family;       // kFamily of the problem that it computes
  std::string_view description;  // one line: the idea
  Support (*supports)(const Problem& problem, const DeviceInfo& device);
  Result<std::unique_ptr<Kernel>> (*create)(const Problem& problem, Device& device);
  // Null when the kernel has no opinion (takes the layouts of the problem as they are).
  LayoutPreference (*prefer_layouts)(const Problem& problem, const DeviceInfo& device) = nullptr;
  // False for a library's kernel that has rules of its own for NaN and infinities, among its inputs
  // and where a result is beyond the largest number of its dtype.
  bool keeps_special_values = true;
  // m of Winograd's F(m x m, 3 x 3) where a convolution is computed by it, else 0. Its rounding
  // errors are larger than those of a sum of products, and an infinity or NaN of src may reach all
  // outputs of a tile: kernels/accuracy/winograd.h says how far.
  int winograd_outputs = 0;
};

namespace internal {

// The kernel of stateless_kernel_entry: the problem and a launch function.
template <typename ProblemT, auto Launch>
class StatelessKernel final : public Kernel {
 public:
  explicit StatelessKernel(ProblemT problem) : problem_(std::move(problem)) {}
  Status launch(const Operands& operands, Stream& stream) override {
    return Launch(problem_, operands, stream);
  }

 private:
  ProblemT problem_;
};

}  // namespace internal

// Makes the row of a kernel that keeps no state beyond its problem and needs no workspace, from
//   Support supports(const ProblemT&, const DeviceInfo&)
//   Status launch(const ProblemT&, const Operands&, Stream&)
template <typename ProblemT, auto Supports, auto Launch>
constexpr KernelEntry stateless_kernel_entry(std::string_view name, std::string_view description) {
  return KernelEntry{name, ProblemT::kFamily, description,
                     [](const Problem& problem, const DeviceInfo& device) {
                       return Supports(std::get<ProblemT>(problem), device);
                     },
                     [](const Problem& problem, Device&) -> Result<std::unique_ptr<Kernel>> {
                       return std::unique_ptr<Kernel>(
                           std::make_unique<internal::StatelessKernel<ProblemT, Launch>>(
                               std::get<ProblemT>(problem)));
                     }};
}

}  // namespace tessera
