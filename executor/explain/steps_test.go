package explain

import "testing"

// acted returns a message after which files were written.
func acted(text string) Message { return Message{Text: text, Acted: true} }

// TestSteps checks what a summary says of turns that announced changes and made them, but did not
// say what they did.
func TestSteps(t *testing.T) {
	const found = "`Open` looks for the old names of branches but `Reset` looks for the new ones."
	for name, c := range map[string]struct {
		said []Message
		want string
	}{
		"an announced change": {[]Message{
			acted(found + " Let me add the suffix to the names in `open.go`:"), wrote(between("Let me run the tests.")),
		}, found + " Add the suffix to the names in `open.go`."},
		"the first and the last": {[]Message{
			acted("Let me write the parser."), acted("Now add tests for the `scan` function."), acted("I'll move `Token` to `token.go`."),
		}, "Write the parser. Add tests for the `scan` function. Move `Token` to `token.go`."},
		"a result says more": {[]Message{
			acted("Let me move `Token` to `token.go`."), wrote(final("`token.go` has `Token` now, because two packages use it.")),
		}, "`token.go` has `Token` now, because two packages use it."},
		"an announcement without a change": {[]Message{
			between("Let me write the parser in `parse.go`."), final("`parse.go` exists already."),
		}, "`parse.go` exists already."},
		"a passing help": {[]Message{
			acted("Let me add debug output to `open.go`."), acted("Let me remove the lock from `open.go`."),
		}, "Remove the lock from `open.go`."},
		"a plan written after talk": {[]Message{
			final("Each mapping needs a search for its entity, because reviewers cannot replace it."), in(1, acted("Good. Let me write the plan.")),
		}, "Each mapping needs a search for its entity, because reviewers cannot replace it."},
		"one that names nothing": {[]Message{acted(found + " Let me fix the tests.")}, found + " Fix the tests."},
		"one that names nothing before another": {[]Message{
			acted("Let me fix it."), acted("Let me update the code."), acted("Let me drop the cache of names."),
		}, "Drop the cache of names."},
		"one that was announced before": {[]Message{
			between("I'll add a check of the arguments to `open.go`."), acted("Now I'll make the change."), wrote(between("Let me run the tests.")),
		}, "Add a check of the arguments to `open.go`."},
		"the object of a change": {[]Message{
			acted("The `Reset` function looks for the old names of branches. Let me rewrite it to handle both names:"), wrote(between("Let me run the tests.")),
			acted("Let me fix the other occurrences."),
		}, "The `Reset` function looks for the old names of branches. Rewrite it to handle both names."},
		"one that begins with its order": {[]Message{
			acted("Now append the lock to `open.go`."), wrote(between("Let me run the tests.")),
		}, "Append the lock to `open.go`."},
		"praise of a review": {[]Message{
			acted("`Open` silently ignored its flag. Let me pass the flag to `open.go`."),
			wrote(final("The reviewer has approved the changes:\n- Small, well-implemented fix\n- No lint issues")),
		}, "Before: `Open` silently ignored its flag. Pass the flag to `open.go`. Small, well-implemented fix."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(c.said, []string{"open.go"}); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestDelivered checks that a summary says what became of the work.
func TestDelivered(t *testing.T) {
	const body = "Two writers shared a file and overwrote each other, because names came from the clock. Names now come from a counter."
	said := append(committed(body), wrote(final("Committed.")), in(1, final("PR #754 has been merged to main. All checks pass.")))
	want := body + " PR #754 has been merged to main."
	if got := Summary(said, []string{"open.go"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestVerdict checks that a summary has the verdict of a review, wherever the answer has it.
func TestVerdict(t *testing.T) {
	said := []Message{
		asked("can you review the branch?"),
		final("Five agents reviewed the branch in parallel.\n\n`open.go` never closes the file, because the error is returned first.\n\n**Verdict: approve with minor suggestions**\n\n- " + "Rename the lock."),
	}
	want := "`open.go` never closes the file, because the error is returned first. Verdict: approve with minor suggestions. Rename the lock."
	if got := Summary(said, nil); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDisputed checks that a statement that the person disputed is not in the summary if files
// were written for it.
func TestDisputed(t *testing.T) {
	said := []Message{
		acted("Let me extend the table of names."),
		wrote(final("The test covers the ignored files of the repository, so that nobody breaks them.")),
		in(1, asked("but the ignored files of the repository were covered before!")),
		in(1, wrote(final("The test sets `core.excludesfile` to a file outside the tree now."))),
	}
	want := "The test sets `core.excludesfile` to a file outside the tree now."
	if got := Summary(said, []string{"open_test.go"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSubject checks that a commit's subject is in the summary if nothing else says what was done.
func TestSubject(t *testing.T) {
	said := []Message{{Text: "Remove the flag that nothing reads", Turn: -1, Commit: true}, wrote(final("Nobody noticed that it was redundant, because the linter checks only changed lines."))}
	want := "Remove the flag that nothing reads. Nobody noticed that it was redundant, because the linter checks only changed lines."
	if got := Summary(said, []string{"open.go"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestUnreported checks that a turn of several prompts, of which only the last one has an answer,
// has the changes of the others.
func TestUnreported(t *testing.T) {
	said := []Message{
		acted("Let me make `check` aware of agents."),
		asked("and add a comment for the linter"),
		wrote(final("Added `//nolint` with the reason for it.")),
	}
	want := "Make `check` aware of agents. Added `//nolint` with the reason for it."
	if got := Summary(said, []string{"open.go"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
