// The keys of measured runs.
#include <tpuplan/read/runs/keys.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_runs_keys_tests {

using nlohmann::json;

TEST_CASE("keys without meaning are listed, and so are those that say nothing of the kind of run") {
  const auto unknown = [](const json& record) { return unknown_record_keys({{"records", {record, record}}}); };
  const json step = {{"chips_total", 64}, {"clock", "raised"}, {"model", {{"layers", 4}, {"color", "red"}}}};
  CHECK(unknown(step) == std::vector<std::string>{"records.clock", "records.model.color"});
  const json token = {{"kind", "decode"}, {"weights_dtype", "int8"}, {"weight_dtype", "int8"}};
  CHECK(unknown(token) == std::vector<std::string>{"records.weights_dtype"});
  const json trained = {{"weights_dtype", "int8"}, {"weight_dtype", "int8"}, {"engine", "vllm"}, {"remat", "full"}};
  CHECK(unknown(trained) == std::vector<std::string>{"records.engine", "records.weight_dtype"});
  // One device of a degree that there is not is none, and null is nothing.
  CHECK(unknown({{"kind", "prefill"}, {"fsdp", 1}, {"optimizer", nullptr}}).empty());
  CHECK(unknown({{"kind", 3}, {"expert", 8}}).empty());
  CHECK(refusal_of([] { (void)unknown_record_keys({{"records", 1}}); }).refused);
}

}  // namespace read_runs_keys_tests
