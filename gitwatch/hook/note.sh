# It notes the commit in agentflow/hook/queue of the git directory, with
# builtins only, and stands aside where that folder is not there or memory is
# switched off, and while git replays commits. It says nothing and never fails.
agentflow_note() {
	umask 077
	hook=$1 dir=${GIT_DIR:-.git}
	dir=${dir%/}
	if [ -f "$dir" ]; then
		IFS= read -r dir <"$dir"
		dir=${dir#gitdir: }
	fi
	common=$dir linked=
	if [ -f "$dir/commondir" ]; then
		IFS= read -r common <"$dir/commondir"
		case $common in /* | ?:*) ;; *) common=$dir/$common ;; esac
		linked=${dir##*/}
	fi
	notes=$common/agentflow/hook
	[ -d "$notes" ] && [ ! -e "$notes/off" ] || exit 0
	if [ "$hook $2" != "post-rewrite rebase" ]; then
		for replay in rebase-merge rebase-apply sequencer CHERRY_PICK_HEAD REVERT_HEAD MERGE_HEAD BISECT_LOG; do
			[ ! -e "$dir/$replay" ] || exit 0
		done
	fi
	run=${AGENTFLOW_RUN_ID:--}
	case $run in *[!0-9A-Za-z-]*) run=- ;; esac

	# Where nobody ever reads, the queue ends at a megabyte: a write beyond
	# fails, and that is marked.
	ulimit -S -f 2048
	command trap '' XFSZ
	put() {
		printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$run" "$linked" >>"$notes/queue" ||
			printf '%s\n' "$3" >"$notes/missed" || printf '%s\n' "$3" >"$common/agentflow-missed"
	}
	if [ "$hook" = post-rewrite ]; then
		while read -r old new rest; do put rewrite "$old" "$new"; done
		exit 0
	fi
	IFS= read -r new <"$dir/HEAD"
	case $new in "ref: "*) IFS= read -r new <"$common/${new#ref: }" || new= ;; esac
	case $new in '' | *[!0123456789abcdef]*) new=$(git rev-parse -q --verify HEAD) ;; esac
	put commit - "$new"
	exit 0
}
