#include "cli/traffic.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// "1024": all alike; "0:16,0.5:400,1:8192": quantiles, each a share and the tokens that it does not exceed.
token_lengths parse_lengths(const std::string& option, const std::string& given) {
  if (given.find(':') == std::string::npos) return fixed_length(parse_count(option, given));
  std::vector<length_quantile> list;
  for (std::size_t at = 0; at <= given.size();) {
    const std::size_t end = std::min(given.find(',', at), given.size());
    const std::string one = given.substr(at, end - at);
    const std::size_t colon = one.find(':');
    if (colon == std::string::npos) refuse(option, given, "share:tokens,share:tokens ...", errc::malformed_input);
    const std::string share = one.substr(0, colon), tokens = one.substr(colon + 1);
    list.push_back({share == "0" ? 0 : parse_amount(option, share), tokens == "0" ? 0 : parse_count(option, tokens)});
    at = end + 1;
  }
  return lengths_from(list.data(), list.size());
}

void add_lengths(CLI::App& command, const std::string& option, token_lengths& into, const std::string& help) {
  command
      .add_option_function<std::string>(
          option, [option, &into](const std::string& given) { into = parse_lengths(option, given); }, help)
      ->default_str(std::to_string(into.longest));
}

weight_sharding parse_sharding(const std::string& given) {
  if (given == "1d") return weight_sharding::one_dimension;
  if (given == "2d") return weight_sharding::two_dimensions;
  if (given == "gathered") return weight_sharding::gathered;
  refuse("--cut", given, "1d, 2d or gathered", errc::unknown_name);
}

/// Host time of an engine, which replaces a constant.
void add_host_time(CLI::App& command, const std::string& option, seconds& into, seconds unit, const std::string& help) {
  command.add_option_function<double>(
      option,
      [option, &into, unit](double given) {
        if (!(given >= 0)) refuse(option, std::to_string(given), "0 or more");
        into = given * unit;
      },
      help);
}

}  // namespace

traffic_options::traffic_options() {
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
}

void add_traffic_options(CLI::App& command, traffic_options& into) {
  serving_job& job = into.job;
  add_lengths(command, "--input-len", job.prompt, "tokens of a prompt: 1024, or quantiles 0:16,0.5:400,1:8192");
  add_lengths(command, "--output-len", job.output, "output tokens, likewise");
  command.add_option("--concurrency", job.concurrency, "requests in flight; 0: as many as can run");
  command.add_option_function<double>(
      "--rate", [&job](double rate) { job.request_rate = per_second{rate}; },
      "requests a second that arrive at random");
  add(command, "--ttft", job.ttft_target, "target of the time to the first token: 2s");
  add(command, "--tpot", job.tpot_target, "target of the time per output token: 50ms");
}

void add_format_options(CLI::App& command, traffic_options& into) {
  add(command, "--weights", into.job.weights, "format of the weights");
  add(command, "--dtype", into.job.activations, "arithmetic: int8 or fp8 where products run quantised");
  command.add_option("--tensor", into.mesh.tensor, "devices of a replica; 0: the whole slice");
  command
      .add_option_function<std::string>(
          "--cut", [&into](const std::string& given) { into.mesh.weights = parse_sharding(given); },
          "sharding of the weights: 1d, 2d or gathered")
      ->default_str("1d");
  command.add_flag_callback(
      "--kv-by-batch", [&into] { into.mesh.cache = cache_sharding::batch; },
      "shard the cache by sequences, not by heads");
}

void add_engine_options(CLI::App& command, traffic_options& into) {
  serving_job& job = into.job;
  add(command, "--kv-dtype", job.cache, "format of the KV cache");
  command.add_option("--prefix-hit-rate", job.prefix_hit_rate, "share of prompt tokens that are cached already");
  command.add_option("--prefill-chunk", job.prefill_chunk, "tokens of a prompt that one step takes; 0: all");
  command.add_option("--max-running", job.max_running, "sequences that the engine decodes at once; 0: no limit");
  command.add_option("--block", job.block_tokens, "tokens in a block of the cache")->capture_default_str();
  command.add_flag_callback(
      "--reserved", [&job] { job.policy = cache_policy::reserved; },
      "the engine reserves the longest context for every sequence");
  command.add_option("--memory-fraction", job.memory_fraction, "of usable HBM, for weights and cache")
      ->capture_default_str();
  add_host_time(command, "--engine-ms", into.constants.engine_step, seconds{1e-3},
                "host time of an engine's step, if you know yours");
  add_host_time(command, "--engine-us-per-sequence", into.constants.engine_sequence, seconds{1e-6},
                "the same for each running sequence");
  command.add_flag("--beyond-max", job.beyond_max_positions, "contexts longer than the model was made for are meant");
}

}  // namespace cli
