#include <lab/sources.hpp>
#include <support/catch.hpp>
#include <tpuplan/json/file.hpp>

using namespace tpuplan;

namespace lab_source_tests {

TEST_CASE("the source of a run is the repository, the paper or the author", "[lab]") {
  CHECK(source_of("AI-Hypercomputer/maxtext@a5057afb8 inference_mlperf") == "AI-Hypercomputer/maxtext");
  CHECK(source_of("AI-Hypercomputer/maxtext PR 4118") == "AI-Hypercomputer/maxtext");
  CHECK(source_of("github.com/marin-community/marin/issues/6227") == "marin-community/marin");
  CHECK(source_of("arXiv:2211.05102 Table 2") == "arXiv:2211.05102");
  CHECK(source_of("pytorch.org blog high-performance Llama 2 (2023-11)") == "pytorch.org");
  CHECK(source_of("mlcommons/training_results_v4.1@b87b9e3 Google/results") ==
        source_of("mlcommons/training_results_v4.0@6fe9543 Google/results"));
  CHECK(team_of("AXLearn paper, arXiv:2507.05411") == "apple/axlearn");
  CHECK(source_of("yangwhale/gpu-tpu-pedia@3fa9ce1 tpu") == source_of("yangwhale notes on Hunyuan 3 on TPU"));
}

TEST_CASE("every published run has a source", "[lab]") {
  for (const char* set : open_sets) {
    const nlohmann::json document = load_json(std::string(TPUPLAN_DATA_DIR "/measured/") + set);
    const auto sources = sources_by_id(document);
    for (const nlohmann::json& record : spelled_records(document).at("records")) {
      INFO(record.at("id").get<std::string>());
      const auto found = sources.find(record.at("id").get<std::string>());
      REQUIRE(found != sources.end());
      CHECK_FALSE(found->second.empty());
    }
  }
}

}  // namespace lab_source_tests
