#ifndef TPUPLAN_SHOW_VIEWS_HPP
#define TPUPLAN_SHOW_VIEWS_HPP

#include <tpuplan/show/views/day.hpp>
#include <tpuplan/show/views/day_generation.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <tpuplan/show/views/fit.hpp>
#include <tpuplan/show/views/generate.hpp>
#include <tpuplan/show/views/model_generation.hpp>
#include <tpuplan/show/views/model_network.hpp>
#include <tpuplan/show/views/networks.hpp>
#include <tpuplan/show/views/pay.hpp>
#include <tpuplan/show/views/plan.hpp>
#include <tpuplan/show/views/plan_day.hpp>
#include <tpuplan/show/views/plan_generation.hpp>
#include <tpuplan/show/views/plan_report.hpp>
#include <tpuplan/show/views/plan_serving.hpp>
#include <tpuplan/show/views/plan_train_generation.hpp>
#include <tpuplan/show/views/risk.hpp>
#include <tpuplan/show/views/serve.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <tpuplan/show/views/simulate_generation.hpp>
#include <tpuplan/show/views/spot.hpp>
#include <tpuplan/show/views/sweep.hpp>
#include <tpuplan/show/views/train.hpp>
#include <tpuplan/show/views/train_generation.hpp>

/// @file
/// The views of all answers: `view_of(answer)`, and `pictures_of(answer)` of those that can be drawn.

#endif
