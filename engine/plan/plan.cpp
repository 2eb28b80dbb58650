// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/image/file_bytes.h"
#include "engine/plan/atomic_file.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json to_json(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json to_json(const PlanEntry& entry) {
  return {{"layer", entry.layer},
          {"problem", entry.problem},
          {"kernel", entry.kernel},
          {"microseconds", to_json(entry.evidence.microseconds)},
          {"error", to_json(entry.evidence.error)},
          {"runner_up",
           entry.evidence.runner_up.empty() ? Json(nullptr) : Json(entry.evidence.runner_up)},
          {"runner_up_microseconds", to_json(entry.evidence.runner_up_microseconds)}};
}

std::optional<double> optional_number(const Json& object, const char* key) {
  if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
  return object.at(key).get<double>();
}

PlanEntry entry_from_json(const Json& object) {
  PlanEntry entry;
  entry.layer = object.at("layer").get<std::string>();
  entry.problem = object.at("problem").get<std::string>();
  entry.kernel = object.at("kernel").get<std::string>();
  entry.evidence.microseconds = optional_number(object, "microseconds");
  entry.evidence.error = optional_number(object, "error");
  if (object.contains("runner_up") && !object.at("runner_up").is_null()) {
    entry.evidence.runner_up = object.at("runner_up").get<std::string>();
  }
  entry.evidence.runner_up_microseconds = optional_number(object, "runner_up_microseconds");
  return entry;
}

Plan plan_from_json(const Json& root) {
  Plan plan;
  plan.device = {root.at("device").get<std::string>(), root.at("driver").get<std::string>(),
                 root.at("libraries").get<std::string>()};
  plan.batch = root.at("batch").get<int64_t>();
  plan.precision = root.at("precision").get<std::string>();
  for (const Json& entry : root.at("layers")) plan.layers.push_back(entry_from_json(entry));
  return plan;
}

std::string quoted(const std::string& text) { return text.empty() ? "none" : "'" + text + "'"; }

}  // namespace

std::string to_string(const ChoiceEvidence& evidence) {
  std::ostringstream text;
  text.setf(std::ios::fixed);
  text.precision(1);
  if (evidence.microseconds) text << *evidence.microseconds << " us";
  if (evidence.microseconds && evidence.runner_up_microseconds) {
    text << ", runner-up " << evidence.runner_up << " " << *evidence.runner_up_microseconds
         << " us";
  }
  return text.str();
}

const PlanEntry* Plan::find(std::string_view layer, std::string_view problem) const {
  const auto match = std::find_if(layers.begin(), layers.end(), [&](const PlanEntry& entry) {
    return entry.layer == layer && entry.problem == problem;
  });
  return match == layers.end() ? nullptr : &*match;
}

std::string Plan::mismatch(const DeviceKey& here, int64_t batch_here,
                           const std::string& precision_here) const {
  const auto differs = [](const char* what, const std::string& planned, const std::string& now) {
    return std::string("is for ") + what + " " + quoted(planned) + ", here it is " + quoted(now);
  };
  if (device.device != here.device) return differs("device", device.device, here.device);
  if (device.driver != here.driver) return differs("driver", device.driver, here.driver);
  if (device.libraries != here.libraries) {
    return differs("libraries", device.libraries, here.libraries);
  }
  if (precision != precision_here) return differs("precision", precision, precision_here);
  if (batch != batch_here) {
    return "is for batch " + std::to_string(batch) + ", this network has " +
           std::to_string(batch_here);
  }
  return {};
}

Result<Plan> load_plan(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_file_bytes(path));
  const auto broken = [&](const std::string& why) {
    return invalid_argument(path + ": not a plan: " + why +
                            "; make one with infer tune MODEL --save-plan");
  };
  try {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const Json root = Json::parse(text, text + bytes.size());
    if (!root.is_object() || root.value("plan_format", 0) != kFormat) {
      return broken(R"("plan_format" must be 1)");
    }
    Plan plan = plan_from_json(root);
    plan.path = path;
    return plan;
  } catch (const nlohmann::json::exception& error) {
    return broken(error.what());
  }
}

Status save_plan(const Plan& plan, const std::string& path) {
  Json root = {{"plan_format", kFormat},       {"device", plan.device.device},
               {"driver", plan.device.driver}, {"libraries", plan.device.libraries},
               {"batch", plan.batch},          {"precision", plan.precision},
               {"layers", Json::array()}};
  for (const PlanEntry& entry : plan.layers) root["layers"].push_back(to_json(entry));
  return write_file_atomically(path,
                               root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace tessera
