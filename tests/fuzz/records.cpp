// Published runs and the list of exceptions to them: what is predicted is finite and inside of its own band.
#include <lab/exceptions.hpp>
#include <lab/validation.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

namespace {

void check(const record_check& one) {
  if (one.skipped) {
    require(one.skipped->substr(0, 9) == "tpuplan: ", "what is skipped says why");
    return;
  }
  require(!one.predicted || (one.predicted->value() > 0 && sound(one.predicted->value())),
          "a predicted time is finite");
  require(!one.measured || (one.measured->value() > 0 && sound(one.measured->value())), "a measured time is above 0");
  if (one.predicted) {
    require(*one.low <= *one.predicted && *one.predicted <= *one.high, "the band holds the prediction");
    require(sound(one.low->value()) && sound(one.high->value()), "the band is finite");
  }
  require(!one.error || sound(*one.error + 1), "an error is finite and above -1");
  require(sound(one.roofline_error + 1), "the error of the roofline is finite");
  require(!one.used || sound(one.used->value()), "bytes in use are finite");
  require(sound(one.model_flops_seconds), "time at the peak is finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlohmann::json document;
  if (refused([&] { document = parse_json(characters_of(data, size), "input"); })) return 0;
  std::vector<record_exception> exceptions;
  refused([&] { exceptions = read_exceptions(document, "input"); });
  for (const record_exception& one : exceptions) require(name(one.what) != "?", "an exception has a known kind");
  refused([&] {
    const std::vector<record_check> checks = check_records(document, "input", {}, exceptions);
    for (const record_check& one : checks) check(one);
    const error_summary summary = summary_of(checks, [](const record_check&) { return true; });
    require(sound(summary.median) && sound(summary.p90) && summary.median <= summary.p90, "a summary is finite");
    require(detail::is_finite(summary.bias) && summary.inside >= 0 && summary.inside <= 1, "a share is in [0, 1]");
  });
  return 0;
}
