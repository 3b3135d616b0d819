#ifndef TPUPLAN_READ_HF_HEADS_HPP
#define TPUPLAN_READ_HF_HEADS_HPP

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <vector>

/// @file
/// What stands behind the last layer: `architectures` of a Hugging Face configuration names the class of the whole
/// model, and with it the head.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The class that `architectures` names first, or empty where the file does not say.
inline std::string class_of(const config_fields& fields) {
  if (!fields.has("architectures")) return {};
  const nlohmann::json& names = fields.object().at("architectures");
  if (names.is_array() && names.empty()) return {};
  if (!names.is_array() || !names[0].is_string()) {
    fail(errc::malformed_input, fields.path("architectures"), shown_json(names), "an array of names of classes");
  }
  return names[0].get<std::string>();
}

inline bool ends_in(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
}

/// Whether the output head shares the token table. A null is no: transformers asks whether the value is true.
inline bool ties_embeddings(config_fields& fields) {
  constexpr std::string_view field = "tie_word_embeddings";
  if (!fields.is_null(field)) return fields.flag(field);
  fields.assume(field, "false", "null in the file");
  return false;
}

/// Classes of a classifier: as many as it has names for.
inline std::int64_t label_count(config_fields& fields) {
  if (fields.has("id2label")) return static_cast<std::int64_t>(fields.inside("id2label").value().size());
  if (fields.has("num_labels") || fields.default_of("num_labels")) return fields.part("num_labels");
  fields.assume("num_labels", "2", "class default of every configuration");
  return 2;
}

/// The end of a class's name and the head that it stands for.
struct head_class {
  std::string_view ending;
  bool pooler = false;       ///< a dense layer on the first token; in RoBERTa a part of the classifier
  bool transform = false;    ///< the masked-language head: dense layer, norm, and the token table with a bias
  bool labels = false;       ///< a classifier with one output for each label
  std::int64_t outputs = 0;  ///< of another classifier
};
inline constexpr std::array<head_class, 11> encoder_heads{{
    {"ForMaskedLM", false, true},
    {"ForCausalLM", false, true},
    {"LMHeadModel", false, true},
    {"ForPreTraining", true, true, false, 2},
    {"ForSequenceClassification", true, false, true},
    {"ForTokenClassification", false, false, true},
    {"ForQuestionAnswering", false, false, true},
    {"ForNextSentencePrediction", true, false, false, 2},
    {"ForMultipleChoice", true, false, false, 1},
    {"Model", true},
    {"Encoder"},
}};

/// The head of an encoder; `has_pooler` says whether the class without a head has a pooler. A file that names no class
/// is of that one.
inline void read_encoder_head(config_fields& fields, bool has_pooler, transformer& model) {
  std::string name = class_of(fields);
  if (name.empty()) {
    fields.assume("architectures", "Model", "not stated: the encoder without a head");
    name = "Model";
  }
  std::vector<std::string_view> known;
  for (const head_class& head : encoder_heads) {
    known.push_back(head.ending);
    if (!ends_in(name, head.ending)) continue;
    model.pooler = head.pooler && (has_pooler || head.ending != "Model");
    model.head_transform = model.head_bias = model.output_head = head.transform;
    if (head.transform && fields.has("tie_word_embeddings")) model.tied_embeddings = ties_embeddings(fields);
    model.classes = head.labels ? label_count(fields) : head.outputs;
    return;
  }
  fail_unknown(fields.path("architectures"), name, known);
}

/// `classes` counts a bias for each output, and this class has none.
inline void take_away_class_biases(transformer& model) { model.other_weights -= model.classes; }

/// A classifier in place of the output head of a decoder: one matrix, without a bias where it is of whole sequences.
/// Nothing where the class has none.
inline bool read_decoder_classifier(config_fields& fields, const std::string& name, transformer& model) {
  const bool whole = ends_in(name, "ForSequenceClassification");
  const bool answers = ends_in(name, "ForQuestionAnswering");
  if (!whole && !answers && !ends_in(name, "ForTokenClassification")) return false;
  if (model.kind != architecture::decoder || has_vision(model)) return false;
  model.output_head = model.head_bias = false;
  model.classes = answers ? 2 : label_count(fields);
  if (whole) take_away_class_biases(model);
  fields.assume("architectures", name, "a classifier in place of the output head");
  return true;
}

/// The head of a reward model, in code beside the weights: one matrix, or two with biases.
struct reward_head {
  std::string_view name;
  std::int64_t outputs;
  bool two_matrices;
};
inline constexpr std::array<reward_head, 3> reward_heads{{
    {"InternLM2ForRewardModel", 1, false},
    {"Qwen2ForRewardModel", 1, true},
    {"Qwen2ForProcessRewardModel", 2, true},
}};

inline bool read_reward_head(config_fields& fields, const std::string& name, transformer& model) {
  for (const reward_head& head : reward_heads) {
    if (head.name != name) continue;
    model.output_head = model.head_bias = false;
    model.classes = head.outputs;
    model.pooler = head.two_matrices;
    if (!head.two_matrices) take_away_class_biases(model);
    fields.assume("architectures", name, "a reward in place of the output head");
    return true;
  }
  return false;
}

/// Refuses a class that is a part of what its type describes: the decoder of a pair of stacks alone.
inline void refuse_other_class(const config_fields& fields, const transformer& model) {
  const std::string name = class_of(fields);
  if (model.kind == architecture::encoder_decoder && ends_in(name, "ForCausalLM"))
    fail(errc::unsupported, fields.path("architectures"), name,
         "a class with both stacks, which ends in ForConditionalGeneration or Model: this is the decoder alone");
}

/// Refuses what drafts tokens for another model to check: its matrices are others than those of its model_type.
inline void refuse_draft(const config_fields& fields, const std::string& name) {
  if (fields.has("draft_vocab_size"))
    fail(errc::unsupported, fields.path("draft_vocab_size"), shown_json(fields.object().at("draft_vocab_size")),
         "absent: this drafts tokens for another model, whose config.json can be read");
  for (const char* word : {"Eagle", "EAGLE", "Medusa", "Draft", "Speculat", "NextN", "MTP"}) {
    if (name.find(word) == std::string::npos) continue;
    fail(errc::unsupported, fields.path("architectures"), name,
         "the class of a whole model: this drafts tokens for another one");
  }
}

/// The head of a model that writes tokens. A class without one is counted without.
inline void read_causal_head(config_fields& fields, transformer& model) {
  const std::string name = class_of(fields);
  refuse_draft(fields, name);
  if (name.empty() || read_decoder_classifier(fields, name, model) || read_reward_head(fields, name, model)) return;
  if (ends_in(name, "DoubleHeadsModel")) {  // GPT and GPT-2: the output head, and one that chooses among answers
    model.classes = 1;
    return;
  }
  for (const std::string_view with_head : {"ChatGLMModel", "DreamModel", "InternVLChatModel", "MiniCPMV", "ForCausalLM",
                                           "LMHeadModel", "GPT2LMHeadCustomModel", "ForConditionalGeneration"}) {
    if (ends_in(name, with_head)) return;
  }
  if (!ends_in(name, "Model") || ends_in(name, "EncoderModel") || ends_in(name, "RewardModel")) {
    fail(errc::unsupported, fields.path("architectures"), name,
         "a class that ends in ForCausalLM, Model, ForSequenceClassification, ForTokenClassification or "
         "ForQuestionAnswering");
  }
  model.output_head = model.head_bias = false;
  fields.assume("architectures", name, "no output head: none in parameters and FLOPs");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
