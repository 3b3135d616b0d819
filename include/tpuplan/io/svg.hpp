#ifndef TPUPLAN_IO_SVG_HPP
#define TPUPLAN_IO_SVG_HPP

#include <tpuplan/io/svg/bars.hpp>
#include <tpuplan/io/svg/frontier.hpp>
#include <tpuplan/io/svg/points.hpp>
#include <tpuplan/io/svg/traffic.hpp>

/// @file
/// Charts as SVG text: `to_svg(roofline_of(v5e, model, 512))`. Each chart is a plain struct; `to_svg` draws it. There
/// is no script in it; text is text, and takes the colour of the page around it.

#endif
