// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/row_sink.h"

#include <algorithm>

namespace tessera::cli {

void RowSink::append_row(std::string_view row) {
  if (recent_ends_.empty() && pending_ends_.empty()) {
    recent_ends_.push_back(appended_);  // the head ends here
  }
  append(row);
  pending_ends_.push_back(appended_);
}

Status RowSink::flush() {
  const Status status = bytes_.flush();
  constexpr size_t kKept = 3;
  for (const size_t end : pending_ends_) {
    if (end > bytes_.written()) break;
    recent_ends_.push_back(end);
    if (recent_ends_.size() > kKept) recent_ends_.erase(recent_ends_.begin());
    ++rows_;
  }
  pending_ends_.clear();
  if (!status.ok() && bytes_.can_truncate() && !recent_ends_.empty()) {
    // The file's own error is the one to report, not what became of the tidying up.
    if (bytes_.truncate(std::min(recent_ends_.back(), bytes_.written())).ok()) {
      appended_ = bytes_.written();
    }
  }
  return status;
}

Status RowSink::drop_last_row() {
  recent_ends_.pop_back();
  --rows_;
  return bytes_.truncate(recent_ends_.back());
}

Status RowSink::write_tail(std::string_view text) {
  TESSERA_RETURN_IF_ERROR(flush());
  while (true) {
    const size_t start = bytes_.written();
    bytes_.append(text);
    const Status status = bytes_.flush();
    if (status.ok()) return status;
    if (!bytes_.can_truncate() || rows_ == 0 || recent_ends_.size() < 2) return status;
    TESSERA_RETURN_IF_ERROR(bytes_.truncate(start));
    TESSERA_RETURN_IF_ERROR(drop_last_row());
  }
}

}  // namespace tessera::cli
