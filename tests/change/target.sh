#!/usr/bin/env bash
# target.sh GENERATOR COMPILER ROOT FOLDER INCLUDE: a launch target is added to a copy of the tree, as docs/change.md
# says: its header, its row in launch/targets.hpp, and its chips and fields in data/launch.json. The tables are generated
# from them, and target.cpp asks the copy about it. INCLUDE is the folder of nlohmann_json.
set -eu
generate=$1 compiler=$2 root=$3 copy=$4/target include=$5
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$root/data" "$copy"
source "$here/edit.sh"

cp "$here/target.hpp" "$copy/include/tpuplan/launch/made_up.hpp"
targets=$copy/include/tpuplan/launch/targets.hpp
added after "$targets" '^#include <tpuplan/launch/gke.hpp>' '#include <tpuplan/launch/made_up.hpp>'
added before "$targets" '^inline launch_output write_ray' 'inline launch_output write_made_up(const launch_request& request) {
  const nlohmann::ordered_json job = made_up_job(request);
  return {job.dump(2) + "\n", job};
}
'
added after "$targets" '^    \{"ray", ' '    {"made_up", "job of a made-up service", detail::write_made_up, false},'
added before "$copy/data/launch.json" '^ "gcluster": \{' ' "made_up": {
  "sources": ["made up"],
  "generations": {"v5p": "five-p"},
  "schema": {"job": ["name", "chip", "chips", "command"]}
 },'

edited "$root" "$copy" 3
if stale=$("$generate" --check "$copy" 2>&1); then
  echo "a new target, old tables: --check did not notice" && exit 1
fi
"$generate" "$copy"
"$generate" --check "$copy"
built "$compiler" "$copy" "$here/target.cpp" "$include"
