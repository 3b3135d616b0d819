// Advice in words.
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/show/text/advice.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace show_text_advice_tests {

TEST_CASE("a policy that moves tensors to the host recomputes what can wait there") {
  // It was said to recompute more than memory requires, where HBM had no room for less.
  const auto words = [](const remat_policy& now, const remat_policy& better) {
    finding found;
    found.kind = finding_kind::remat;
    found.now = name(now), found.better = name(better);
    found.then.model = llama_3_8b();
    found.then.job.remat = better;
    return readable::detail::change_words(found);
  };
  CHECK(words(remat::full, remat::minimal_offloaded) ==
        "remat full recomputes what can wait in host memory: minimal_offloaded");
  CHECK(words(remat::full, remat::minimal) == "remat full recomputes more than memory requires: minimal");
  CHECK(words(remat::minimal_offloaded, remat::minimal) ==
        "remat minimal_offloaded moves to host memory what HBM has room for: minimal");
  CHECK(words(remat::inputs_and_proj_offloaded, remat::minimal_offloaded) ==
        "remat inputs_and_proj_offloaded is not the fastest that moves tensors to host memory: minimal_offloaded");
}

TEST_CASE("a policy that may not fit is not said to need no more memory") {
  finding found;
  found.kind = finding_kind::remat;
  found.now = name(remat::full), found.better = name(remat::minimal);
  found.then = {llama_3_8b(), job_of(256, 4096), fsdp_layout(slice_for("v6e-64")), slice_for("v6e-64")};
  found.then.job.remat = remat::minimal;
  memory_breakdown memory;
  memory.total = bytes{38e9}, memory.low = bytes{30e9}, memory.high = bytes{50e9}, memory.usable = bytes{33e9};
  const std::string words = readable::sentence(found, memory);
  CHECK(words.find("recomputes more than memory may require: minimal may fit (35.4 of 30.7 GiB)") != std::string::npos);
}

}  // namespace show_text_advice_tests
