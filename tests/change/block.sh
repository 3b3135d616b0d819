#!/usr/bin/env bash
# block.sh COMPILER ROOT FOLDER INCLUDE: a kind of layer is added to a copy of the headers, as docs/change.md says: its
# header in model/blocks/ and its name in model/model.hpp. block.cpp asks the copy about it. INCLUDE is the folder of
# nlohmann_json.
set -eu
compiler=$1 root=$2 copy=$3/block include=$4
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$copy"
source "$here/edit.sh"

cp "$here/block.hpp" "$copy/include/tpuplan/model/blocks/low_rank.hpp"
list=$copy/include/tpuplan/model/model.hpp
added after "$list" '^#include <tpuplan/model/blocks/joint_attention.hpp>$' '#include <tpuplan/model/blocks/low_rank.hpp>'
sed -i -E 's/ row\(logits\) / row(logits) row(low_rank) /' "$list"

edited "$root" "$copy" 2
built "$compiler" "$copy" "$here/block.cpp" "$include"
