#ifndef TPUPLAN_CLI_TRAFFIC_HPP
#define TPUPLAN_CLI_TRAFFIC_HPP

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/model/serving_job.hpp>

namespace cli {

/// The options that describe traffic and engine, as typed.
struct serve_options {
  std::string config, slice_name, prompt = "1024", output = "256";
  std::string ttft, tpot, weights = "bf16", cache = "bf16", activations = "bf16", cut = "1d", region = "us", prices,
                          gpu;
  std::int64_t concurrency = 0, chunk = 0, max_running = 0, block = 1, tensor = 0, gpus = 0;
  double rate = 0, prefix_hits = 0, memory_fraction = 0.9, engine_ms = -1, engine_us = -1;
  bool reserved = false, by_batch = false, beyond = false;
};

void add_traffic_options(CLI::App& command, serve_options& into);
/// Formats and sharding, which other commands name for themselves.
void add_format_options(CLI::App& command, serve_options& into);
void add_engine_options(CLI::App& command, serve_options& into);

tpuplan::serving_job make_serving(const serve_options& given);
tpuplan::serving_layout make_serving_layout(const serve_options& given);

}  // namespace cli

#endif
