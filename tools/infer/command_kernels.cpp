// SPDX-License-Identifier: Apache-2.0
// infer kernels [FAMILY]
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/nearest.h"
#include "engine/plan/atomic_file.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/kernel_report.h"
#include "tools/infer/options.h"
#include "tools/infer/page_section.h"

namespace tessera::cli {
namespace {

struct KernelsOptions {
  std::string family;
  std::string device = "auto";
  std::string sizes;
  std::string shapes;
  int64_t megabytes = 0;
  KernelProblemOptions problems;
  KernelBenchOptions bench;
  bool wants_json = false;
  std::string json_path;   // empty: stdout
  std::string write_path;  // a Markdown page
};

Status parse_shapes(const std::string& text, KernelProblemOptions& options) {
  for (const std::string& shape : split(text, ',')) {
    const std::string flag = "--shapes " + shape;
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> extents, parse_extents(flag, shape, 'x'));
    if (extents.size() != 3) return invalid_argument(flag + ": must be MxNxK");
    options.shapes.push_back({extents[0], extents[1], extents[2]});
  }
  return {};
}

// Sizes that take seconds: a GPU is only filled by large products, a CPU is busy with small ones.
std::vector<int64_t> default_sizes(const DeviceInfo& device) {
  if (device.multiprocessors > 0) return {1024, 4096};
  return {256, 512};
}

Status complete_problem_options(const DeviceInfo& device, KernelsOptions& options) {
  KernelProblemOptions& problems = options.problems;
  if (!options.shapes.empty()) TESSERA_RETURN_IF_ERROR(parse_shapes(options.shapes, problems));
  if (!options.sizes.empty()) {
    TESSERA_ASSIGN_OR_RETURN(problems.sizes, parse_extents("--sizes", options.sizes, ','));
  }
  if (problems.sizes.empty() && problems.shapes.empty()) problems.sizes = default_sizes(device);
  if (options.megabytes > 0) {
    constexpr int64_t kMost = int64_t{1} << 20;
    if (options.megabytes > kMost) {
      return invalid_argument(fmt::format("--megabytes {}: at most {}", options.megabytes, kMost));
    }
    problems.array_bytes = static_cast<size_t>(options.megabytes) << 20;
  }
  return {};
}

Status check_kernel_names(const Backend& backend, const KernelsOptions& options) {
  std::vector<std::string> known;
  for (const KernelEntry* entry : backend.kernels()) {
    if (entry->family == options.family) known.emplace_back(entry->name);
  }
  for (const std::string& name : options.bench.kernels) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = nearest_word(name, known);
    return invalid_argument(fmt::format("--kernel {}: backend {} has no {} kernel of that name; {}",
                                        name, backend.name, options.family,
                                        nearest.empty()
                                            ? fmt::format("it has {}", fmt::join(known, ", "))
                                            : fmt::format("did you mean {}?", nearest)));
  }
  return {};
}

Result<KernelReport> measure(const OpenDevice& device, const KernelsOptions& options) {
  KernelReport report;
  report.device = device.device->info();
  report.family = options.family;
  report.dtype = options.problems.dtype;
  report.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (const char* commit = std::getenv("TESSERA_COMMIT")) report.commit = commit;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<NamedProblem> problems,
                           kernel_problems(options.family, options.problems));
  for (const NamedProblem& problem : problems) {
    if (stderr_is_terminal()) print_note(fmt::format("{} {}", options.family, problem.name));
    auto rows = bench_kernels(device, problem.problem, options.bench);
    if (!rows.ok()) return rows.status();
    report.groups.push_back({problem, std::move(*rows)});
  }
  return report;
}

Status publish(const KernelReport& report, const KernelsOptions& options) {
  if (!options.write_path.empty()) {
    TESSERA_RETURN_IF_ERROR(
        write_section(options.write_path, "kernels " + report.family, to_markdown(report)));
  }
  if (options.wants_json && options.json_path.empty()) return print_json(to_json(report));
  if (options.wants_json) {
    TESSERA_RETURN_IF_ERROR(
        write_file_atomically(options.json_path, to_text(to_json(report), 1) + '\n'));
  }
  return print_output(to_text(report, stdout_is_terminal()));
}

// Without a family: the ladders, nothing is run.
Status list_kernels(const KernelsOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.device));
  Table table({{"family"}, {"kernel"}, {"idea"}});
  Json kernels = Json::array();
  const auto entries = device.backend->kernels();
  for (size_t i = entries.size(); i-- > 0;) {
    const KernelEntry& entry = *entries[i];
    table.add({std::string(entry.family), std::string(entry.name), std::string(entry.description)});
    kernels.push_back(
        {{"family", entry.family}, {"kernel", entry.name}, {"idea", entry.description}});
  }
  if (options.wants_json) {
    return print_json(
        {{"device", describe_device(device.device->info())}, {"kernels", std::move(kernels)}});
  }
  return print_table(table);
}

Result<int> run(KernelsOptions& options, const std::string& command) {
  const std::vector<std::string> families = families_with_problems();
  if (std::find(families.begin(), families.end(), options.json_path) != families.end()) {
    return invalid_argument(fmt::format(
        "--json {}: what follows --json is a file; put the family first", options.json_path));
  }
  if (options.family.empty()) {
    TESSERA_RETURN_IF_ERROR(list_kernels(options));
    return kExitOk;
  }
  // Names are checked before a device is opened.
  TESSERA_RETURN_IF_ERROR(kernel_problems(options.family, options.problems).status());
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.device));
  TESSERA_RETURN_IF_ERROR(complete_problem_options(device.device->info(), options));
  TESSERA_RETURN_IF_ERROR(check_kernel_names(*device.backend, options));
  print_note(fmt::format("infer: {} | {} | {} | caches cold, copies not in the figures",
                         describe_device(device.device->info()), options.family,
                         options.problems.dtype));
  TESSERA_ASSIGN_OR_RETURN(KernelReport report, measure(device, options));
  report.command = command;
  TESSERA_RETURN_IF_ERROR(publish(report, options));
  return report.has_wrong() ? kExitFailed : kExitOk;
}

}  // namespace

int run_kernels(int argc, const char* const* argv) {
  CLI::App app(
      "Times the kernels of a family, the simplest first; without a family lists them all.",
      "kernels");
  KernelsOptions options;
  KernelProblemOptions& problems = options.problems;
  app.add_option("FAMILY", options.family,
                 fmt::format("{}", fmt::join(families_with_problems(), ", ")));
  app.add_option("--device", options.device, "auto, cuda, cuda:N, cpu or reference")
      ->capture_default_str();
  app.add_option("--dtype", problems.dtype, "f32, tf32, f16 or bf16")->capture_default_str();
  app.add_option("--sizes", options.sizes, "gemm: M = N = K, such as 1024,4096");
  app.add_option("--shapes", options.shapes, "gemm: MxNxK,...");
  app.add_flag("--transpose-b", problems.transpose_b, "gemm: B is stored (N, K)");
  app.add_option("--preset", problems.preset, "conv: resnet18")->capture_default_str();
  app.add_option("--batch", problems.batch, "conv: samples")
      ->check(integer_from(1))
      ->capture_default_str();
  app.add_option("--megabytes", options.megabytes,
                 "other families: MiB of the largest array (256 by default)")
      ->check(integer_from(1));
  app.add_option("--kernel", options.bench.kernels, "only this kernel (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--budget", options.bench.budget_seconds, "seconds per kernel, problem and run")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI::Option* json = app.add_option("--json", options.json_path,
                                     "JSON into FILE, or on stdout when no FILE follows");
  json->expected(0, 1)->type_name("[FILE]");
  app.add_option("--write", options.write_path,
                 "rewrite the table of a Markdown page between its markers");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  options.wants_json = json->count() > 0;
  std::string command = "infer";
  for (int i = 0; i < argc; ++i) command += std::string(" ") + argv[i];
  const Result<int> result = run(options, command);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
