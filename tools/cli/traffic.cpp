#include "cli/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/percentiles.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// "1024": all alike; "0:16,0.5:400,1:8192": quantiles, each a share and the tokens that it does not exceed.
double share_of(const std::string& option, const std::string& given) {
  double share = 0;
  read(option, given, {0, 1}, share);
  return share;
}
std::int64_t tokens_of(const std::string& option, const std::string& given, double least) {
  std::int64_t tokens = 0;
  read(option, given, {least, 1e9}, tokens);
  return tokens;
}

/// "lognormal:400,0.8,8192": median, spread of the logarithm, longest.
length_distribution parse_log_normal(const std::string& option, const std::string& given) {
  constexpr std::string_view valid = "lognormal:MEDIAN,SPREAD,LONGEST such as lognormal:400,0.8,8192";
  const std::size_t first = given.find(','), second = first == std::string::npos ? first : given.find(',', first + 1);
  if (second == std::string::npos || given.find(',', second + 1) != std::string::npos)
    refuse(option, given, valid, errc::malformed_input);
  const std::size_t from = given.find(':') + 1;
  double median = 0, spread = 0;
  read(option, given.substr(from, first - from), {1, 1e9}, median);
  read(option, given.substr(first + 1, second - first - 1), {1e-9, 10}, spread);
  return log_normal_lengths(median, spread, tokens_of(option, given.substr(second + 1), 1));
}

length_distribution parse_lengths(const std::string& option, const std::string& given) {
  if (given.rfind("lognormal:", 0) == 0) return parse_log_normal(option, given);
  if (given.find(':') == std::string::npos) return same_length(tokens_of(option, given, 1));
  std::vector<length_quantile> list;
  for (std::size_t at = 0; at <= given.size();) {
    const std::size_t end = std::min(given.find(',', at), given.size());
    const std::string one = given.substr(at, end - at);
    const std::size_t colon = one.find(':');
    if (colon == std::string::npos) refuse(option, given, "share:tokens,share:tokens ...", errc::malformed_input);
    const std::string share = one.substr(0, colon), tokens = one.substr(colon + 1);
    list.push_back({share_of(option, share), tokens_of(option, tokens, 0)});
    at = end + 1;
  }
  return lengths_by_quantiles(std::move(list));
}

void add_lengths(command& to, const std::string& option, token_lengths& moments, length_distribution& into,
                 const std::string& help) {
  to.add_read(option, help, [option, &moments, &into](const std::string& given) {
      into = parse_lengths(option, given);
      moments = lengths_of(into);
    }).usually(std::to_string(moments.longest));
}

/// Host time of an engine, which replaces a constant: "--engine-ms 2.5", or a time with its unit.
seconds read_host_time(const std::string& option, const std::string& given, const char* unit) {
  const std::optional<scaled_number> number = scan_number(given);
  seconds time{};
  read(option, number && number->rest.empty() ? given + unit : given, {0, 10}, time);
  return time;
}

weight_sharding parse_sharding(const std::string& given) {
  if (given == "1d") return weight_sharding::one_dimension;
  if (given == "2d") return weight_sharding::two_dimensions;
  if (given == "gathered") return weight_sharding::gathered;
  refuse("--mlp-sharding", given, "1d, 2d or gathered", errc::unknown_name);
}

}  // namespace

traffic_options::traffic_options() {
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  prompt_lengths = same_length(1024);
  output_lengths = same_length(256);
}

void add_length_options(command& to, traffic_options& into) {
  add_lengths(to, "--input-len", into.job.prompt, into.prompt_lengths,
              "tokens of a prompt: 1024, quantiles 0:16,0.5:400,1:8192, or lognormal:400,0.8,8192");
  add_lengths(to, "--output-len", into.job.output, into.output_lengths, "output tokens, likewise");
}

void add_traffic_options(command& to, traffic_options& into) {
  serving_job& job = into.job;
  add_length_options(to, into);
  to.add("--concurrency", job.concurrency, {1, 1e9}, "requests in flight; as many as can run, if not given");
  to.add("--rate", job.request_rate, "requests a second that arrive at random").excludes({"--concurrency"});
  to.add("--ttft", job.ttft_target, "target of the mean time to the first token: 2s");
  to.add("--tpot", job.tpot_target, "target of the mean time per output token: 50ms");
  add_percentile_options(to, job.percentiles);
}

void add_format_options(command& to, traffic_options& into) {
  to.add("--weights", into.job.weights, "format of the weights");
  to.add("--dtype", into.job.activations, "arithmetic: int8 or fp8 where products run quantised");
  to.add("--tensor", into.mesh.tensor, {1, 1 << 20}, "devices of a replica; the whole slice, if not given");
  to.add_read("--mlp-sharding", "sharding of the weights of the MLP: 1d, 2d or gathered",
              [&into](const std::string& given) { into.mesh.weights = parse_sharding(given); })
      .usually("1d");
  to.flag("--kv-by-batch", "shard the cache by sequences, not by heads",
          [&into] { into.mesh.cache = cache_sharding::batch; });
  to.add("--attention-group", into.mesh.attention, {1, 1 << 20},
         "of a mixture of experts: devices with a copy of the attention weights, experts over the whole replica")
      .excludes({"--kv-by-batch"});
}

void add_engine_options(command& to, traffic_options& into) {
  serving_job& job = into.job;
  const auto is_named = [](serving_engine engine) { return engine != serving_engine::unnamed; };
  to.add("--engine", job.engine,
         fmt::format("{}; what all have in common", names_where<serving_engine>(is_named).view()));
  to.add("--kv-dtype", job.cache, "format of the KV cache");
  to.add("--prefix-hit-rate", job.prefix_hit_rate, {0, 1},
         "share of prompt tokens that are cached already: 0.4 or 40%");
  to.add("--prefill-chunk", job.prefill_chunk, {1, 1e9}, "tokens of a prompt that one step takes; all, if not given");
  to.add("--max-running", job.max_running, {1, 1e9},
         "sequences that the engine decodes at once; no limit, if not given");
  to.add("--block", job.block_tokens, {1, 1e6}, "tokens in a block of the cache")
      .usually(std::to_string(job.block_tokens));
  to.flag("--reserved", "the engine reserves the longest context for every sequence",
          [&job] { job.policy = cache_policy::reserved; });
  to.add("--memory-fraction", job.memory_fraction, {0.01, 1}, "of usable HBM, for weights and cache")
      .usually(fmt::format("{:g}", job.memory_fraction));
  to.add_read("--engine-ms", "host time of an engine's step, if you know yours", [&into](const std::string& given) {
    into.constants.engine_step = read_host_time("--engine-ms", given, "ms");
    into.constants.engine_array = seconds{0};  // it is in that of the step
  });
  to.add_read("--engine-us-per-sequence", "the same for each running sequence", [&into](const std::string& given) {
    into.constants.engine_sequence = read_host_time("--engine-us-per-sequence", given, "us");
  });
  to.flag("--beyond-max", job.beyond_max_positions, "allow contexts longer than the model was trained for");
}

}  // namespace cli
