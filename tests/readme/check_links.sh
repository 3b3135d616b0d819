#!/usr/bin/env bash
# check_links.sh SOURCE_DIR: every relative link of README.md and docs/ leads to a file, and to a heading of it where one
# is named; every page of docs/ is reached from README.md.
set -uo pipefail
cd "$1" || exit 1
failed=0
for page in README.md docs/*.md; do
  while read -r link; do
    file=${link%%#*} heading=${link#*#}
    target=$page
    [[ -z $file ]] || target=$(dirname "$page")/$file
    [[ -e $target ]] || { echo "$page: no such file: $link" && failed=1 && continue; }
    [[ $link != *'#'* ]] && continue
    grep -E '^#+ ' "$target" | sed -E 's/^#+ //' | tr 'A-Z' 'a-z' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g' |
      grep -qxF -- "$heading" || { echo "$page: no such heading: $link" && failed=1; }
  done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^..//; s/\)$//' | grep -vE '^[a-z]+:')
done
for page in docs/*.md; do
  grep -qF "($page" README.md || { echo "README.md does not lead to $page" && failed=1; }
done
# The program sends whoever asks for such a loop to README.md.
grep -q 'loop of reinforcement learning' README.md || { echo "README.md says nothing of reinforcement learning" && failed=1; }
exit $failed
