// What a refusal of a number names as valid, "0.1 to 100", is valid up to both ends, and nothing beyond them is.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/estimate/generation/job.hpp>
#include <tpuplan/plan/autoscaling.hpp>
#include <tpuplan/reflect.hpp>
#include <tpuplan/risk/played_run.hpp>
#include <tpuplan/simulate/batches.hpp>
#include <tpuplan/simulate/outage.hpp>
#include <tpuplan/simulate/sessions.hpp>
#include <tpuplan/simulate/split.hpp>
#include <tpuplan/tpuplan.hpp>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace base_checks_ends_tests {

namespace {

/// A refusal, as far as it matters here.
struct said {
  std::string field{}, valid{};
};

template <class Check>
said said_of(const Check& check) {
  try {
    check();
  } catch (const error& e) {
    return {std::string(e.field()), std::string(e.valid())};
  }
  return {};
}

/// The least and the most that "0 (counted) to 2^53 tokens" names; false where it names no two numbers.
bool read_ends(const std::string& valid, double& least, double& most) {
  const auto number = [](const char* begin, double& to) {
    char* end = nullptr;
    to = std::strtod(begin, &end);
    if (end == begin) return false;
    if (*end == '^') to = std::copysign(std::pow(std::fabs(to), std::strtod(end + 1, nullptr)), to);
    return true;
  };
  const std::size_t to = valid.find(" to ");
  if (to == std::string::npos || valid.find(" or ") != std::string::npos || valid.find("B/s") != std::string::npos)
    return false;
  return number(valid.c_str(), least) && number(valid.c_str() + to + 4, most);
}

/// A number of a struct that can be set and read as a double.
template <class Field>
struct number_of {
  static constexpr bool is = std::is_arithmetic<Field>::value && sizeof(Field) == 8;
  static constexpr bool is_whole = std::is_integral<Field>::value;
  static void set(Field& to, double value) { to = static_cast<Field>(value); }
};
template <class Dim>
struct number_of<quantity<Dim>> {
  static constexpr bool is = true, is_whole = false;
  static void set(quantity<Dim>& to, double value) { to = quantity<Dim>{value}; }
};

template <class T>
using has_fields = decltype(detail::fields_of<T>::type_name);

template <class T, class = void>
inline constexpr bool is_reflected = false;
template <class T>
inline constexpr bool is_reflected<T, std::void_t<has_fields<T>>> = true;

/// Asks of every number below `part`, which is a part of what `check` looks at. Adds the names of those whose ends
/// were asked about.
template <class Part, class Check>
void ask_ends(Part& part, const Check& check, std::vector<std::string>& asked) {
  detail::fields_of<Part>::each(part, [&](std::string_view name, auto& field) {
    using field_type = std::decay_t<decltype(field)>;
    if constexpr (number_of<field_type>::is) {
      using number = number_of<field_type>;
      const field_type was = field;
      const auto refused = [&](double value) {
        number::set(field, value);
        const said found = said_of(check);
        field = was;
        return found;
      };
      const auto is_refused = [&](double value) { return !refused(value).field.empty(); };
      INFO(name);
      CHECK((number::is_whole || is_refused(std::nan(""))));
      CHECK((name == "seed" || is_refused(-9e17)));
      std::string valid;
      double least = 0, most = 0;
      for (const double bad : {-9e17, 9e17}) {
        const said found = refused(bad);
        if (found.field.find(name) != std::string::npos && read_ends(found.valid, least, most)) valid = found.valid;
      }
      if (valid.empty()) return;
      asked.emplace_back(name);
      INFO(valid);
      CHECK(refused(least).valid != valid);  // other fields may have something against it
      CHECK(refused(most).valid != valid);
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const double below = number::is_whole ? least - 1 : std::nextafter(least, -infinity);
      const double above = number::is_whole ? most + 1 : std::nextafter(most, infinity);
      if (below != least && below != 0) CHECK(is_refused(below));  // 0 is what was not given
      if (above != most) CHECK(is_refused(above));                 // 2^53 + 1 is no double
    } else if constexpr (is_reflected<field_type>) {
      ask_ends(field, check, asked);
    }
  });
}

/// How many numbers of a struct have ends that a refusal names.
template <class T, class Check>
std::size_t ends_of(T one, const Check& check) {
  std::vector<std::string> asked;
  check(one);  // as it is nothing is refused
  ask_ends(
      one, [&] { check(one); }, asked);
  return asked.size();
}

transformer small_model() {
  transformer m;
  m.layers = 32, m.d_model = 4096, m.vocab = 128256, m.mlp.d_ff = 14336;
  m.attention.heads = 32, m.attention.kv_heads = 8, m.attention.head_dim = 128;
  return m;
}

}  // namespace

TEST_CASE("a model's sizes are taken up to the ends that refusals name") {
  const auto check = [](const transformer& one) { validate(one); };
  CHECK(ends_of(small_model(), check) >= 60);
  transformer other = small_model();
  other.moe.experts = 8, other.moe.top_k = 2, other.moe.expert_d_ff = 1024;
  other.attention.window = 1024, other.attention.local_layers = 16;
  other.vision.layers = 24, other.vision.d_model = 1024, other.vision.heads = 16, other.vision.d_ff = 4096;
  other.vision.image_size = 224, other.vision.patch_size = 14;
  CHECK(ends_of(other, check) >= 60);
}

TEST_CASE("a job's numbers are taken up to the ends that refusals name") {
  training_job job;
  job.global_batch = 64, job.sequence_length = 4096;
  CHECK(ends_of(job, [](const training_job& one) { validate(one); }) >= 10);
  serving_job chat;
  chat.prompt = fixed_length(1024), chat.output = fixed_length(256);
  CHECK(ends_of(chat, [](const serving_job& one) { validate(one, small_model()); }) >= 16);
  speculation drafts;
  drafts.draft_tokens = 4, drafts.acceptance = 0.7, drafts.draft_cost = 0.1;
  CHECK(ends_of(drafts, [](const speculation& one) { validate(one); }) >= 2);
  generation_job pictures;
  pictures.steps = 28;
  CHECK(ends_of(pictures, [](const generation_job& one) { validate(one); }) >= 3);
}

TEST_CASE("the terms of a payment are taken up to the ends that refusals name") {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = terms.flex_start.queue_time = seconds{3600};
  CHECK(ends_of(terms, [](const payment_terms& one) {
          validate(one);
          (void)detail::spot_run_of(seconds{1e6}, 2, one.spot);
        }) >= 8);
  run_at_risk run;
  run.run.low = seconds{1e5}, run.run.expected = seconds{1.1e5}, run.run.high = seconds{1.2e5};
  run.checkpoint_interval = seconds{600}, run.slices = 2;
  CHECK(ends_of(run, [](const run_at_risk& one) { validate(one); }) >= 6);
  CHECK(ends_of(risk_policy{}, [&](const risk_policy& one) { validate(one, run, {}); }) >= 1);
}

TEST_CASE("simulated traffic and fleets are taken up to the ends that refusals name") {
  CHECK(ends_of(scaling_rule{}, [](const scaling_rule& one) { detail::validate(one); }) >= 3);
  session_traffic talks;
  talks.turns = 3, talks.shared_prefix = 100;
  talks.opening.median = 50, talks.opening.spread = 1, talks.opening.longest = 1000;
  CHECK(ends_of(talks, [](const session_traffic& one) { detail::validate(one); }) >= 4);
  simulated_traffic traffic;
  traffic.rate = per_second{2}, traffic.requests = 1000;
  traffic.prompt.median = traffic.output.median = 100, traffic.prompt.longest = traffic.output.longest = 1000;
  traffic.prompt.spread = traffic.output.spread = 1;
  CHECK(ends_of(traffic, [](const simulated_traffic& one) { detail::validate(one); }) >= 6);
  CHECK(ends_of(batch_service{1, 1, seconds{3}, {}}, [](const batch_service& one) { detail::validate(one); }) >= 3);
  CHECK(ends_of(replica_outage{}, [](const replica_outage& one) { detail::validate(one, 4); }) >= 2);
  split_pools pools;
  pools.prefill = pools.decode = 2, pools.transfer = bytes_per_second{1e10};
  CHECK(ends_of(pools, [](const split_pools& one) { detail::validate(one); }) >= 2);
}

}  // namespace base_checks_ends_tests
