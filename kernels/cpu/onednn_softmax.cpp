// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

SoftmaxPrimitive::primitive_desc make_desc(const SoftmaxProblem& p) {
  const MemoryDesc desc({p.outer, p.axis, p.inner}, dnnl::memory::data_type::f32,
                        dnnl::memory::format_tag::abc);
  constexpr int kAxis = 1;
  return make_softmax_primitive_desc(onednn_engine(), desc, kAxis, onednn_attributes());
}

// False only if all values are finite. Without branches, so that it is vectorised.
bool may_be_special(const float* values, int64_t count) {
  float sum = 0.0f;
  for (int64_t i = 0; i < count; ++i) sum += values[i] * 0.0f;
  return std::isnan(sum);
}

// True when the formula gives NaN for the whole row: it holds NaN, or its maximum is infinite.
bool row_is_nan(const float* row, int64_t axis, int64_t stride) {
  float maximum = -std::numeric_limits<float>::infinity();
  for (int64_t a = 0; a < axis; ++a) {
    if (std::isnan(row[a * stride])) return true;
    maximum = std::max(maximum, row[a * stride]);
  }
  return std::isinf(maximum);
}

// oneDNN gives 0 and 1 where the whole row has to be NaN; everything else it gets right.
void restore_nan(const SoftmaxProblem& p, const float* src, float* dst) {
  const int64_t block = p.axis * p.inner;
  const int64_t grain = ceil_div(kParallelElements, std::max<int64_t>(block, 1));
  parallel_for(p.outer, grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      if (!may_be_special(src + o * block, block)) continue;
      for (int64_t i = 0; i < p.inner; ++i) {
        const int64_t row = o * block + i;
        if (!row_is_nan(src + row, p.axis, p.inner)) continue;
        for (int64_t a = 0; a < p.axis; ++a) {
          dst[row + a * p.inner] = std::numeric_limits<float>::quiet_NaN();
        }
      }
    }
  });
}

class OnednnSoftmax final : public Kernel {
 public:
  // Throws dnnl::error.
  OnednnSoftmax(const SoftmaxProblem& problem, const SoftmaxPrimitive::primitive_desc& desc)
      : problem_(problem), softmax_(SoftmaxPrimitive(desc), desc, {DNNL_ARG_SRC}) {}

  [[nodiscard]] size_t workspace_bytes() const override { return softmax_.workspace_bytes(); }

  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_RETURN_IF_ERROR(softmax_.launch(operands, stream));
    restore_nan(problem_, static_cast<const float*>(operands.inputs[SoftmaxProblem::kSrc]),
                static_cast<float*>(operands.output));
    return {};
  }

 private:
  SoftmaxProblem problem_;
  PrimitiveKernel softmax_;
};

Support supports(const Problem& problem, const DeviceInfo&) {
  const auto& p = std::get<SoftmaxProblem>(problem);
  if (Support f32 = supports_f32(p.dtype); !f32.ok()) return f32;
  if (p.log) {
    return Support::no("oneDNN's log-softmax is off by 1.4e-6, even for a row of one element");
  }
  return onednn_has_implementation([&] { make_desc(p); });
}

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device&) {
  return catch_onednn([&]() -> Result<std::unique_ptr<Kernel>> {
    const auto& p = std::get<SoftmaxProblem>(problem);
    return std::unique_ptr<Kernel>(std::make_unique<OnednnSoftmax>(p, make_desc(p)));
  });
}

}  // namespace

constinit const KernelEntry onednn_softmax = {"onednn_softmax", SoftmaxProblem::kFamily,
                                              "oneDNN softmax, then a pass that restores NaN",
                                              supports, create};

}  // namespace tessera::cpu
