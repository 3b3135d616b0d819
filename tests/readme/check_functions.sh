#!/usr/bin/env bash
# check_functions.sh SOURCE_DIR [renew]: docs/functions.md names every public function below the question that it answers,
# with its signature and example as the headers have them. With `renew` they are written anew, and functions of a new
# launch target are added first.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$1/include/tpuplan" || exit 1
page=$1/docs/functions.md
# What a function is called that names, checks or reads a value, or stands in another one of its row.
helpers='^(name|validate(_.*)?|parse_.*|usd_per_gib_month|in_usd_per_gib_month|to_yaml|on_machine_type|shell_quoted|uniform|hf_default_for|read_plan_request|mime_bundle_repr|to_json|from_json|nearest_first)$'
written() {
  find . -mindepth 2 -name '*.hpp' -printf '%P\n' | sort |
    grep -vE "^(base/(error|text|math|maybe|known|equal|checks|spelling)|model/blocks|json/(key|named|number|sink|text)|reflect|ask/[b-z]|show/text/(lost|phrases|readable|served))" |
    { mapfile -t headers; awk -v helpers="$helpers" -f "$here/functions.awk" "${headers[@]}" *.hpp "$page"; }
}
if [[ ${2:-} == renew ]]; then
  while read -r name; do
    sed -i -E "s#^(<!-- [a-z_0-9 ]+)(: launch\.hpp -->)\$#\1 $name\2#" "$page"
  done < <(written 2>&1 >/dev/null | sed -nE 's#.*does not list ([a-z_0-9]+) of launch/.*#\1#p' | sort)
  written >"$page.new" && mv "$page.new" "$page"
  exit
fi
problems=$(written 2>&1 >/dev/null)
[[ -z $problems ]] || { echo "$problems"; exit 1; }
written | diff - "$page" || { echo "docs/functions.md is not what the headers say: build the target renew_docs"; exit 1; }
