// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_data.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "engine/graph/printable.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct Reference {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> parse_number(const std::string& key, const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalid_model("external data with " + key + " " + quote_name(text) +
                         ", which is not a number from 0 to 2^64 - 1");
  }
  return number;
}

Result<Reference> parse_reference(const onnx::TensorProto& tensor) {
  Reference reference;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      reference.location = entry.value();
    } else if (entry.key() == "offset") {
      TESSERA_ASSIGN_OR_RETURN(reference.offset, parse_number("offset", entry.value()));
    } else if (entry.key() == "length") {
      TESSERA_ASSIGN_OR_RETURN(reference.length, parse_number("length", entry.value()));
    }
  }
  if (reference.location.empty()) return invalid_model("external data without a location");
  return reference;
}

Status outside_folder(const std::string& location, const std::string& how) {
  return invalid_model("external data " + quote_name(location) + " is refused: it " + how +
                       ", and weights must lie in the model's folder or below it; move the file "
                       "there and correct the location");
}

// The file that `location` names, with symbolic links resolved.
Result<fs::path> resolve(const std::string& folder, const std::string& location) {
  if (folder.empty()) {
    return not_found("external data " + quote_name(location) +
                     " cannot be found: the model was read from memory, without a folder");
  }
  if (location.find('\0') != std::string::npos) {
    return invalid_model("external data " + quote_name(location) + ": a path cannot contain \\x00");
  }
  const fs::path relative(location);
  if (relative.is_absolute()) return outside_folder(location, "is an absolute path");
  if (std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    return outside_folder(location, "leaves the model's folder through '..'");
  }
  std::error_code error;
  const fs::path base = fs::canonical(folder, error);
  if (error) return not_found("folder " + quote_name(folder) + ": " + error.message());
  const fs::path file = fs::canonical(base / relative, error);
  if (error) {
    return not_found("external data " + quote_name(location) + " cannot be read in folder " +
                     quote_name(base.string()) + ": " + error.message() +
                     "; it belongs to the model and must be copied along with it");
  }
  if (std::mismatch(base.begin(), base.end(), file.begin(), file.end()).first != base.end()) {
    return outside_folder(location, "is a symbolic link that leaves the model's folder");
  }
  return file;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> ExternalFiles::open(const std::string& location) {
  TESSERA_ASSIGN_OR_RETURN(const fs::path path, resolve(folder_, location));
  std::shared_ptr<const MappedFile>& file = files_[path.string()];
  if (!file) {
    Result<std::shared_ptr<const MappedFile>> opened = MappedFile::open(path.string());
    if (!opened.ok()) return opened.status().with_context("external data " + quote_name(location));
    file = *opened;
  }
  return file;
}

Result<ExternalFiles::Range> ExternalFiles::find(const onnx::TensorProto& tensor,
                                                 size_t size_bytes) {
  TESSERA_ASSIGN_OR_RETURN(const Reference reference, parse_reference(tensor));
  if (reference.length && *reference.length != size_bytes) {
    return invalid_model("external data of " + std::to_string(*reference.length) +
                         " bytes where dtype and dims need " + std::to_string(size_bytes));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, open(reference.location));
  const std::span<const std::byte> bytes = file->bytes();
  // Written so that nothing can wrap: no sum of two numbers from the file.
  if (reference.offset > bytes.size() || size_bytes > bytes.size() - reference.offset) {
    return invalid_model("external data of " + std::to_string(size_bytes) + " bytes at offset " +
                         std::to_string(reference.offset) + " reaches past the end of " +
                         quote_name(reference.location) + ", which has " +
                         std::to_string(bytes.size()) + " bytes: is the file complete?");
  }
  return Range{bytes.subspan(reference.offset, size_bytes), file};
}

}  // namespace tessera
