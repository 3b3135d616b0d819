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

}  // namespace cli
