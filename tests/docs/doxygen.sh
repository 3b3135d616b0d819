#!/usr/bin/env bash
# doxygen.sh DOXYGEN SOURCE_DIR OUTPUT_DIR: fails where a public name has no comment, and prints which.
set -uo pipefail
doxygen=$1 source_dir=$2 output_dir=$3
if [[ ! -x $doxygen ]]; then
  echo "doxygen is not installed: skipped"
  exit 77
fi
cd "$source_dir" || exit 1
"$doxygen" - <<< "$(cat tests/docs/Doxyfile)
OUTPUT_DIRECTORY = $output_dir"
