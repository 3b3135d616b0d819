#ifndef TPUPLAN_MODEL_PAIR_WORK_HPP
#define TPUPLAN_MODEL_PAIR_WORK_HPP

#include <cstdint>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// The source of a pair of sequences, and the work of an encoder and a decoder for both, by part.

namespace tpuplan {
inline namespace abi_0 {

/// Tokens of the source of a pair: all that a stem makes of a recording, else as many as the target has. Worked: 1500
/// for Whisper, whose stem makes one of every two of its 3000 frames.
[[nodiscard]] constexpr std::int64_t source_length(const transformer& model, std::int64_t target) noexcept {
  return model.encoder_stem > 0 ? model.encoder_positions : target;
}

/// Tokens of the source of a job's pairs: as many as it says, else as above; 0 for a model without two stacks. Refuses
/// a source for such a model, and another one than a stem makes. Worked: of targets of 448 tokens, 1500 for Whisper and
/// 448 for T5.
[[nodiscard]] constexpr std::int64_t source_length(const transformer& model, const training_job& job) {
  constexpr const char* field = "training_job.source_length";
  detail::check_part(field, job.source_length, detail::most_tokens, "0 (as the model has it) to 2^40 tokens");
  if (!has_two_stacks(model)) {
    if (job.source_length != 0)
      detail::fail(errc::unsupported, field, job.source_length, "a model with an encoder and a decoder");
    return 0;
  }
  const std::int64_t usual = source_length(model, job.sequence_length);
  if (job.source_length == 0) return detail::positive_count(field, usual);
  if (model.encoder_stem > 0 && job.source_length != usual) {
    text<96> valid{};
    valid.append(usual).append(", or none: what its stem makes of every recording");
    detail::fail(errc::unsupported, field, job.source_length, valid.view());
  }
  return job.source_length;
}

namespace detail {

/// Weights in the products of one layer of either stack: of one attention, and of the MLP.
struct stack_weights {
  double queries = 0, keys = 0, output = 0, up = 0, down = 0;
};
constexpr stack_weights stack_weights_of(const transformer& model) {
  const attention_spec& attention = model.attention;
  const projection_weights one = head_projections(model, attention.head_dim, attention.kv_heads, 2);
  const std::int64_t keys = 2 * checked_multiply(attention.kv_heads, attention.head_dim, model.d_model);
  const auto wide = static_cast<double>(checked_multiply(model.d_model, model.mlp.d_ff));
  return {static_cast<double>(one.qkv - keys), static_cast<double>(keys), static_cast<double>(one.output),
          (model.mlp.gated ? 2 : 1) * wide, wide};
}

/// Weights in products of the target's tokens outside of layers, the output head apart.
constexpr double beside_layers(const transformer& model) {
  return static_cast<double>(checked_add(table_matrix(model), model.other_products));
}

/// Forward FLOPs of a source and a target, by part, over `share`: of the encoder, which a target of 0 leaves alone, and
/// of the decoder, whose keys and values of the source are in `qkv`.
constexpr forward_flops stack_flops(const transformer& model, double source, double target, bool encodes = true,
                                    double share = 1) {
  const stack_weights one = stack_weights_of(model);
  const auto decoded = target > 0 ? static_cast<double>(model.layers) : 0;
  const double before = encodes ? source * static_cast<double>(model.encoder_layers) : 0, after = target * decoded;
  const double stem = encodes ? source * static_cast<double>(model.encoder_stem) : 0;
  const auto width = static_cast<double>(checked_multiply(model.attention.heads, model.attention.head_dim));
  const double two = 2 / share;
  const double qkv = two * (before * (one.queries + one.keys) + stem + after * (2 * one.queries + one.keys) +
                            target * beside_layers(model) + source * decoded * one.keys);
  const double output = two * (before + 2 * after) * one.output;
  const double attention = two * 2 * width * (before * source + after * (target / 2 + source));
  const double up = two * (before + after) * one.up, down = two * (before + after) * one.down;
  const double logits = two * target * static_cast<double>(logit_matrices(model));
  forward_flops f;
  f.qkv = flops{qkv}, f.attention_output = flops{output}, f.attention = flops{attention};
  f.mlp_up = flops{up}, f.mlp_down = flops{down}, f.logits = flops{logits};
  f.total = flops{qkv + output + attention + up + down + logits};
  return f;
}

/// Forward FLOPs of a token of a job's sequences, by part; of a pair, those of both sequences for each token of the
/// target.
constexpr forward_flops forward_flops_of_job(const transformer& model, const training_job& job) {
  if (model.attention.cross_layers > 0 && job.images_per_sequence == 0)
    return forward_flops_of_valid(text_alone(model), job.sequence_length);
  if (!has_two_stacks(model)) return forward_flops_of_valid(model, job.sequence_length);
  const auto target = static_cast<double>(job.sequence_length);
  return stack_flops(model, static_cast<double>(source_length(model, job)), target, true, target);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
