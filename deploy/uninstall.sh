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
memories=
[ ! -x "$bin" ] || memories=$("$bin" status --all 2>/dev/null | grep -v '(your own memory)' || true)
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
config=.config state=.local/state data=.local/share
if [ "$(uname)" = Darwin ]; then
	config='Library/Application Support' state=$config data=$config
fi
{
	[ -z "$memories" ] || echo "$memories"
	for folder in "${XDG_CONFIG_HOME:-$HOME/$config}" "${XDG_STATE_HOME:-$HOME/$state}" "${XDG_DATA_HOME:-$HOME/$data}"; do
		[ ! -d "$folder/agentflow" ] || echo "$folder/agentflow"
	done
} | sort -u | sed 's/^/Kept: /'
