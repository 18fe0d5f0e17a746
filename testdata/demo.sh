#!/bin/sh
# demo.sh AGENTFLOW SCRIPTEDAGENT: three runs in a temporary repository, with
# a scripted agent in the place of a model. Nothing outside it is touched.
set -eu

absolute() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
agentflow=$(absolute "$1")
agent=$(absolute "$2")
here=$(cd "$(dirname "$0")" && pwd)

# mktemp may answer with a path through a link; git and we name the real one.
root=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

HOME=$root/home
SCRIPTED_AGENT=$here/demo/script.txt
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.com
GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.com
export HOME SCRIPTED_AGENT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME
for name in $(env | sed -n 's/^\(AGENTFLOW_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

mkdir -p "$HOME/.config/agentflow" "$root/home/login"
cat > "$HOME/.config/agentflow/config.toml" <<TOML
[agent]
default = "scripted"

[agent.scripted]
argv = ["$agent", "--output-format", "stream-json"]
protocol = "claude"
TOML
export XDG_CONFIG_HOME="$HOME/.config"

cd "$HOME/login"
cp -R "$here/demo/project/." .
git init -q -b main
git add -A
git commit -q -m "login sessions"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }
show() {
	say "\$ agentflow $*"
	"$agentflow" "$@"
}

say "The agent of this demo is SCRIPTED: no model, no account, no network. All else is real."
show run "Fix the flaky login test"
show run "Write down how to run the tests"
show run "Why did we change the clock in the login test?"
show search "flaky login"
show status

say "The memory file, .agentflow/memory/$(ls .agentflow/memory | tail -n 1):"
cat .agentflow/memory/*.md
say "The prompt of the third run, as the (scripted) agent received it:"
cat ../prompt-of-the-third-run.md
echo
