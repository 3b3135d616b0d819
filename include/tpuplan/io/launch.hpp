#ifndef TPUPLAN_IO_LAUNCH_HPP
#define TPUPLAN_IO_LAUNCH_HPP

/// @file
/// The files and commands that start a plan: a CustomJob of Vertex AI, a manifest of GKE, commands of gcloud, arguments
/// of MaxText.

// generated: launch_headers from include/tpuplan/io/launch
#include <tpuplan/io/launch/gce.hpp>
#include <tpuplan/io/launch/gcloud.hpp>
#include <tpuplan/io/launch/gcluster.hpp>
#include <tpuplan/io/launch/gke.hpp>
#include <tpuplan/io/launch/maxtext.hpp>
#include <tpuplan/io/launch/offers.hpp>
#include <tpuplan/io/launch/plan.hpp>
#include <tpuplan/io/launch/ray.hpp>
#include <tpuplan/io/launch/request.hpp>
#include <tpuplan/io/launch/serving.hpp>
#include <tpuplan/io/launch/shell.hpp>
#include <tpuplan/io/launch/skypilot.hpp>
#include <tpuplan/io/launch/targets.hpp>
#include <tpuplan/io/launch/vertex.hpp>
#include <tpuplan/io/launch/xpk.hpp>
#include <tpuplan/io/launch/yaml.hpp>
// end of generated: launch_headers

#endif
