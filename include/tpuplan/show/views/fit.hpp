#ifndef TPUPLAN_SHOW_VIEWS_FIT_HPP
#define TPUPLAN_SHOW_VIEWS_FIT_HPP

#include <string>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/show/svg/bars.hpp>
#include <tpuplan/show/views/common.hpp>
#include <vector>

/// @file
/// What a reader sees of the answer to fit.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How much a batch surely fits, and where the job fits at all if not here.
[[nodiscard]] inline std::vector<std::string> largest_words(const fit_answer& a) {
  std::vector<std::string> words{joined(
      {"largest batch that surely fits: ", a.largest_batch ? joined({counted(*a.largest_batch, "sequence"), " of ",
                                                                     std::to_string(a.job.sequence_length), " tokens"})
                                                           : std::string("none with this layout and remat policy")})};
  if (a.fits == verdict::yes) return words;
  if (!a.smallest) {
    words.push_back(joined({"no slice of ", slice_for(a.slice).chip.name.view(), " holds it"}));
    return words;
  }
  const std::int64_t parts = a.smallest->gradient_accumulation;
  words.push_back(joined({"the smallest slice on which it fits: ", a.smallest->slice, ", as ",
                          one_line(a.smallest->mesh), " with remat ", a.smallest->remat,
                          parts > 1 ? joined({" and ", std::to_string(parts), " microbatches"}) : std::string()}));
  return words;
}

/// Memory by part, under the label of its slice and layout.
[[nodiscard]] inline memory_chart memory_chart_of(const fit_answer& answer) {
  const std::string where = slices_words(answer.slice, slices(answer.mesh));
  return {"HBM of one device of " + where, {{where + ", " + one_line(answer.mesh), answer.breakdown}}};
}

}  // namespace readable

/// The pictures of an answer, drawn from it alone. Of whether a job fits: memory by part.
[[nodiscard]] inline std::vector<picture> pictures_of(const fit_answer& answer) {
  return {picture_of("memory", readable::memory_chart_of(answer))};
}

/// What a reader sees of whether a job fits. Worked: of Llama 3 8B on "v5p-128" the title begins with "fits: ".
[[nodiscard]] inline view view_of(const fit_answer& a, const view_options& options = {}) {
  using namespace readable;
  const memory_breakdown& memory = a.breakdown;
  const std::string range = joined({fixed(in_gib(memory.low), 1), " and ", fixed(in_gib(memory.high), 1), " GiB"});
  view shown;
  shown.title = joined({verdict_words(a.fits), ": ", a.model, " on ", a.slice, " (", one_line(a.mesh), "), ",
                        counted(grouped(a.job.global_batch), "sequence"), " of ", std::to_string(a.job.sequence_length),
                        " tokens a step"});
  shown.sentences = {joined({used_of(memory.total, memory.usable), " used, between ", range,
                             " as the compiler decides; most of it is ", largest_part(memory)})};
  shown.parts = {memory_part(memory)};
  shown.parts.back().notes = largest_words(a);
  shown.summary = joined({verdict_words(a.fits), ": ", used_of(memory.total, memory.usable), " on each device of ",
                          a.slice, ", between ", range, "; ", shown.parts.back().notes.front()});
  if (options.drawn) shown.pictures = pictures_of(a);
  if (a.advice) add_advice(shown, *a.advice);
  add_assumed(shown, a.assumed, options);
  if (a.fits == verdict::yes) {
    shown.next = {{"train", {}, "its time and cost"}};
  } else {
    shown.next = {{"plan", {}, "where it fits"}};
  }
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
