// tpuplan model, tpuplan fit, tpuplan train
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/io/price_file.hpp>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/job.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

std::int64_t usual_sequence(const transformer& model) {
  return model.max_positions > 0 && model.max_positions < 4096 ? model.max_positions : 4096;
}

bool has_flops_per_token(const transformer& model) {
  return model.kind == architecture::decoder || model.kind == architecture::encoder;
}

ordered_json model_document(const model_config& config, std::int64_t sequence, dtype cache) {
  const transformer& m = config.model;
  const parameter_count count = parameters(m);
  ordered_json document = {{"name", m.name.view()},
                           {"model_type", config.model_type},
                           {"architecture", name(m.kind)},
                           {"parameters", count.total},
                           {"active_parameters", count.active},
                           {"breakdown", count},
                           {"kv_bytes_per_token", nullptr},
                           {"kv_dtype", name(cache)},
                           {"forward_flops_per_token", nullptr},
                           {"training_flops_per_token", nullptr},
                           {"sequence_length", sequence}};
  if (m.kind == architecture::decoder) document["kv_bytes_per_token"] = kv_bytes_per_token(m, cache).value();
  if (has_flops_per_token(m)) {
    document["forward_flops_per_token"] = forward_flops_per_token(m, sequence).total.value();
    document["training_flops_per_token"] = training_flops_per_token(m, sequence).value();
  }
  if (has_vision(m)) {
    document["image_tokens"] = image_tokens(m.vision);
    document["vision_flops_per_image"] = vision_flops_per_image(m.vision).value();
  }
  document["assumed"] = json_of_assumed(config, {});
  return document;
}

void print_model(const model_config& config, const std::string& path, std::int64_t sequence, dtype cache) {
  const transformer& m = config.model;
  const parameter_count n = parameters(m);
  fmt::print("{}\n", bold(fmt::format("{}: {} parameters", m.name.view(), count(static_cast<double>(n.total)))));
  table t({{"part"}, {"parameters", align::right}, {"share", align::right}});
  const auto row = [&](const char* label, std::int64_t part) {
    if (part != 0) t.add({label, grouped(part), percent(static_cast<double>(part) / static_cast<double>(n.total))});
  };
  row("embedding", n.embedding);
  row("attention", n.attention);
  row("MLP", n.mlp);
  row("experts", n.experts);
  row("router", n.router);
  row("norms", n.norms);
  row("output head", n.lm_head);
  row("vision tower", n.vision);
  row("projector", n.projector);
  row("pooler or classifier", n.head);
  row("total", n.total);
  if (n.active != n.total) row("active per token", n.active);
  t.print();
  fmt::print("\n");
  std::vector<std::pair<std::string, std::string>> facts;
  if (m.kind == architecture::decoder) {
    facts.emplace_back("KV cache per token",
                       fmt::format("{} ({})", binary_bytes(kv_bytes_per_token(m, cache)), name(cache)));
  }
  if (has_flops_per_token(m)) {
    facts.emplace_back(fmt::format("FLOPs per token, forward, {} tokens", sequence),
                       fmt::format("{:.4g}", forward_flops_per_token(m, sequence).total.value()));
    facts.emplace_back("FLOPs per token, training",
                       fmt::format("{:.4g}", training_flops_per_token(m, sequence).value()));
  }
  if (has_vision(m)) {
    facts.emplace_back("tokens per image", fmt::format("{}", image_tokens(m.vision)));
    facts.emplace_back("FLOPs per image, forward", fmt::format("{:.4g}", vision_flops_per_image(m.vision).value()));
  }
  print_pairs(facts);
  print_assumed(config, {});
  if (has_flops_per_token(m)) {
    fmt::print("\n  {}\n", dim(fmt::format("next: tpuplan plan {} --tokens 1T   where to train it", path)));
  }
}

struct fit_answer {
  slice where;
  layout mesh;
  training_job job;
  memory_breakdown memory;
  std::optional<std::int64_t> largest;
};

fit_answer ask_fit(const model_config& config, const job_options& job, const mesh_options& mesh,
                   assumed_values& assumed) {
  fit_answer a;
  a.where = slice_for(mesh.slice_name);
  a.mesh = make_layout(mesh, a.where);
  a.job = make_job(job, config.model, assumed);
  fill_batch(job, a.mesh, a.job, assumed);
  a.memory = memory_use(config.model, a.job, a.mesh, a.where);
  a.largest = largest_batch(config.model, a.job, a.mesh, a.where);
  return a;
}

ordered_json fit_document(const fit_answer& a, const model_config& config, const assumed_values& assumed) {
  return {{"fits", name(fits(a.memory))},
          {"used_bytes", a.memory.total.value()},
          {"used_low_bytes", a.memory.low.value()},
          {"used_high_bytes", a.memory.high.value()},
          {"usable_bytes", a.memory.usable.value()},
          {"breakdown", a.memory},
          {"largest_batch", a.largest ? ordered_json(*a.largest) : ordered_json(nullptr)},
          {"slice", name(a.where).view()},
          {"mesh", a.mesh},
          {"job", a.job},
          {"assumed", json_of_assumed(config, assumed)}};
}

findings advice_on(const fit_answer& a, const model_config& config) {
  return training_advice(config.model, a.job, a.mesh, a.where);
}

/// The same where the step can be timed; memory can be asked of more jobs.
std::optional<findings> advice_if_timed(const fit_answer& a, const model_config& config) {
  try {
    return advice_on(a, config);
  } catch (const error& refusal) {
    if (refusal.code() != errc::unsupported && refusal.code() != errc::unknown_figure) throw;
    return std::nullopt;
  }
}

void print_memory(const memory_breakdown& memory) {
  table t({{"on each device"}, {"GiB", align::right}, {"share", align::right}});
  const auto row = [&](const char* label, bytes part) {
    if (part.value() > 0) t.add({label, fmt::format("{:.2f}", in_gib(part)), percent(part / memory.usable)});
  };
  row("parameters", memory.parameters);
  row("optimizer", memory.optimizer);
  row("gradients", memory.gradients);
  row("activations", memory.activations);
  row("logits", memory.logits);
  row("gathered weights", memory.gathered_weights);
  row("workspace", memory.workspace);
  row("total", memory.total);
  row("usable", memory.usable);
  t.print();
}

void print_fit(const fit_answer& a, const model_config& config, const std::string& path,
               const assumed_values& assumed) {
  const verdict v = fits(a.memory);
  fmt::print("{}\n", bold(fmt::format("{}: {} on {} ({})",
                                      name(v) == "yes"  ? "fits"
                                      : name(v) == "no" ? "does not fit"
                                                        : "uncertain",
                                      config.model.name.view(), name(a.where).view(), layout_words(a.mesh))));
  fmt::print("  {} used, between {:.1f} and {:.1f} GiB as the compiler decides; most of it is {}\n\n",
             used_of(a.memory.total, a.memory.usable), in_gib(a.memory.low), in_gib(a.memory.high),
             largest_part(a.memory));
  print_memory(a.memory);
  fmt::print("\n  largest batch that surely fits: {}\n",
             a.largest ? fmt::format("{} sequences of {} tokens", *a.largest, a.job.sequence_length)
                       : "none with this layout and remat policy");
  if (const std::optional<findings> advice = advice_if_timed(a, config)) print_advice(*advice);
  print_assumed(config, assumed);
  const std::string next =
      v != verdict::yes
          ? "next: --tensor 2, --accumulation 2, --remat full or a larger --slice"
          : fmt::format("next: tpuplan train {} --slice {}   how long and what it costs", path, name(a.where).view());
  fmt::print("\n  {}\n", dim(next));
}

void run_fit(const job_options& job, const mesh_options& mesh, session& with) {
  const model_config config = load_model(job.config);
  assumed_values assumed;
  const fit_answer a = ask_fit(config, job, mesh, assumed);
  if (fits(a.memory) == verdict::no) with.status = 1;
  if (with.json) {
    ordered_json document = fit_document(a, config, assumed);
    const std::optional<findings> advice = advice_if_timed(a, config);
    document["advice"] = advice ? json_of(*advice) : ordered_json(nullptr);
    return print_json(document);
  }
  print_fit(a, config, job.config, assumed);
}

struct money_options {
  std::string tokens, region = "us", prices;
};

struct run_in_dollars {
  provisioning kind;
  price_row price;
  usd total;
};

std::vector<run_in_dollars> priced(const fit_answer& a, seconds run, const price_book& book,
                                   const std::string& region) {
  std::vector<run_in_dollars> list;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, a.where, region, kind);
    if (!price || kind == provisioning::spot) continue;  // spot is interrupted: tpuplan plan and spot answer for it
    if (kind == provisioning::flex_start && run > 7_days) continue;
    if (kind == provisioning::calendar && run > 90_days) continue;
    list.push_back({kind, *price, cost_of_run(a.where, slices(a.mesh), run, *price).total});
  }
  return list;
}

void print_step(const step_breakdown& t) {
  table rows({{"part of a step"}, {"time", align::right}, {"share", align::right}, {"of"}});
  const auto row = [&](const char* label, seconds time, const std::string& note) {
    if (time.value() > 0) rows.add({label, duration(time), percent(time / t.total), note});
  };
  const auto exposed = [](const collective_time& c) { return fmt::format("exposed of {}", duration(c.whole)); };
  row("dense products", t.dense_products, "compute");
  row("expert products", t.expert_products, "compute");
  row("attention", t.attention, "compute");
  row("logits", t.logits, "compute");
  row("vision", t.vision, "compute");
  row("elementwise", t.elementwise, "HBM");
  row("attention scores", t.scores, "HBM");
  row("operands", t.operands, "HBM");
  row("weight reads", t.weight_reads, "HBM");
  row("weight update", t.weight_update, "HBM");
  row("expert dispatch", t.dispatch, "HBM");
  row("FSDP", t.fsdp.exposed, exposed(t.fsdp));
  row("data parallel", t.data.exposed, exposed(t.data));
  row("tensor parallel", t.tensor.exposed, exposed(t.tensor));
  row("expert parallel", t.expert.exposed, exposed(t.expert));
  row("between slices", t.dcn.exposed, exposed(t.dcn));
  row("state on hosts", t.host.exposed, exposed(t.host));
  row("per layer", t.overhead, "fixed time");
  row("pipeline bubble", t.bubble, "waiting");
  row("stragglers", t.jitter, "waiting");
  row("total", t.total, "");
  rows.print();
}

void print_train(const fit_answer& a, const step_breakdown& t, const model_config& config) {
  fmt::print("{}\n",
             bold(fmt::format("{} on {}{} ({}), {} sequences of {} tokens, remat {}", config.model.name.view(),
                              slices(a.mesh) > 1 ? fmt::format("{} x ", slices(a.mesh)) : "", name(a.where).view(),
                              layout_words(a.mesh), a.job.global_batch, a.job.sequence_length, name(a.job.remat))));
  fmt::print("  step {} (between {} and {}{}), MFU {}, {} tokens/s, limited by {}\n  memory {}: {}\n\n",
             duration(t.total), duration(t.low), duration(t.high),
             t.extrapolated ? "; outside of what published runs cover" : "", percent(t.mfu),
             count(t.tokens_per_second.value()), name(t.limited_by), used_of(a.memory.total, a.memory.usable),
             fits(a.memory) == verdict::yes  ? "fits"
             : fits(a.memory) == verdict::no ? "does not fit"
                                             : "uncertain");
  print_step(t);
}

ordered_json train_document(const fit_answer& a, const step_breakdown& t, seconds run,
                            const std::vector<run_in_dollars>& costs, const model_config& config,
                            const assumed_values& assumed) {
  ordered_json document = {{"step_time_s", t.total.value()},
                           {"step_time_low_s", t.low.value()},
                           {"step_time_high_s", t.high.value()},
                           {"mfu", t.mfu},
                           {"tokens_per_s", t.tokens_per_second.value()},
                           {"breakdown", t},
                           {"memory", fit_document(a, config, assumed)},
                           {"advice", json_of(advice_on(a, config))}};
  if (run.value() == 0) return document;
  document["run_s"] = run.value();
  document["costs"] = ordered_json::array();
  for (const run_in_dollars& one : costs) {
    document["costs"].push_back({{"kind", name(one.kind)}, {"total_usd", one.total.value()}, {"price", one.price}});
  }
  return document;
}

void run_train(const job_options& job, const mesh_options& mesh, const money_options& money_given, session& with) {
  const model_config config = load_model(job.config);
  assumed_values assumed;
  const fit_answer a = ask_fit(config, job, mesh, assumed);
  const step_breakdown t = step_time(config.model, a.job, a.mesh, a.where);
  if (fits(a.memory) == verdict::no) with.status = 1;
  const std::optional<owned_price_book> own =
      money_given.prices.empty() ? std::nullopt : std::optional<owned_price_book>(load_prices(money_given.prices));
  const price_book book = own ? own->book() : price_book{};
  check_region(book, money_given.region);
  std::optional<double> tokens;
  if (!money_given.tokens.empty()) tokens = parse_amount("--tokens", money_given.tokens);
  const seconds run = tokens ? t.total * math::ceil(*tokens / static_cast<double>(tokens_per_step(a.job))) : seconds{0};
  const std::vector<run_in_dollars> costs =
      tokens ? priced(a, run, book, money_given.region) : std::vector<run_in_dollars>{};
  if (with.json) return print_json(train_document(a, t, run, costs, config, assumed));
  print_train(a, t, config);
  if (tokens) fmt::print("\n  {} tokens take {}\n", count(*tokens), duration(run));
  for (const run_in_dollars& one : costs) {
    fmt::print("  {:14} {:>8}  (price of {})\n", name(one.kind), money(one.total), one.price.date.view());
  }
  print_advice(advice_on(a, config));
  if (tokens && costs.empty()) fmt::print("  no price for it in {}\n", money_given.region);
  print_assumed(config, assumed);
  fmt::print("\n  {}\n", dim(fmt::format("next: tpuplan plan {} --tokens 1T   is there a better slice?", job.config)));
}

}  // namespace

void add_model_commands(CLI::App& app, session& with) {
  CLI::App* model = app.add_subcommand("model", "parameters, FLOPs and KV bytes per token of a config.json");
  const auto config = std::make_shared<std::string>();
  const auto sequence = std::make_shared<std::string>();
  const auto cache = std::make_shared<std::string>("bf16");
  model->add_option("config", *config, config_help)->required();
  model->add_option("--seq", *sequence, "sequence length at which FLOPs are counted");
  model->add_option("--kv-dtype", *cache, "format of the KV cache")->capture_default_str();
  model->callback([config, sequence, cache, &with] {
    const model_config read = load_model(*config);
    const std::int64_t length = sequence->empty() ? usual_sequence(read.model) : parse_count("--seq", *sequence);
    if (with.json) return print_json(model_document(read, length, dtype_for(*cache)));
    print_model(read, *config, length, dtype_for(*cache));
  });

  CLI::App* fit = app.add_subcommand("fit", "does a training job fit; the largest batch that does");
  const auto fit_job = std::make_shared<job_options>();
  const auto fit_mesh = std::make_shared<mesh_options>();
  add_job_options(*fit, *fit_job);
  add_mesh_options(*fit, *fit_mesh);
  fit->callback([fit_job, fit_mesh, &with] { run_fit(*fit_job, *fit_mesh, with); });

  CLI::App* train = app.add_subcommand("train", "step time, MFU, tokens/s, days and dollars");
  const auto job = std::make_shared<job_options>();
  const auto mesh = std::make_shared<mesh_options>();
  const auto dollars = std::make_shared<money_options>();
  add_job_options(*train, *job);
  add_mesh_options(*train, *mesh);
  train->add_option("--tokens", dollars->tokens, "of the whole run: 1T");
  train->add_option("--region", dollars->region)->capture_default_str();
  train->add_option("--prices", dollars->prices, "a price file like data/prices.json");
  train->callback([job, mesh, dollars, &with] { run_train(*job, *mesh, *dollars, with); });
}

}  // namespace cli
