// The only file that knows the library which splits a command line into words.
#include "cli/parse.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/version.hpp>

#include "cli/own_words.hpp"
#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

namespace {

void declare(CLI::App& app, option& one) {
  CLI::Option* declared = nullptr;
  if (one.form == option::shape::flag) {
    declared = app.add_flag_callback(
        one.name, [&one] { one.given.emplace_back(); }, one.help);
    declared->disable_flag_override();
  } else {
    declared = app.add_option_function<std::vector<std::string>>(
        one.name, [&one](const std::vector<std::string>& given) { one.given = given; }, one.help);
    const bool several = one.form == option::shape::list || one.form == option::shape::arguments;
    declared->type_name("")->allow_extra_args(one.form == option::shape::arguments);
    if (several) {
      declared->expected(one.form == option::shape::list ? 1 : -1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else {
      declared->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  if (!one.usual_.empty()) declared->default_str(one.usual_);
  if (one.must_be_given_) declared->required();
}

/// The option that other programs and papers give that name.
std::string_view named_elsewhere(std::string_view name) {
  constexpr std::string_view names[][2] = {{"--prompt", "--input-len"},
                                           {"--prompt-len", "--input-len"},
                                           {"--prompt-tokens", "--input-len"},
                                           {"--random-input-len", "--input-len"},
                                           {"--output-tokens", "--output-len"},
                                           {"--max-tokens", "--output-len"},
                                           {"--random-output-len", "--output-len"},
                                           {"--tp", "--tensor"},
                                           {"--tp-size", "--tensor"},
                                           {"--tensor-parallel-size", "--tensor"},
                                           {"--request-rate", "--rate"},
                                           {"--qps", "--rate"},
                                           {"--max-concurrency", "--concurrency"},
                                           {"--max-num-seqs", "--max-running"},
                                           {"--max-num-batched-tokens", "--prefill-chunk"},
                                           {"--chunked-prefill-size", "--prefill-chunk"},
                                           {"--gpu-memory-utilization", "--memory-fraction"},
                                           {"--mem-fraction-static", "--memory-fraction"},
                                           {"--kv-cache-dtype", "--kv-dtype"},
                                           {"--block-size", "--block"},
                                           {"--page-size", "--block"},
                                           {"--itl", "--tpot"}};
  for (const auto& [other, own] : names)
    if (other == name) return own;
  return {};
}

/// Whether two options have the same words in another order: --p99-ttft and --ttft-p99.
bool has_same_parts(std::string_view one, std::string_view other) {
  const auto parts = [](std::string_view name) {
    std::vector<std::string_view> all;
    while (!name.empty()) {
      const std::size_t end = std::min(name.find('-'), name.size());
      if (end > 0) all.push_back(name.substr(0, end));
      name.remove_prefix(std::min(end + 1, name.size()));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  return one.size() == other.size() && parts(one) == parts(other);
}

/// Help for an option that the command does not have: the commands that have it, or similar options of the command.
std::string valid_instead(const session& with, const command& asked, const std::string& unknown) {
  const std::string name = unknown.substr(0, unknown.find('='));
  std::string others;
  for (const command& one : with.commands) {
    if (one.find(name) != nullptr) others += (others.empty() ? "" : ", ") + one.name;
  }
  if (!others.empty()) return "an option of tpuplan " + asked.name + "; this one belongs to " + others;
  for (const std::string_view loop : {"--grpo", "--dpo", "--ppo", "--rl", "--rlhf"}) {
    if (name == loop)
      return "no such option: loops of reinforcement learning are not planned whole; serve estimates their rollouts, "
             "train their steps (README.md)";
  }
  std::vector<std::string_view> names;
  for (const option& one : asked.options)
    if (one.name.front() == '-') names.push_back(one.name);
  names = nearest_first(names, name);
  const auto is_meant = [&](std::string_view one) { return one == named_elsewhere(name) || has_same_parts(one, name); };
  if (const auto meant = std::find_if(names.begin(), names.end(), is_meant); meant != names.end())
    std::rotate(names.begin(), meant, meant + 1);
  std::string valid;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) valid.append(i == 0 ? "" : ", ").append(names[i]);
  return valid.empty() ? "none" : valid + "; all with --help";
}

/// Refuses words that are no option of the command and no argument that it takes.
void check_words(const session& with, const command& asked, const std::vector<std::string>& left) {
  for (const std::string& word : left) {
    if (!word.empty() && word.front() == '-' && word.size() > 1)
      refuse("option", word, valid_instead(with, asked, word), errc::unknown_name);
  }
  if (!left.empty()) refuse("argument", left.front(), "no further argument; see --help", errc::invalid_argument);
}

/// Refuses an option that has no effect beside the others.
void check_effects(const command& asked) {
  for (const option& one : asked.options) {
    if (!one.is_given()) continue;
    for (const std::string& other : one.excludes_) {
      if (asked.is_given(other)) refuse(one.name, "given with " + other, "either " + one.name + " or " + other);
    }
    const auto given = [&](const std::string& other) { return asked.is_given(other); };
    if (!one.needs_.empty() && std::none_of(one.needs_.begin(), one.needs_.end(), given)) {
      std::string words;
      for (const std::string& other : one.needs_) words += (words.empty() ? "" : " or ") + other;
      refuse(one.name, "given without effect", "only with " + words);
    }
    const bool once = one.form == option::shape::value || one.form == option::shape::argument;
    if (once && one.given.size() > 1) refuse(one.name, "given more than once", "one value");
  }
}

/// Refuses options about tables beside --json, which prints no tables.
void check_form(const session& with, const command& asked) {
  for (const char* name : {"--wide", "--csv", "--markdown"}) {
    if (with.json && asked.is_given(name))
      refuse(name, "given with --json", std::string("either ") + name + " or --json");
  }
}

bool is_of_data(const std::string& given) { return given.rfind("data/", 0) == 0; }

/// The names that torchvision, timm and Keras have for networks in data/networks.
constexpr std::string_view named_networks[][2] = {
    {"resnet50", "resnet-50"},
    {"ResNet50", "resnet-50-keras"},
    {"efficientnet_b0", "efficientnet-b0"},
    {"EfficientNetB0", "efficientnet-b0-keras"},
    {"vit_b_16", "vit-b-16"},
    {"vit_base_patch16_224", "vit-b-16"},
    {"vit_small_patch16_224", "vit-s-16"},
    {"tf_efficientnet_b0", "efficientnet-b0"},  // padded otherwise, to the same shapes
    {"efficientnet_v2_s", "efficientnet-v2-s"},
    {"tf_efficientnetv2_s", "efficientnet-v2-s"},
    {"EfficientNetV2S", "efficientnet-v2-s"},  // the same layers, moving statistics counted
};

/// A name without the package that has it and the tag of timm for its weights, of which those for ImageNet-1k have its
/// classes: "timm/resnet50.a1_in1k" is "resnet50".
std::string_view bare_network(std::string_view given) {
  for (const std::string_view package :
       {"timm/", "timm.", "torchvision.models.", "torchvision/", "keras.applications."}) {
    if (given.substr(0, package.size()) == package) given.remove_prefix(package.size());
  }
  const std::size_t dot = given.find('.');
  constexpr std::string_view classes = "in1k";
  const bool tagged = dot != std::string_view::npos && given.size() - dot > classes.size() &&
                      given.substr(given.size() - classes.size()) == classes;
  return tagged ? given.substr(0, dot) : given;
}

/// The file of a network by such a name; else the word itself.
std::string named_file(const std::string& given) {
  std::error_code none;
  for (const auto& [name, file] : named_networks) {
    if (bare_network(given) == name && !std::filesystem::exists(given, none))
      return "data/networks/" + std::string(file) + ".json";
  }
  return given;
}

/// A file of data/ that is not there is looked for among the program's own, so that what the pages ask can be asked in
/// any folder.
std::string found_file(const option& one, const std::string& given, const std::string& data_dir) {
  if (!is_of_data(given)) return given;
  std::error_code none;
  const std::string own = data_dir + given.substr(4);
  if (std::filesystem::exists(given, none)) return given;
  if (std::filesystem::exists(own, none)) return own;
  for (const char* file : {"config", "--network", "--model", "--prices", "--calibration", "--maxtext", "--quota"}) {
    if (one.name == file)
      refuse(one.name, given, "a file that can be read; there is none here, and none in " + data_dir,
             errc::malformed_input);
  }
  return given;
}

/// Whether a word is like the name of a model at Hugging Face, and no path of a file: "google/gemma-3-4b-it".
bool is_hub_name(const std::string& given) {
  const std::size_t slash = given.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < given.size() &&
         given.find('/', slash + 1) == std::string::npos && given[0] != '.' && given[0] != '~' &&
         std::filesystem::path(given).extension() != ".json" && !std::filesystem::is_directory(given.substr(0, slash));
}

/// Refuses the name of a model in place of its file, with the file of that name that comes with the program.
void check_model_file(const std::string& given, const std::string& data_dir) {
  std::error_code none;
  if (given == "-" || std::filesystem::exists(given, none)) return;
  std::string name = std::filesystem::path(given).filename().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string file = "/models/" + name + ".json";
  if (!name.empty() && std::filesystem::exists(data_dir + file, none))
    refuse("config", given, "the path of a config.json; data" + file + " comes with the program", errc::unknown_name);
  if (!is_hub_name(given)) return;
  if (const std::string pipelines = data_dir + "/pipelines/sources.json"; std::filesystem::exists(pipelines, none)) {
    const nlohmann::json sources = load_json(pipelines);
    for (const auto& [pipeline, source] : sources.items()) {
      if (source.value("hub_id", "") == given)
        refuse("config", given, "the path of a file; data/pipelines/" + pipeline + ".json comes with the program",
               errc::unknown_name);
    }
  }
  refuse("config", given,
         "a file; that of a model of the Hub is https://huggingface.co/" + given +
             "/resolve/main/config.json; of a pipeline of diffusers the folder of its model_index.json, with the "
             "config.json of each part in a folder of its name",
         errc::unknown_name);
}

void take_all(command& asked, const std::string& data_dir) {
  for (option& one : asked.options) {
    for (const std::string& typed : one.given) {
      const bool is_model = one.name == "config" || one.name == "--network" || one.name == "--model";
      const std::string word = is_model ? named_file(typed) : typed;
      if (one.name == "config" && word == typed) check_model_file(word, data_dir);
      const std::string given = found_file(one, word, data_dir);
      if (one.form != option::shape::list || one.whole_) {
        one.take(given);
        continue;
      }
      for (std::size_t from = 0; from <= given.size();) {
        const std::size_t to = std::min(given.find(',', from), given.size());
        while (from < to && given[from] == ' ') ++from;  // "us, europe-west4"
        one.take(given.substr(from, to - from));
        from = to + 1;
      }
    }
  }
}

/// Refuses a first word after the options that is no command: the library would only ask for one.
void check_command(const session& with, int argument_count, char** arguments) {
  int first = 1;
  while (first < argument_count && arguments[first][0] == '-')
    first += std::string_view(arguments[first]) == "--data-dir" ? 2 : 1;
  if (first >= argument_count) return;
  std::string valid;
  for (const command& one : with.commands) {
    if (one.name == arguments[first]) return;
    valid += (valid.empty() ? "" : ", ") + one.name;
  }
  refuse("command", arguments[first], valid, errc::unknown_name);
}

/// Words that are no option and no argument of the command, nor of the program.
std::vector<std::string> left_over(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  std::stable_partition(words.begin(), words.end(), [](const std::string& word) { return word.rfind("--", 0) == 0; });
  return words;
}

void declare_all(CLI::App& app, session& with) {
  app.set_version_flag("--version", version_line());
  app.add_flag("--json", with.json, "one JSON document instead of tables; SI units, the unit in the key");
  app.add_option("--data-dir", with.data_dir, "folder with hardware.json, for sources")->capture_default_str();
  app.require_subcommand(1);
  app.allow_extras();
  app.fallthrough();
  for (command& one : with.commands) {
    CLI::App* declared = app.add_subcommand(one.name, one.help);
    declared->allow_extras();
    declared->callback([&one, &with] { with.asked = &one; });
    for (option& each : one.options) declare(*declared, each);
  }
}

constexpr const char* about =
    "Which TPU slice should run this model, will it fit, how long will it take, and what will it cost?";

}  // namespace

/// Refuses a folder without data, and one for a command that reads none.
static void check_data_dir(const session& with) {
  constexpr std::string_view readers[] = {"chips", "slices", "train", "pay",      "risk",   "generate",
                                          "serve", "plan",   "sweep", "simulate", "launch", "doctor"};
  std::string valid;
  bool reads = false;
  for (const std::string_view one : readers) {
    valid += (valid.empty() ? "" : ", ") + std::string(one);
    reads = reads || with.asked->name == one;
  }
  for (const option& one : with.asked->options)
    reads = reads || std::any_of(one.given.begin(), one.given.end(), is_of_data);
  if (!reads)
    refuse("--data-dir", "given to " + with.asked->name + ", which reads no data",
           "with " + valid + ", or a file of data/");
  std::error_code none;
  if (!std::filesystem::exists(with.data_dir + "/hardware.json", none))
    refuse("--data-dir", with.data_dir, "a folder with hardware.json and prices.json", errc::malformed_input);
}

void parse_and_run(session& with, int argument_count, char** arguments) {
  CLI::App app{about, "tpuplan"};
  declare_all(app, with);
  check_command(with, argument_count, arguments);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::CallForVersion& asked) {
    return write_words(std::string(asked.what()) + "\n");
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    return write_words(commands.empty() ? app.help() : commands.front()->help(app.get_name()));
  } catch (const CLI::RequiredError& problem) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    if (!commands.empty()) {
      for (command& one : with.commands) {
        if (one.name == commands.front()->get_name()) check_words(with, one, left_over(app));
      }
    }
    const std::string words = problem.what();
    const std::size_t end = words.rfind(" is required");
    if (end != std::string::npos) refuse(words.substr(0, end), "missing", "see --help", errc::missing_field);
    refuse("command line", words, "see --help", errc::missing_field);
  } catch (const CLI::ArgumentMismatch& problem) {
    const std::string words = problem.what(), option = words.substr(0, words.find(": "));
    if (const std::size_t flag = words.find(" was given a disallowed flag override"); flag != std::string::npos)
      refuse("--" + words.substr(0, flag), "given a value", "without one");
    if (words.find("received") != std::string::npos) refuse(option, "given more than once", "one value");
    refuse(option, "given without a value", "with one, see --help", errc::missing_field);
  } catch (const CLI::ParseError& problem) {
    refuse("command line", problem.what(), "see --help", errc::malformed_input);
  }
  for (command& one : with.commands) {
    if (&one != with.asked) continue;
    check_words(with, one, left_over(app));
    with.own_data = app.count("--data-dir") > 0;
    if (with.own_data) check_data_dir(with);
    check_effects(one);
    check_form(with, one);
    try {
      take_all(one, with.data_dir);
      one.run();
    } catch (const error& refusal) {
      throw in_own_words(one, refusal);
    }
  }
}

}  // namespace cli
