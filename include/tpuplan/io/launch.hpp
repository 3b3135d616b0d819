#ifndef TPUPLAN_IO_LAUNCH_HPP
#define TPUPLAN_IO_LAUNCH_HPP

/// @file
/// What starts a plan: a CustomJob of Vertex AI, a manifest of GKE, commands of gcloud, arguments of MaxText.

#include <tpuplan/io/launch/gcloud.hpp>
#include <tpuplan/io/launch/gke.hpp>
#include <tpuplan/io/launch/maxtext.hpp>
#include <tpuplan/io/launch/plan.hpp>
#include <tpuplan/io/launch/vertex.hpp>

#endif
