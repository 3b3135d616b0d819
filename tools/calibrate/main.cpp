// Fits the constants of the estimates to the runs in data/measured and writes them into their headers, between the
// marks below. It also draws how well sources that were left out are predicted, as docs/accuracy.svg.
//   // generated: NAME ...
//   // end of generated: NAME
// With --check it changes nothing, names the headers whose constants differ from the fit, and fails if there is one.
// benchmarks/accuracy prints the accuracy of the fit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <lab/accuracy_picture.hpp>
#include <lab/own_runs.hpp>
#include <lab/serving_fit.hpp>
#include <lab/sources.hpp>
#include <lab/training_bands.hpp>
#include <lab/training_fit.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/generate.hpp"
#include "generate/marks.hpp"

using namespace tpuplan;

namespace {

using lines_for = std::function<std::string(const std::string&)>;

/// The whole table; the lines that were there before are ignored.
lines_for table(const std::string& opening, const std::vector<std::string>& rows, const std::string& closing) {
  return [lines = generate::unformatted(opening + "\n" + generate::packed(rows) + closing)](const std::string&) {
    return lines;
  };
}

/// The present lines with the values of these constants replaced, each formatted by `written`.
template <class Written>
lines_for numbers(const std::vector<fitted_constant>& fitted, const Written& written) {
  return [=](std::string lines) {
    for (const fitted_constant& one : fitted) lines = generate::with_number(lines, one.name, written(one));
    return lines;
  };
}

/// The value with three digits; below 0.01 with an exponent, such as 2.27e-5.
std::string constant(const fitted_constant& one) {
  if (one.value >= 0.01) return fmt::format("{:.3g}", one.value);
  std::string text = fmt::format("{:.2e}", one.value);
  const std::size_t zero = text.find("e-0");
  return zero == std::string::npos ? text : text.erase(zero + 2, 1);
}
std::string log_error(const fitted_constant& one) { return fmt::format("{:.2f}", one.spread); }

/// The table of a constant that is fitted for each chip.
template <class Written>
lines_for chip_table(const char* name, const calibration_fit& fit, const Written& written) {
  const fitted_chips& chips = fit.constants.chips;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < chips.count; ++i) {
    const std::string chip{chips.items[i].chip.view()};
    rows.push_back(fmt::format("{{\"{}\", {}}}", chip,
                               written(fitted_constant{chip, 0, 0, chips.items[i].mxu_fraction, fit.mxu_spread[i]})));
  }
  return table(fmt::format("inline constexpr fitted_chips {} = {{{{{{", name), rows,
               fmt::format("}}}}, {}}};\n", chips.count));
}

/// The constants that are not of one chip, by the names of their fields.
std::vector<fitted_constant> of_all_chips(const calibration_fit& fit) {
  std::vector<fitted_constant> list = fit.fitted;
  list.erase(list.begin() + 1, list.begin() + 1 + static_cast<std::ptrdiff_t>(fit.constants.chips.count));
  list.front().name = "other_mxu_fraction";
  return list;
}

/// The number of runs of each kind on each chip.
lines_for training_coverage_table(const std::vector<training_record>& runs) {
  std::vector<std::string> rows;
  for (const chip_spec& chip : generations) {
    training_coverage counted;
    for (const training_record& run : runs) {
      if (run.where.chip.name != chip.name) continue;
      const bool eight_bit = run.job.compute == dtype::int8 || run.job.compute == dtype::fp8;
      ++(has_experts(run.model) ? counted.experts : eight_bit ? counted.eight_bit : counted.dense);
    }
    if (counted.dense + counted.eight_bit + counted.experts > 0)
      rows.push_back(
          fmt::format("{{\"{}\", {}, {}, {}}}", chip.name.view(), counted.dense, counted.eight_bit, counted.experts));
  }
  return table("inline constexpr training_coverage training_runs[] = {", rows, "};\n");
}

/// For each kind, how far measured steps are from estimates whose constants were fitted without their source.
lines_for band_table(const char* name, const errors_by_kind& kinds) {
  std::vector<std::string> rows;
  for (const training_band& band : bands_from(kinds))
    rows.push_back(fmt::format("{{{:.2f}, {:.2f}, {}, {}}}", band.low, band.high, band.runs, band.sources));
  return table(fmt::format("inline constexpr training_band {}[] = {{", name), rows, "};\n");
}

/// How well tuned the programs of sources are, where somebody says it, most first, in thousandths of those sources.
lines_for software_table(const std::vector<training_record>& runs) {
  std::map<std::string, std::map<software_level, double>> counted;
  for (const training_record& run : runs) {
    if (run.job.software != software_level::unnamed) ++counted[run.source][run.job.software];
  }
  std::map<software_level, double> sums;
  for (const auto& [source, levels] : counted) {
    double all = 0;
    for (const auto& [level, count] : levels) all += count;
    for (const auto& [level, count] : levels) sums[level] += count / all / static_cast<double>(counted.size());
  }
  std::vector<std::pair<double, software_level>> list;
  for (const auto& [level, share] : sums) list.emplace_back(share, level);
  std::sort(list.rbegin(), list.rend());
  std::vector<std::string> rows;
  for (const auto& [share, level] : list)
    rows.push_back(fmt::format("{{software_level::{}, {:.3g}}}", name(level), std::round(share * 1000) / 1000));
  return table("inline constexpr software_share training_software[] = {", rows, "};\n");
}

/// How measured steps lie in bands that were made without their source.
lines_for shape_table(const errors_by_source& places) {
  std::vector<std::string> rows;
  for (const band_place& at : shape_from(places).places)
    rows.push_back(fmt::format("{{{:.2f}, {:.2f}}}", at.share, at.place));
  return table("inline constexpr band_shape training_shape = {{", rows, "}};\n");
}

/// The number of runs on each chip.
lines_for serving_coverage_table(const std::vector<serving_record>& runs) {
  std::vector<std::string> rows;
  for (const chip_spec& chip : generations) {
    int decode = 0, prefill = 0;
    for (const serving_record& run : runs) {
      if (run.where.chip.name == chip.name) ++(detail::is_decode(run) ? decode : prefill);
    }
    if (decode + prefill > 0) rows.push_back(fmt::format("{{\"{}\", {}, {}}}", chip.name.view(), decode, prefill));
  }
  return table("inline constexpr serving_coverage serving_runs_by_chip[] = {", rows, "};\n");
}

/// "serving_engine::sglang_jax" as code has it.
std::string enumerator(serving_engine engine) {
  std::string word{name(engine)};
  std::replace(word.begin(), word.end(), '-', '_');
  return "serving_engine::" + word;
}

/// The number of runs and of their sources for each engine, and for all engines together.
lines_for engine_table(const std::vector<serving_record>& runs) {
  std::vector<std::string> rows;
  for (const detail::engine_row& row : detail::engines) {
    const serving_engine engine = row.engine;
    std::set<std::string> sources;
    int count = 0;
    for (const serving_record& run : runs) {
      if (engine != serving_engine::unnamed && run.job.engine != engine) continue;
      ++count;
      sources.insert(run.source);
    }
    if (count > 0) rows.push_back(fmt::format("{{{}, {}, {}}}", enumerator(engine), count, sources.size()));
  }
  return table("inline constexpr engine_runs runs_by_engine[] = {", rows, "};\n");
}

/// A band whose ends are rounded up to multiples of 0.01.
std::string band(const made_band& found) {
  const auto up = [](double share) { return std::ceil(share * 100 - 1e-9) / 100; };
  return fmt::format("{{{:.3g}, {:.3g}}}", up(found.band.over), up(found.band.under));
}

/// The band of each kind, and what the best reached, rounded down; then that of decode of experts where nobody says how
/// well the program is tuned.
lines_for band_table(const std::vector<left_out_serving>& left_out, const std::vector<left_out_serving>& untold) {
  std::vector<std::string> rows;
  const auto add = [&](const made_band& made) {
    rows.push_back(fmt::format("{{{}, {:.3g}}}", band(made), std::floor(100 * made.best + 1e-9) / 100));
  };
  for (const detail::serving_kind kind : detail::all_serving_kinds) add(conformal_band(of_kind(left_out, kind)));
  add(conformal_band(of_kind(untold, detail::serving_kind::expert_decode)));
  return table("inline constexpr serving_bands bands_by_kind[] = {", rows, "};\n");
}

/// The engines that ran in each kind, most first: in thousandths, of which the first has what rounding leaves.
lines_for share_table(const std::vector<left_out_serving>& left_out) {
  std::vector<std::string> rows;
  for (const detail::serving_kind kind : detail::all_serving_kinds) {
    const detail::engines_that_ran ran = conformal_band(of_kind(left_out, kind)).ran;
    std::vector<std::pair<long, serving_engine>> list;
    for (std::size_t i = 0; i < ran.count; ++i)
      list.emplace_back(std::lround(1000 * ran.items[i].share), ran.items[i].engine);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    list.front().first = 1000;
    for (std::size_t i = 1; i < list.size(); ++i) list.front().first -= list[i].first;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double share = static_cast<double>(list[i].first) / 1000;
      rows.push_back((i == 0 ? "{{{" : "") + fmt::format("{{{}, {:.3g}}}", enumerator(list[i].second), share));
    }
    rows.back() += fmt::format("}}}}, {}}}", list.size());
  }
  return table("inline constexpr engines_that_ran ran_by_kind[] = {", rows, "};\n");
}

/// The constants that are not of one engine, by the names of their fields.
std::vector<fitted_constant> of_all_engines(const serving_fit& fit) {
  std::vector<fitted_constant> list;
  for (const fitted_constant& one : fit.fitted) {
    if (one.name.find('.') == std::string::npos) list.push_back(one);
  }
  return list;
}

/// The factors of the engines that have their own.
lines_for factor_table(const serving_fit& fit) {
  const fitted_engines& engines = fit.constants.engines;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < engines.count; ++i) {
    const engine_factors& one = engines.items[i];
    const auto digits = [](double value) { return constant(fitted_constant{"", 0, 0, value, 0}); };
    rows.push_back(fmt::format("{{{}, {}, {}, {}}}", enumerator(one.engine), digits(one.cache), digits(one.paging),
                               digits(one.prefill)));
  }
  return table("inline constexpr fitted_engines engine_fit = {{{", rows, fmt::format("}}}}, {}}};\n", engines.count));
}

/// The spreads of runs around estimates whose constants were fitted without their source.
std::string spreads_line(const char* name, const runs_by_source& sources, const own_priors& expected = {}) {
  const own_spreads s = fit_spreads(sources, expected);
  std::string line = fmt::format("inline constexpr own_spreads {}{{", name);
  for (const double one : {s.source, s.question, s.noise, s.size, s.load, s.length, s.chips})
    line += fmt::format("{:.3g}, ", one);
  return line + fmt::format("{:.2g}, {:.2g}, {:.3g}, {:.3g}, {:.3g}}};\n", s.other_chip, s.other_kind, s.recipe, s.job,
                            s.tail);
}
lines_for as_is(std::string lines) {
  return [lines = std::move(lines)](const std::string&) { return lines; };
}

std::vector<generate::generated_text> parts_of(const std::string& root) {
  const char* training = "include/tpuplan/estimate/training/calibration.hpp";
  const char* serving = "include/tpuplan/estimate/serving/calibration.hpp";
  const char* bands = "include/tpuplan/estimate/training/bands.hpp";
  const char* errors = "tools/lab/training_errors.hpp";
  const char* sets = "data/measured";
  const nlohmann::json open_sets = open_records(root + "/" + sets);
  const std::vector<training_record> runs = calibration_runs(open_sets);
  const calibration_fit fit = fit_calibration(runs);
  const std::vector<training_record> timed = timed_runs(open_sets);
  const std::vector<left_out_run> left_out = leave_sources_out(timed);
  const std::vector<serving_record> served = open_serving_runs(root + "/data");
  const serving_fit serving_constants = fit_serving(served);
  const std::vector<left_out_serving> served_left_out = leave_out(served, &serving_record::source);
  std::vector<accuracy_row> rows = accuracy_rows(kinds_of(timed, left_out));
  for (accuracy_row& row : accuracy_rows(served_left_out)) rows.push_back(std::move(row));
  return {
      {"docs/accuracy.svg", "", sets, as_is(accuracy_picture(rows))},
      {bands, "training_bands", sets, band_table("training_bands", kinds_of(timed, left_out))},
      {bands, "untold_training_bands", sets,
       band_table("untold_training_bands", kinds_of(timed, leave_sources_out(timed, level_known::no)))},
      {bands, "training_software", sets, software_table(timed)},
      {"include/tpuplan/estimate/training/quantiles.hpp", "training_shape", sets,
       shape_table(places_of(timed, left_out))},
      {training, "training_chips", sets, chip_table("chip_fit", fit, constant)},
      {training, "training_constants", sets, numbers(of_all_chips(fit), constant)},
      {training, "training_spreads", sets,
       as_is(generate::unformatted(spreads_line("training_spreads", by_source(timed, left_out), training_priors)))},
      {training, "training_runs", sets, training_coverage_table(runs)},
      {errors, "chip_errors", sets, chip_table("chip_errors", fit, log_error)},
      {errors, "training_errors", sets, numbers(of_all_chips(fit), log_error)},
      {serving, "engine_factors", sets, factor_table(serving_constants)},
      {serving, "serving_constants", sets, numbers(of_all_engines(serving_constants), constant)},
      {serving, "serving_spreads", sets,
       as_is(generate::unformatted(spreads_line("decode_spreads", by_source(served_left_out, true)) +
                                   spreads_line("prefill_spreads", by_source(served_left_out, false))))},
      {serving, "serving_bands", sets,
       band_table(served_left_out, leave_out(served, &serving_record::source, engine_known::alone))},
      {serving, "engine_shares", sets, share_table(served_left_out)},
      {serving, "serving_runs", sets, serving_coverage_table(served)},
      {serving, "engine_runs", sets, engine_table(served)},
  };
}

}  // namespace

int main(int count, char** arguments) { return generate::run_generator(count, arguments, "calibrate", parts_of); }
