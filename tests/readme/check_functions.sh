#!/usr/bin/env bash
# check_functions.sh SOURCE_DIR [renew]: README.md's table of questions names every public function that answers one,
# beside the header that has it, and no function or header that there is not. With `renew` functions of a new launch
# target are added to the row of launch.hpp first.
set -uo pipefail
renew=${2:-}
cd "$1/include/tpuplan" || exit 1
# FILE NAME of the functions in namespace tpuplan: declarations at the start of a line, outside of namespace detail.
functions=$(awk '
  FNR == 1 { hidden = 0 }
  /^namespace ([a-z_]+::)*detail/ { hidden = 1 }
  /^}  \/\/ namespace ([a-z_]+::)*detail/ { hidden = 0 }
  hidden || !/^(\[\[nodiscard\]\] |inline |constexpr )/ { next }
  {
    open = index($0, "(")
    head = substr($0, 1, open - 1)
    gsub(/^\[\[nodiscard\]\] /, "", head)
    if (open && head !~ /[={]|operator/ && match(head, /[a-z_0-9]+$/)) print FILENAME, substr(head, RSTART)
  }' $(find base/integer.hpp base/units.hpp base/dtype.hpp base/lambert.hpp hardware model parallel handbook estimate cost simulate plan \
  *.hpp json/file.hpp launch read show/*.hpp show/svg show/text/one_line.hpp -name '*.hpp') | sort -u)
# What a function is called that names, checks or reads a value, or stands in another one of its row.
helper='^(name|validate(_.*)?|parse_.*|usd_per_gib_month|in_usd_per_gib_month|to_yaml|on_machine_type|shell_quoted|uniform|hf_default_for|read_plan_request|mime_bundle_repr|to_json|from_json)$'
table=$(sed -n '/^| question | function/,/^$/p' ../../README.md)
listed=$(grep -oE '`[a-z_0-9]+' <<<"$table" | tr -d '`' | sort -u)
failed=0
while read -r file name; do
  [[ $renew && $file == launch/* && ! $name =~ $helper ]] && ! grep -qxF "$name" <<<"$listed" || continue
  sed -i -E "/^\| question/,/^\$/s#(.*) (\| \`launch\.hpp\` \|)\$#\1, \`$name\` \2#" ../../README.md
  listed+=$'\n'$name
done <<<"$functions"
table=$(sed -n '/^| question | function/,/^$/p' ../../README.md)
while read -r file name; do
  [[ $name =~ $helper ]] || grep -qxF "$name" <<<"$listed" || { echo "README.md does not list $name of $file"; failed=1; }
done <<<"$functions"
while read -r header; do
  [[ -e $header ]] || { echo "README.md names a header that there is not: $header"; failed=1; }
done < <(grep -oE '`[a-z_/]+\.hpp`' <<<"$table" | tr -d '`')
# A row: its functions stand in one of its headers, or behind it where that is a door.
while IFS='|' read -r _ _ names headers _; do
  texts=$(for header in $(grep -oE '[a-z_/]+\.hpp' <<<"$headers"); do cat "$header" "${header%.hpp}"/*.hpp 2>/dev/null; done)
  for name in $(grep -oE '`[a-z_0-9]+(\(|`)' <<<"$names" | tr -d '`('); do
    grep -qE "(^|[^a-z_0-9])$name\(|struct $name " <<<"$texts" || { echo "README.md: no $name in $headers"; failed=1; }
  done
done < <(tail -n +3 <<<"$table" | grep '|')
exit $failed
