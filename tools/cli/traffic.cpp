#include "cli/traffic.hpp"

#include <algorithm>
#include <vector>

#include "cli/format.hpp"

namespace cli {

using namespace tpuplan;

namespace {

token_lengths parse_lengths(const std::string& flag, const std::string& given) {
  if (given.find(':') == std::string::npos) return fixed_length(parse_count(flag, given));
  std::vector<length_quantile> list;
  for (std::size_t at = 0; at <= given.size();) {
    const std::size_t end = std::min(given.find(',', at), given.size());
    const std::string one = given.substr(at, end - at);
    const std::size_t colon = one.find(':');
    if (colon == std::string::npos) detail::fail(errc::malformed_input, flag, given, "share:tokens,share:tokens ...");
    const auto zero_or = [](const std::string& number, const auto& parse) { return number == "0" ? 0 : parse(number); };
    const double share = zero_or(one.substr(0, colon), [&](const std::string& x) { return parse_amount(flag, x); });
    const std::int64_t tokens =
        zero_or(one.substr(colon + 1), [&](const std::string& x) { return parse_count(flag, x); });
    list.push_back({share, tokens});
    at = end + 1;
  }
  return lengths_from(list.data(), list.size());
}

}  // namespace

void add_traffic_options(CLI::App& command, serve_options& into) {
  command.add_option("--input-len", into.prompt, "tokens of a prompt: 1024, or quantiles 0:16,0.5:400,1:8192")
      ->capture_default_str();
  command.add_option("--output-len", into.output, "output tokens, likewise")->capture_default_str();
  command.add_option("--concurrency", into.concurrency, "requests in flight; 0: as many as can run");
  command.add_option("--rate", into.rate, "requests a second that arrive at random");
  command.add_option("--ttft", into.ttft, "target of the time to the first token: 2s");
  command.add_option("--tpot", into.tpot, "target of the time per output token: 50ms");
}

void add_format_options(CLI::App& command, serve_options& into) {
  command.add_option("--weights", into.weights, "format of the weights")->capture_default_str();
  command.add_option("--dtype", into.activations, "arithmetic: int8 or fp8 where products run quantised")
      ->capture_default_str();
  command.add_option("--tensor", into.tensor, "devices of a replica; 0: the whole slice");
  command.add_option("--cut", into.cut, "sharding of the weights: 1d, 2d or gathered")->capture_default_str();
  command.add_flag("--kv-by-batch", into.by_batch, "shard the cache by sequences, not by heads");
}

void add_engine_options(CLI::App& command, serve_options& into) {
  command.add_option("--kv-dtype", into.cache, "format of the KV cache")->capture_default_str();
  command.add_option("--prefix-hit-rate", into.prefix_hits, "share of prompt tokens that are cached already");
  command.add_option("--prefill-chunk", into.chunk, "tokens of a prompt that one step takes; 0: all");
  command.add_option("--max-running", into.max_running, "sequences that the engine decodes at once; 0: no limit");
  command.add_option("--block", into.block, "tokens in a block of the cache")->capture_default_str();
  command.add_flag("--reserved", into.reserved, "the engine reserves the longest context for every sequence");
  command.add_option("--memory-fraction", into.memory_fraction, "of usable HBM, for weights and cache")
      ->capture_default_str();
  command.add_option("--engine-ms", into.engine_ms, "host time of an engine's step, if you know yours");
  command.add_option("--engine-us-per-sequence", into.engine_us, "the same for each running sequence");
  command.add_flag("--beyond-max", into.beyond, "contexts longer than the model was made for are meant");
}

serving_job make_serving(const serve_options& given) {
  serving_job job;
  job.prompt = parse_lengths("--input-len", given.prompt);
  job.output = parse_lengths("--output-len", given.output);
  job.concurrency = given.concurrency;
  job.request_rate = per_second{given.rate};
  if (!given.ttft.empty()) job.ttft_target = parse_duration("--ttft", given.ttft);
  if (!given.tpot.empty()) job.tpot_target = parse_duration("--tpot", given.tpot);
  job.weights = dtype_for(given.weights);
  job.cache = dtype_for(given.cache);
  job.activations = dtype_for(given.activations);
  job.prefix_hit_rate = given.prefix_hits;
  job.prefill_chunk = given.chunk;
  job.max_running = given.max_running;
  job.block_tokens = given.block;
  job.policy = given.reserved ? cache_policy::reserved : cache_policy::paged;
  job.memory_fraction = given.memory_fraction;
  job.beyond_max_positions = given.beyond;
  return job;
}

serving_layout make_serving_layout(const serve_options& given) {
  serving_layout mesh;
  mesh.tensor = given.tensor;
  if (given.cut == "2d") mesh.weights = weight_sharding::two_dimensions;
  if (given.cut == "gathered") mesh.weights = weight_sharding::gathered;
  if (given.cut != "1d" && mesh.weights == weight_sharding::one_dimension)
    detail::fail(errc::unknown_name, "--cut", given.cut, "1d, 2d or gathered");
  if (given.by_batch) mesh.cache = cache_sharding::batch;
  return mesh;
}

}  // namespace cli
