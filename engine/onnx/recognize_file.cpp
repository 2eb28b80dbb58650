// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/recognize_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "engine/graph/printable.h"

namespace tessera {
namespace {

using namespace std::string_view_literals;

struct Signature {
  size_t offset;
  std::string_view magic;
  std::string_view meaning;
};

constexpr std::array kSignatures = {
    Signature{0, "version https://git-lfs"sv,
              "a Git LFS pointer: run `git lfs pull` to fetch the model itself"sv},
    Signature{0, "PK\x03\x04"sv,
              "a ZIP archive (PyTorch .pt and .pth files are): unpack it, or export the model with "
              "torch.onnx.export"sv},
    Signature{0, "\x80\x02"sv,
              "a Python pickle (old PyTorch .pth files are): export the model with "
              "torch.onnx.export"sv},
    Signature{0, "\x89HDF\r\n"sv, "an HDF5 file (Keras .h5 files are): convert it with tf2onnx"sv},
    Signature{4, "TFL3"sv, "a TensorFlow Lite model: convert it with tf2onnx"sv},
    Signature{4, "ORTM"sv, "an ONNX Runtime .ort model: use the .onnx file it was made from"sv},
    Signature{0, "\x1f\x8b"sv, "a gzip archive: unpack it first"sv},
    Signature{0, "\x89PNG\r\n"sv, "a PNG image"sv},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG image"sv},
    Signature{0, "%PDF-"sv, "a PDF document"sv},
};

constexpr size_t kExaminedBytes = 512;

bool is_text(std::string_view head) {
  // The cut may have gone through a character of up to four bytes.
  for (size_t cut = 0; cut < 4 && cut < head.size(); ++cut) {
    const std::string_view whole = head.substr(0, head.size() - cut);
    if (is_valid_utf8(whole)) {
      return std::none_of(whole.begin(), whole.end(), [](char c) {
        return (static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
      });
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> recognize_foreign_file(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kExaminedBytes));
  for (const Signature& signature : kSignatures) {
    if (head.size() >= signature.offset &&
        head.substr(signature.offset).starts_with(signature.magic)) {
      return std::string(signature.meaning);
    }
  }
  if (head.empty()) return "an empty file";
  if (head.find("<html") != std::string_view::npos || head.starts_with("<!DOCTYPE")) {
    return "a web page: download the raw file";
  }
  if (is_text(head)) return "a text file";
  if (head.find_first_not_of('\0') == std::string_view::npos) {
    return "a file that starts with zeros: it may be an unfinished download";
  }
  return std::nullopt;
}

}  // namespace tessera
