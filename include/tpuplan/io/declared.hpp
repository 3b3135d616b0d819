#ifndef TPUPLAN_IO_DECLARED_HPP
#define TPUPLAN_IO_DECLARED_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// The public types by name alone. What shows them or turns them into JSON includes no more than that: whoever has a
/// value has its header.

namespace tpuplan {
inline namespace abi_0 {

enum class architecture : std::uint8_t;
enum class attention_against : std::uint8_t;
enum class attention_flops : std::uint8_t;
enum class attention_kernel : std::uint8_t;
enum class bound : std::uint8_t;
enum class cache_cut : std::uint8_t;
enum class cache_policy : std::uint8_t;
enum class date_qualifier : std::uint8_t;
enum class decode_limit : std::uint8_t;
enum class dtype : std::uint8_t;
enum class errc : std::uint8_t;
enum class finding_kind : std::uint8_t;
enum class host_state : std::uint8_t;
enum class member_share : std::uint8_t;
enum class memory_level : std::uint8_t;
enum class memory_stage : std::uint8_t;
enum class mesh_unit : std::uint8_t;
enum class name_counts : std::uint8_t;
enum class network_kind : std::uint8_t;
enum class not_judged : std::uint8_t;
enum class objective : std::uint8_t;
enum class optimizer_kind : std::uint8_t;
enum class placement : std::uint8_t;
enum class plan_limit : std::uint8_t;
enum class provisioning : std::uint8_t;
enum class rejection : std::uint8_t;
enum class remainder : std::uint8_t;
enum class serving_finding_kind : std::uint8_t;
enum class serving_limit : std::uint8_t;
enum class serving_question : std::uint8_t;
enum class serving_rejection : std::uint8_t;
enum class software_level : std::uint8_t;
enum class spot_market : std::uint8_t;
enum class step_bound : std::uint8_t;
enum class tpu_creation : std::uint8_t;
enum class verdict : std::uint8_t;
enum class weight_cut : std::uint8_t;
enum class window_eviction : std::uint8_t;
enum class window_flops : std::uint8_t;
enum class wraparound_rule : std::uint8_t;
struct accuracy_chart;
struct accuracy_point;
struct assumption;
struct attention_shape;
struct attention_spec;
struct baseline_errors;
struct calibration;
struct calibration_fit;
struct checkpoint_store;
struct chip_position;
struct chip_spec;
struct collective_cost;
struct collective_group;
struct collective_time;
struct commitment_cost;
struct contraction_limits;
struct cut_product;
struct decode_batch;
struct decode_bound;
struct decode_breakdown;
struct decode_turnover;
struct decode_work;
struct error_summary;
struct expected_spot_run;
struct finding;
struct findings;
struct fitted_constant;
struct fixed_degrees;
struct flex_start_terms;
struct flop_convention;
struct forward_flops;
struct frontier_point;
struct gcloud_launch;
struct gpu_offer;
struct growing_work;
struct hbm_spec;
struct held_parameters;
struct host_spec;
struct ici_spec;
struct latent_attention_spec;
struct launch_request;
struct layer_backward_times;
struct layer_sharding;
struct layer_times;
struct layer_traffic;
struct layer_widths;
struct layout;
struct left_out_run;
struct length_quantile;
struct lora_targets;
struct machine_type;
struct matrix_shape;
struct maxtext_run;
struct memory_bar;
struct memory_breakdown;
struct memory_calibration;
struct memory_chart;
struct migration;
struct mlp_spec;
struct model_config;
struct model_padding;
struct moe_spec;
struct mxu_spec;
struct named_remat_policy;
struct nearest_slices;
struct network_share;
struct offer;
struct offer_comparison;
struct on_chip_spec;
struct operation_prices;
struct padding_cost;
struct paid_run;
struct parameter_count;
struct pareto_chart;
struct pareto_point;
struct payment_options;
struct payment_terms;
struct peak_rates;
struct pipeline_transfer;
struct placed_degree;
struct plan;
struct plan_answer;
struct plan_cost;
struct plan_request;
struct plan_sensitivity;
struct pod_spec;
struct prefill_breakdown;
struct price_row;
struct product_dtypes;
struct product_shape;
struct product_time;
struct projector_spec;
struct prompt_batch;
struct quota_row;
struct record_check;
struct record_exception;
struct rejected_server;
struct rejected_slice;
struct relaxation;
struct remat_policy;
struct roofline_chart;
struct roofline_point;
struct run_cost;
struct search_counts;
struct send_breakdown;
struct serving;
struct serving_calibration;
struct serving_cost;
struct serving_estimate;
struct serving_finding;
struct serving_findings;
struct serving_fit;
struct serving_frontier;
struct serving_layout;
struct serving_memory;
struct serving_memory_record;
struct serving_plan;
struct serving_plan_answer;
struct serving_prediction;
struct serving_record;
struct serving_relaxation;
struct serving_request;
struct sharded_array;
struct slice;
struct spot_comparison;
struct spot_prices;
struct spot_run;
struct spot_terms;
struct step_bar;
struct step_breakdown;
struct step_chart;
struct storage_cost;
struct svg_chart;
struct tile;
struct time_bounds;
struct token_lengths;
struct token_time;
struct topology;
struct torus_placement;
struct training;
struct training_case;
struct training_record;
struct training_state;
struct transformer;
struct vision_spec;
struct weight_matrices;
struct weight_matrix;
struct weight_stationary_degrees;
struct windowed_run;
class price_book;
template <class T>
class known;
template <class T>
class maybe;
template <std::size_t Capacity>
class text;

namespace detail {
/// Whether a type is one of some others.
template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same<T, Others>::value || ...);
}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
