// SPDX-License-Identifier: Apache-2.0
#include "engine/image/picture_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "engine/image/natural_order.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class PictureSource final : public InputSource {
 public:
  explicit PictureSource(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  [[nodiscard]] size_t size() const override { return paths_.size(); }
  [[nodiscard]] SampleKind kind() const override { return SampleKind::kPixels; }
  [[nodiscard]] std::string name(size_t index) const override { return paths_[index]; }
  [[nodiscard]] Shape sample_shape() const override { return {}; }

  Status read(size_t index, const Preprocess& preprocess, std::span<std::byte> out) const override {
    TESSERA_ASSIGN_OR_RETURN(const Image image, read_image_file(paths_[index]));
    return fit_image(image, preprocess, {reinterpret_cast<uint8_t*>(out.data()), out.size()})
        .with_context(paths_[index]);
  }

 private:
  std::vector<std::string> paths_;
};

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

bool has_picture_extension(const fs::path& path) {
  constexpr std::array kExtensions = {".png", ".jpg", ".jpeg", ".bmp",
                                      ".pgm", ".ppm", ".pnm",  ".pbm"};
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

struct FolderContent {
  std::vector<std::string> pictures;
  std::vector<std::string> folders;
};

// Links to files count as files; links to folders are not followed, they may lead in circles.
Status list_folder(const std::string& folder, FolderContent& content) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (is_hidden(entry->path())) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!entry->is_symlink(ignored)) content.folders.push_back(entry->path().string());
    } else if (has_picture_extension(entry->path())) {
      content.pictures.push_back(entry->path().string());
    }
  }
  return error ? not_found(error.message()).with_context(folder) : Status();
}

}  // namespace

std::unique_ptr<InputSource> make_picture_source(std::vector<std::string> paths) {
  return std::make_unique<PictureSource>(std::move(paths));
}

Status list_pictures(const std::string& folder, bool recursive, std::vector<std::string>& paths) {
  FolderContent content;
  std::vector<std::string> pictures;
  std::vector<std::string> pending = {folder};
  while (!pending.empty()) {
    const std::string current = std::move(pending.back());
    pending.pop_back();
    content = {};
    TESSERA_RETURN_IF_ERROR(list_folder(current, content));
    pictures.insert(pictures.end(), content.pictures.begin(), content.pictures.end());
    if (recursive) pending.insert(pending.end(), content.folders.begin(), content.folders.end());
  }
  if (pictures.empty()) {
    const bool look_below = !recursive && !content.folders.empty();
    return not_found(std::string("no pictures (.png .jpg .jpeg .bmp .pgm .ppm .pnm .pbm) in this "
                                 "folder") +
                     (look_below ? "; it has subfolders, which --recursive would read" : ""))
        .with_context(folder);
  }
  std::sort(pictures.begin(), pictures.end(), natural_less);
  paths.insert(paths.end(), pictures.begin(), pictures.end());
  return {};
}

}  // namespace tessera
