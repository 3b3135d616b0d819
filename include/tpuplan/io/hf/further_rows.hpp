#ifndef TPUPLAN_IO_HF_FURTHER_ROWS_HPP
#define TPUPLAN_IO_HF_FURTHER_ROWS_HPP

#include <array>
#include <tpuplan/io/hf/default_kind.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say: the defaults of the configuration classes
/// of the transformers library, for the fields that hf_config.hpp reads; those of types that came
/// after recent_rows.hpp was full. defaults.hpp looks them up. The table between the marks is generated from
/// data/hf_defaults.json, which names the source file and commit of every class, by `cmake --build BUILD --target
/// generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {

namespace detail::hf_table {

// generated: hf_further_defaults from data/hf_defaults.json
// clang-format off
inline constexpr std::array<hf_default, 201> further_rows{{
    {"granite_swa", of_type}, {"vocab_size", number, 100352}, {"hidden_size", number, 2560},
    {"intermediate_size", number, 8192}, {"num_hidden_layers", number, 24}, {"num_attention_heads", number, 20},
    {"num_key_value_heads", number, 4}, {"head_dim", quotient, 0, "hidden_size", "num_attention_heads"},
    {"max_position_embeddings", number, 8192}, {"tie_word_embeddings", boolean, 1}, {"attention_bias", boolean, 0},
    {"mlp_bias", boolean, 0}, {"sliding_window", number, 128}, {"granitemoe_swa", of_type},
    {"vocab_size", number, 32000}, {"hidden_size", number, 4096}, {"intermediate_size", number, 11008},
    {"num_hidden_layers", number, 32}, {"num_attention_heads", number, 32},
    {"num_key_value_heads", same_as, 0, "num_attention_heads"},
    {"head_dim", quotient, 0, "hidden_size", "num_attention_heads"}, {"max_position_embeddings", number, 2048},
    {"tie_word_embeddings", boolean, 0}, {"attention_bias", boolean, 0}, {"num_local_experts", number, 8},
    {"num_experts_per_tok", number, 2}, {"shared_intermediate_size", number, 0}, {"sliding_window", number, 128},
    {"mellum", of_type}, {"vocab_size", number, 98304}, {"hidden_size", number, 2304},
    {"intermediate_size", number, 7168}, {"num_hidden_layers", number, 28}, {"num_attention_heads", number, 32},
    {"num_key_value_heads", number, 4}, {"max_position_embeddings", number, 131072},
    {"tie_word_embeddings", boolean, 0}, {"attention_bias", boolean, 0}, {"sliding_window", number, 1024},
    {"moe_intermediate_size", number, 896}, {"num_experts_per_tok", number, 8}, {"num_experts", number, 64},
    {"head_dim", number, 128}, {"laguna", of_type}, {"vocab_size", number, 100352}, {"hidden_size", number, 2048},
    {"intermediate_size", number, 8192}, {"num_hidden_layers", number, 40}, {"num_attention_heads", number, 48},
    {"num_key_value_heads", number, 8}, {"max_position_embeddings", number, 131072},
    {"tie_word_embeddings", boolean, 0}, {"sliding_window", number, 512}, {"moe_intermediate_size", number, 512},
    {"shared_expert_intermediate_size", number, 512}, {"num_experts_per_tok", number, 8}, {"num_experts", number, 256},
    {"head_dim", number, 128}, {"attention_bias", boolean, 0}, {"step3p5", of_type}, {"vocab_size", number, 128815},
    {"hidden_size", number, 4096}, {"intermediate_size", number, 11264}, {"num_hidden_layers", number, 45},
    {"num_attention_heads", number, 64}, {"num_key_value_heads", alias, 0, "num_attention_groups"},
    {"num_attention_groups", number, 8}, {"head_dim", number, 128}, {"max_position_embeddings", number, 128000},
    {"tie_word_embeddings", boolean, 0}, {"num_experts_per_tok", number, 8}, {"moe_intermediate_size", number, 1280},
    {"n_routed_experts", number, 288}, {"share_expert_dim", number, 1280}, {"sliding_window", none},
    {"attention_bias", boolean, 0}, {"mlp_bias", boolean, 0}, {"first_k_dense_replace", number, 3},
    {"minimax_m3_vl_text", of_type}, {"vocab_size", number, 200064}, {"hidden_size", number, 6144},
    {"intermediate_size", number, 3072}, {"num_hidden_layers", number, 60}, {"num_attention_heads", number, 64},
    {"num_key_value_heads", number, 4}, {"head_dim", number, 128}, {"max_position_embeddings", number, 524288},
    {"tie_word_embeddings", boolean, 0}, {"num_experts_per_tok", number, 4}, {"num_local_experts", number, 128},
    {"dense_intermediate_size", number, 12288}, {"shared_intermediate_size", number, 3072},
    {"index_n_heads", number, 4}, {"index_head_dim", number, 128}, {"cohere2_moe", of_type},
    {"vocab_size", number, 256000}, {"hidden_size", number, 8192}, {"intermediate_size", number, 22528},
    {"num_hidden_layers", number, 40}, {"num_attention_heads", number, 64},
    {"num_key_value_heads", same_as, 0, "num_attention_heads"}, {"head_dim", number, 128},
    {"max_position_embeddings", number, 8192}, {"tie_word_embeddings", boolean, 1}, {"attention_bias", boolean, 0},
    {"sliding_window", number, 4096}, {"num_experts_per_tok", number, 2}, {"num_experts", number, 8},
    {"num_shared_experts", number, 0}, {"first_k_dense_replace", number, 0},
    {"prefix_dense_sliding_window_pattern", number, 1}, {"sliding_window_pattern", number, 4},
    {"layer_types", periodic_layers, 0, "sliding_window_pattern"}, {"youtu", of_type}, {"vocab_size", number, 128256},
    {"hidden_size", number, 2048}, {"intermediate_size", number, 6144}, {"num_hidden_layers", number, 32},
    {"num_attention_heads", number, 16}, {"num_key_value_heads", same_as, 0, "num_attention_heads"},
    {"kv_lora_rank", number, 512}, {"q_lora_rank", number, 1536}, {"qk_rope_head_dim", number, 64},
    {"v_head_dim", number, 128}, {"qk_nope_head_dim", number, 128}, {"max_position_embeddings", number, 131072},
    {"tie_word_embeddings", boolean, 1}, {"jetmoe", of_type}, {"vocab_size", number, 32000},
    {"hidden_size", number, 2048}, {"intermediate_size", number, 5632}, {"num_hidden_layers", number, 12},
    {"num_attention_heads", same_as, 0, "num_key_value_heads"}, {"num_key_value_heads", number, 16},
    {"head_dim", alias, 0, "kv_channels"}, {"kv_channels", number, 128}, {"max_position_embeddings", number, 4096},
    {"tie_word_embeddings", boolean, 1}, {"num_local_experts", number, 8}, {"num_experts_per_tok", number, 2},
    {"doge", of_type}, {"vocab_size", number, 32768}, {"hidden_size", number, 1024},
    {"intermediate_size", number, 2048}, {"num_hidden_layers", number, 32}, {"num_attention_heads", number, 8},
    {"num_key_value_heads", same_as, 0, "num_attention_heads"},
    {"head_dim", quotient, 0, "hidden_size", "num_attention_heads"}, {"max_position_embeddings", number, 2048},
    {"tie_word_embeddings", boolean, 0}, {"attention_bias", boolean, 0}, {"mlp_bias", boolean, 0},
    {"sliding_window", none}, {"is_moe", boolean, 0}, {"num_experts", number, 16384},
    {"num_experts_per_tok", number, 64}, {"modernbert-decoder", of_type}, {"vocab_size", number, 50368},
    {"hidden_size", number, 768}, {"intermediate_size", number, 1152}, {"num_hidden_layers", number, 22},
    {"num_attention_heads", number, 12}, {"num_key_value_heads", same_as, 0, "num_attention_heads"},
    {"head_dim", quotient, 0, "hidden_size", "num_attention_heads"}, {"max_position_embeddings", number, 8192},
    {"norm_bias", boolean, 0}, {"attention_bias", boolean, 0}, {"local_attention", number, 128},
    {"mlp_bias", boolean, 0}, {"decoder_bias", boolean, 1}, {"classifier_bias", boolean, 0},
    {"tie_word_embeddings", boolean, 1}, {"global_attn_every_n_layers", number, 3}, {"gpt_neox_japanese", of_type},
    {"vocab_size", number, 32000}, {"hidden_size", number, 2560}, {"num_hidden_layers", number, 32},
    {"num_attention_heads", number, 32}, {"num_key_value_heads", same_as, 0, "num_attention_heads"},
    {"head_dim", quotient, 0, "hidden_size", "num_attention_heads"}, {"intermediate_multiple_size", number, 4},
    {"max_position_embeddings", number, 2048}, {"tie_word_embeddings", boolean, 1}, {"rwkv5", of_type},
    {"attention_hidden_size", same_as, 0, "hidden_size"}, {"head_size", number, 64}, {"vocab_size", number, 65536},
    {"hidden_size", number, 768}, {"num_hidden_layers", number, 24},
    {"max_position_embeddings", alias, 0, "context_length"}, {"context_length", number, 4096},
    {"tie_word_embeddings", boolean, 0}, {"rwkv6", of_type}, {"attention_hidden_size", same_as, 0, "hidden_size"},
    {"head_size", number, 64}, {"vocab_size", number, 65536}, {"hidden_size", number, 768},
    {"num_hidden_layers", number, 24}, {"max_position_embeddings", alias, 0, "context_length"},
    {"context_length", number, 4096}, {"tie_word_embeddings", boolean, 0},
}};
// clang-format on
// end of generated: hf_further_defaults

}  // namespace detail::hf_table
}  // namespace abi_0
}  // namespace tpuplan

#endif
