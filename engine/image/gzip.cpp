// SPDX-License-Identifier: Apache-2.0
#include "engine/image/gzip.h"

// cmake/TesseraImages.cmake defines it for this file when zlib is there.
#ifdef TESSERA_HAVE_ZLIB
#include <algorithm>
#include <limits>
#include <zlib.h>
#endif

namespace tessera {

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

#ifdef TESSERA_HAVE_ZLIB
namespace {

// Deflate cannot pack more than this many bytes into one (RFC 1951: 258 bytes in 2 bits).
constexpr int64_t kMaxDeflateRatio = 1032;

class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> compressed)
      : compressed_(compressed), rest_(compressed) {}
  ~Inflater() {
    if (started_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Status start() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) {
      return out_of_memory("not enough memory to inflate it");
    }
    started_ = true;
    return {};
  }

  // Writes as much as there is, at most out.size() bytes; returns how much.
  Result<size_t> read(std::span<std::byte> out) {
    size_t done = 0;
    while (done < out.size() && !ended_) {
      feed();
      const auto room = std::min<size_t>(out.size() - done, kMaxChunk);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      stream_.avail_out = static_cast<uInt>(room);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      if (code == Z_STREAM_END) {
        TESSERA_RETURN_IF_ERROR(next_member());
      } else if (code == Z_BUF_ERROR && rest_.empty()) {
        return invalid_argument("the compressed data ends early");
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return invalid_argument(std::string("the compressed data is broken: ") +
                                (stream_.msg != nullptr ? stream_.msg : zError(code)));
      }
    }
    return done;
  }

 private:
  static constexpr size_t kMaxChunk = size_t{1} << 30;  // zlib counts in 32 bits

  void feed() {
    if (stream_.avail_in != 0) return;
    const auto chunk = rest_.first(std::min(rest_.size(), kMaxChunk));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(chunk.data()));
    stream_.avail_in = static_cast<uInt>(chunk.size());
    rest_ = rest_.subspan(chunk.size());
  }

  // What follows a member is another one or nothing.
  Status next_member() {
    const auto following = compressed_.last(rest_.size() + stream_.avail_in);
    ended_ = following.empty();
    if (ended_) return {};
    if (!is_gzip(following)) {
      return invalid_argument("garbage of " + std::to_string(following.size()) +
                              " bytes after the compressed data; if the file is otherwise right, "
                              "unpack it with gunzip");
    }
    // It fails only for a stream that was never opened.
    return inflateReset(&stream_) == Z_OK ? Status() : internal_error("zlib refused a reset");
  }

  z_stream stream_ = {};
  std::span<const std::byte> compressed_;
  std::span<const std::byte> rest_;  // not yet given to zlib
  bool started_ = false;
  bool ended_ = false;
};

Status too_long() { return invalid_argument("it inflates to more bytes than its header declares"); }

// Asks for one byte more than wanted: it must not be there, and the checksum is verified on the
// way.
Status check_end(Inflater& inflater) {
  std::byte extra{};
  TESSERA_ASSIGN_OR_RETURN(const size_t got, inflater.read({&extra, 1}));
  return got == 0 ? Status() : too_long();
}

}  // namespace

Result<std::vector<std::byte>> inflate_gzip(
    std::span<const std::byte> compressed, size_t head_bytes,
    const std::function<Result<int64_t>(std::span<const std::byte> head)>& measure) {
  Inflater inflater(compressed);
  TESSERA_RETURN_IF_ERROR(inflater.start());
  std::vector<std::byte> bytes(head_bytes);
  TESSERA_ASSIGN_OR_RETURN(size_t done, inflater.read(bytes));
  bytes.resize(done);
  TESSERA_ASSIGN_OR_RETURN(const int64_t total, measure(bytes));
  const auto compressed_bytes = static_cast<int64_t>(compressed.size());
  if (total / kMaxDeflateRatio > compressed_bytes) {
    return invalid_argument("its header declares " + std::to_string(total) +
                            " bytes, more than its " + std::to_string(compressed_bytes) +
                            " compressed bytes can hold");
  }
  if (total < static_cast<int64_t>(done)) return too_long();
  bytes.resize(static_cast<size_t>(total));
  TESSERA_ASSIGN_OR_RETURN(const size_t more, inflater.read(std::span(bytes).subspan(done)));
  done += more;
  if (done != static_cast<size_t>(total)) {
    return invalid_argument("it inflates to " + std::to_string(done) +
                            " bytes, its header declares " + std::to_string(total));
  }
  TESSERA_RETURN_IF_ERROR(check_end(inflater));
  return bytes;
}

#else

Result<std::vector<std::byte>> inflate_gzip(
    std::span<const std::byte>, size_t,
    const std::function<Result<int64_t>(std::span<const std::byte> head)>&) {
  return unavailable(
      "gzip files cannot be read: this build has no zlib (install zlib1g-dev and build again, or "
      "unpack the file with gunzip)");
}

#endif

}  // namespace tessera
