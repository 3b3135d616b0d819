#ifndef TPUPLAN_MODEL_ENGINES_HPP
#define TPUPLAN_MODEL_ENGINES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/rows.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// Engines that serve: an enumerator and a row each. Estimates, plans, launch files, records, help and refusals read
/// the rows. The constants that are fitted to an engine's runs are rows of estimate/serving/calibration.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// How an engine allocates memory for keys and values.
enum class cache_policy : std::uint8_t {
  paged,     ///< in blocks, as many as a sequence needs: vLLM, SGLang, ragged paged attention
  reserved,  ///< the longest context for every sequence, and attention over all of it: JetStream, MaxText
};

/// "paged" or "reserved".
[[nodiscard]] constexpr std::string_view name(cache_policy policy) noexcept {
  constexpr const char* names[] = {"paged", "reserved"};
  return detail::name_of(names, static_cast<std::size_t>(policy));
}

/// The program that serves. Its attention kernel and its scheduler affect the time of every step. Enumerators and their
/// names are stable; a new one is added at the end, with its row in `engines`.
enum class serving_engine : std::uint8_t {
  unnamed,         ///< not given: what all engines have in common
  jetstream,       ///< JetStream and MaxText
  vllm,            ///< vLLM with the JAX backend (tpu-inference), October 2025 and later
  vllm_torch_xla,  ///< vLLM with torch_xla, the backend before that
  sglang_jax,      ///< SGLang-JAX
  example,         ///< a model's own loop, without a cache in pages: research and example code
  vllm_torch_tpu,  ///< vLLM with TorchTPU, the backend of 2026 beside tpu-inference
};

namespace detail {

/// What an engine is called, how it runs, and what it can run. Lists are words with spaces between them.
struct engine_row {
  serving_engine engine = serving_engine::unnamed;
  const char* name = "";      // "sglang-jax"
  const char* title = "";     // in its own spelling
  const char* aliases = "";   // what people call it too
  const char* words = "";     // in a record's field `engine`: that of the longest word that is a part of it
  const char* marks = "";     // parts of a record's id or source where it names no engine; ^ stands for the beginning
  const char* measured = "";  // the months of its first and its last published run
  double prior = 0;           // of its factors before any run is seen; 0: it has none of its own, see `engine_factors`

  // Its cache and its scheduler.
  cache_policy cache = cache_policy::paged;  // that of its records
  bool pages = true;                         // attention runs over whole blocks of keys
  bool may_be_best = false;                  // a loop that can be as good as the best measured: on the device
  bool hosts_in_turn = false;                // over several hosts the device idles while they prepare a step
  std::int64_t block_multiple = 1;           // of tokens in a block of the cache
  std::int64_t block_tokens = 1;             // of a block, where nobody says how many
  bool chooses_block = false;                // it has as many as the longest context says: see own_block
  const char* scheduler = "";                // where its scheduler was read, and in which version
  std::int64_t step_tokens = 0;              // of a step, prompts and sequences that decode together, where nobody says
                                             // how many; 0: all of a prompt
  bool prompts_alone = false;                // a step computes prompts, or else decodes
  const char* priority_flag = "";            // by which requests have priorities; empty: they have none
  const char* chunk_flag = "";               // for the tokens of a step, where the engine does not run without
  bool chunk_in_blocks = false;              // the tokens of a step have to be whole blocks

  // What it runs.
  const char* kinds = "decoder";    // architectures of models
  const char* chips = "";           // on which it is documented to run; empty where it is not said
  bool groups = false;              // has flags for data-parallel attention
  bool latent_in_groups = false;    // runs latent attention with data-parallel attention alone
  bool fp8_weights = false;         // and not int8 weights alone
  bool quantised_products = false;  // activations in the format of the weights
  const char* caches = "";          // formats of keys and values beside bf16
  const char* counted_as = "";      // its published runs, where they count as those of another engine
  const char* no_fp8_cache = "";    // why fp8 is none of them, where that is known

  // Its launch: the words of its command, in which launch/serving.hpp fills in what is in braces and leaves out a word
  // whose braces have no value. Empty: it cannot be started, and `ended` says why, if it ever could.
  const char* command = "";
  const char* group_environment = "";  // a variable that data-parallel attention needs, "NAME=value"
  const char* drafts = "";             // what may draft, in the words of vLLM
  const char* own_drafts = "";         // of these those that need no model of their own
  const char* adapter_ranks = "";      // of low-rank adapters that it makes room for, rising; empty: no flag is known
  const char* compile_caches = "";     // variables with the folder of compiled programs
  const char* long_contexts = "";      // a variable that it needs for contexts beyond those the model is made for
  const char* start_limit = "";        // a variable with the seconds after which a start is given up
  const char* running_metric = "";     // what it says of the sequences that run, for an autoscaler
  // On slices of several VMs, in the words of a shell, with $LWS_LEADER_ADDRESS, $LWS_GROUP_SIZE and $LWS_WORKER_INDEX
  // of a LeaderWorkerSet. All three empty: how it starts on them is not known.
  const char* of_each_host = "";   // words at the end of the command, which each VM runs then
  const char* before_leader = "";  // what the first VM runs before the command
  const char* other_hosts = "";    // what the others run instead of it
  const char* host_environment = "";
  bool replicas_over_hosts = false;  // runs more than one on such a slice
  const char* ended = "";
};

constexpr engine_row jetstream_row() {
  engine_row row;
  row.engine = serving_engine::jetstream;
  row.name = "jetstream";
  row.title = "JetStream";
  row.aliases = "maxtext maxengine";  // MaxText serves as the engine of JetStream's orchestrator (JetStream,
                                      // docs/online-inference-with-maxtext-engine.md)
  row.words = "jetstream maxtext";
  row.marks = "mt- js- jspt- maxtext jetstream";
  row.measured = "2024-05 2025-02";
  row.cache = cache_policy::reserved;
  row.caches = "int8";                   // MaxText's quantize_kvcache, with which its published runs were made
  row.scheduler = "JetStream @acd4f5a";  // jetstream/core/orchestrator.py: a whole prompt is prefilled, then inserted
  row.prompts_alone = true;
  row.ended = "JetStream is archived since 2026-02-01";
  return row;
}

/// Sources: docs.vllm.ai/projects/tpu, quickstart ("v7x, v6e, v5e"); tpu_inference/platforms/tpu_platform.py
/// (check_and_update_config: MLA models require enable_dp_attention) and tpu_inference/layers/common/sharding.py of
/// vllm-project/tpu-inference @b8692ff01, read 2026-11-22 and -23. It drives several hosts by remote calls; that
/// they prepare steps in turn is from before it had asynchronous scheduling there (pull request 2341). The limits of
/// tpu_inference/core/sched/dp_scheduler.py are of a rank. Each flag and variable with its source: data/launch.json,
/// serving. Encoders: pull request 2753 of 2026-05-28 (BERT and ModernBERT, for embeddings and classes) and
/// models/jax/jina_bert.py (@20fd69f); attention of a decoder to an encoder is not implemented
/// (layers/vllm/backends/flash_attn.py @05eed78). Read 2026-11-26.
constexpr engine_row vllm_row() {
  engine_row row;
  row.engine = serving_engine::vllm;
  row.name = "vllm";
  row.title = "vLLM";
  row.aliases = "tpu-inference";
  row.words = "vllm tpu-inference";
  row.marks = "^vllm-";
  row.measured = "2026-04 2026-08";
  row.prior = 1;
  row.hosts_in_turn = true;
  row.block_multiple = 16;
  row.chooses_block = true;
  // vllm/engine/arg_utils.py, the API server: its table for TPUs has the names V6E and V5E, and a TPU calls itself
  // "TPU v6e" (tpu_platform.py @0021b4a), so that it gets what other chips get. Several prompts share a step with those
  // that decode, first come, first served; the last to come is preempted: vllm/v1/core/sched/scheduler.py.
  row.scheduler = "vLLM 0.27, tpu-inference @0021b4a";
  row.step_tokens = 2048;
  row.chunk_flag = "--max-num-batched-tokens";
  // With it the waiting are ordered by priority and arrival, and of those that run the last by both is preempted; none
  // is for one that waits (vllm/v1/core/sched/scheduler.py @05d8963).
  row.priority_flag = "--scheduling-policy=priority";
  row.kinds = "decoder encoder";
  row.chips = "v5e v6e tpu7x";
  row.groups = true;
  row.latent_in_groups = true;
  row.fp8_weights = true;
  row.quantised_products = true;
  row.caches = "fp8";
  row.command =
      "python3 -m vllm.entrypoints.openai.api_server --host=0.0.0.0 --port=8000 --model={model} "
      "--tensor-parallel-size={replica_devices} --data-parallel-size={replicas} --max-model-len={context} "
      "--max-num-batched-tokens={chunk} --max-num-seqs={running_of_group} "
      "--gpu-memory-utilization={memory_fraction} --block-size={block} --kv-cache-dtype={fp8_cache} "
      "--shutdown-timeout={drain} --runner={pooling} --enable-prefix-caching{if_prefixes} --async-scheduling{if_ahead} "
      "--enable-expert-parallel{if_groups} --speculative-config={speculative_config} "
      "--enable-lora{if_adapters} --max-loras={adapters} --max-lora-rank={adapter_rank} "
      "--additional_config={tpu_inference_config}";
  // tpu_inference/runner/tpu_runner.py, _init_speculative_decoding, and tests/e2e/test_speculative_decoding.py
  // (@b8692ff01). Steps are prepared ahead with drafts of a model alone (runner/speculative_decoding_manager.py).
  row.drafts = "ngram mtp eagle3 dflash";
  row.own_drafts = "ngram mtp";
  // vllm/config/lora.py, MaxLoRARanks (@01230b4); on TPUs vllm-project/tpu-inference pull requests 2471 and 2707 (2026)
  row.adapter_ranks = "1 8 16 32 64 128 256 320 512";
  row.group_environment = "NEW_MODEL_DESIGN=True";
  row.compile_caches = "VLLM_XLA_CACHE_PATH JAX_COMPILATION_CACHE_DIR";
  row.long_contexts = "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1";
  row.start_limit = "VLLM_ENGINE_READY_TIMEOUT_S";
  row.running_metric = "prometheus.googleapis.com|vllm:num_requests_running|gauge";
  row.before_leader =
      "ray start --head --port=6379 && until python3 -c 'import ray; ray.init(address=\"auto\"); raise "
      "SystemExit(sum(n[\"Alive\"] for n in ray.nodes()) < '$LWS_GROUP_SIZE')'; do sleep 5; done &&";
  row.other_hosts = "exec ray start --block --address=$LWS_LEADER_ADDRESS:6379";
  row.host_environment = "TPU_MULTIHOST_BACKEND=ray JAX_PLATFORMS=";
  return row;
}

constexpr engine_row vllm_torch_xla_row() {
  engine_row row;
  row.engine = serving_engine::vllm_torch_xla;
  row.name = "vllm-torch-xla";
  row.title = "vLLM with torch_xla";
  row.words = "torch_xla torch-xla";
  row.measured = "2025-09 2025-09";
  row.prior = 1.2;  // the change of backend gained 20 % (blog.vllm.ai, 2025-10-16)
  row.hosts_in_turn = true;
  return row;
}

/// Sources: docs.sglang.io/docs/hardware-platforms/tpu (v6e, v7); python/sgl_jax/srt/server_args.py of
/// sgl-project/sglang-jax @cddbf6f1 and @00f0fbf, where the help of the flag for an fp8 cache says that it is for CUDA,
/// and managers/scheduler.py (@cddbf6f1: a mesh of [dp_size, tp_size // dp_size], max_running_requests // dp_size for
/// each); tpu-recipes inference/trillium/SGLang-Jax/Qwen3/README.md. All read 2026-11-22 and -23. No model of
/// python/sgl_jax/srt/models serves as an encoder, or has one beside its decoder (read 2026-11-26).
constexpr engine_row sglang_jax_row() {
  engine_row row;
  row.engine = serving_engine::sglang_jax;
  row.name = "sglang-jax";
  row.title = "SGLang-JAX";
  row.aliases = "sglang";
  row.words = "sglang";
  row.marks = "sgl-";
  row.measured = "2025-09 2026-08";
  row.prior = 1;
  // docs/architecture/03-scheduler.md (@294e77d) and 13-configuration-reference.md (@39e1cfd): 4096 tokens, of several
  // prompts; with --enable-mixed-chunk, which is written below, beside those that decode, whose tokens count too. What
  // is retracted has the fewest outputs, as the last to come has. Its reserve for tokens to come, 0.7 of them at first
  // and 0.1 after 600 steps, is not simulated.
  row.scheduler = "SGLang-JAX @294e77d";
  row.step_tokens = 4096;
  // Its recipes have 128; by itself a block has one token, with which it runs one sequence at a time (Llama 3.1 8B:
  // 156 instead of 1449 tokens/s), and latent attention none: D1 and D4 of
  // docs/cookbook/2026-05-21-recipe-command-audit.md (@05a464c).
  row.block_tokens = 128;
  row.chunk_in_blocks = true;  // check_server_args of server_args.py (@cddbf6f1) ends the program where they are not
  row.chips = "v6e tpu7x";
  row.no_fp8_cache = "of fp8 the flag's help says that it is for CUDA";
  row.command =
      "python3 -u -m sgl_jax.launch_server --model-path={model} --host=0.0.0.0 --port=8000 --device=tpu "
      "--dtype=bfloat16 --tp-size={slice_devices} --ep-size={expert_devices} --data-parallel-size={replicas} "
      "--context-length={context} "
      "--max-running-requests={running_of_slice} --mem-fraction-static={memory_fraction} --page-size={block} "
      "--chunked-prefill-size={chunk_or_-1} --enable-mixed-chunk{if_chunked} "
      "--quantization-config-path=int8_all_modules_w_only.yaml{if_int8} "
      "--speculative-algorithm={draft_algorithm} --speculative-draft-model-path={draft_model} "
      "--speculative-num-steps={draft_steps} --speculative-eagle-topk={draft_chain} "
      "--speculative-num-draft-tokens={round_tokens} --disable-overlap-schedule{if_drafts_in_turn}";
  // Its EAGLE3, DFLASH and NEXTN (server_args.py, docs/features/speculative_decoding.md @cddbf6f1), with a chain of
  // drafts; the tokens of a round have the one of the model among them.
  row.drafts = "mtp eagle3 dflash";
  row.compile_caches = "JAX_COMPILATION_CACHE_DIR";
  row.of_each_host =
      "--nnodes=$LWS_GROUP_SIZE --node-rank=$LWS_WORKER_INDEX --dist-init-addr=$LWS_LEADER_ADDRESS:20000";
  row.replicas_over_hosts = true;
  return row;
}

constexpr engine_row example_row() {
  engine_row row;
  row.engine = serving_engine::example;
  row.name = "example";
  row.title = "a loop of its own";
  row.words = "example";
  row.marks = "pope- ptxla- levanter-";
  row.measured = "2022-11 2026-06";
  row.pages = false;
  row.may_be_best = true;
  row.caches = "fp8 int8";
  row.kinds = "decoder encoder encoder_decoder";
  return row;
}

/// Its README and scheduler are those of vLLM 0.27; packages of TorchTPU are in a registry that asks for an account of
/// Google (README of vllm-torchtpu @012e4f2, read in the copy of kowalski-4831, 2026).
constexpr engine_row vllm_torch_tpu_row() {
  engine_row row;
  row.engine = serving_engine::vllm_torch_tpu;
  row.name = "vllm-torchtpu";
  row.title = "vLLM on TorchTPU";
  row.aliases = "torchtpu torch_tpu torch-tpu";
  row.words = "vllm-torchtpu";
  row.counted_as = "12 published runs, by 1 source, count as those of vllm";
  // Recommended on tpu7x, supported on v6e, experimental on v5e (README of vllm-project/vllm-torchtpu @9c8d9b0).
  row.chips = "v5e v6e tpu7x";
  row.scheduler = "vLLM 0.27, vllm-torchtpu @012e4f2";
  row.step_tokens = 2048;
  row.priority_flag = "--scheduling-policy=priority";
  row.caches = "fp8";  // as in its published runs
  row.ended = "packages of TorchTPU are in a registry that is not public";
  return row;
}

constexpr engine_row unnamed_row() {
  engine_row row;
  row.name = "unnamed";
  row.may_be_best = true;
  row.caches = "fp8 int8";
  row.kinds = "decoder encoder encoder_decoder";
  return row;
}

inline constexpr engine_row engines[] = {unnamed_row(),    jetstream_row(), vllm_row(),          vllm_torch_xla_row(),
                                         sglang_jax_row(), example_row(),   vllm_torch_tpu_row()};

constexpr const engine_row& row_of(serving_engine engine) noexcept { return row_at(engines, engine); }

/// Tokens of a block of the cache that an engine has where nobody says how many, for contexts up to that long. vLLM on
/// TPU cuts the next power of two into 16 blocks of 16 to 256 tokens, and takes 16 above 8192 (get_page_size of
/// layers/vllm/backends/flash_attn.py, tpu-inference @05eed78, read 2026-11-26).
constexpr std::int64_t own_block(const engine_row& row, std::int64_t longest) noexcept {
  if (!row.chooses_block) return row.block_tokens;
  if (longest > 8192) return 16;
  std::int64_t tokens = 16;
  while (tokens < 256 && 16 * tokens < longest) tokens *= 2;
  return tokens;
}

/// @{
/// Whether it runs models that write no tokens, and such with a decoder beside an encoder.
constexpr bool runs_encoders(serving_engine engine) noexcept { return is_listed(row_of(engine).kinds, "encoder"); }
constexpr bool runs_pairs(serving_engine engine) noexcept { return is_listed(row_of(engine).kinds, "encoder_decoder"); }
/// @}
/// Whether `launch` can start it.
constexpr bool can_start(serving_engine engine) noexcept { return !is_empty(row_of(engine).command); }
/// Whether it can be started on slices of several VMs.
constexpr bool starts_over_hosts(const engine_row& row) noexcept {
  return !is_empty(row.of_each_host) || !is_empty(row.other_hosts);
}

}  // namespace detail

/// "unnamed", "jetstream", "vllm", "vllm-torch-xla", "sglang-jax", "example" or "vllm-torchtpu".
[[nodiscard]] constexpr std::string_view name(serving_engine engine) noexcept {
  const detail::engine_row& row = detail::row_of(engine);
  return row.engine == engine ? row.name : "?";
}

/// An engine by its name, or by another that people and repositories have for it. Nothing for other names. Worked:
/// parse_serving_engine("tpu-inference") is vllm.
[[nodiscard]] constexpr maybe<serving_engine> parse_serving_engine(std::string_view given) noexcept {
  for (const detail::engine_row& row : detail::engines) {
    if (detail::same_name(row.name, given) || detail::is_listed(row.aliases, given)) return row.engine;
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
