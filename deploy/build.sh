#!/bin/sh
# build.sh OUT VERSION PACKAGE: builds a program of this module, and shows how far it is.
# The first build compiles some 500 packages. Errors of the compiler are printed as they are.
set -eu
out=$1 version=$2 package=$3
go=${GO:-go}

# A package is a path without spaces. Modules that are fetched are counted in the same way.
progress='
/^status=/ { sub(/^status=/, ""); status = $0; next }
/^go: downloading / { fetched++; show("fetched " fetched " modules"); next }
/^[^ :]+$/ { built++; show("compiled " built " packages"); next }
{ clear(); print > "/dev/stderr" }
function show(text) {
	if (terminal) { printf "\r  %s\033[K", text > "/dev/stderr"; shown = 1 }
	else if ((fetched + built) % 100 == 0) print "  " text > "/dev/stderr"
}
function clear() { if (shown) printf "\r\033[K" > "/dev/stderr"; shown = 0 }
END { clear(); exit status + 0 }'

terminal=0
[ -t 2 ] && terminal=1
echo "Building $(basename "$out"); the first time takes a few minutes." >&2
{
	status=0
	"$go" build -v -ldflags "-s -w -X agentflow/cmd/agentflow/cli.Version=$version" -o "$out" "$package" 2>&1 || status=$?
	echo "status=$status"
} | awk -v "terminal=$terminal" "$progress"
