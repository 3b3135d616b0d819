#ifndef TPUPLAN_IO_HF_AUDIO_ROWS_HPP
#define TPUPLAN_IO_HF_AUDIO_ROWS_HPP

#include <array>
#include <tpuplan/io/hf/default_kind.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say: the defaults of the configuration classes
/// of models of sound, and of sound and text. defaults.hpp looks them up. The table between the marks is generated from
/// data/hf_defaults.json, which names the source file and commit of every class, by `cmake --build BUILD --target
/// generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {

namespace detail::hf_table {

// generated: hf_audio_defaults from data/hf_defaults.json
// clang-format off
inline constexpr std::array<hf_default, 106> audio_rows{{
    {"whisper", of_type}, {"vocab_size", number, 51865}, {"num_mel_bins", number, 80}, {"encoder_layers", number, 4},
    {"encoder_ffn_dim", number, 1536}, {"encoder_attention_heads", number, 6}, {"decoder_layers", number, 4},
    {"decoder_ffn_dim", number, 1536}, {"decoder_attention_heads", number, 6}, {"d_model", number, 384},
    {"max_source_positions", number, 1500}, {"max_target_positions", number, 448}, {"tie_word_embeddings", boolean, 1},
    {"gemma4_audio", of_type}, {"hidden_size", number, 1024}, {"num_hidden_layers", number, 12},
    {"num_attention_heads", number, 8}, {"subsampling_conv_channels", list, 0, "[128,32]"},
    {"conv_kernel_size", number, 5}, {"use_clipped_linears", boolean, 1}, {"output_proj_dims", number, 1536},
    {"gemma3n_audio", of_type}, {"vocab_size", number, 128}, {"input_feat_size", number, 128},
    {"hidden_size", number, 1536}, {"conf_num_attention_heads", number, 8}, {"conf_num_hidden_layers", number, 12},
    {"conf_conv_kernel_size", number, 5}, {"sscp_conv_channel_size", list, 0, "[128,32]"},
    {"qwen2_audio_encoder", of_type}, {"num_mel_bins", number, 128}, {"num_hidden_layers", alias, 0, "encoder_layers"},
    {"encoder_layers", number, 32}, {"intermediate_size", alias, 0, "encoder_ffn_dim"},
    {"encoder_ffn_dim", number, 5120}, {"hidden_size", alias, 0, "d_model"}, {"d_model", number, 1280},
    {"max_source_positions", number, 1500}, {"qwen2_audio", of_type},
    {"tie_word_embeddings", same_as, 0, "text_config.tie_word_embeddings"}, {"voxtral_encoder", of_type},
    {"num_mel_bins", number, 128}, {"num_hidden_layers", number, 32}, {"intermediate_size", number, 5120},
    {"hidden_size", number, 1280}, {"max_source_positions", number, 1500}, {"voxtral", of_type},
    {"tie_word_embeddings", same_as, 0, "text_config.tie_word_embeddings"}, {"voxtral.text_config", of_type},
    {"vocab_size", number, 131072}, {"hidden_size", number, 3072}, {"intermediate_size", number, 8192},
    {"num_hidden_layers", number, 30}, {"num_key_value_heads", number, 8}, {"max_position_embeddings", number, 131072},
    {"head_dim", number, 128}, {"wav2vec2", of_type}, {"vocab_size", number, 32}, {"hidden_size", number, 768},
    {"num_hidden_layers", number, 12}, {"num_attention_heads", number, 12}, {"intermediate_size", number, 3072},
    {"feat_extract_norm", text, 0, "group"}, {"conv_dim", list, 0, "[512,512,512,512,512,512,512]"},
    {"conv_kernel", list, 0, "[10,3,3,3,3,2,2]"}, {"conv_bias", boolean, 0}, {"num_conv_pos_embeddings", number, 128},
    {"num_conv_pos_embedding_groups", number, 16}, {"do_stable_layer_norm", boolean, 0},
    {"classifier_proj_size", number, 256}, {"num_labels", number, 2}, {"num_codevectors_per_group", number, 320},
    {"num_codevector_groups", number, 2}, {"codevector_dim", number, 256}, {"proj_codevector_dim", number, 256},
    {"hubert", of_type}, {"vocab_size", number, 32}, {"hidden_size", number, 768}, {"num_hidden_layers", number, 12},
    {"num_attention_heads", number, 12}, {"intermediate_size", number, 3072}, {"feat_extract_norm", text, 0, "group"},
    {"conv_dim", list, 0, "[512,512,512,512,512,512,512]"}, {"conv_kernel", list, 0, "[10,3,3,3,3,2,2]"},
    {"conv_bias", boolean, 0}, {"num_conv_pos_embeddings", number, 128}, {"num_conv_pos_embedding_groups", number, 16},
    {"do_stable_layer_norm", boolean, 0}, {"classifier_proj_size", number, 256}, {"num_labels", number, 2},
    {"wavlm", of_type}, {"vocab_size", number, 32}, {"hidden_size", number, 768}, {"num_hidden_layers", number, 12},
    {"num_attention_heads", number, 12}, {"intermediate_size", number, 3072}, {"feat_extract_norm", text, 0, "group"},
    {"conv_dim", list, 0, "[512,512,512,512,512,512,512]"}, {"conv_kernel", list, 0, "[10,3,3,3,3,2,2]"},
    {"conv_bias", boolean, 0}, {"num_conv_pos_embeddings", number, 128}, {"num_conv_pos_embedding_groups", number, 16},
    {"do_stable_layer_norm", boolean, 0}, {"classifier_proj_size", number, 256}, {"num_labels", number, 2},
    {"num_buckets", number, 320},
}};
// clang-format on
// end of generated: hf_audio_defaults

}  // namespace detail::hf_table

}  // namespace abi_0
}  // namespace tpuplan

#endif
