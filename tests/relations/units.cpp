// One question in other words.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>

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

namespace {

/// A time that the command line and ask both read.
struct timed_option {
  const char* command;  // with all else that it needs
  const char* option;
  const char* question;
  const char* request;
  const char* key;
};
constexpr timed_option timed_options[] = {
    {"spot --mtbp 4h", "--work", "spot", R"({"mean_time_between_preemptions_s": 14400})", "work_s"},
    {"spot --work 10h", "--mtbp", "spot", R"({"work_s": 36000})", "mean_time_between_preemptions_s"},
    {"spot --work 10h", "--checkpoint", "spot", R"({"work_s": 36000})", "checkpoint_time_s"},
    {"spot --work 10h", "--restart", "spot", R"({"work_s": 36000})", "restart_time_s"},
    {"spot --work 10h", "--queue", "spot", R"({"work_s": 36000})", "queue_time_s"},
    {"spot --work 10h", "--interval", "spot", R"({"work_s": 36000})", "checkpoint_interval_s"},
    {"pay --slice v6e-8", "--run", "pay", R"({"slice": "v6e-8"})", "run_s"},
    {"pay --slice v6e-8 --run 1d", "--mtbp", "pay", R"({"slice": "v6e-8", "run_s": 86400})",
     "mean_time_between_preemptions_s"},
    {"pay --slice v6e-8 --run 1d", "--checkpoint", "pay", R"({"slice": "v6e-8", "run_s": 86400})", "checkpoint_time_s"},
    {"pay --slice v6e-8 --run 1d", "--restart", "pay", R"({"slice": "v6e-8", "run_s": 86400})", "restart_time_s"},
    {"pay --slice v6e-8 --run 1d", "--queue", "pay", R"({"slice": "v6e-8", "run_s": 86400})", "queue_time_s"},
    {"train data/models/llama-3.1-8b.json --slice v6e-64 --batch 64 --tokens 1B", "--mtbp", "train",
     R"({"slice": "v6e-64", "job": {"global_batch": 64}, "tokens": 1e9})", "mean_time_between_preemptions_s"},
    {"plan data/models/llama-3.1-8b.json --generation v6e --max-chips 8 --tokens 1B", "--mtbp", "plan",
     R"({"generations": ["v6e"], "largest_chips": 8, "tokens": 1e9})", "mean_time_between_preemptions_s"},
    {"plan data/models/llama-3.1-8b.json --generation v6e --max-chips 8 --tokens 1B", "--deadline", "plan",
     R"({"generations": ["v6e"], "largest_chips": 8, "tokens": 1e9})", "deadline_s"},
    {"serve data/models/llama-3.1-8b.json --slice v6e-8", "--ttft", "serve", R"({"slice": "v6e-8"})",
     "/job/ttft_target_s"},
    {"serve data/models/llama-3.1-8b.json --slice v6e-8", "--tpot", "serve", R"({"slice": "v6e-8"})",
     "/job/tpot_target_s"},
};

const json& llama() {
  static const json config = [] {
    json document = json::parse(file_text("data/models/llama-3.1-8b.json"));
    document["_name_or_path"] = "llama-3.1-8b";
    return document;
  }();
  return config;
}

}  // namespace

// The ranges of the command line are those of the library.
void ranges(relation& r) {
  static const std::vector<double> ends = {1e-9, 1e-7, 1e-4, 0.5, 100, 3e5, 5e6, 5e8, 2e9, 1e11, 1e14};
  std::size_t turn = r.random.below(std::size(timed_options));
  while (r.next()) {
    const timed_option& one = timed_options[turn++ % std::size(timed_options)];
    const double time = r.random.of(ends);
    char words[32];
    std::snprintf(words, sizeof words, "%.10g", time);
    const bool has_model = std::string_view(one.command).find("data/models") != std::string_view::npos;
    json request = json::parse(one.request);
    if (has_model) request["config"] = llama();
    request[json::json_pointer(one.key[0] == '/' ? one.key : std::string("/") + one.key)] = time;
    const reply asked = ask(one.question, request);
    const told printed = tell(std::string("tpuplan --json ") + one.command + " " + one.option + " " + words + "s");
    r.holds(asked.refused() == printed.refused(), "a range of " + std::string(one.question) + " " + one.option, asked,
            asked.refused() ? asked.message() : "answers", printed, printed.refused() ? printed.errors : "answers");
  }
}

}  // namespace relations
