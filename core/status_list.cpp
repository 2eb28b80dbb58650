// SPDX-License-Identifier: Apache-2.0
#include "core/status_list.h"

namespace tessera {

void StatusList::add(const std::string& where, const Status& status) {
  add(status.with_context(where));
}

void StatusList::add(const Status& status) {
  if (status.ok()) return;
  combined_ = combined_.ok()
                  ? status
                  : Status(combined_.code(), combined_.message() + "\n" + status.message());
}

}  // namespace tessera
