#!/bin/sh
# A layer includes only layers above it in the table of docs/architecture.md: fails, and names each
# #include that breaks the rule. The maths of compute knows nothing of graphs: base/ and parallel/
# alone are above it. Usage: layers.sh SRC
set -eu
src=$1
# ort_entries/ holds the lists of the ABI's entries, which the build makes.
above="ort_entries base parallel format graph ops optimize compute providers session api"
failed=0
seen=
for layer in $above; do
  seen="$seen $layer"
  allowed=$seen
  [ "$layer" != compute ] || allowed="base parallel compute"
  [ -d "$src/$layer" ] || continue
  found=$(grep -rnE '^ *# *include "[a-z_]+/' "$src/$layer" --include='*.[ch]' --include='*.inc' |
    while IFS= read -r line; do
      to=${line#*\"}
      to=${to%%/*}
      case " $allowed " in
      *" $to "*) ;;
      *) echo "$line" ;;
      esac
    done)
  [ -z "$found" ] && continue
  echo "$layer includes what is below it:"
  echo "$found"
  failed=1
done
exit $failed
