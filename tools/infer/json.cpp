// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/json.h"

#include "tools/infer/console.h"

namespace tessera::cli {

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Status print_json(const Json& json) { return print_output(to_text(json, 2) + '\n'); }

}  // namespace tessera::cli
