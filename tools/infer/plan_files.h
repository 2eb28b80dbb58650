// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/executor/compiled_model.h"
#include "tools/infer/options.h"

namespace tessera::cli {

// The timing cache for --timing-cache; lines of it that cannot be read are counted on stderr.
Result<std::shared_ptr<TimingCache>> open_timing_cache(const std::string& path);

// Writes what --save-plan asks for, if it does.
Status save_plan_if_asked(const ExecutionOptions& options, const PlanReport& report,
                          const OpenDevice& device);

// The model and what belongs to it, which no run may write over.
std::vector<std::string> files_of_model(const std::string& model);

// Writing over what the run reads would destroy it: the same file under any name counts.
// kInvalidArgument names `flag` and the file.
Status refuse_to_overwrite(const std::string& flag, const std::string& target,
                           const std::vector<std::string>& read);

}  // namespace tessera::cli
