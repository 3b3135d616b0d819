#ifndef TPUPLAN_ASK_SERVING_ROWS_HPP
#define TPUPLAN_ASK_SERVING_ROWS_HPP

#include <string_view>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/routing.hpp>

/// @file
/// The rows of the questions of serving: traffic, engine, fleet, router.

namespace tpuplan {
inline namespace abi_0 {

/// The lengths of the requests to an engine.
inline constexpr question_row length_rows[] = {
    rows::but_moments(
        rows::lengths("job.prompt", "--input-len", "Prompt",
                      "tokens of a prompt: 1024, quantiles 0:16,0.5:400,1:8192, or lognormal:400,0.8,8192")
            .usually("1024")
            .deciding("prompt"),
        "prompts"),
    rows::but_moments(rows::lengths("job.output", "--output-len", "Output", "output tokens, likewise")
                          .usually("256")
                          .deciding("output"),
                      "outputs"),
};
/// Latency targets by percentile.
inline constexpr question_row target_rows[] = {
    rows::target("job.percentiles.first_token", "--ttft-p50", "First token of 50 in 100 within", 0.5,
                 "time to the first token that 50 of 100 requests keep"),
    rows::target("job.percentiles.first_token", "--ttft-p90", "First token of 90 in 100 within", 0.9,
                 "time to the first token that 90 of 100 requests keep")
        .not_with("--ttft-p50"),
    rows::target("job.percentiles.first_token", "--ttft-p95", "First token of 95 in 100 within", 0.95,
                 "time to the first token that 95 of 100 requests keep")
        .not_with("--ttft-p50 --ttft-p90"),
    rows::target("job.percentiles.first_token", "--ttft-p99", "First token of 99 in 100 within", 0.99,
                 "time to the first token that 99 of 100 requests keep")
        .not_with("--ttft-p50 --ttft-p90 --ttft-p95"),
    rows::target("job.percentiles.per_token", "--tpot-p50", "Each token of 50 in 100 within", 0.5,
                 "time for each token that 50 of 100 requests keep"),
    rows::target("job.percentiles.per_token", "--tpot-p90", "Each token of 90 in 100 within", 0.9,
                 "time for each token that 90 of 100 requests keep")
        .not_with("--tpot-p50"),
    rows::target("job.percentiles.per_token", "--tpot-p95", "Each token of 95 in 100 within", 0.95,
                 "time for each token that 95 of 100 requests keep")
        .not_with("--tpot-p50 --tpot-p90"),
    rows::target("job.percentiles.per_token", "--tpot-p99", "Each token of 99 in 100 within", 0.99,
                 "time for each token that 99 of 100 requests keep")
        .not_with("--tpot-p50 --tpot-p90 --tpot-p95"),
    rows::target("job.percentiles.end_to_end", "--e2e-p50", "Whole request of 50 in 100 within", 0.5,
                 "time for the whole request that 50 of 100 requests keep"),
    rows::target("job.percentiles.end_to_end", "--e2e-p90", "Whole request of 90 in 100 within", 0.9,
                 "time for the whole request that 90 of 100 requests keep")
        .not_with("--e2e-p50"),
    rows::target("job.percentiles.end_to_end", "--e2e-p95", "Whole request of 95 in 100 within", 0.95,
                 "time for the whole request that 95 of 100 requests keep")
        .not_with("--e2e-p50 --e2e-p90"),
    rows::target("job.percentiles.end_to_end", "--e2e-p99", "Whole request of 99 in 100 within", 0.99,
                 "time for the whole request that 99 of 100 requests keep")
        .not_with("--e2e-p50 --e2e-p90 --e2e-p95"),
};
/// The traffic of an engine, and targets of its mean latencies.
inline constexpr question_row traffic_rows[] = {
    rows::count("job.concurrency", "--concurrency", "Requests in flight", "requests",
                "requests in flight; as many as can run, if not given")
        .within(1, 1e9),
    rows::rate("job.request_rate_per_s", "--rate", "Requests", "requests a second that arrive at random")
        .not_with("--concurrency")
        .deciding("rate"),
    rows::time("job.ttft_target_s", "--ttft", "First token within, mean",
               "target of the mean time to the first token: 2s")
        .within(1e-6, 1e9),
    rows::time("job.tpot_target_s", "--tpot", "Each token within, mean",
               "target of the mean time per output token: 50ms")
        .within(1e-6, 1e9),
};
namespace detail {
/// "1d" and "2d", as people write them, or the names of the library.
constexpr std::string_view sharding_named(std::string_view given) {
  if (given == "1d") return name(weight_sharding::one_dimension);
  if (given == "2d") return name(weight_sharding::two_dimensions);
  return given == name(weight_sharding::gathered) ? given : std::string_view{};
}
}  // namespace detail
/// How the weights of an MLP may be cut.
inline constexpr row_choices sharding_choices{detail::sharding_named, detail::enumerator_at<weight_sharding>,
                                              "1d, 2d or gathered"};
/// The formats and the sharding of an engine.
inline constexpr question_row format_rows[] = {
    rows::choice("job.weights", "--weights", "Weights", format_choices, "format of the weights").usually("as stored"),
    rows::choice("job.activations", "--dtype", "Arithmetic", format_choices,
                 "arithmetic: int8 or fp8 where products run quantised")
        .usually("bf16"),
    rows::count("mesh.tensor", "--tensor", "Devices of a replica", "devices",
                "devices of a replica; the whole slice, if not given")
        .within(1, 1 << 20),
    rows::choice("mesh.weights", "--mlp-sharding", "Sharding of the MLP", sharding_choices,
                 "sharding of the weights of the MLP: 1d, 2d or gathered")
        .usually("1d"),
    rows::flag("mesh.cache", "--kv-by-batch", "batch", "shard the cache by sequences, not by heads"),
    rows::count("mesh.attention", "--attention-group", "Devices that share attention", "devices",
                "of a mixture of experts: devices with a copy of the attention weights, experts over the whole replica")
        .within(1, 1 << 20)
        .not_with("--kv-by-batch"),
};
namespace detail {
constexpr bool is_named_engine(serving_engine engine) { return engine != serving_engine::unnamed; }
inline constexpr text<240> engine_help =
    names_where<serving_engine>(is_named_engine).append("; what all have in common");
}  // namespace detail
/// The engine that serves.
inline constexpr question_row served_engine_rows[] = {
    rows::choice("job.engine", "--engine", "Engine", engine_choices, detail::engine_help.view()).usually("unnamed"),
    rows::choice("job.cache", "--kv-dtype", "KV cache", format_choices, "format of the KV cache").usually("bf16"),
    rows::share("job.prefix_hit_rate", "--prefix-hit-rate", "Cached share of prompts",
                "share of prompt tokens that are cached already: 0.4 or 40%")
        .within(0, 0.999),
    rows::count("job.prefill_chunk", "--prefill-chunk", "Tokens of a step", "tokens",
                "that a step takes of prompts, beside sequences that decode: vLLM's max_num_batched_tokens")
        .within(1, 1e9)
        .usually("as the engine has it: 2048 of vLLM, 4096 of SGLang-JAX, all of a prompt"),
    rows::count("job.max_running", "--max-running", "Running at most", "sequences",
                "sequences that the engine decodes at once; no limit, if not given")
        .within(1, 1e9),
    rows::count("job.block_tokens", "--block", "Block of the cache", "tokens", "tokens in a block of the cache")
        .within(1, 1e6)
        .usually("as the engine has it: 16 to 256 of vLLM, 128 of SGLang-JAX, else 1"),
    rows::flag("job.policy", "--reserved", "reserved", "the engine reserves the longest context for every sequence"),
    rows::share("job.memory_fraction", "--memory-fraction", "Share of HBM", "of usable HBM, for weights and cache")
        .within(0.05, 1)
        .usually("0.9"),
    rows::time("constants.known_step_s", "--engine-ms", "Host time of a step",
               "host time of an engine's step, if you know yours")
        .within(0, 10)
        .in("ms"),
    rows::time("constants.engine_sequence_s", "--engine-us-per-sequence", "Host time of a sequence",
               "the same for each running sequence")
        .within(0, 10)
        .in("us"),
    rows::flag("job.beyond_max_positions", "--beyond-max", "true",
               "allow contexts longer than the model was trained for"),
};
namespace detail {
inline constexpr text<240> served_software_help = text<240>(names_of<software_level>())
                                                      .append(
                                                          "; first_port: experts in kernels that nobody fused, such "
                                                          "as epmoe of SGLang-JAX");
}  // namespace detail
/// How well the program that serves is tuned.
inline constexpr question_row served_software_rows[] = {
    rows::choice("job.software", "--software", "Software", software_choices, detail::served_software_help.view())
        .usually("unnamed"),
};
/// How an engine speculates.
inline constexpr question_row speculation_rows[] = {
    rows::count("job.speculation.draft_tokens", "--draft-tokens", "Draft", "tokens",
                "tokens that a round of speculation drafts; the engine does not speculate, if not given")
        .within(1, 4096)
        .with("--acceptance --accepted-length"),
    rows::share("job.speculation.acceptance", "--acceptance", "Accepted",
                "chance that a draft token is accepted where those before it were")
        .within(1e-6, 0.9999)
        .with("--draft-tokens"),
    rows::number("job.speculation.accepted_length", "--accepted-length", "Tokens of a round", "tokens",
                 "mean tokens of a round, the one of the model itself included, as engines report it")
        .within(1, 4097)
        .with("--draft-tokens")
        .not_with("--acceptance"),
    rows::number("job.speculation.draft_cost", "--draft-cost", "Drafting", "steps",
                 "time to draft the tokens of a round, as a share of a step without speculation")
        .within(1e-6, 100)
        .with("--draft-tokens")
        .usually("of --draft-parameters what they read of HBM over what a step reads"),
    rows::count("job.speculation.parameters", "--draft-parameters", "Draft model", "parameters",
                "parameters of a model beside the served one that drafts; heads that come with it are counted with it")
        .within(1, 1e13)
        .with("--draft-tokens"),
    rows::number("job.speculation.cache_per_token_bytes", "--draft-cache", "Cache of drafts", "bytes",
                 "bytes that the model that drafts keeps of each token, as tpuplan model says of it")
        .within(1, 1e9)
        .with("--draft-parameters"),
};
/// What requests bring besides text.
inline constexpr question_row image_rows[] = {
    rows::count("job.images", "--images", "Images", "images",
                "in each request, of a model with a vision tower; their tokens come on top of the prompt")
        .within(1, 1000),
};
/// Adapters on one base.
inline constexpr question_row adapter_rows[] = {
    rows::count("adapters", "--adapters", "Adapters", "adapters", "low-rank adapters that are on the chips at once")
        .within(1, 100000)
        .with("--adapter-rank"),
    rows::count("adapter_rank", "--adapter-rank", "Rank of an adapter", "", "of every matrix of attention and MLP")
        .within(1, 4096)
        .with("--adapters"),
};
/// The slice of an engine.
inline constexpr question_row engine_slice_rows[] = {
    rows::words("slice", "--slice", "Slice", "v6e-8, v5e-16, v5p-8 …").needed(),
};

/// Lengths as a simulation draws them, and what else it is asked.
inline constexpr question_row drawn_length_rows[] = {
    rows::but_drawn(length_rows[0], "prompts"),
    rows::but_drawn(length_rows[1], "outputs"),
};
/// The rows of the fleet that serves.
inline constexpr question_row fleet_rows[] = {
    rows::count("slices", "--slices", "Slices", "slices", "which share the traffic").within(1, 1e5).usually("1"),
    rows::rate("job.request_rate_per_s", "--rate", "Requests", "requests a second to all slices").deciding("rate"),
    rows::count("job.concurrency", "--concurrency", "Requests in flight", "requests",
                "in flight over all replicas: each client sends its next request when the one before has ended")
        .within(1, 1e7)
        .not_with("--rate --trace --variation"),
    rows::time("ramp_s", "--ramp", "Ramp", "clients begin evenly over that time; all at once, if not given")
        .within(1e-3, 1e6)
        .with("--concurrency"),
    rows::count("warm_up", "--warm-up", "Not counted", "requests",
                "first requests that are not counted, at least one of each client")
        .within(1, 1e7)
        .with("--concurrency"),
    rows::number("variation", "--variation", "Variation", "",
                 "standard deviation over mean of the time between arrivals: 0 constant, 1 Poisson, more bursts")
        .within(0, 20)
        .usually("1")
        .not_with("--trace"),
    rows::file("trace", "--trace", "a CSV file TIMESTAMP,ContextTokens,GeneratedTokens, as Azure publishes them")
        .not_with("--rate --input-len --output-len --svg")
        .deciding("requests requests_that_are_counted"),
    rows::count("requests", "--requests", "Requests", "requests", "drawn for the replica that is simulated")
        .within(200, 1e7)
        .usually("2000, fewer of more than 4096 output tokens, more where these leave open whether all are served; at "
                 "least 10 of a client")
        .not_with("--trace")
        .deciding("requests_that_are_counted"),
    rows::count("seed", "--seed", "Seed", "", "of the random numbers").usually("1").not_with("--trace"),
    rows::share("urgent_share", "--urgent", "Urgent",
                "share of the requests that go before all others, as with --scheduling-policy=priority of vLLM")
        .within(0.001, 0.999)
        .not_with("--trace --split-slices --prefill-slices"),
    rows::flag("prefill", "--alone", "alone", "prompts are computed in steps of their own, in which nothing decodes"),
};
/// What a plan of serving is asked besides its traffic and its limits.
inline constexpr question_row served_rows[] = {
    rows::choice("job.weights", "--serving-weights", "Weights", format_choices, "format of the weights that are served")
        .usually("as stored")
        .not_with("--weights"),
    rows::choice("job.activations", "--dtype", "Arithmetic", format_choices, "where products run quantised")
        .usually("bf16"),
};
/// Whose price simulated tokens have.
inline constexpr question_row token_price_rows[] = {
    rows::choice("kind", "--provisioning", "Way of paying", payment_choices, "whose price tokens have")
        .usually("on_demand"),
};
/// The rows of what may be paid for an hour.
inline constexpr question_row hourly_rows[] = {
    rows::dollars_an_hour("budget_usd_per_s", "--budget", "Budget", "dollars an hour").within(1e-6, 1e12),
    rows::count("most_plans", "--rows", "Plans", "plans", "plans to show").within(1, 1e6).usually("8"),
};
namespace detail {
constexpr std::string_view routing_named(std::string_view given) { return name_or_none(parse_request_routing(given)); }
}  // namespace detail
/// The ways of a router.
inline constexpr row_choices routing_choices = detail::choices_of<request_routing>(detail::routing_named);

/// The router of a fleet, and conversations.
inline constexpr question_row routing_rows[] = {
    rows::choice("routing", "--routing", "Routing", routing_choices,
                 "where a router sends requests: in turn, at random, to the shortest queue, to who has the prefix")
        .usually("each replica a random share; a trace, and prefixes, in turn, of which a plan takes the best way"),
    rows::count("sessions.turns", "--turns", "Turns", "requests",
                "requests of a conversation, each of which begins with those before it and their answers")
        .within(2, 1e4)
        .not_with("--trace --prefix-hit-rate"),
    rows::time("sessions.think_s", "--think", "Thinking", "mean time from an answer to the next turn")
        .within(1e-3, 1e6)
        .with("--turns"),
    rows::but_drawn(rows::lengths("sessions.opening", "--opening-len", "Opening",
                                  "tokens that a conversation begins with, such as a file, besides --input-len"),
                    "sessions.opening")
        .with("--turns"),
    rows::count("sessions.shared_prefix", "--shared-prefix", "Shared prefix", "tokens",
                "tokens that all conversations of a group begin with, such as a system prompt, on top of --input-len")
        .within(1, 1e9)
        .not_with("--trace --prefix-hit-rate"),
    rows::count("sessions.groups", "--prefix-groups", "Groups", "prefixes", "different ones of these")
        .within(1, 1e6)
        .with("--shared-prefix")
        .usually("1"),
    rows::number("host_cache_gib", "--host-cache", "Cache on hosts", "GiB",
                 "memory of the hosts of a replica that keeps what the chips have no room for")
        .within(1e-3, 1e6)
        .with("--turns --shared-prefix"),
};
/// A prefix that all requests have, where no conversations say how much of it is found.
inline constexpr question_row shared_rows[] = {
    rows::count("job.shared_prefix", "--shared-prefix", "Shared prefix", "tokens",
                "of the tokens of --input-len those that all prompts of a group begin with, in the cache once")
        .within(1, 1e9)
        .with("--prefix-hit-rate"),
    rows::count("job.prefix_groups", "--prefix-groups", "Groups", "prefixes", "different ones of these")
        .within(1, 1e6)
        .with("--shared-prefix")
        .usually("1"),
};
/// Prefill and decode apart.
inline constexpr question_row split_rows[] = {
    rows::count("split_slices", "--split-slices", "Slices, split", "slices",
                "shared between prompts and decoding so that they serve most, beside as many that do both")
        .within(2, 1e5)
        .not_with("--prefill-slices --slices --concurrency --routing --turns --shared-prefix --svg --alone"),
    rows::count("split.prefill", "--prefill-slices", "Slices for prompts", "slices",
                "which compute prompts alone and send their caches to --decode-slices")
        .within(1, 1e5)
        .with("--decode-slices")
        .not_with("--slices --concurrency --routing --turns --shared-prefix --svg --alone"),
    rows::count("split.decode", "--decode-slices", "Slices that decode", "slices", "which decode what they are sent")
        .within(1, 1e5)
        .with("--prefill-slices"),
    rows::number("split.transfer_bytes_per_s", "--transfer-rate", "Rate of caches", "bytes a second",
                 "from a replica to another, such as 29G; published ones of v6e and tpu7x, if not given")
        .within(1e6, 1e15)
        .with("--prefill-slices --split-slices"),
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
