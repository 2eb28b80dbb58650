// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/kernel_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "kernels/timing/roof.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"

namespace tessera::cli {
namespace {

constexpr double kMicro = 1e-6;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// JSON has no infinity: an error without bound is the text "inf".
Json finite(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : "inf";
}

Json launch_to_json(const LaunchResources& launch) {
  return {{"blocks", launch.blocks},
          {"threads_per_block", launch.threads_per_block},
          {"registers_per_thread", launch.registers_per_thread},
          {"shared_bytes_per_block", launch.shared_bytes_per_block},
          {"local_bytes_per_thread", launch.local_bytes_per_thread},
          {"blocks_per_multiprocessor", launch.blocks_per_multiprocessor},
          {"occupancy", launch.occupancy}};
}

Json row_to_json(const MeasuredKernel& row) {
  Json json = {{"kernel", row.kernel}, {"problem", to_string(row.problem)}};
  if (!row.refused.empty()) json["refused"] = row.refused;
  if (!row.failed.empty()) json["failed"] = row.failed;
  if (!row.is_timed()) return json;
  const double seconds = row.microseconds.median * kMicro;
  json["median_us"] = row.microseconds.median;
  json["min_us"] = row.microseconds.min;
  json["p90_us"] = row.microseconds.p90;
  json["samples"] = row.microseconds.count;
  json["spread"] = row.spread;
  json["flops_per_second"] = problem_flops(row.problem) / seconds;
  json["bytes_per_second"] = problem_bytes(row.problem) / seconds;
  json["of_vendor"] = or_null(row.of_vendor);
  json["of_roof"] = or_null(row.of_roof);
  json["launches"] = Json::array();
  for (const LaunchResources& launch : row.launches) {
    json["launches"].push_back(launch_to_json(launch));
  }
  json["error"] = Json();
  if (row.error) {
    json["error"] = {{"worst_ratio", finite(row.error->worst_ratio)},
                     {"relative", finite(row.error->relative_error)},
                     {"elements", row.error->elements}};
  }
  return json;
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.1f}", 100 * *fraction) : "-";
}

// The launch with the most threads: the kernel itself, not what prepares or finishes for it.
const LaunchResources* main_launch(const MeasuredKernel& row) {
  const auto most =
      std::max_element(row.launches.begin(), row.launches.end(), [](const auto& a, const auto& b) {
        return a.blocks * a.threads_per_block < b.blocks * b.threads_per_block;
      });
  return most == row.launches.end() ? nullptr : &*most;
}

using Cells = std::vector<std::string>;

Cells titles(const std::string& family) {
  return {"problem",
          "kernel",
          "us",
          "spread %",
          is_memory_family(family) ? "GB/s" : "TFLOP/s",
          "vendor %",
          "roof %",
          "registers",
          "shared",
          "occupancy %",
          "error/tolerance",
          "relative error"};
}

Cells cells(const std::string& family, const std::string& problem, const MeasuredKernel& row) {
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  const double seconds = row.microseconds.median * kMicro;
  const double rate = is_memory_family(family) ? problem_bytes(row.problem) / kGiga
                                               : problem_flops(row.problem) / kTera;
  Cells result = {problem,
                  row.kernel,
                  fmt::format("{:.2f}", row.microseconds.median),
                  percent(row.spread),
                  fmt::format("{:.3g}", rate / seconds),
                  percent(row.of_vendor),
                  percent(row.of_roof)};
  const LaunchResources* launch = main_launch(row);
  result.push_back(launch ? std::to_string(launch->registers_per_thread) : "-");
  result.push_back(launch ? format_bytes(launch->shared_bytes_per_block) : "-");
  result.push_back(launch ? percent(launch->occupancy) : "-");
  result.push_back(row.error ? fmt::format("{:.3f}", row.error->worst_ratio) : "-");
  result.push_back(row.error ? fmt::format("{:.1e}", row.error->relative_error) : "-");
  return result;
}

// "refused KERNEL on PROBLEM: why", once for a reason that several problems have in common.
std::vector<std::string> refusal_lines(const KernelReport& report) {
  std::vector<std::string> lines;
  for (const KernelReport::Group& group : report.groups) {
    for (const MeasuredKernel& row : group.rows) {
      if (row.is_timed()) continue;
      const bool refused = !row.refused.empty();
      lines.push_back(fmt::format("{} {} on {}: {}", refused ? "refused" : "FAILED", row.kernel,
                                  group.problem.name, refused ? row.refused : row.failed));
    }
  }
  return lines;
}

template <typename Add>
void for_each_row(const KernelReport& report, Add&& add) {
  for (const KernelReport::Group& group : report.groups) {
    for (const MeasuredKernel& row : group.rows) {
      if (row.is_timed()) add(cells(report.family, group.problem.name, row));
    }
  }
}

std::string markdown_line(const Cells& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

}  // namespace

bool KernelReport::has_wrong() const {
  for (const Group& group : groups) {
    for (const MeasuredKernel& row : group.rows) {
      if (!row.failed.empty() || (row.error && !(row.error->worst_ratio <= 1))) return true;
    }
  }
  return false;
}

Json to_json(const KernelReport& report) {
  Json json = {{"device", describe_device(report.device)},
               {"driver", report.device.driver_version},
               {"runtime", report.device.runtime_version},
               {"clock_khz", report.device.clock_khz},
               {"memory_clock_khz", report.device.memory_clock_khz},
               {"commit", report.commit.empty() ? Json() : Json(report.commit)},
               {"date", report.date},
               {"command", report.command},
               {"family", report.family},
               {"dtype", report.dtype},
               {"problems", Json::array()}};
  for (const KernelReport::Group& group : report.groups) {
    const Problem& problem = group.problem.problem;
    const auto roof = problem_roof(problem, report.device);
    Json entry = {{"name", group.problem.name},
                  {"problem", to_string(problem)},
                  {"flops", problem_flops(problem)},
                  {"bytes", problem_bytes(problem)},
                  {"roof_us", roof ? Json(roof->microseconds) : Json()},
                  {"roof_is_memory", roof ? Json(roof->is_memory) : Json()},
                  {"rows", Json::array()}};
    for (const MeasuredKernel& row : group.rows) entry["rows"].push_back(row_to_json(row));
    json["problems"].push_back(std::move(entry));
  }
  return json;
}

std::string to_text(const KernelReport& report, bool aligned) {
  std::vector<Table::Column> columns;
  for (const std::string& title : titles(report.family)) {
    columns.push_back({title, columns.size() < 2 ? Table::Align::kLeft : Table::Align::kRight});
  }
  Table table(columns);
  for_each_row(report, [&](Cells row) { table.add(std::move(row)); });
  std::string text = table.to_string(aligned);
  for (const std::string& line : refusal_lines(report)) text += line + '\n';
  return text;
}

std::string to_markdown(const KernelReport& report) {
  std::string text = fmt::format(
      "{}; driver {}, runtime {}; {} MHz, memory {} MHz; {}, commit {}.\n\n`{}`\n\n",
      describe_device(report.device), report.device.driver_version, report.device.runtime_version,
      report.device.clock_khz / 1000, report.device.memory_clock_khz / 1000, report.date,
      report.commit.empty() ? "not stated" : report.commit, report.command);
  const Cells head = titles(report.family);
  text += markdown_line(head);
  std::string rule = "|";
  for (size_t i = 0; i < head.size(); ++i) rule += i < 2 ? "---|" : "--:|";
  text += rule + '\n';
  for_each_row(report, [&](const Cells& row) { text += markdown_line(row); });
  const std::vector<std::string> refusals = refusal_lines(report);
  if (!refusals.empty()) text += '\n';
  for (const std::string& line : refusals) text += "* " + line + '\n';
  return text;
}

}  // namespace tessera::cli
