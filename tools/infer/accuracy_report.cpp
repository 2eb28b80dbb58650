// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/accuracy_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <set>

#include "kernels/accuracy/accuracy_grid.h"
#include "kernels/accuracy/kernel_errors.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"

namespace tessera::cli {
namespace {

using Cells = std::vector<std::string>;

// The row of a kernel among those of a group, made at its first mention.
AccuracyRow& row_of(std::vector<AccuracyRow>& rows, const AccuracyGroup& group,
                    const KernelEntry& entry) {
  for (AccuracyRow& row : rows) {
    if (row.kernel == entry.name) return row;
  }
  AccuracyRow row;
  row.operation = group.operation;
  row.precision = group.precision;
  row.layout = group.layout;
  row.kernel = entry.name;
  row.is_library = is_library_kernel(entry.name);
  rows.push_back(std::move(row));
  return rows.back();
}

void add_errors(const AccuracyGroup& group, const Problem& problem, const ProblemErrors& errors,
                std::vector<AccuracyRow>& rows) {
  for (const KernelError& kernel : errors.measured) {
    AccuracyRow& row = row_of(rows, group, *kernel.entry);
    if (row.problems == 0 || kernel.error.max > row.max) {
      row.max = kernel.error.max;
      row.worst = to_string(problem);
    }
    ++row.problems;
    row.mean += (kernel.error.mean - row.mean) / row.problems;
  }
  for (const Candidate& candidate : errors.refused) {
    AccuracyRow& row = row_of(rows, group, *candidate.entry);
    if (row.refused++ == 0) row.reason = candidate.support.reason();
  }
}

Status measure_group(const OpenDevice& device, const AccuracyGroup& group, AccuracyReport& report) {
  std::vector<AccuracyRow> rows;
  for (const Problem& problem : group.problems) {
    TESSERA_ASSIGN_OR_RETURN(const ProblemErrors errors,
                             measure_errors(problem, *device.backend, *device.device));
    add_errors(group, problem, errors, rows);
    report.failures.insert(report.failures.end(), errors.failures.begin(), errors.failures.end());
  }
  // The libraries last, where the eye compares with them.
  std::stable_partition(rows.begin(), rows.end(),
                        [](const AccuracyRow& row) { return !row.is_library; });
  report.rows.insert(report.rows.end(), rows.begin(), rows.end());
  return {};
}

Result<std::vector<AccuracyGroup>> groups_of(const std::string& operation) {
  std::vector<AccuracyGroup> groups = accuracy_grid();
  if (operation.empty()) return groups;
  std::set<std::string> known;
  for (const AccuracyGroup& group : groups) known.insert(group.operation);
  if (known.count(operation) == 0) {
    return invalid_argument(fmt::format("--operation {}: there is no such operation; there are {}",
                                        operation, fmt::join(known, ", ")));
  }
  std::erase_if(groups, [&](const AccuracyGroup& group) { return group.operation != operation; });
  return groups;
}

Json row_to_json(const AccuracyRow& row) {
  // JSON has no infinity.
  const auto number = [&](double value) {
    return row.problems > 0 && std::isfinite(value) ? Json(value) : Json();
  };
  return {{"operation", row.operation}, {"precision", row.precision},   {"layout", row.layout},
          {"kernel", row.kernel},       {"is_library", row.is_library}, {"problems", row.problems},
          {"refused", row.refused},     {"max", number(row.max)},       {"mean", number(row.mean)},
          {"worst", row.worst},         {"reason", row.reason}};
}

Cells cells(const AccuracyRow& row) {
  return {row.operation,
          row.precision,
          row.layout.empty() ? "-" : row.layout,
          row.kernel,
          std::to_string(row.problems),
          fmt::format("{:.1e}", row.max),
          fmt::format("{:.1e}", row.mean)};
}

const Cells kTitles = {"operation", "precision", "layout", "kernel", "problems", "max", "mean"};

std::string markdown_line(const Cells& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

}  // namespace

bool AccuracyReport::has_wrong() const {
  return !failures.empty() || std::any_of(rows.begin(), rows.end(), [](const AccuracyRow& row) {
    return !std::isfinite(row.max);
  });
}

Result<AccuracyReport> measure_accuracy(const OpenDevice& device, const std::string& operation,
                                        const std::function<void(size_t, size_t)>& progress) {
  AccuracyReport report;
  report.device = device.device->info();
  report.libraries = device.backend->describe_libraries();
  report.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (const char* commit = std::getenv("TESSERA_COMMIT")) report.commit = commit;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<AccuracyGroup> groups, groups_of(operation));
  for (size_t i = 0; i < groups.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(measure_group(device, groups[i], report));
    progress(i + 1, groups.size());
  }
  return report;
}

Json to_json(const AccuracyReport& report) {
  Json json = {{"device", describe_device(report.device)},
               {"driver", report.device.driver_version},
               {"runtime", report.device.runtime_version},
               {"libraries", report.libraries},
               {"commit", report.commit.empty() ? Json() : Json(report.commit)},
               {"date", report.date},
               {"command", report.command},
               {"rows", Json::array()},
               {"failures", report.failures}};
  for (const AccuracyRow& row : report.rows) json["rows"].push_back(row_to_json(row));
  return json;
}

std::string to_text(const AccuracyReport& report, bool aligned) {
  std::vector<Table::Column> columns;
  for (const std::string& title : kTitles) {
    columns.push_back({title, columns.size() < 4 ? Table::Align::kLeft : Table::Align::kRight});
  }
  Table table(columns);
  for (const AccuracyRow& row : report.rows) {
    if (row.problems > 0) table.add(cells(row));
  }
  std::string text = table.to_string(aligned);
  for (const std::string& failure : report.failures) text += "FAILED " + failure + '\n';
  return text;
}

std::string to_markdown(const AccuracyReport& report) {
  std::vector<std::string> facts = {describe_device(report.device)};
  facts.insert(facts.end(), report.libraries.begin(), report.libraries.end());
  facts.push_back(
      fmt::format("{}, commit {}", report.date, report.commit.empty() ? "unknown" : report.commit));
  std::string text = fmt::format("{}.\n\n`{}`\n\n", fmt::join(facts, "; "), report.command);
  text += markdown_line(kTitles) + "|---|---|---|---|---:|---:|---:|\n";
  for (const AccuracyRow& row : report.rows) {
    if (row.problems > 0) text += markdown_line(cells(row));
  }
  for (const std::string& failure : report.failures) text += "\nFailed: " + failure + '\n';
  return text;
}

}  // namespace tessera::cli
