#!/usr/bin/env bash
# engine.sh COMPILER ROOT FOLDER INCLUDE: an engine is added to a copy of the headers, as docs/change.md says: its
# enumerator and its row in model/engines.hpp, and its factors in estimate/serving/calibration.hpp, where a fit writes
# those of engines with runs. engine.cpp asks the copy about it. INCLUDE is the folder of nlohmann_json.
set -eu
compiler=$1 root=$2 copy=$3/engine include=$4
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$copy"
source "$here/edit.sh"

engines=$copy/include/tpuplan/model/engines.hpp
added after "$engines" '^  vllm_torch_tpu, ' '  made_up,'
added before "$engines" '^inline constexpr engine_row engines' 'constexpr engine_row made_up_row() {
  engine_row row;
  row.engine = serving_engine::made_up;
  row.name = "made-up";
  row.title = "Made-Up";
  row.aliases = "mu";
  row.words = "made-up";
  row.chips = "v5p v6e";
  row.command = "serve-it --model={model} --devices={replica_devices} --batch={running_of_group} --block={block}";
  return row;
}'
sed -i -E 's/vllm_torch_tpu_row\(\)\};/vllm_torch_tpu_row(), made_up_row()};/' "$engines"

factors=$copy/include/tpuplan/estimate/serving/calibration.hpp
added after "$factors" '^inline constexpr fitted_engines engine_fit' '    {serving_engine::made_up, 2, 0.5, 3},'
count=$(sed -nE '/engine_fit/,/^\}\}/s/^\}\}, ([0-9]+)\};/\1/p' "$factors")
sed -i -E "/engine_fit/,/^\}\}/s/^\}\}, $count\};/}}, $((count + 1))};/" "$factors"

edited "$root" "$copy" 2
built "$compiler" "$copy" "$here/engine.cpp" "$include"
