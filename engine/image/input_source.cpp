// SPDX-License-Identifier: Apache-2.0
#include "engine/image/input_source.h"

#include <array>
#include <filesystem>
#include <new>

#include "engine/image/array_source.h"
#include "engine/image/file_bytes.h"
#include "engine/image/gzip.h"
#include "engine/image/picture_source.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

enum class FileKind : uint8_t { kFolder, kPicture, kIdx, kNpy, kTensorProto };

// IDX files begin with two zero bytes, the element type (8 to 14) and the rank.
bool is_idx(std::span<const std::byte> head) {
  return head.size() >= 4 && head[0] == std::byte{0} && head[1] == std::byte{0} &&
         head[2] >= std::byte{8} && head[2] <= std::byte{14} && head[3] >= std::byte{1} &&
         head[3] <= std::byte{8};
}

// By content where it has a signature, by extension where a broken file should be reported as what
// it claims to be. The rest are pictures, judged when they are decoded.
Result<FileKind> classify(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return FileKind::kFolder;
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessBytes> file, open_file_bytes(path));
  std::vector<std::byte> head(static_cast<size_t>(std::min<int64_t>(file->size(), 8)));
  if (Status status = file->read(0, head); !status.ok()) return status.with_context(path);
  const std::string extension = fs::path(path).extension().string();
  if (is_gzip(head) || is_idx(head) || extension == ".gz") return FileKind::kIdx;
  if (extension == ".npy") return FileKind::kNpy;
  if (extension == ".pb") return FileKind::kTensorProto;
  return FileKind::kPicture;
}

Result<ArrayFile> open_array_file(const std::string& path, FileKind kind) {
  switch (kind) {
    case FileKind::kNpy:
      return open_npy_file(path);
    case FileKind::kTensorProto:
      return open_tensor_proto_file(path);
    default:
      return open_idx_file(path);
  }
}

// Collects consecutive pictures and closes them into one source when something else follows.
class SourceList {
 public:
  Status add(const std::string& path, const InputOptions& options) {
    TESSERA_ASSIGN_OR_RETURN(const FileKind kind, classify(path));
    if (kind == FileKind::kFolder) return list_pictures(path, options.recursive, pictures_);
    if (kind == FileKind::kPicture) {
      pictures_.push_back(path);
      return {};
    }
    close_pictures();
    TESSERA_ASSIGN_OR_RETURN(ArrayFile array, open_array_file(path, kind));
    TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<InputSource> source,
                             make_array_source(std::move(array), path));
    sources_.push_back(std::move(source));
    return {};
  }

  std::vector<std::unique_ptr<InputSource>> take() {
    close_pictures();
    return std::move(sources_);
  }

 private:
  void close_pictures() {
    if (!pictures_.empty()) sources_.push_back(make_picture_source(std::move(pictures_)));
    pictures_.clear();
  }

  std::vector<std::string> pictures_;
  std::vector<std::unique_ptr<InputSource>> sources_;
};

}  // namespace

Result<std::vector<std::unique_ptr<InputSource>>> open_inputs(std::span<const std::string> paths,
                                                              const InputOptions& options) {
  if (paths.empty()) return invalid_argument("no pictures were given");
  SourceList list;
  for (const std::string& path : paths) TESSERA_RETURN_IF_ERROR(list.add(path, options));
  return list.take();
}

}  // namespace tessera
