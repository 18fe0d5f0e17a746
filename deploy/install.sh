#!/bin/sh
# install.sh PROGRAM PREFIX: puts a built agentflow below PREFIX, with manual pages and shell
# completion, and says what to do next. It lists what it made in PREFIX/lib/agentflow/installed
# for uninstall.sh.
set -eu
program=$1 prefix=${2%/}
list=$prefix/lib/agentflow/installed
made=$(mktemp)
trap 'rm -f "$made"' EXIT
[ ! -f "$list" ] || cat "$list" > "$made"

note() { grep -qxF "$1" "$made" || echo "$1" >> "$made"; }

# folder DIR: makes DIR, and lists each folder on the way that was not there.
folder() {
	[ ! -d "$1" ] || return 0
	folder "$(dirname "$1")"
	mkdir "$1"
	note "$1/"
}

# put FILE: writes standard input to FILE. A program that runs keeps its old file.
put() {
	folder "$(dirname "$1")"
	cat > "$1.new"
	mv -f "$1.new" "$1"
	note "$1"
}

bin=$prefix/bin/agentflow
put "$bin" < "$program"
chmod 755 "$bin"
folder "$prefix/share/man/man1"
pages=$(mktemp -d)
said=$("$bin" man "$pages" 2>&1) || { echo "$said" >&2; exit 1; }
for page in "$pages"/*; do
	put "$prefix/share/man/man1/$(basename "$page")" < "$page"
done
rm -r "$pages"
"$bin" completion bash | put "$prefix/share/bash-completion/completions/agentflow"
"$bin" completion zsh | put "$prefix/share/zsh/site-functions/_agentflow"
"$bin" completion fish | put "$prefix/share/fish/vendor_completions.d/agentflow.fish"
folder "$(dirname "$list")"
note "$list"
cp "$made" "$list"

echo "Installed $("$bin" --version)"
echo "  program      $bin"
echo "  manual       man agentflow"
echo "  completion   bash, zsh and fish, in new shells"
shell=$(basename "${SHELL:-sh}")
case $shell in
zsh) startup='~/.zshrc' ;;
bash) startup='~/.bashrc' ;;
*) startup='~/.profile' ;;
esac
case :${PATH:-}: in
*":$prefix/bin:"*) ;;
*)
	echo
	echo "$prefix/bin is not on your PATH. Run this, and add it to $startup:"
	case $shell in
	fish) echo "  fish_add_path $prefix/bin" ;;
	*) echo "  export PATH=\"$prefix/bin:\$PATH\"" ;;
	esac
	;;
esac
if [ "$shell" = zsh ]; then
	echo
	echo "For completion, this has to come before compinit in ~/.zshrc:"
	echo "  fpath=($prefix/share/zsh/site-functions \$fpath)"
fi
echo
echo "Next, in a git repository of yours:"
echo "  agentflow connect"
