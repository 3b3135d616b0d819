// tpuplan validate
#include <algorithm>
#include <filesystem>
#include <lab/serving_fit.hpp>
#include <lab/sources.hpp>
#include <lab/training_fit.hpp>
#include <map>
#include <memory>
#include <tpuplan/json.hpp>
#include <tpuplan/read/runs.hpp>

#include "cli/commands.hpp"
#include "cli/report.hpp"
#include "cli/validate.hpp"

namespace cli {

namespace {

using namespace tpuplan;
using namespace tpuplan::readable;

/// Whether the estimates are made for such a record: quality A or B, a transformer of at least 1.5e9 parameters.
bool counts(const record_check& check) {
  return check.kind == "training" && check.in_domain && (check.quality == "A" || check.quality == "B");
}

/// The same of decode or prefill, those of a type or all that are timed step by step.
error_summary serving_summary(const std::vector<record_check>& checks, std::string_view kind, std::string_view type) {
  return summary_of(checks, [&](const record_check& c) {
    return c.kind == kind && c.quality != "C" && (type.empty() ? c.in_domain : c.type == type);
  });
}

bool is_smaller(const record_check& c) { return c.kind == "training" && !c.in_domain && c.quality != "C"; }

ordered_json json_of(const record_check& c) {
  return {{"id", c.id},
          {"kind", c.kind},
          {"quality", c.quality},
          {"family", c.family},
          {"generation", c.generation},
          {"type", c.type},
          {"in_domain", c.in_domain},
          {"extrapolated", c.extrapolated},
          {"predicted", or_null(c.predicted)},
          {"measured", or_null(c.measured)},
          {"low", or_null(c.low)},
          {"high", or_null(c.high)},
          {"error", or_null(c.error)},
          {"fits", c.fit ? ordered_json(name(*c.fit)) : nullptr},
          {"fitted", or_null(c.fitted)},
          {"used_bytes", or_null(c.used)},
          {"measured_used_bytes", or_null(c.measured_used)},
          {"memory_skipped", or_null(c.memory_skipped)},
          {"guesses", c.guesses},
          {"skipped", or_null(c.skipped)}};
}

ordered_json json_of(const error_summary& s) {
  return {{"records", s.records}, {"median", s.median}, {"p90", s.p90}, {"bias", s.bias}, {"inside_band", s.inside}};
}

std::string family_of(const record_check& c) { return c.family; }
std::string generation_of(const record_check& c) { return c.generation; }
std::string type_of(const record_check& c) { return c.type; }

struct named_summary {
  std::string label;
  error_summary errors;
};

/// Summaries of the records that count, by what `key` says of each.
template <class Key>
std::vector<named_summary> grouped_by(const std::vector<record_check>& checks, const Key& key) {
  std::map<std::string, bool> labels;
  for (const record_check& check : checks) {
    if (check.error && counts(check)) labels[key(check)] = true;
  }
  std::vector<named_summary> list;
  for (const auto& [label, seen] : labels) {
    list.push_back({label, summary_of(checks, [&, wanted = label](const record_check& c) {
                      return counts(c) && key(c) == wanted;
                    })});
  }
  return list;
}

/// Memory verdicts of one kind of evidence.
struct verdict_counts {
  std::size_t yes = 0, uncertain = 0, no = 0;
};

verdict_counts verdicts_of(const std::vector<record_check>& checks, std::string_view kind, bool fitted) {
  verdict_counts result;
  for (const record_check& c : checks) {
    if (!c.fit || !c.fitted || *c.fitted != fitted || c.kind != kind || c.quality == "C") continue;
    ++(*c.fit == verdict::yes ? result.yes : *c.fit == verdict::no ? result.no : result.uncertain);
  }
  return result;
}

ordered_json summary_document(const std::vector<record_check>& checks) {
  const auto groups = [&](const auto& key) {
    ordered_json document = ordered_json::object();
    for (const named_summary& group : grouped_by(checks, key)) document[group.label] = json_of(group.errors);
    return document;
  };
  const auto verdicts = [&](std::string_view kind, bool fitted) {
    const verdict_counts v = verdicts_of(checks, kind, fitted);
    return ordered_json{{"yes", v.yes}, {"uncertain", v.uncertain}, {"no", v.no}};
  };
  const baseline_errors simple = baselines_of(checks, counts);
  const auto skipped = std::count_if(checks.begin(), checks.end(), [](const auto& c) { return c.skipped.has_value(); });
  return {{"records", checks.size()},
          {"skipped", skipped},
          {"in_domain", json_of(summary_of(checks, counts))},
          {"out_of_domain", json_of(summary_of(checks, is_smaller))},
          {"decode", json_of(serving_summary(checks, "decode", ""))},
          {"decode_saturated", json_of(serving_summary(checks, "decode", "saturated"))},
          {"prefill", json_of(serving_summary(checks, "prefill", ""))},
          {"by_family", groups(family_of)},
          {"by_generation", groups(generation_of)},
          {"by_type", groups(type_of)},
          {"baselines",
           {{"roofline", json_of(simple.roofline)},
            {"one_mfu", json_of(simple.one_mfu)},
            {"mfu_per_generation", json_of(simple.generation_mfu)}}},
          {"verdicts",
           {{"memory_that_fits", verdicts("memory", true)},
            {"memory_that_does_not", verdicts("memory", false)},
            {"completed_training", verdicts("training", true)}}}};
}

view_part records_part(const std::vector<record_check>& checks) {
  view_part part = readable::table_of("record | >measured:s | >predicted:s | >between:s | >error | fits | note");
  for (const record_check& c : checks) {
    if (c.skipped) continue;
    std::string note = c.guesses.empty() ? "" : "guessed " + c.guesses.front();
    if (!c.in_domain && c.kind == "training")
      note += note.empty() ? "outside of the domain" : "; outside of the domain";
    const std::string seen = c.fitted ? (*c.fitted ? " (did)" : " (did not)") : "";
    const auto time = [](const auto& one) { return one ? cell(*one) : cell(""); };
    part.rows.push_back({cell(c.id), time(c.measured), time(c.predicted),
                         c.low ? range_cell(*c.low, *c.high) : cell(""), c.error ? signed_cell(*c.error) : cell(""),
                         cell(c.fit ? std::string(name(*c.fit)) + seen : ""), cell(note)});
  }
  return part;
}

view_part skipped_part(const std::vector<record_check>& checks) {
  std::map<std::string, std::size_t> reasons;
  for (const record_check& c : checks) {
    if (!c.skipped) continue;
    const std::size_t colon = c.skipped->find(")");
    ++reasons[colon == std::string::npos ? *c.skipped : c.skipped->substr(colon + 1)];
  }
  view_part part;
  part.title = "skipped";
  for (const auto& [reason, how_often] : reasons) part.sentences.push_back(fmt::format("{:3} x {}", how_often, reason));
  return part;
}

view_part summary_part(std::string title) {
  return readable::table_of(" | >records | >median | >p90 | >bias | >inside the band", std::move(title));
}
void add_summary(view_part& to, const std::string& label, const error_summary& s, bool band) {
  if (s.records == 0) return;
  to.rows.push_back({cell(label), count_cell(static_cast<std::int64_t>(s.records)), share_cell(s.median),
                     share_cell(s.p90), signed_cell(s.bias), band ? share_cell(s.inside) : cell("")});
}

view_part serving_part(const std::vector<record_check>& checks) {
  view_part part = summary_part("serving, quality A and B");
  const auto row = [&](const char* label, std::string_view kind, std::string_view type) {
    add_summary(part, label, serving_summary(checks, kind, type), true);
  };
  row("decode", "decode", "");
  row("  steps by themselves", "decode", "step");
  row("  engines, each token timed", "decode", "engine");
  row("engines by the rate of full batches", "decode", "saturated");
  row("batches from first prompt to last token", "decode", "end to end");
  row("prefill", "prefill", "");
  row("  by itself", "prefill", "step");
  row("  in engines", "prefill", "engine");
  return part;
}

view_part training_part(const std::vector<record_check>& checks) {
  view_part part = summary_part("step time, quality A and B, at least 1.5e9 parameters");
  add_summary(part, "tpuplan", summary_of(checks, counts), true);
  add_summary(part, "tpuplan, smaller models", summary_of(checks, is_smaller), false);
  const baseline_errors simple = baselines_of(checks, counts);
  add_summary(part, "roofline", simple.roofline, false);
  add_summary(part, "one MFU", simple.one_mfu, false);
  add_summary(part, "MFU per generation", simple.generation_mfu, false);
  for (const auto key : {family_of, generation_of, type_of}) {
    for (const named_summary& group : grouped_by(checks, key))
      add_summary(part, "  " + group.label, group.errors, true);
  }
  return part;
}

view_part verdicts_part(const std::vector<record_check>& checks) {
  view_part part = readable::table_of("seen | >yes | >uncertain | >no", "does it fit?");
  const auto verdict_row = [&](const char* label, const verdict_counts& c) {
    const auto count = [](auto number) { return count_cell(static_cast<std::int64_t>(number)); };
    part.rows.push_back({cell(label), count(c.yes), count(c.uncertain), count(c.no)});
  };
  verdict_row("memory records that fit", verdicts_of(checks, "memory", true));
  verdict_row("memory records that do not", verdicts_of(checks, "memory", false));
  verdict_row("training runs that completed", verdicts_of(checks, "training", true));
  return part;
}

/// Replaces each prediction by that of constants that were fitted to the other families in the file.
void predict_left_out(std::vector<record_check>& checks, const nlohmann::json& document) {
  std::map<std::string, left_out_run> by_id;
  for (left_out_run& run : leave_families_out(calibration_runs(document))) by_id[run.id] = run;
  for (const left_out_serving& one : leave_out(serving_runs(document), &serving_record::family))
    by_id[one.run.id] = {one.run.id, one.run.family, one.error, one.predicted};
  for (record_check& check : checks) {
    const auto found = by_id.find(check.id);
    if (!check.error || found == by_id.end()) continue;
    const double change = found->second.predicted / *check.predicted;
    check.error = found->second.error;
    check.predicted = found->second.predicted;
    check.low = *check.low * change;
    check.high = *check.high * change;
  }
}

/// The list of exceptions that lies beside a file of records, if one does.
std::vector<record_exception> exceptions_beside(const std::string& records) {
  const std::filesystem::path beside = std::filesystem::path(records).parent_path() / "exceptions.json";
  if (!std::filesystem::exists(beside)) return {};
  return read_exceptions(load_json(beside.string()), beside.string());
}

void run_validate(const std::string& path, bool left_out, const session& with) {
  const nlohmann::json given = load_json(path);
  if (is_generation_records(given)) return validate_generations(given, path, left_out, with);
  const nlohmann::json document = read_as_spelled(given);
  std::vector<record_check> checks = check_records(document, path, {}, exceptions_beside(path));
  if (left_out) predict_left_out(checks, document);
  const std::vector<std::string> unknown = unknown_record_keys(document);
  view shown;
  shown.parts = {records_part(checks), skipped_part(checks),  training_part(checks),
                 serving_part(checks), verdicts_part(checks), unknown_part(unknown)};
  answer(with, shown, [&]() -> ordered_json {
    ordered_json list = ordered_json::array();
    for (const record_check& check : checks) list.push_back(json_of(check));
    return {{"records", list}, {"summary", summary_document(checks)}, {"unknown_keys", unknown}};
  });
}

}  // namespace

void add_validate_command(session& with) {
  command& added = with.commands.emplace_back(
      "validate", "predicted against measured, for files like those of data/measured (with exceptions.json beside)");
  const auto path = std::make_shared<std::string>();
  added.argument("records", *path, "a JSON file with records").required();
  const auto left_out = std::make_shared<bool>(false);
  added.flag("--leave-out-family", *left_out, "fit to the file's other families before each prediction");
  add_table_options(added);
  added.run = [path, left_out, &with] { run_validate(*path, *left_out, with); };
}

}  // namespace cli
