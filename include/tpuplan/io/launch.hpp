#ifndef TPUPLAN_IO_LAUNCH_HPP
#define TPUPLAN_IO_LAUNCH_HPP

/// @file
/// What starts a plan: a CustomJob of Vertex AI, a manifest of GKE, commands of gcloud, arguments of MaxText.

#include <tpuplan/io/launch_gcloud.hpp>
#include <tpuplan/io/launch_gke.hpp>
#include <tpuplan/io/launch_maxtext.hpp>
#include <tpuplan/io/launch_plan.hpp>
#include <tpuplan/io/launch_vertex.hpp>
#include <tpuplan/io/yaml.hpp>

#endif
