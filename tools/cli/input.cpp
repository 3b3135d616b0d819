#include "cli/input.hpp"

#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

void add_input_options(command& to, input_options& into) {
  to.add("--decode-time", into.decode, {1e-6, 1e3}, "of an example on one vCPU of a host: 12.8ms")
      .usually("12.8ms for images from 128 x 128 on");
  to.add("--example-bytes", into.bytes, {0, 1e12}, "read from storage for an example: 108k")
      .usually("107.7k for such images");
  to.add("--cached", into.cached, {0, 1}, "share of the data set that hosts keep decoded in memory");
}

void refuse_input(const session& with) {
  for (const char* option : {"--decode-time", "--example-bytes", "--cached"}) {
    if (with.is_given(option)) refuse(option, "given for a language model", "a network of layers");
  }
}

example_cost example_of(const network& net, const input_options& given) {
  example_cost one = usual_example(net);
  if (given.decode) one.decode = *given.decode, one.upper_bound = false;
  if (given.bytes) one.size = bytes{*given.bytes};
  if (given.cached && one.decode.value() == 0 && one.size.value() == 0)
    refuse("--cached", "given without effect",
           "with --decode-time or --example-bytes: what an example costs a host is not known");
  one.cached_share = given.cached.value_or(0);
  return one;
}

std::string example_word(const network& net) { return net.width > 1 ? "image" : "example"; }

namespace {

/// "224 vCPUs decode 17500 images/s".
std::string rates_of(const input_answer& a, const std::string& word) {
  std::string words = a.decoding ? fmt::format("{} vCPUs decode {} {}s/s", a.vcpus, count(a.decoding->value()), word)
                                 : "nothing is decoded";
  if (a.reading && (!a.decoding || a.limited_by == input_bound::reading))
    words += fmt::format(", storage gives {} {}s/s", count(a.reading->value()), word);
  return words;
}

/// What would end the waiting.
std::string mended_by(const input_answer& a) {
  const std::string cached = fmt::format("{} of the data cached", percent(a.cache_needed));
  if (a.limited_by == input_bound::reading) return "with " + cached;
  return fmt::format("with {:.1f} such VMs, or with {}", a.vms_needed, cached);
}

}  // namespace

std::string words_of(const maybe<input_answer>& a, const network& net) {
  if (!a)
    return "input: what an example costs a host, or its vCPUs, is not known, and no waiting is counted: see "
           "--decode-time, --example-bytes";
  const std::string rates = "input: " + rates_of(*a, example_word(net));
  if (a->limited_by == input_bound::chips) return rates + ", the chips do not wait";
  return fmt::format("{}: limited by {}, the chips wait {} of the time, which the step has in it; they would not {}",
                     rates, name(a->limited_by), percent(a->waiting), mended_by(*a));
}

void assume_input(const example_cost& one, assumed_values& assumed) {
  if (!one.upper_bound) return;
  assumed.emplace_back(
      "input",
      fmt::format("{} of a vCPU for each image and {} to read: bounds of published runs, hosts may be twice as fast; "
                  "see --decode-time, --example-bytes",
                  duration(one.decode), binary_bytes(one.size)));
}

}  // namespace cli
