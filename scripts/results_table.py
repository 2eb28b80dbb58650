#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results/README.md from the reports of scripts/gpu_check.sh beside it.

    scripts/results_table.py [docs/results]
"""
import json
import pathlib
import sys

INTRODUCTION = """# Results

Each `*.json` here is a report of `scripts/gpu_check.sh`, with the folders of that machine left out;
this page is made from them by `scripts/results_table.py`. A figure holds for the machine and date that
its report names. In reports a and b of 2026-11-29 `build` and `tests` failed for one reason: the
picture libraries lay in a private folder, where the picture tests' own includes and the
installed-package test did not find them; `memcheck` covers the kernels of that commit. In report c
the whole suite ran.
"""


def best_own_kernels(problems: list[dict]) -> str:
    """Of each problem the fastest kernel that is not a library's, with the peer it is compared with."""
    notes = []
    for problem in problems:
        rows = [row for row in problem["rows"] if "median_us" in row]
        own = [row for row in rows
               if not row["kernel"].startswith(("cublas", "cudnn", "onednn", "device copy"))]
        if not own:
            continue
        best = min(own, key=lambda row: row["median_us"])
        copy = [row for row in rows if row["kernel"] == "device copy"]
        note = f"{problem['name']} {best['kernel']} {best['median_us']:.1f} us"
        if best["of_vendor"] is not None:
            note += f", {best['of_vendor']:.0%} of library"
        if copy:
            note += f", {copy[0]['median_us'] / best['median_us']:.0%} of copy"
        notes.append(note)
    return "; ".join(notes)


def bench_note(batches: list[dict]) -> str:
    return "; ".join(f"batch {batch['batch']} {batch['host_to_host']['median_us']:.0f} us, on the "
                     f"device {batch['device_only']['median_us']:.0f}" for batch in batches)


def part_note(part: dict) -> str:
    """What a part's own output says in a few words."""
    output = part.get("output")
    if not isinstance(output, dict):
        return next((line.strip() for line in reversed(part.get("last_messages", []))
                     if "images/s" in line or "ERROR SUMMARY" in line
                     or "tests passed" in line), "")
    if "accuracy" in output:
        rate = output["images"] / output["seconds"]
        return f"{output['correct']} of {output['images']} correct, {rate:,.0f} images/s"
    if "problems" in output:
        return best_own_kernels(output["problems"])
    if "batches" in output:
        return bench_note(output["batches"])
    if "steps" in output and "ok" in output:
        worst = max(step["worst_ratio"] for step in output["steps"])
        return f"{len(output['steps'])} groups, worst error {worst:.2f} of its tolerance"
    return ""


def device_lines(part: dict) -> list[str]:
    """Copy bandwidths and launch times of the first device that has its own memory."""
    devices = [d for d in part.get("output", {}).get("devices", []) if d.get("copies")]
    if not devices:
        return []
    device = devices[0]
    rows = [f"| {name.replace('_gb_per_s', '').replace('_', ' ')} | {value:.1f} GB/s |"
            for name, value in device["copies"].items()]
    rows += [f"| {name.replace('_us', '').replace('_', ' ')} | {device[name]:.2f} us |"
             for name in ("launch_us", "launch_and_wait_us", "graph_us", "graph_and_wait_us")]
    return ["", "| device | measured |", "|---|---|", *rows]


def report_section(path: pathlib.Path) -> str:
    report = json.loads(path.read_text())
    lines = [f"## {path.name}", "",
             f"{report['gpu']}; {report['date']}; commit {report['commit']}", "",
             *([report["note"][0].upper() + report["note"][1:] + ".", ""] if "note" in report
               else []),
             "| part | outcome | seconds | note |", "|---|---|---|---|"]
    for part in report["parts"]:
        outcome = "ok" if part["exit_code"] == 0 else f"failed ({part['exit_code']})"
        lines.append(f"| {part['name']} | {outcome} | {part['seconds']:.1f} | {part_note(part)} |")
    for part in report["parts"]:
        if part["name"] == "device":
            lines += device_lines(part)
    return "\n".join(lines) + "\n"


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/results")
    reports = sorted(path for path in folder.glob("*.json")
                     if "parts" in json.loads(path.read_text()))
    sections = [INTRODUCTION, *map(report_section, reports)]
    (folder / "README.md").write_text("\n".join(sections))


if __name__ == "__main__":
    main()
