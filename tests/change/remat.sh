#!/usr/bin/env bash
# remat.sh COMPILER ROOT FOLDER INCLUDE: a remat policy is added to a copy of the headers, as docs/change.md says: a
# constant and its row in model/remat.hpp. remat.cpp asks the copy about it. INCLUDE is the folder of nlohmann_json.
set -eu
compiler=$1 root=$2 copy=$3/remat include=$4
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$copy"
source "$here/edit.sh"

policies=$copy/include/tpuplan/model/remat.hpp
added before "$policies" '^\}  // namespace remat$' 'inline constexpr remat_policy made_up = detail::policy("D...D...");'
added before "$policies" '^    \{"none", remat::none\},' '    {"made_up", remat::made_up, detail::as_custom},'

edited "$root" "$copy" 1
built "$compiler" "$copy" "$here/remat.cpp" "$include"
