#ifndef TPUPLAN_TESTS_SUPPORT_JSON_IO_TYPES_HPP
#define TPUPLAN_TESTS_SUPPORT_JSON_IO_TYPES_HPP

#include <support/json_types.hpp>
#include <lab/training_fit.hpp>
#include <lab/serving_fit.hpp>
#include <lab/exceptions.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/jupyter.hpp>
#include <tpuplan/io/launch.hpp>
#include <lab/serving_records.hpp>
#include <lab/validation.hpp>

namespace json_types {

template <class Visit>
void each_type(const Visit& visit) {
  each_core_type(visit);
  each_type_of<calibration_fit, left_out_run, serving_fit, record_exception, model_config, assumption, svg_chart,
               gcloud_launch, maxtext_run, launch_request, fitted_constant, training_record,
               serving_record, serving_memory_record, serving_prediction, memory_bar, memory_chart, step_bar,
               step_chart, roofline_point, roofline_chart, pareto_point, pareto_chart, accuracy_point, accuracy_chart,
               record_check, error_summary, baseline_errors>(visit);
}

}  // namespace json_types

#endif
