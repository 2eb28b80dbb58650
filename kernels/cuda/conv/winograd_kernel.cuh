// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "core/math.h"
#include "kernels/cuda/conv/conv_winograd.cuh"
#include "kernels/cuda/conv/packed_conv.h"
#include "kernels/cuda/conv/winograd_gemm.h"

// The host side of the kernels conv_winograd_2x2 and conv_winograd_4x4.

namespace tessera::cuda {

// The transformed src and the products of one pass; more images than fit are done in several.
constexpr int64_t kWinogradWorkspaceBytes = int64_t{256} << 20;

// The tiles of `images` images from first_image on.
template <int kOutputs>
WinogradTiles winograd_tiles(const ConvProblem& p, int64_t first_image, int64_t images) {
  WinogradTiles tiles = {};
  tiles.first_image = first_image;
  tiles.images = images;
  tiles.tiles_p = ceil_div<int64_t>(p.P, kOutputs);
  tiles.tiles_q = ceil_div<int64_t>(p.Q, kOutputs);
  tiles.count = images * tiles.tiles_p * tiles.tiles_q;
  tiles.pitch = round_up(tiles.count, kWinogradPitch);
  tiles.depth = round_up(p.C, kWinogradDepth);
  tiles.pitch_k = round_up(p.K, kWinogradPitch);
  return tiles;
}

template <int kOutputs>
int64_t winograd_pass_bytes(const ConvProblem& p, const WinogradTiles& tiles) {
  constexpr int64_t kPositions = int64_t{Winograd<kOutputs>::kTile} * Winograd<kOutputs>::kTile;
  return kPositions * (tiles.depth + p.K) * tiles.pitch * static_cast<int64_t>(sizeof(float));
}

template <int kOutputs>
Support support_winograd(const ConvProblem& p, const DeviceInfo& device) {
  // With fewer channels the transforms take longer than the multiplications that they save.
  constexpr int64_t kFewestChannels = 32;
  if (const Support async = support_async_copies(device); !async.ok()) return async;
  if (const Support support = support_conv(p); !support.ok()) return support;
  if (p.R != 3 || p.S != 3) return Support::no("the filter is not 3 x 3");
  if (p.stride_h != 1 || p.stride_w != 1) return Support::no("a stride is not 1");
  if (p.dilation_h != 1 || p.dilation_w != 1) return Support::no("a dilation is not 1");
  if (p.groups != 1) return Support::no("there is more than one group");
  if (p.src_layout != Layout::kRowMajor || p.dst_layout != Layout::kRowMajor) {
    return Support::no("a layout is not NCHW");
  }
  if (p.C < kFewestChannels || p.K < kFewestChannels) {
    return Support::no("fewer than " + std::to_string(kFewestChannels) + " channels");
  }
  if (winograd_pass_bytes<kOutputs>(p, winograd_tiles<kOutputs>(p, 0, 1)) >
      kWinogradWorkspaceBytes) {
    return Support::no("an image needs a workspace of more than 256 MB");
  }
  return Support::yes();
}

template <int kOutputs>
class ConvWinograd final : public PackedConv {
 public:
  static Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
    const auto& p = std::get<ConvProblem>(any_problem);
    int64_t images = std::max<int64_t>(p.N, 1);
    while (winograd_pass_bytes<kOutputs>(p, winograd_tiles<kOutputs>(p, 0, images)) >
           kWinogradWorkspaceBytes) {
      images = ceil_div<int64_t>(images, 2);
    }
    return std::unique_ptr<Kernel>(new ConvWinograd(device, p, images));
  }

 private:
  static constexpr int kTile = Winograd<kOutputs>::kTile;

  ConvWinograd(Device& device, const ConvProblem& p, int64_t images_per_pass)
      : ConvWinograd(device, p, winograd_tiles<kOutputs>(p, 0, images_per_pass)) {}
  ConvWinograd(Device& device, const ConvProblem& p, const WinogradTiles& pass)
      : PackedConv(device, static_cast<size_t>(kTile * kTile * pass.depth * pass.pitch_k) * 4,
                   static_cast<size_t>(winograd_pass_bytes<kOutputs>(p, pass))),
        problem_(p),
        device_(device.info()),
        images_per_pass_(pass.images) {}

  Status pack(const void* weights, void* packed, Stream& stream) override {
    const WinogradTiles tiles = winograd_tiles<kOutputs>(problem_, 0, 1);
    return tessera::cuda::launch(winograd_weights_kernel<kOutputs>,
                                 elementwise_blocks(tiles.depth * tiles.pitch_k),
                                 kElementwiseThreads, 0, stream, problem_, tiles,
                                 static_cast<const float*>(weights), static_cast<float*>(packed));
  }

  Status run(const Operands& operands, const void* packed, void* scratch, Stream& stream) override {
    for (int64_t first = 0; first < problem_.N; first += images_per_pass_) {
      const WinogradTiles tiles =
          winograd_tiles<kOutputs>(problem_, first, std::min(images_per_pass_, problem_.N - first));
      TESSERA_RETURN_IF_ERROR(run_pass(tiles, operands, static_cast<const float*>(packed),
                                       static_cast<float*>(scratch), stream));
    }
    return {};
  }

  Status run_pass(const WinogradTiles& tiles, const Operands& operands, const float* weights,
                  float* scratch, Stream& stream) const {
    const ConvProblem& p = problem_;
    const ConvOperands g = conv_operands(operands);
    const int64_t src_elements = tiles.depth * tiles.pitch;
    float* products = scratch + kTile * kTile * src_elements;
    TESSERA_RETURN_IF_ERROR(
        tessera::cuda::launch(winograd_src_kernel<kOutputs>, elementwise_blocks(src_elements),
                              kElementwiseThreads, 0, stream, p, tiles, g.src, scratch));
    TESSERA_RETURN_IF_ERROR(launch_winograd_gemm(
        {weights, scratch, products, kTile * kTile, p.K, tiles.depth, tiles.pitch_k, tiles.pitch},
        device_, stream));
    return dispatch_activation(p.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
      return tessera::cuda::launch(winograd_dst_kernel<kOutputs, kActivation>,
                                   elementwise_blocks(p.K * tiles.pitch), kElementwiseThreads, 0,
                                   stream, p, g, tiles, products);
    });
  }

  ConvProblem problem_;
  DeviceInfo device_;
  int64_t images_per_pass_;
};

template <int kOutputs>
constexpr KernelEntry winograd_entry(std::string_view name, std::string_view description) {
  KernelEntry entry = {name, ConvProblem::kFamily, description,
                       [](const Problem& problem, const DeviceInfo& device) {
                         return support_winograd<kOutputs>(std::get<ConvProblem>(problem), device);
                       },
                       ConvWinograd<kOutputs>::create};
  entry.winograd_outputs = kOutputs;
  return entry;
}

}  // namespace tessera::cuda
