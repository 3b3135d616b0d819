// One question in other words.
#include <algorithm>
#include <cctype>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

/// Values that the command line reads as one.
struct spelling {
  const char* option;
  std::vector<std::string> words;
};
const std::vector<spelling>& spellings() {
  static const std::vector<spelling> all = {
      {"--tokens", {"1T", "1000B", "1e12", "1,000,000,000,000", "1000000M", "1.0T"}},
      {"--deadline", {"30d", "720h", "2592000s", "43200min", "30 days"}},
      {"--budget", {"1M", "1000k", "$1M", "1e6", "1,000,000", "$1000k"}},
      {"--batch-tokens", {"4Mi", "4194304", "4096Ki", "4194304.0"}},
      {"--mtbp", {"4h30m", "4.5h", "270min"}},
      {"--rest-used", {"40%", "0.4", "0.40", "40.0%"}},
      {"--seq", {"8192", "8Ki", "8.192k"}},
      {"--ttft", {"2s", "2000ms", "2.0s"}},
      {"--tpot", {"50ms", "0.05s", "50000us"}},
      {"--rate", {"5", "5.0"}},
      {"--prefix-hit-rate", {"25%", "0.25"}},
      {"--input-len", {"2k", "2000", "2.0k"}},
      {"--work", {"10d", "240h", "864000s"}},
      {"--checkpoint", {"30s", "0.5min", "30000ms"}},
      {"--queue", {"1h", "60min"}},
      {"--run", {"8d", "192h"}},
      {"--max-chips", {"256", "0.256k"}},
  };
  return all;
}
/// Commands, the options of which are spelled in all ways.
struct spelled_command {
  const char* words;
  std::vector<const char*> options;
};
const std::vector<spelled_command>& spelled_commands() {
  static const std::vector<spelled_command> all = {
      {"plan MODEL", {"--tokens", "--deadline", "--budget", "--batch-tokens", "--mtbp", "--rest-used", "--max-chips"}},
      {"train MODEL --slice v6e-256", {"--tokens", "--batch-tokens", "--mtbp", "--rest-used", "--seq"}},
      {"fit MODEL --slice v5p-128", {"--batch-tokens", "--seq"}},
      {"serve MODEL --slice v6e-8", {"--ttft", "--tpot", "--rate", "--prefix-hit-rate", "--input-len"}},
      {"plan MODEL --serve", {"--ttft", "--tpot", "--rate", "--input-len", "--max-chips"}},
      {"spot", {"--work", "--mtbp", "--checkpoint", "--queue"}},
      {"pay --slice v6e-16", {"--run", "--mtbp", "--checkpoint", "--queue", "--rest-used"}},
  };
  return all;
}
bool is_needed(const std::string& option) {
  return option == "--tokens" || option == "--rate" || option == "--run" || option == "--work";
}

/// The same document with its keys in another order, as text: nlohmann sorts them.
std::string shuffled(const json& document, random_numbers& random) {
  if (document.is_array()) {
    std::string text = "[";
    for (const json& one : document) text += (text.size() > 1 ? "," : "") + shuffled(one, random);
    return text + "]";
  }
  if (!document.is_object()) return document.dump();
  std::vector<std::string> keys;
  for (const auto& item : document.items()) keys.push_back(item.key());
  for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random.below(i)]);
  std::string text = "{";
  for (const std::string& key : keys)
    text += (text.size() > 1 ? ", " : "") + json(key).dump() + ": " + shuffled(document[key], random);
  return text + "}";
}

/// Says where two answers differ; keys that state what was asked apart.
template <class First, class Second>
void same_documents(relation& r, const std::string& what, const First& first, const json& a, const Second& second,
                    const json& b, const std::vector<std::string>& passed_over = {}) {
  r.compared();
  for (const std::string& one : differences(a, b, passed_over)) {
    r.differ(what, first.asked(), one, second.asked(), {});
    break;
  }
}

}  // namespace

void spelled_values(relation& r) {
  std::size_t turn = r.random.below(spelled_commands().size());
  while (r.next()) {
    const spelled_command& from = spelled_commands()[turn++ % spelled_commands().size()];
    std::string first = std::string("tpuplan --json ") + from.words, second = first;
    for (const char* option : from.options) {
      if (!is_needed(option) && !r.random.chance(0.5)) continue;
      for (const spelling& one : spellings()) {
        if (std::string_view(one.option) != option) continue;
        first += std::string(" ") + option + " '" + one.words.front() + "'";
        second += std::string(" ") + option + " '" + r.random.of(one.words) + "'";
      }
    }
    const std::string model_path = write_config(draw_decoder(r));
    for (std::string* words : {&first, &second}) {
      const std::size_t at = words->find("MODEL");
      if (at != std::string::npos) words->replace(at, 5, model_path);
    }
    const told one = tell(first), other = tell(second);
    if (!r.same("status", one, one.status, other, other.status)) continue;
    if (one.refused()) {
      r.skip("refused: " + one.errors.substr(0, 80));
      continue;
    }
    if (one.status == 0) same_documents(r, "a value in other units", one, one.document(), other, other.document());
  }
}

void permuted_keys(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw(r.random.of(drawn_names()), draw_model(r), r.random);
    const reply one = ask(drawn.name, drawn.request);
    reply other = ask_text(shuffled(one.question, r.random));
    other.question = one.question;
    if (one.refused()) r.skip("refused");
    same_documents(r, "a question with its keys in another order", one, one.document, other, other.document);
  }
}

void unrelated_keys(relation& r) {
  static const std::vector<std::pair<const char*, json>> keys = {
      {"transformers_version", "4.57.0"}, {"my_note", "do not read"}, {"eos_token_id", 7},
      {"initializer_range", 0.03},        {"use_cache", false},       {"_commit_hash", "0123abcd"},
      {"torch_dtype", "bfloat16"},        {"attention_dropout", 0.1}, {"task_specific_params", {{"a", 1}}}};
  static const std::vector<std::string> names = {"model", "fit", "train", "serve", "plan", "plan_serving"};
  while (r.next()) {
    const model& of = draw_model(r);
    const drawn_question drawn = draw(r.random.of(names), of, r.random);
    json request = drawn.request;
    for (int i = 0; i < 3; ++i) {
      const auto& [key, value] = r.random.of(keys);
      if (!request["config"].contains(key)) request["config"][key] = value;
    }
    const reply one = ask(drawn.name, drawn.request), other = ask(drawn.name, request);
    if (one.refused()) r.skip("refused");
    same_documents(r, "a config.json with keys that mean nothing here", one, one.document, other, other.document,
                   {"not_read"});
  }
}

}  // namespace relations
