// The counts of published checkpoints.
#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

void counts(relation& r) {
  const std::size_t all = checkpoints().size(), first = r.sweep ? 0 : r.random.below(all);
  for (std::size_t i = 0; i < all && r.next(); ++i) {
    const model& one = checkpoints()[(first + i * (r.sweep ? 1 : 7)) % all];
    const reply asked = ask("model", {{"config", one.config}});
    if (!r.holds(!asked.refused(), "ask refuses a checkpoint", asked, asked.message())) continue;
    r.holds(asked.answer()["parameters"] == one.published, "parameters as published", asked,
            asked.answer()["parameters"].dump() + ", published are " + std::to_string(one.published));
    if (i % 4 != 0 && !r.sweep) continue;
    const told printed = tell("tpuplan --json model " + write_config(one));
    if (!r.holds(printed.status == 0, "the command line refuses a checkpoint that ask answers", printed,
                 printed.errors))
      continue;
    r.same("parameters", asked, asked.answer()["parameters"], printed, printed.document()["parameters"]);
  }
}

}  // namespace relations
