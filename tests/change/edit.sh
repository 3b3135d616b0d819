# added before|after FILE PATTERN TEXT: puts lines before or behind the one line that matches; a pattern that matches no
# line, or several, fails the test.
added() {
  [[ $(grep -cE "$3" "$2") == 1 ]] || { echo "$2: not one line with $3" && exit 1; }
  where=$1 pattern=$3 text=$4 awk '
    $0 ~ ENVIRON["pattern"] { print ENVIRON["where"] == "before" ? ENVIRON["text"] "\n" $0 : $0 "\n" ENVIRON["text"]; next }
    { print }' "$2" >"$2.new"
  mv "$2.new" "$2"
}

# edited ROOT COPY NUMBER: fails unless that many files of the copy differ from those of the tree.
edited() {
  local files
  files=$(diff -rq "$1/include" "$2/include"; [[ ! -d $2/data ]] || diff -rq "$1/data" "$2/data") || true
  [[ $(grep -c . <<<"$files") == "$3" ]] || { echo "by hand $3 files, not $files" && exit 1; }
}

# built COMPILER COPY SOURCE INCLUDE: builds a program with the headers of the copy, and runs it.
built() {
  "$1" -std=c++17 -O0 -Wall -Wextra -Werror -I"$2/include" -idirafter "$4" "$3" -o "$2/program"
  "$2/program"
}
