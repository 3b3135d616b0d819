#ifndef TPUPLAN_ASK_NETWORKS_HPP
#define TPUPLAN_ASK_NETWORKS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/any_model.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/cost/run_prices.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/handbook/network.hpp>
#include <tpuplan/parallel/open_layout.hpp>
#include <tpuplan/plan/network_plan.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// The questions of a network of layers on one slice: fit_network and train_network.

namespace tpuplan {
inline namespace abi_0 {

/// Does a training step of a network of layers fit?
struct fit_network_request {
  nlohmann::json config{};      ///< a `network` as `json_document` writes it, or a config.json of a model of images
  std::string slice{};          ///< "v5e-8"
  network_job job{};            ///< a batch of 0: 128 examples on each core
  layout mesh = open_layout();  ///< FSDP of 0: a replica on each device, unless `data` is given
};
/// How long does a step of a network of layers take; how long does a run take, and what does it cost?
struct train_network_request {
  /// @{
  /// The network, slice, job and layout, as in fit_network_request.
  nlohmann::json config{};
  std::string slice{};
  network_job job{};
  layout mesh = open_layout();
  data_set data{};                                         ///< trained on; no examples: only one step is asked about
  std::optional<example_cost> input{};                     ///< of an example to a host; nothing: `usual_example`
  std::string region = "us";                               ///< where the slice is paid for
  std::string zone{};                                      ///< of spot, where a count of preemptions is published
  nlohmann::json prices{};                                 ///< a price file; nothing: the built-in prices
  std::optional<seconds> mean_time_between_preemptions{};  ///< of one slice on spot; nothing: as published
  double rest_of_term_used = 0;           ///< share of a commitment's other hours that other work uses, 0 to 1
  std::optional<spot_market> market{};    ///< this and what follows as in train_request
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};
  std::optional<seconds> restart_time{};
  seconds chip_time_between_failures = published_chip_time_between_failures;
  asked_phases around{};
  bool timeline = false;
  /// @}
};
/// The rows of a step of a network, and of where it runs.
inline constexpr question_row network_job_rows[] = {
    rows::count("job.global_batch", "--batch", "Global batch", "examples", "examples in a step, over all slices")
        .within(1, 1e12)
        .usually("128 on each core; in a plan 1024, or fewer of few examples"),
    detail::row_named(job_rows, "--dtype"),
    detail::row_named(job_rows, "--weights").usually("fp32"),
    detail::row_named(job_rows, "--moments"),
    detail::row_named(job_rows, "--optimizer"),
};
/// Where a network of layers runs.
inline constexpr question_row network_mesh_rows[] = {
    detail::row_named(mesh_rows, "--slice"),
    detail::row_named(mesh_rows, "--slices"),
    detail::row_named(mesh_rows, "--data").usually("one on each device"),
    detail::row_named(mesh_rows, "--fsdp").usually("1; with data what that leaves of the slice"),
};
/// The rows of its run, and of what an example costs a host.
inline constexpr question_row network_run_rows[] = {
    rows::count("data.examples", "--examples", "Examples", "examples", "of the data set: images or rows").within(1, 1e15),
    rows::number("data.epochs", "--epochs", "Epochs", "", "passes over the examples").within(1e-6, 1e6).usually("1"),
    rows::flag("data.last", "--keep-remainder", "keep",
               "the examples of an epoch that fill no batch make one of their own"),
    rows::time("input.decode_s", "--decode-time", "Decoding", "of an example on one vCPU of a host: 12.8ms")
        .usually("12.8ms for images from 128 x 128 on"),
    rows::number("input.size_bytes", "--example-bytes", "Size of an example", "bytes",
                 "read from storage for an example")
        .within(0, 1e12)
        .usually("107.7k for such images"),
    rows::share("input.cached_share", "--cached", "Cached", "share of the data set that hosts keep decoded in memory"),
};

/// Whether a step of a network fits, and of what its memory is made.
struct fit_network_answer {
  /// @{
  /// Memory of one device, in bytes, and the question with nothing left open.
  verdict fits{};
  bytes used{}, used_low{}, used_high{}, usable{};  ///< the estimate, its band, and what a program may use
  memory_breakdown breakdown{};                     ///< by part
  std::optional<std::int64_t> largest_batch{};      ///< examples that surely fit; nothing: no batch does
  std::string slice{};
  layout mesh{};
  network_job job{};
  std::vector<assumption> assumed{};
  std::string model{}, example{};  ///< name of the network, and what an example is: "image" or "example"
  /// @}
};
/// A step, its memory, and the run where examples were given.
struct train_network_answer {
  /// @{
  /// One step, and the run where examples were given.
  seconds step_time{}, step_time_low{}, step_time_high{};  ///< the estimate, and the ends of its band
  double mfu = 0;                                          ///< model FLOPs over the bf16 peak, 0 to 1
  per_second examples{};                                   ///< examples per second over all slices
  network_step breakdown{};                                ///< the step by part
  fit_network_answer memory{};                             ///< whether it fits, and in how many bytes
  largest_product widest{};                                ///< the product with the most multiply-adds
  bool arithmetic_can_limit = false;              ///< from some batch on, with the traffic of activations counted
  maybe<input_answer> input{};                    ///< what the hosts deliver; nothing where that is not known
  data_set data{};                                ///< what is trained on
  std::optional<epoch_count> epochs{};            ///< its steps
  std::optional<seconds> run{};                   ///< uninterrupted time of all steps
  std::optional<std::vector<run_price>> costs{};  ///< a row for each way of paying, cheapest first
  std::string region{};                           ///< where it is paid for
  payment_terms terms{};                          ///< what is expected of capacity that ends
  std::optional<run_timeline> timeline{};         ///< from start to end on demand, where it was asked for and may run
  std::optional<run_checkpoints> checkpoints{};   ///< of the run on demand
  /// @}
};

/// A network on a slice, with nothing left open.
struct placed_network {
  /// @{
  /// The question with nothing left open.
  model_config config{};
  network net{};
  slice where{};
  layout mesh{};
  network_job job{};
  assumed_values assumed{};
  /// @}
};
/// What an example of a network is called. Worked: "image" for ResNet-50, "example" for an MLP.
[[nodiscard]] inline std::string example_word(const network& net) { return net.width > 1 ? "image" : "example"; }
/// The layout of a network: a replica on each device, unless replicas or shards are given. Worked: on v5e-8 an open
/// layout has 8 replicas, one of 2 replicas 4 shards each.
[[nodiscard]] constexpr layout network_layout(layout mesh, const slice& where) {
  for (const auto& [field, degree] : {std::pair<std::string_view, std::int64_t>{"layout.tensor", mesh.tensor},
                                      {"layout.expert", mesh.expert},
                                      {"layout.context", mesh.context},
                                      {"layout.pipeline", mesh.pipeline}}) {
    if (degree > 1) detail::fail(errc::unsupported, field, degree, "1: a network has data and fsdp degrees alone");
  }
  const std::int64_t all = devices(where);
  if (mesh.fsdp == 0) mesh.fsdp = mesh.data > 1 && mesh.data < all ? all / mesh.data : 1;
  if (mesh.data == 1 && mesh.fsdp < all) mesh.data = all / mesh.fsdp;
  validate(mesh, where);
  return mesh;
}
/// The job of a request as JSON, as a network has it. Worked: of {"job": {"global_batch": 1024}} the batch is given.
[[nodiscard]] inline network_job network_job_of(const nlohmann::json& request) {
  return request.contains("job") ? read_json<network_job>(request["job"], {}, "request.job") : network_job{};
}
/// The step on the slice of that name, with layout and batch filled in. Throws for a model that is no network, an
/// unknown slice, and a layout that is not of it. Worked: ResNet-50 on "v5e-8" has 8 replicas and 1024 images a step.
[[nodiscard]] inline placed_network placed(const any_model& model, const std::string& slice_name, const layout& mesh,
                                           const network_job& job) {
  if (!model.net)
    detail::fail(errc::unsupported, "config", "a language model", "a network of layers; fit and train take others");
  detail::check_moments(job);
  placed_network all{model.config, *model.net, scheduled_slice(slice_name), {}, job, {}};
  all.mesh = network_layout(mesh, all.where);
  if (job.global_batch != 0) return all;
  all.job.global_batch = checked_multiply(128, batch_shards(all.mesh));
  all.assumed.emplace_back("global batch", std::to_string(all.job.global_batch) + " examples, 128 on each core");
  return all;
}
/// Whether the step fits, and its bytes by part. Worked: ResNet-50 in 1024 images on v5e-8 fits.
[[nodiscard]] inline fit_network_answer answer_to_fit(const placed_network& all) {
  fit_network_answer answer;
  answer.breakdown = memory_use(all.net, all.job, all.mesh, all.where);
  answer.fits = tpuplan::fits(answer.breakdown);
  answer.used = answer.breakdown.total;
  answer.used_low = answer.breakdown.low;
  answer.used_high = answer.breakdown.high;
  answer.usable = answer.breakdown.usable;
  if (const maybe<std::int64_t> most = tpuplan::largest_batch(all.net, all.job, all.mesh, all.where))
    answer.largest_batch = *most;
  answer.slice = tpuplan::name(all.where).view();
  answer.mesh = all.mesh;
  answer.job = all.job;
  answer.assumed = all_assumed(all.config, all.assumed);
  answer.model = all.net.name.view();
  answer.example = example_word(all.net);
  return answer;
}
/// Says that chips wait for hosts whose work is a bound from published runs.
inline void assume_input(const example_cost& one, assumed_values& assumed) {
  if (!one.upper_bound) return;
  assumed.emplace_back("input", readable::duration(one.decode) + " of a vCPU for each image and " +
                                    readable::binary_bytes(one.size) +
                                    " to read: bounds of published runs, hosts may be twice as fast: measure your own");
}
/// What an example costs a host, as the `input` of a request has it: what that leaves open is as `usual_example`.
/// Throws for a cached share of what is not known. Worked: of {"input": {"cached_share": 0.5}} an image of 224 x 224
/// still takes 12.8 ms to decode.
[[nodiscard]] inline example_cost input_of(const network& net, const nlohmann::json& request) {
  const auto given = request.find("input");
  if (given == request.end()) return usual_example(net);
  nlohmann::json filled = usual_example(net);
  if (given->contains("decode_s")) filled["upper_bound"] = false;
  filled.update(*given);
  const example_cost each = read_json<example_cost>(filled, {}, "request.input");
  if (each.cached_share > 0 && each.decode.value() == 0 && each.size.value() == 0)
    detail::fail(errc::invalid_argument, "input.cached_share", "given without effect",
                 "with decode_s or size_bytes: what an example costs a host is not known");
  return each;
}
/// The run besides its steps, and how capacity waits, ends and fails, put into the request; what is assumed of it.
template <class Asked, class Request>
void fill_run(const Asked& asked, bool spot_counts, const std::vector<std::string>& chip_names,
              const std::vector<std::string>& places, Request& request, assumed_values& assumed) {
  fill_capacity(asked, spot_counts, chip_names, places, request.terms, assumed);
  request.zone = asked.zone;
  request.around = phases_of(asked.around, asked.restart_time, assumed);
  request.chip_time_between_failures = asked.chip_time_between_failures;
}
/// The step, its memory and input; where examples are given, also the run and its dollars at these prices. Throws what
/// `placed` and `epochs_of` do, and for a region without prices. Worked: ResNet-50 on v5e-8 in 1024 images takes 70.6
/// ms a step under SGD with momentum.
[[nodiscard]] inline train_network_answer answer_to_train(const placed_network& all, const train_network_request& asked,
                                                          const price_book& book) {
  expect_region(book, asked.region);
  const example_cost each = asked.input.value_or(usual_example(all.net));
  const auto [step, input] = fed_step_time(all.net, all.job, all.mesh, all.where, each);
  placed_network said = all;
  if (step.waiting.value() > 0) assume_input(each, said.assumed);
  train_network_answer answer;
  answer.step_time = step.total, answer.step_time_low = step.low, answer.step_time_high = step.high;
  answer.mfu = step.mfu, answer.examples = step.examples_per_second;
  answer.breakdown = step;
  answer.memory = answer_to_fit(said);
  answer.widest = largest_product_of(all.net);
  answer.arithmetic_can_limit = arithmetic_can_limit(all.net, all.job, all.where.chip);
  answer.input = input;
  answer.data = asked.data;
  answer.region = asked.region;
  if (asked.data.examples == 0) return answer;
  answer.epochs = epochs_of(asked.data, all.job.global_batch);
  const auto steps = static_cast<double>(answer.epochs->steps);
  const std::int64_t slice_total = slices(all.mesh);
  network_request request;
  request.net = all.net;
  request.job = all.job;
  fill_run(asked, true, {std::string(all.where.chip.name.view())}, {asked.region}, request, said.assumed);
  answer.terms = payment_terms_of(request, all.where, slice_total, answer.epochs->steps, step.total, asked.region);
  validate(answer.terms);
  answer.memory.assumed = all_assumed(all.config, said.assumed);
  answer.run = steps * step.total;
  const run_price_list costs = run_prices(all.where, slice_total, {*answer.run, steps * step.low, steps * step.high},
                                          book, asked.region, answer.terms);
  say_what_is_too_short(book, all.where, slice_total, asked.region, *answer.run, answer.terms, answer.memory.assumed);
  answer.costs.emplace(costs.begin(), costs.end());
  answer.checkpoints = checkpoints_of(
      checkpoint_of(all.net, all.job), steps, step.total,
      checkpoint_interval_of(provisioning::on_demand, slice_total, *answer.run, answer.terms), asked.region);
  if (!asked.timeline && !is_given(asked.around) && !asked.queue_time) return answer;
  run_phases run = request.around;
  run.steps = answer.epochs->steps, run.step = step.total;
  answer.timeline = timeline_of(detail::phases_on(run, all.where), answer.terms,
                                price_on_demand(book, all.where, slice_total, asked.region));
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::fit_network_request, config, slice, job, mesh)
TPUPLAN_FIELDS(tpuplan::train_network_request, config, slice, job, mesh, data, input, region, zone, prices,
               mean_time_between_preemptions, rest_of_term_used, market, lifetimes, queue_time, restart_time,
               chip_time_between_failures, around, timeline)
TPUPLAN_FIELDS(tpuplan::fit_network_answer, fits, used, used_low, used_high, usable, breakdown, largest_batch, slice,
               mesh, job, assumed, model, example)
TPUPLAN_FIELDS(tpuplan::train_network_answer, step_time, step_time_low, step_time_high, mfu, examples, breakdown,
               memory, widest, arithmetic_can_limit, input, data, epochs, run, costs, region, terms, timeline,
               checkpoints)
#endif
