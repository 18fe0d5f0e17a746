#!/bin/sh
# uninstall.sh PREFIX: removes what install.sh put below PREFIX, and the folders that it made,
# if they are empty. It keeps memory and settings, and stops while an agent is connected.
set -eu
prefix=${1%/}
list=$prefix/lib/agentflow/installed
if [ ! -f "$list" ]; then
	echo "Nothing is installed in $prefix: $list is not there. If it is elsewhere: make uninstall PREFIX=…" >&2
	exit 1
fi
bin=$prefix/bin/agentflow
if [ -x "$bin" ] && [ "${FORCE:-}" = "" ]; then
	connected=$("$bin" connect --status | awk '$2 == "connected" || $2 == "partly" || $2 == "off" { print $1 }' | tr '\n' ' ')
	if [ -n "$connected" ]; then
		echo "Still connected: $connected" >&2
		echo "Run '$bin disconnect' first; it gives your settings back. FORCE=1 removes the program all the same." >&2
		exit 1
	fi
fi
made=$(mktemp)
trap 'rm -f "$made"' EXIT
sort -r "$list" > "$made" # what is inside comes before its folder
while read -r path; do
	case $path in
	*/) rmdir "$path" 2>/dev/null || true ;;
	*) rm -f "$path" ;;
	esac
done < "$made"
echo "Removed agentflow from $prefix."
echo "Kept: .agentflow/ in each repository, and agentflow/ in ~/.config, ~/.local/share and ~/.local/state."
