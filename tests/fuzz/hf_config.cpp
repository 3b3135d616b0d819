// A config.json: what is read validates, is read the same again, and has finite counts.
#include <optional>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

namespace {

/// Counts may be refused where they pass 2^63; what is answered is sound.
void check_counts(const transformer& m) {
  refused([&] {
    const parameter_count count = parameters(m);
    require(count.total > 0 && count.active > 0 && count.active <= count.total, "parameters: 0 < active <= total");
    require(count.matrices >= 0 && count.matrices <= count.total, "parameters: 0 <= matrices <= total");
    require(count.embedding >= 0 && count.attention >= 0 && count.mlp >= 0 && count.experts >= 0 && count.router >= 0 &&
                count.norms >= 0 && count.lm_head >= 0 && count.vision >= 0 && count.projector >= 0 && count.head >= 0,
            "no part of the parameters is negative");
  });
  refused([&] {
    const flops work = forward_flops_per_token(m, 2048).total;
    require(sound(work.value()) && work.value() > 0, "FLOPs of a token are finite and above 0");
  });
  refused([&] {
    require(sound(kv_bytes_per_token(m).value()), "bytes of a cached token are finite");
    const double one = kv_bytes_per_sequence(m, 1).value();
    const double many = kv_bytes_per_sequence(m, 8192).value();
    require(sound(one) && sound(many) && one <= many, "a longer sequence has no smaller cache");
  });
  refused([&] {
    const model_padding padded = padding(m, v5e);
    require(padded.flop_utilization > 0 && padded.flop_utilization <= 1, "padding: utilisation in (0, 1]");
    require(sound(padded.stored.value()) && sound(padded.stored_waste.value()), "padding: bytes are finite");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlohmann::json document;
  std::optional<model_config> read;
  if (refused([&] {
        document = parse_json(characters_of(data, size), "input");
        read = read_hf_config(document);
      })) {
    return 0;
  }
  require(!refused([&] { validate(read->model); }), "what is read validates");
  const model_config again = read_hf_config(document);
  require(one_line(again.model) == one_line(read->model) && again.assumed.size() == read->assumed.size(),
          "what is read is read the same again");
  check_counts(read->model);
  return 0;
}
