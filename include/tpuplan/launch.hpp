#ifndef TPUPLAN_LAUNCH_HPP
#define TPUPLAN_LAUNCH_HPP

/// @file
/// The files and commands that start a plan: a CustomJob of Vertex AI, a manifest of GKE, commands of gcloud, arguments
/// of MaxText and MaxDiffusion.

// generated: launch_headers from include/tpuplan/launch
#include <tpuplan/launch/drafts.hpp>
#include <tpuplan/launch/gce.hpp>
#include <tpuplan/launch/gcloud.hpp>
#include <tpuplan/launch/gcluster.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/maxdiffusion.hpp>
#include <tpuplan/launch/maxtext.hpp>
#include <tpuplan/launch/maxtext_model.hpp>
#include <tpuplan/launch/names.hpp>
#include <tpuplan/launch/offers.hpp>
#include <tpuplan/launch/pictures.hpp>
#include <tpuplan/launch/plan.hpp>
#include <tpuplan/launch/program.hpp>
#include <tpuplan/launch/ray.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/served_plan.hpp>
#include <tpuplan/launch/serving.hpp>
#include <tpuplan/launch/shell.hpp>
#include <tpuplan/launch/skypilot.hpp>
#include <tpuplan/launch/targets.hpp>
#include <tpuplan/launch/vertex.hpp>
#include <tpuplan/launch/xpk.hpp>
#include <tpuplan/launch/yaml.hpp>
// end of generated: launch_headers

#endif
