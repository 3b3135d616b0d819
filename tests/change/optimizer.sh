#!/usr/bin/env bash
# optimizer.sh COMPILER ROOT FOLDER INCLUDE: an optimizer is added to a copy of the headers, as docs/change.md says: its
# enumerator and its row in model/optimizers.hpp. optimizer.cpp asks the copy about it. INCLUDE is the folder of
# nlohmann_json.
set -eu
compiler=$1 root=$2 copy=$3/optimizer include=$4
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$copy"
source "$here/edit.sh"

optimizers=$copy/include/tpuplan/model/optimizers.hpp
added after "$optimizers" '^  adamh, ' '  made_up,'
added after "$optimizers" '^    \{optimizer_kind::adamh, ' '    {optimizer_kind::made_up, "made_up", 3, 0.25, one_format, "made_up_pax"},'

edited "$root" "$copy" 1
built "$compiler" "$copy" "$here/optimizer.cpp" "$include"
