// One serving record, of a time or of memory: what is read is sound, and so is what is said of it.
#include <optional>
#include <tpuplan/read/runs/serving.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlohmann::json document;
  if (refused([&] { document = parse_json(characters_of(data, size), "input"); })) return 0;
  std::optional<serving_record> run;
  refused([&] { run = read_serving_record(document, "record"); });
  if (run) {
    require(run->measured.value() > 0 && sound(run->measured.value()), "a measured time is above 0");
    require(run->batch > 0 && sound(run->batch), "sequences are above 0");
    require(chips(run->where) > 0, "a slice has chips");
    refused([&] {
      const serving_prediction said = predict(*run);
      require(said.time.value() > 0 && sound(said.time.value()), "a predicted time is finite and above 0");
      require(said.low.value() > 0 && said.low <= said.time && said.time <= said.high && sound(said.high.value()),
              "a time lies in its range");
    });
  }
  refused([&] {
    const serving_memory_record memory = read_serving_memory(document, "record");
    require(sound(memory.held.value()) && sound(memory.use.total.value()), "bytes held are finite");
    require(memory.held <= memory.use.total, "a part is not above the whole");
  });
  return 0;
}
