#ifndef TPUPLAN_SHOW_SVG_HPP
#define TPUPLAN_SHOW_SVG_HPP

#include <tpuplan/show/svg/bars.hpp>
#include <tpuplan/show/svg/chances.hpp>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/svg/points.hpp>
#include <tpuplan/show/svg/traffic.hpp>

/// @file
/// Charts as SVG text: `to_svg(roofline_of(v5e, model, 512))`. Each chart is a plain struct; `to_svg` draws it. There
/// is no script in it; text is text, and takes the colour of the page around it.

#endif
