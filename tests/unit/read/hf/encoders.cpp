// Encoders with decoders: parameters of published models, FLOPs and caches of both sides, and what is refused.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/encoders.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_encoders_tests {
using nlohmann::json;

namespace {

struct shape {
  const char* name;
  const char* type;
  const char* changes;
  std::int64_t parameters;
};

// Sums over the tensors that the classes of transformers build (main of 2025-12-23, d6a6c82680), each table of tokens
// once.
// clang-format off
const shape published[] = {
    {"facebook/bart-base", "bart", R"({"encoder_layers":6,"decoder_layers":6,"d_model":768,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072,"encoder_attention_heads":12,"decoder_attention_heads":12})", 139420416},
    {"facebook/bart-large", "bart", R"({})", 406291456},
    {"facebook/bart-large-cnn", "bart", R"({"vocab_size":50264})", 406290432},
    {"facebook/mbart-large-cc25", "mbart", R"({"vocab_size":250027})", 610851840},
    {"openai/whisper-tiny", "whisper", R"({})", 37760640},
    {"openai/whisper-small", "whisper", R"({"d_model":768,"encoder_layers":12,"decoder_layers":12,"encoder_attention_heads":12,"decoder_attention_heads":12,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072})", 241734912},
    {"openai/whisper-large-v3", "whisper", R"({"d_model":1280,"encoder_layers":32,"decoder_layers":32,"encoder_attention_heads":20,"decoder_attention_heads":20,"encoder_ffn_dim":5120,"decoder_ffn_dim":5120,"vocab_size":51866,"num_mel_bins":128})", 1543490560},
};
// clang-format on

struct headed {
  const char* name;
  const char* type;
  const char* head;  // the class that architectures names
  const char* changes;
  std::int64_t parameters;
};

// The same for encoders alone (main of 2026-08-17, e8c4f0b738).
// clang-format off
const headed encoders[] = {
    {"electra Model", "electra", "ElectraModel", R"({})", 13483008},
    {"albert Model", "albert", "AlbertModel", R"({})", 222595584},
    {"mpnet Model", "mpnet", "MPNetModel", R"({})", 109484928},
    {"deberta-v2 Model", "deberta-v2", "DebertaV2Model", R"({})", 877507584},
    {"modernbert Model", "modernbert", "ModernBertModel", R"({})", 149014272},
    {"modernbert, switches, Model", "modernbert", "ModernBertModel", R"({"norm_bias":true,"classifier_bias":true,"attention_bias":true,"mlp_bias":true,"decoder_bias":false})", 149184000},
    {"deberta Model", "deberta", "DebertaModel", R"({})", 124043520},
    {"electra ForMaskedLM", "electra", "ElectraForMaskedLM", R"({})", 13546682},
    {"albert ForMaskedLM", "albert", "AlbertForMaskedLM", R"({})", 206368944},
    {"mpnet ForMaskedLM", "mpnet", "MPNetForMaskedLM", R"({})", 109516991},
    {"deberta-v2 ForMaskedLM", "deberta-v2", "DebertaV2ForMaskedLM", R"({})", 879999588},
    {"modernbert ForMaskedLM", "modernbert", "ModernBertForMaskedLM", R"({})", 149655232},
    {"modernbert, switches, ForMaskedLM", "modernbert", "ModernBertForMaskedLM", R"({"norm_bias":true,"classifier_bias":true,"attention_bias":true,"mlp_bias":true,"decoder_bias":false})", 149776128},
    {"deberta ForMaskedLM", "deberta", "DebertaForMaskedLM", R"({})", 124685913},
    {"electra ForPreTraining", "electra", "ElectraForPreTraining", R"({})", 13549057},
    {"albert ForPreTraining", "albert", "AlbertForPreTraining", R"({})", 223158450},
    {"electra ForSequenceClassification", "electra", "ElectraForSequenceClassification", R"({})", 13549314},
    {"albert ForSequenceClassification", "albert", "AlbertForSequenceClassification", R"({})", 222603778},
    {"mpnet ForSequenceClassification", "mpnet", "MPNetForSequenceClassification", R"({})", 109486466},
    {"deberta-v2 ForSequenceClassification", "deberta-v2", "DebertaV2ForSequenceClassification", R"({})", 879871490},
    {"modernbert ForSequenceClassification", "modernbert", "ModernBertForSequenceClassification", R"({})", 149606402},
    {"modernbert, switches, ForSequenceClassification", "modernbert", "ModernBertForSequenceClassification", R"({"norm_bias":true,"classifier_bias":true,"attention_bias":true,"mlp_bias":true,"decoder_bias":false})", 149777666},
    {"deberta ForSequenceClassification", "deberta", "DebertaForSequenceClassification", R"({})", 124635650},
    {"electra ForTokenClassification", "electra", "ElectraForTokenClassification", R"({})", 13483522},
    {"albert ForTokenClassification", "albert", "AlbertForTokenClassification", R"({})", 205822466},
    {"mpnet ForTokenClassification", "mpnet", "MPNetForTokenClassification", R"({})", 108895874},
    {"deberta-v2 ForTokenClassification", "deberta-v2", "DebertaV2ForTokenClassification", R"({})", 877510658},
    {"modernbert ForTokenClassification", "modernbert", "ModernBertForTokenClassification", R"({})", 149606402},
    {"modernbert, switches, ForTokenClassification", "modernbert", "ModernBertForTokenClassification", R"({"norm_bias":true,"classifier_bias":true,"attention_bias":true,"mlp_bias":true,"decoder_bias":false})", 149777666},
    {"deberta ForTokenClassification", "deberta", "DebertaForTokenClassification", R"({})", 124045058},
    {"electra ForMultipleChoice", "electra", "ElectraForMultipleChoice", R"({})", 13549057},
    {"albert ForMultipleChoice", "albert", "AlbertForMultipleChoice", R"({})", 222599681},
    {"mpnet ForMultipleChoice", "mpnet", "MPNetForMultipleChoice", R"({})", 109485697},
    {"deberta-v2 ForMultipleChoice", "deberta-v2", "DebertaV2ForMultipleChoice", R"({})", 879869953},
    {"modernbert ForMultipleChoice", "modernbert", "ModernBertForMultipleChoice", R"({})", 149605633},
    {"modernbert, switches, ForMultipleChoice", "modernbert", "ModernBertForMultipleChoice", R"({"norm_bias":true,"classifier_bias":true,"attention_bias":true,"mlp_bias":true,"decoder_bias":false})", 149776897},
    {"electra, no other width", "electra", "ElectraForMaskedLM", R"({"embedding_size":768,"hidden_size":768,"num_attention_heads":12})", 71740986},
    {"albert, four sets", "albert", "AlbertModel", R"({"num_hidden_groups":2,"inner_group_num":2})", 826735104},
    {"deberta-v2, convolution, both", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"position_buckets":256,"pos_att_type":"p2c|c2p","share_att_key":true,"norm_rel_ebd":"layer_norm","position_biased_input":false,"conv_kernel_size":3})", 884593152},
    {"deberta-v2, both", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":"p2c|c2p"})", 992400384},
    {"deberta, both", "deberta", "DebertaModel", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":"p2c|c2p","position_biased_input":false})", 138601728},
    {"deberta-v2, convolution, keys", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"position_buckets":256,"pos_att_type":["c2p"],"share_att_key":true,"norm_rel_ebd":"layer_norm","position_biased_input":false,"conv_kernel_size":3})", 884593152},
    {"deberta-v2, keys", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":["c2p"]})", 935740416},
    {"deberta, keys", "deberta", "DebertaModel", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":["c2p"],"position_biased_input":false})", 131514624},
    {"deberta-v2, convolution, queries", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"position_buckets":256,"pos_att_type":["p2c"],"share_att_key":true,"norm_rel_ebd":"layer_norm","position_biased_input":false,"conv_kernel_size":3})", 884593152},
    {"deberta-v2, queries", "deberta-v2", "DebertaV2Model", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":["p2c"]})", 935740416},
    {"deberta, queries", "deberta", "DebertaModel", R"({"relative_attention":true,"max_relative_positions":-1,"pos_att_type":["p2c"],"position_biased_input":false})", 131523840},
};
// clang-format on

transformer model_of(const shape& each) {
  json config = json::parse(each.changes);
  config["model_type"] = each.type;
  return read_hf_config(config).model;
}

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), each table of tokens
// once. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class alike[] = {
    {"ErnieForMaskedLM", "ernie", "ErnieForMaskedLM", R"({})", 109514298},
    {"ErnieModel", "ernie", "ErnieModel", R"({"use_task_id":true})", 109484544},
    {"MegatronBertForMaskedLM", "megatron-bert", "MegatronBertForMaskedLM", R"({})", 333671808},
    {"MegatronBertModel", "megatron-bert", "MegatronBertModel", R"({})", 333640704},
    {"XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "XLMRobertaXLForMaskedLM", R"({})", 3482741760},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "XLMRobertaXLForSequenceClassification", R"({})", 3482490882},
    {"RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "RobertaPreLayerNormForMaskedLM", R"({})", 124698201},
    {"LongformerForMaskedLM", "longformer", "LongformerForMaskedLM", R"({})", 130775610},
    {"LongformerForSequenceClassification", "longformer", "LongformerForSequenceClassification", R"({})", 130745090},
    {"LongformerModel", "longformer", "LongformerModel", R"({})", 130743552},
    {"LayoutLMForMaskedLM", "layoutlm", "LayoutLMForMaskedLM", R"({})", 113250618},
    {"LayoutLMModel", "layoutlm", "LayoutLMModel", R"({})", 112627968},
    {"LayoutLMForTokenClassification", "layoutlm", "LayoutLMForTokenClassification", R"({})", 112629506},
    {"LayoutLMForSequenceClassification", "layoutlm", "LayoutLMForSequenceClassification", R"({})", 112629506},
    {"NomicBertForMaskedLM", "nomic_bert", "NomicBertForMaskedLM", R"({})", 137354304},
    {"NomicBertModel", "nomic_bert", "NomicBertModel", R"({})", 136731648},
    {"NomicBertForSequenceClassification", "nomic_bert", "NomicBertForSequenceClassification", R"({})", 137323778},
    {"NomicBertModel", "nomic_bert", "NomicBertModel", R"({"n_embd":384,"n_layer":6,"n_head":6,"n_inner":1536,"n_positions":8192})", 25889280},
    {"NomicBertModel", "nomic_bert", "NomicBertModel", R"({"hidden_size":384,"num_hidden_layers":6,"num_attention_heads":6,"intermediate_size":1536})", 25889280},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "JinaEmbeddingsV3Model", R"({})", 559364096},
    {"jina-embeddings-v3-hf", "jina_embeddings_v3", "JinaEmbeddingsV3Model", R"({"hidden_size":1024,"intermediate_size":4096,"max_position_embeddings":8194,"num_attention_heads":16,"num_hidden_layers":24,"position_embedding_type":"rotary","lora_rank":4,"type_vocab_size":1,"vocab_size":250002})", 559364096},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "JinaEmbeddingsV3ForMaskedLM", R"({})", 559616146},
    {"RoFormerForMaskedLM", "roformer", "RoFormerForMaskedLM", R"({})", 124197968},
    {"RoFormerModel", "roformer", "RoFormerModel", R"({})", 123555840},
    {"RoFormerForSequenceClassification", "roformer", "RoFormerForSequenceClassification", R"({})", 124147970},
    {"RoFormerForTokenClassification", "roformer", "RoFormerForTokenClassification", R"({})", 123557378},
    {"BigBirdForMaskedLM", "big_bird", "BigBirdForMaskedLM", R"({})", 128111286},
    {"BigBirdModel", "big_bird", "BigBirdModel", R"({})", 127468800},
    {"BigBirdForPreTraining", "big_bird", "BigBirdForPreTraining", R"({})", 128112824},
    {"BigBirdForSequenceClassification", "big_bird", "BigBirdForSequenceClassification", R"({})", 128060930},
    {"BigBirdForTokenClassification", "big_bird", "BigBirdForTokenClassification", R"({})", 127470338},
    {"PLBartForConditionalGeneration", "plbart", "PLBartForConditionalGeneration", R"({})", 139220736},
    {"MvpForConditionalGeneration", "mvp", "MvpForConditionalGeneration", R"({})", 406293504},
    {"BlenderbotForConditionalGeneration", "blenderbot", "BlenderbotForConditionalGeneration", R"({})", 2696268800},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "BlenderbotSmallForConditionalGeneration", R"({})", 85113344},
    {"PegasusForConditionalGeneration", "pegasus", "PegasusForConditionalGeneration", R"({})", 406287360},
    {"MarianMTModel", "marian", "MarianMTModel", R"({})", 414307328},
    {"M2M100ForConditionalGeneration", "m2m_100", "M2M100ForConditionalGeneration", R"({})", 483905536},
    {"UMT5ForConditionalGeneration", "umt5", "UMT5ForConditionalGeneration", R"({})", 172122112},
    {"UMT5EncoderModel", "umt5", "UMT5EncoderModel", R"({})", 146941952},
    {"UMT5ForConditionalGeneration", "umt5", "UMT5ForConditionalGeneration", R"({"tie_word_embeddings":false})", 300179456},
    {"EuroBertModel", "eurobert", "EuroBertModel", R"({})", 211766016},
    {"EuroBertForMaskedLM", "eurobert", "EuroBertForMaskedLM", R"({})", 310266624},
    {"EuroBertForSequenceClassification", "eurobert", "EuroBertForSequenceClassification", R"({})", 212358146},
    {"EuroBertForTokenClassification", "eurobert", "EuroBertForTokenClassification", R"({})", 211767554},
    {"Data2VecTextForMaskedLM", "data2vec-text", "Data2VecTextForMaskedLM", R"({})", 109514298},
    {"Data2VecTextModel", "data2vec-text", "Data2VecTextModel", R"({})", 109482240},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "Data2VecTextForSequenceClassification", R"({})", 109483778},
    {"EsmModel", "esm", "EsmModel", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7511801},
    {"EsmForMaskedLM", "esm", "EsmForMaskedLM", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7512474},
    {"EsmForTokenClassification", "esm", "EsmForTokenClassification", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7409723},
    {"EsmForSequenceClassification", "esm", "EsmForSequenceClassification", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7512443},
    {"EsmForMaskedLM", "esm", "EsmForMaskedLM", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"absolute","emb_layer_norm_before":true})", 7841434},
    {"EuroBertForMaskedLM", "eurobert", "EuroBertForMaskedLM", R"({"attention_bias":true,"mlp_bias":true,"num_key_value_heads":4,"head_dim":96,"tie_word_embeddings":true})", 212009472},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of encoders with decoders", "[hf_encoders]") {
  for (const shape& each : published) {
    INFO(each.name);
    CHECK(parameters(model_of(each)).total == each.parameters);
  }
}

TEST_CASE("parameters of encoders, head by head", "[hf_encoders]") {
  for (const headed& each : encoders) {
    INFO(each.name);
    json config = json::parse(each.changes);
    config["model_type"] = each.type;
    config["architectures"] = {each.head};
    CHECK(parameters(read_hf_config(config).model).total == each.parameters);
  }
}

TEST_CASE("queries and keys are multiplied with relative positions too", "[hf_encoders]") {
  const auto flops_of = [](const char* changes) {
    json config = json::parse(changes);
    config["model_type"] = "deberta-v2";
    config["hidden_size"] = 768, config["num_attention_heads"] = 12, config["num_hidden_layers"] = 12;
    config["relative_attention"] = true;
    return forward_flops_per_token(read_hf_config(config).model, 512).attention.value();
  };
  const double plain = flops_of(R"({"pos_att_type":[]})");
  // 2 x 256 buckets of both directions, for each number of a head's queries or keys.
  const double one = 2.0 * 512 * 768 * 12;
  CHECK(flops_of(R"({"position_buckets":256,"pos_att_type":"p2c"})") == plain + one);
  CHECK(flops_of(R"({"position_buckets":256,"pos_att_type":"p2c|c2p","share_att_key":true})") == plain + 2 * one);
  CHECK(flops_of(R"({"max_relative_positions":128,"pos_att_type":["c2p"]})") == plain + one / 2);
}

TEST_CASE("layers that share their weights are computed each", "[hf_encoders]") {
  const transformer albert = model_of({"", "albert", "{}", 0});
  CHECK(albert.layer_sets == 1);
  CHECK(table_width(albert) == 128);
  transformer own = albert;
  own.layer_sets = 0;
  CHECK(parameters(own).matrices == parameters(albert).matrices);
  CHECK(parameters(own).attention == 12 * parameters(albert).attention);
  CHECK(forward_flops_per_token(own, 512).total == forward_flops_per_token(albert, 512).total);
}

TEST_CASE("what of encoders cannot be counted is refused by its field", "[hf_encoders]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of({"", type, changes, 0}); }).message;
  };
  CHECK(says(refused("nomic_bert", R"({"num_experts":8})"), "config.qkv_proj_bias"));
  CHECK(says(refused("nomic_bert", R"({"qkv_proj_bias":true})"), "config.qkv_proj_bias"));
  CHECK(says(refused("nomic_bert", R"({"architectures":["NomicBertForPreTraining"]})"), "config.architectures"));
  CHECK(says(refused("deberta-v2", R"({"embedding_size":128})"), "config.embedding_size"));
  CHECK(says(refused("deberta-v2", R"({"attention_head_size":32})"), "config.attention_head_size"));
  CHECK(says(refused("deberta-v2", R"({"relative_attention":true,"pos_att_type":1})"), "config.pos_att_type"));
  CHECK(says(refused("deberta-v2", R"({"relative_attention":true,"conv_kernel_size":3,"conv_groups":7})"),
             "config.conv_groups"));
  CHECK(says(refused("bert", R"({"position_embedding_type":"relative_key"})"), "config.position_embedding_type"));
}

TEST_CASE("FLOPs and caches of both sides", "[hf_encoders]") {
  const transformer tiny = model_of({"", "whisper", "{}", 0});
  const pair_flops work = forward_flops_per_pair(tiny, 1500, 100);
  // Four layers of 1500 tokens: 4 d^2 and 2 x 4 d^2 of products, scores over all 1500, and the two convolutions.
  const double d = 384, stem = 3 * d * (80 + d) + 2 * d;
  CHECK(close(work.encoder.value(), 2 * 1500 * (4 * (12 * d * d + 2 * 1500 * d) + stem)));
  const double decoder = 4 * (100 * (4 * d * d + 2 * d * d + 8 * d * d + 2 * d * (50 + 1500)) + 1500 * 2 * d * d);
  CHECK(close(work.decoder.value(), 2 * (decoder + 100 * d * 51865)));
  CHECK(kv_bytes_per_pair(tiny, 1500, 100).cross == bytes{4 * 2 * 384 * 2 * 1500.0});
  CHECK(kv_bytes_per_pair(tiny, 1500, 100, dtype::fp32).self == bytes{4 * 2 * 384 * 4 * 100.0});
  CHECK(refusal_of([&] { (void)forward_flops_per_pair(tiny, 0, 1); }).refused);
  transformer decoder_alone = tiny;
  decoder_alone.kind = architecture::decoder;
  CHECK(refusal_of([&] { (void)kv_bytes_per_pair(decoder_alone, 1, 1); }).code == errc::unsupported);
}

TEST_CASE("BERT with slopes for its heads is the class beside its weights", "[hf_encoders]") {
  // zhihan1996/DNABERT-2-117M: two tables and a norm; in each layer four matrices with biases, a gated MLP of which the
  // last matrix has one, and two norms; a dense layer, a norm and a bias.
  const std::int64_t d = 768, ff = 3072, v = 4096;
  const std::int64_t layer = 4 * (d * d + d) + 3 * d * ff + d + 4 * d;
  const char* changes = R"({"alibi_starting_size":512,"vocab_size":4096,"architectures":["BertForMaskedLM"]})";
  const transformer m = model_of({"", "bert", changes, 0});
  CHECK(parameters(m).total == (v + 2) * d + 2 * d + 12 * layer + d * d + 3 * d + v);
  CHECK(parameters(m).total == 117074176);
  CHECK(m.learned_positions == 0);
  // gte is a later name of what the first files call new.
  CHECK(parameters(model_of({"", "gte", R"({"position_embedding_type":"rope"})", 0})).total ==
        parameters(model_of({"", "new", R"({"position_embedding_type":"rope"})", 0})).total);
}

TEST_CASE("what is not modelled of two stacks is said", "[hf_encoders]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of({"", type, changes, 0}); }).message;
  };
  CHECK(says(refused("bart", R"({"decoder_ffn_dim":2048})"), "config.decoder_ffn_dim is 2048; valid: encoder_ffn_dim"));
  CHECK(says(refused("whisper", R"({"encoder_attention_heads":5,"decoder_attention_heads":5})"),
             "config.encoder_attention_heads"));
  CHECK(says(refused("whisper", R"({"architectures":["WhisperForAudioClassification"]})"), "config.architectures"));
  const transformer bart = model_of({"", "bart", "{}", 0});
  training_job job;
  job.global_batch = job.sequence_length = 128;
  const slice where = slice_for("v5e-8");
  layout mesh = fsdp_layout(where);
  CHECK(step_time(bart, job, mesh, where).total > seconds{});
  mesh.fsdp = 4, mesh.context = 2;
  CHECK(says(refusal_of([&] { (void)step_time(bart, job, mesh, where); }).message, "context"));
  mesh.context = 1, mesh.pipeline = 2;
  CHECK(says(refusal_of([&] { (void)step_time(bart, job, mesh, where); }).message, "pipeline"));
}

TEST_CASE("a decoder without output head has none in its FLOPs", "[hf_encoders]") {
  const transformer with = read_hf_config({{"model_type", "mistral"}}).model;
  const transformer without = read_hf_config({{"model_type", "mistral"}, {"architectures", {"MistralModel"}}}).model;
  CHECK(parameters(with).total - parameters(without).total == std::int64_t{4096} * 32000);
  CHECK(parameters(with).matrices - parameters(without).matrices == std::int64_t{4096} * 32000);
  CHECK(forward_flops_per_token(without, 4096).logits.value() == 0);
  CHECK(forward_flops_per_token(with, 4096).total - forward_flops_per_token(without, 4096).total ==
        flops{2.0 * 4096 * 32000});
}

TEST_CASE("encoders like BERT, of proteins and of Llama, and pairs like BART: parameters", "[hf_encoders]") {
  check_parameters(alike);
}

TEST_CASE("gte v1.5: rotary positions, and a bias in the last matrix of a gated MLP", "[hf_encoders]") {
  // Alibaba-NLP/gte-large-en-v1.5 as published: 434139136.
  const char* large = R"({"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
      "intermediate_size": 4096, "type_vocab_size": 2, "position_embedding_type": "rope"})";
  CHECK(parameters(::model_of("new", large, "NewModel")).total == 434139136);
  CHECK(parameters(::model_of("new", large, "NewForMaskedLM")).total == 434139136 + 1024 * 1024 + 3 * 1024 + 30528);
}

TEST_CASE("switches of a class that change its parameters", "[hf_encoders]") {
  const auto total = [](const char* type, const char* changes, const char* head) {
    return parameters(::model_of(type, changes, head)).total;
  };
  const std::int64_t d = 768;
  // A head that does not share the table has one of its own.
  CHECK(total("bert", R"({"tie_word_embeddings": false})", "BertForMaskedLM") ==
        total("bert", "{}", "BertForMaskedLM") + 30522 * d);
  CHECK(
      forward_flops_per_token(::model_of("bert", R"({"tie_word_embeddings": false})", "BertForMaskedLM"), 512).total ==
      forward_flops_per_token(::model_of("bert", "{}", "BertForMaskedLM"), 512).total);
  // DeBERTa without relative positions keeps its convolution and the norm of a table that it has not.
  CHECK(total("deberta-v2", R"({"conv_kernel_size": 3, "norm_rel_ebd": "layer_norm"})", "DebertaV2Model") ==
        total("deberta-v2", "{}", "DebertaV2Model") + 3 * 1536 * 1536 + 3 * 1536 + 2 * 1536);
  CHECK(total("big_bird", R"({"use_bias": false})", "BigBirdModel") ==
        total("big_bird", "{}", "BigBirdModel") - 12 * 3 * d);
  // RoFormer chooses from the last token's state by one matrix and its bias.
  CHECK(total("roformer", "{}", "RoFormerForMultipleChoice") == total("roformer", "{}", "RoFormerModel") + d + 1);
}

TEST_CASE("what encoders do not count is refused by its field", "[hf_encoders]") {
  const hf_class refused[] = {
      {"share_encoder_decoder_embeddings", "marian", "", R"({"share_encoder_decoder_embeddings": false})", 0},
      {"embedding_size", "roformer", "", R"({"embedding_size": 384})", 0},
      {"architectures", "big_bird", "BigBirdForQuestionAnswering", "{}", 0},
      {"vocab_size", "esm", "", "{}", 0},
      {"is_folding_model", "esm", "", R"({"vocab_size": 33, "is_folding_model": true})", 0},
      {"position_embedding_type", "esm", "", R"({"vocab_size": 33, "position_embedding_type": "relative_key"})", 0},
      {"architectures", "esm", "EsmForProteinFolding", R"({"vocab_size": 33})", 0},
      {"architectures", "eurobert", "EuroBertForQuestionAnswering", "{}", 0},
  };
  check_refusals(refused);
}

TEST_CASE("layers of ModernBERT are named one by one, or every third is global") {
  nlohmann::json config = {{"model_type", "modernbert"}, {"num_hidden_layers", 6}};
  CHECK(read_hf_config(config).model.attention.local_layers == 4);
  config["layer_types"] = {"full_attention",    "sliding_attention", "sliding_attention",
                           "sliding_attention", "sliding_attention", "sliding_attention"};
  CHECK(read_hf_config(config).model.attention.local_layers == 5);
}

TEST_CASE("T5 with a classifier, and T5Gemma") {
  // By hand: T5-small has 60506624, its encoder alone 35330816; a dense layer and a matrix to two labels behind it.
  CHECK(parameters(::model_of("t5", "{}", "T5ForSequenceClassification")).total == 60506624 + 513 * 512 + 513 * 2);
  CHECK(parameters(::model_of("t5", "{}", "T5ForTokenClassification")).total == 35330816 + 513 * 2);
  const transformer m = ::model_of("t5gemma", "{}", "T5GemmaForConditionalGeneration");
  CHECK(parameters(m).total == 5596853760);
  CHECK(m.encoder_layers == 26);
  CHECK(m.attention.window == 0);
  const hf_class refused[] = {
      {"encoder.hidden_size", "t5gemma", "", R"({"encoder": {"hidden_size": 3584}})", 0},
      {"encoder.num_key_value_heads", "t5gemma", "", R"({"encoder": {"num_key_value_heads": 8}})", 0},
      {"architectures", "t5gemma", "T5GemmaEncoderModel", "{}", 0},
  };
  check_refusals(refused);
}

TEST_CASE("experts of Nomic BERT are in every second layer") {
  const char* shape = R"({"num_experts": 8, "moe_top_k": 2, "moe_every_n_layers": 2, "activation_function": "gelu",
      "qkv_proj_bias": true, "mlp_fc1_bias": true, "mlp_fc2_bias": true, "type_vocab_size": 1, "vocab_size": 250048})";
  const transformer m = ::model_of("nomic_bert", shape, "NomicBertModel");
  CHECK(parameters(m).total == 475292928);  // as published
  CHECK(moe_layers(m) == 6);
  const hf_class refused[] = {
      {"mlp_fc2_bias", "nomic_bert", "", R"({"num_experts": 8, "qkv_proj_bias": true, "mlp_fc1_bias": true})", 0},
      {"activation_function", "nomic_bert", "", R"({"num_experts": 8, "qkv_proj_bias": true, "mlp_fc1_bias": true,
          "mlp_fc2_bias": true, "activation_function": "swiglu"})",
       0},
  };
  check_refusals(refused);
}

TEST_CASE("BERT that generates has neither segments nor a pooler") {
  const transformer m = ::model_of("bert-generation", "{}", "BertGenerationEncoder");
  CHECK(m.token_types == 0);
  CHECK_FALSE(m.pooler);
  const refusal decoder = refusal_of([] { (void)::model_of("bert-generation", R"({"is_decoder": true})"); });
  CHECK(says(decoder.message, "config.is_decoder"));
}

}  // namespace read_hf_encoders_tests
