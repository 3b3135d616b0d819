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
[[nodiscard]] inline std::vector<std::string> largest_words(const fit_answer& answer) {
  std::vector<std::string> words{joined(
      {"largest batch that surely fits: ",
       answer.largest_batch
           ? joined({counted(*answer.largest_batch, "sequence"), " of ", tpuplan::detail::lengths_of(answer.job)})
           : std::string("none with this layout and remat policy")})};
  if (answer.fits == verdict::yes) return words;
  if (answer.own_peaks > 0) {
    words.emplace_back("another slice on which it fits is not searched for: a search knows no peaks of your own");
    return words;
  }
  if (!answer.smallest) {
    words.push_back(joined({"no slice of ", slice_for(answer.slice).chip.name.view(), " holds it"}));
    return words;
  }
  const std::int64_t parts = answer.smallest->gradient_accumulation;
  words.push_back(joined({"the smallest slice on which it fits: ", answer.smallest->slice, ", as ",
                          one_line(answer.smallest->mesh), " with remat ", answer.smallest->remat,
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
[[nodiscard]] inline view view_of(const fit_answer& answer, const view_options& options = {}) {
  using namespace readable;
  const memory_breakdown& memory = answer.breakdown;
  const std::string range = joined({fixed(in_gib(memory.low), 1), " and ", fixed(in_gib(memory.high), 1), " GiB"});
  view shown;
  shown.title = joined({verdict_words(answer.fits), ": ", answer.model, " on ", answer.slice, " (",
                        one_line(answer.mesh), "), ", counted(grouped(answer.job.global_batch), "sequence"), " of ",
                        tpuplan::detail::lengths_of(answer.job), " a step"});
  shown.sentences = {
      joined({used_of(memory.total, memory.usable), " used, between ", range,
              " as the compiler decides; most of it is ", largest_part(memory),
              answer.fits == verdict::uncertain ? "; " + chance_words(answer.chance_to_fit) + " of such jobs fit"
                                                : std::string()})};
  const bytes share = memory.host_share.value_or({});
  if (memory.on_host > bytes{0} && memory.host_share.has_value())
    shown.sentences.push_back(joined({used_of(memory.on_host, share), " of the host's memory for a device",
                                      memory.on_host > share ? ": that does not fit" : ""}));
  shown.parts = {memory_part(memory)};
  shown.parts.back().notes = largest_words(answer);
  shown.summary = joined({verdict_words(answer.fits), ": ", used_of(memory.total, memory.usable), " on each device of ",
                          answer.slice, ", between ", range, "; ", shown.parts.back().notes.front()});
  if (options.drawn) shown.pictures = pictures_of(answer);
  if (answer.advice) add_advice(shown, *answer.advice, answer.own_peaks);
  add_assumed(shown, answer.assumed, options);
  if (answer.fits == verdict::yes) {
    shown.next = {{"train", {}, "its time and cost"}};
  } else {
    shown.next = {{"plan", {}, "where it fits"}};
  }
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
