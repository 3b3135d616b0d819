// Networks held against published runs, whose rates had no part in any constant; and what is refused.
#include <cmath>
#include <string>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>

#include "support/catch.hpp"
#include "support/networks.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_network_tests {

namespace {

network network_of(const std::string& file) {
  const std::string path = std::string(TPUPLAN_DATA_DIR) + "/networks/" + file + ".json";
  return read_json_document<network>(load_json(path), {}, path);
}
layout replicas_on(const slice& where) {
  layout mesh;
  mesh.data = devices(where);
  mesh.fsdp = 1;
  return mesh;
}

}  // namespace

TEST_CASE("published runs of networks are within the band, and fit") {
  struct row {
    const char* file;
    const char* slice;
    std::int64_t batch;
    optimizer_kind optimizer;
    double step;  // seconds
    double off;   // percent by which the estimate is longer, as docs/first_jobs.md says
  };
  constexpr double imagenet = 1281167;
  constexpr auto lars = optimizer_kind::lars;
  for (const row& r : {
           // RiseML, "Comparing Google's TPUv2 against Nvidia's V100 on ResNet-50" (2018-04): batch 1024, bf16.
           row{"resnet-50", "v2-8", 1024, optimizer_kind::sgd_momentum, 1024 / 3186.0, 1.4},
           // S. Presser, thread of 2020-01-31 on the code of MLPerf 0.6: 480,000 images a second, LARS, batch 32768.
           row{"resnet-50", "v3-512", 32768, lars, 32768 / 480000.0, 26.9},
           // MLPerf training v0.7 and v1.0, Google (mlcommons/training_results_v0.7 and _v1.0, Google/results): steps
           // between evaluations, data/measured/measured.json has the rows.
           row{"resnet-50", "v3-32", 4096, lars, 0.12778, 33.4},
           row{"resnet-50", "v4-16", 2048, lars, 0.0736, 44.3},
           row{"resnet-50", "v4-128", 8192, lars, 0.03907, 37.8},
           row{"resnet-50", "v4-128", 8192, lars, 0.03709, 45.2},
           row{"resnet-50", "v4-512", 8192, lars, 0.01427, 3.3},
           // big_vision, configs/vit_s16_i1k.py (arXiv 2205.01580): 90 epochs in 6 to 7 hours, batch 1024, Adam; images
           // are decoded and augmented on the one host.
           row{"vit-s-16", "v3-8", 1024, optimizer_kind::adamw, 6.5 * 3600 * 1024 / (90 * imagenet), -26.1},
       }) {
    INFO(r.file << " on " << r.slice);
    const slice where = slice_for(r.slice);
    network_job job;
    job.global_batch = r.batch;
    job.optimizer = r.optimizer;
    const network_step step = step_time(network_of(r.file), job, replicas_on(where), where);
    CHECK(step.low.value() < r.step);
    CHECK(r.step < step.high.value());
    CHECK(std::abs(100 * (step.total.value() / r.step - 1) - r.off) < 0.6);
    CHECK(step.extrapolated);
    CHECK(fits(memory_use(network_of(r.file), job, replicas_on(where), where)) != verdict::no);
  }
}

TEST_CASE("the parts of a network's step add up to it") {
  for (const char* file : {"resnet-50", "efficientnet-b0", "mlp-784-128-10", "vit-s-16"}) {
    const slice where = slice_for("v3-8");
    network_job job;
    job.global_batch = 1024;
    const network_step step = step_time(network_of(file), job, replicas_on(where), where);
    INFO(file);
    CHECK(step.traffic > seconds{});
    CHECK((step.vector > seconds{}) == (std::string(file) == "efficientnet-b0"));  // depthwise convolutions
    const seconds sum = step.products + step.vector + step.traffic + step.update + step.gradients.exposed +
                        step.overhead + step.software;
    CHECK(close(sum.value(), step.total.value(), 1e-12));
  }
}

TEST_CASE("a network whose examples take next to nothing has a largest batch all the same") {
  network one;
  one.layers.add({"dense", layer_kind::dense});
  const slice where = slice_for("v5p-8");
  const layout mesh = replicas_on(where);
  const std::int64_t most = largest_batch(one, {}, mesh, where).value();
  network_job job;
  job.global_batch = most;
  CHECK(fits(memory_use(one, job, mesh, where)) == verdict::yes);
  job.global_batch += batch_shards(mesh);
  CHECK(fits(memory_use(one, job, mesh, where)) != verdict::yes);
  CHECK(most > std::int64_t{1} << 35);
}

TEST_CASE("ResNet-50 with 128 images on each core of v3-8") {
  const slice where = slice_for("v3-8");
  network_job job;
  job.global_batch = 1024;
  const memory_breakdown memory = memory_use(network_of("resnet-50"), job, replicas_on(where), where);
  CHECK(close(memory.activations.value(), 5.78e9, 1e-3));
  CHECK(largest_batch(network_of("resnet-50"), job, replicas_on(where), where).value() == 1848);
}

TEST_CASE("a device holds its shard of the weights, and all of what is not trained") {
  const slice where = slice_for("v5e-8");
  network_job job;
  job.global_batch = 1024;
  layout mesh;
  mesh.fsdp = 8;
  const memory_breakdown whole = memory_use(network_of("resnet-50"), job, replicas_on(where), where);
  const memory_breakdown shard = memory_use(network_of("resnet-50"), job, mesh, where);
  const double statistics = 4 * (25610152.0 - 25557032);  // of batch norms, in fp32
  CHECK(close(whole.gradients.value(), 4 * 25557032.0));
  CHECK(close(shard.gradients.value(), 4 * 25557032.0 / 8));
  CHECK(close(shard.parameters.value() - statistics, (whole.parameters.value() - statistics) / 8));
  CHECK(close(shard.optimizer.value(), whole.optimizer.value() / 8));
  CHECK(shard.activations == whole.activations);
}

TEST_CASE("EfficientNet waits for memory and the vector unit, not for the MXU") {
  const slice where = slice_for("v3-8");
  network_job job;
  job.global_batch = 1024;
  const network_step step = step_time(network_of("efficientnet-b0"), job, replicas_on(where), where);
  CHECK(step.limited_by == step_bound::hbm);
  CHECK(step.vector.value() > 0);
  CHECK(step.mfu < 0.1);
}

TEST_CASE("arithmetic on the vector unit is arithmetic: it may be what limits a step") {
  slice where = slice_for("v5p-8");
  where.chip.hbm.bandwidth *= 2.8;
  network_job job;
  job.global_batch = 512;
  const network_step step = step_time(network_of("efficientnet-b0"), job, replicas_on(where), where);
  CHECK(step.products < step.traffic);
  CHECK(step.traffic < step.products + step.vector);
  CHECK(step.limited_by == step_bound::compute);
}

TEST_CASE("the low end of a network's band is no faster than its chips") {
  const slice where = slice_for("v5e-8");
  network_job job;
  job.global_batch = 262144;
  const network wide = mlp(8192, {8192, 8192, 8192});
  const network_step step = step_time(wide, job, replicas_on(where), where);
  CHECK(step.low > step.total / 2);
  CHECK(step.mfu * (step.total / step.low) <= 1 + 1e-12);
  CHECK(step.low <= step.total);
}

TEST_CASE("what is not estimated of a network is refused by name") {
  const slice where = slice_for("v5e-8");
  const network net = mlp(128, {128});
  const auto refused = [&](const network_job& job, const layout& mesh) {
    return refusal_of([&] { (void)step_time(net, job, mesh, where); }).message;
  };
  network_job job;
  CHECK(says(refused(job, replicas_on(where)), "network_job.global_batch"));
  job.global_batch = 12;
  CHECK(says(refused(job, replicas_on(where)), "network_job.global_batch is 12; valid: a multiple of the 8 shards"));
  job.global_batch = 16;
  layout mesh = replicas_on(where);
  mesh.data = 4, mesh.tensor = 2;
  CHECK(says(refused(job, mesh), "layout of a network"));
  job.compute = dtype::int8;
  CHECK(says(refused(job, replicas_on(where)), "network_job.compute is int8; valid: bf16 or fp32"));
}

TEST_CASE("steps of a recurrent layer take time one after the other") {
  const slice where = slice_for("v5e-1");
  const auto step_of = [&](layer_kind kind, std::int64_t length) {
    network net;
    net.height = length, net.channels = 1024;
    network_layer layer;
    layer.kind = kind, layer.outputs = 1024;
    if (kind == layer_kind::recurrent) layer.gates = 4;
    net.layers.add(layer);
    network_job job;
    job.global_batch = 32;
    return step_time(net, job, replicas_on(where), where);
  };
  const network_step one = step_of(layer_kind::recurrent, 100), two = step_of(layer_kind::recurrent, 200);
  CHECK(close(two.overhead / one.overhead, 2));  // 5 us a step and pass
  CHECK(close(one.overhead.value(), 3 * 100 * 5e-6));
  // 4 x 1024^2 weights of bf16 are read in each of 100 steps and three passes: 3.1 ms at 819 GB/s, of which a dense
  // layer of that size reads one hundredth.
  CHECK(one.traffic.value() > 3 * 100 * 2 * 4 * 1024.0 * 1024 / 819e9);
  CHECK(one.total > 10 * step_of(layer_kind::dense, 100).total / 4);
}

TEST_CASE("the fast end of a step's band is no faster than hosts can be, whether chips wait or not") {
  const network net = mlp(784, {4096, 4096, 10});
  network_job job;
  job.global_batch = 65536;
  const slice s = slice_for("v5e-8");
  layout mesh;
  mesh.data = 8;
  const network_step alone = step_time(net, job, mesh, s);
  example_cost each;
  seconds last{0};
  for (const double share : {0.4, 0.6, 0.9, 0.999, 1.001, 1.5}) {  // of the time of a step that its examples need
    each.decode = alone.total * (share * 224 / 65536);
    const network_step fed = fed_step_time(net, job, mesh, s, each).step;
    CHECK(fed.low >= last);
    CHECK(fed.low.value() >= Approx(std::min(fed.total.value(), share * alone.total.value())));
    last = fed.low;
  }
}

}  // namespace estimate_training_network_tests
