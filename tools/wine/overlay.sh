#!/bin/sh
# Writes into a folder the overlay with which the tests are built for Wine: tools/wine/overlay.sh DIR
#
# Wine 8.0 says "not implemented" where Go's os.RemoveAll asks for the removal of Windows 10. Go has another way for
# older systems, which its own tests switch on.
set -eu
at=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/^var TestDeleteatFallback bool$/var TestDeleteatFallback = true/' "$at" >"$1/at_windows.go"
if cmp -s "$at" "$1/at_windows.go"; then
	echo "overlay.sh: $at has no TestDeleteatFallback any more: see how os.RemoveAll deletes now" >&2
	exit 1
fi
printf '{"Replace":{"%s":"%s"}}' "$at" "$1/at_windows.go" >"$1/overlay.json"
