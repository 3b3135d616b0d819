#ifndef TPUPLAN_LAB_ACCURACY_PICTURE_HPP
#define TPUPLAN_LAB_ACCURACY_PICTURE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/serving_fit.hpp>
#include <lab/training_bands.hpp>
#include <map>
#include <string>
#include <tpuplan/show/svg/plot.hpp>
#include <utility>
#include <vector>

/// @file
/// A picture of measured time over predicted time, by kind of question. It has a dot for each run whose source was left
/// out of the fit, and the band.

namespace tpuplan {
inline namespace abi_0 {

/// Runs of one kind and their band.
struct accuracy_row {
  std::string kind{};                                    ///< name of the kind, the label at the left
  double low = 1, high = 1;                              ///< the band, times the prediction
  std::map<std::string, std::vector<double>> sources{};  ///< measured over predicted, by source
};

/// The rows of training, by `step_kind`.
[[nodiscard]] inline std::vector<accuracy_row> accuracy_rows(const errors_by_kind& kinds) {
  std::vector<accuracy_row> rows;
  const std::vector<training_band> bands = bands_from(kinds);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    std::string kind{name(static_cast<step_kind>(i))};
    std::replace(kind.begin(), kind.end(), '_', ' ');
    accuracy_row row{"step, " + kind, bands[i].low, bands[i].high, {}};
    for (const auto& [source, errors] : kinds[i]) {
      for (const double one : errors) row.sources[source].push_back(std::exp(one));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The rows of serving, for runs whose engine is named; rates of saturated engines are left out.
[[nodiscard]] inline std::vector<accuracy_row> accuracy_rows(const std::vector<left_out_serving>& list) {
  std::vector<accuracy_row> rows;
  for (const detail::serving_kind kind : detail::all_serving_kinds) {
    const std::vector<left_out_serving> members = of_kind(list, kind);
    const detail::serving_band band = conformal_band(members).band;
    accuracy_row row{std::string(detail::name(kind)), 1 / (1 + band.over), 1 / (1 - band.under), {}};
    for (const left_out_serving& one : members) {
      if (!one.run.saturated) row.sources[one.run.source].push_back(1 / (1 + one.error));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The rows below each other on one logarithmic axis. Each source has its own line, and one colour in the whole
/// picture. Throws if there are no rows.
[[nodiscard]] inline std::string accuracy_picture(const std::vector<accuracy_row>& rows) {
  using namespace detail;
  value_range range;
  std::map<std::string, std::size_t> colours;
  for (const accuracy_row& row : rows) {
    range.take("band", row.low), range.take("band", row.high);
    for (const auto& [source, ratios] : row.sources) {
      colours.emplace(source, colours.size());
      for (const double one : ratios) range.take("measured over predicted", one);
    }
  }
  range.widen(1, 1);
  constexpr double height = 46, gap = 8;
  svg_canvas canvas(chart_width, "Measured over predicted, source left out, and the band of each kind");
  const plot_box box{230, 48, chart_width - 24, 48 + static_cast<double>(rows.size()) * (height + gap)};
  const chart_axis x = log_axis(range.low, range.high, box.left, box.right);
  draw_x_axis(canvas, box, x, "measured time over predicted time");
  canvas.line({x.at(1), box.top}, {x.at(1), box.bottom}, {"currentColor", 1.5, 0.6, "6 4"});
  double top = box.top + gap / 2;
  for (const accuracy_row& row : rows) {
    canvas.rectangle({x.at(row.low), top}, x.at(row.high) - x.at(row.low), height, chart_colour(0),
                     "band " + number_label(row.low) + " to " + number_label(row.high), 0.18);
    std::size_t runs = 0, line = 0;
    for (const auto& [source, ratios] : row.sources) {
      const double y = top + height * (static_cast<double>(line++) + 0.5) / static_cast<double>(row.sources.size());
      for (const double one : ratios)
        canvas.dot({x.at(one), y}, chart_colour(colours.at(source)), colours.at(source), source);
      runs += ratios.size();
    }
    canvas.write({box.left - 10, top + height / 2 - 2}, row.kind, anchor::end);
    canvas.write({box.left - 10, top + height / 2 + 13},
                 std::to_string(runs) + " runs of " + std::to_string(row.sources.size()) +
                     (row.sources.size() == 1 ? " source" : " sources"),
                 anchor::end, small_text_size);
    top += height + gap;
  }
  return canvas.finish(box.bottom + 52);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
