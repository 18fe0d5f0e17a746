package explain

import "testing"

// TestOvertaken holds that a summary does not state a problem, an option or a change that the
// session went on to mend, drop or undo as the outcome.
func TestOvertaken(t *testing.T) {
	const lock = "Added `run.lock` to `open.go`, because two servers shared a file."
	for name, c := range map[string]struct {
		said []Message
		want string
	}{
		"compilation errors for a moment": {[]Message{
			wrote(between("There are compilation errors of callers, because their arguments changed.")), wrote(final("Changed the callers of `Open`.")),
		}, "Changed the callers of `Open`."},
		"a problem before its fix": {[]Message{
			final("`open.go` doesn't lock the file, so that two servers overwrite it."), in(1, wrote(final("Added `run.lock` to `open.go`."))),
		}, "Before: `open.go` doesn't lock the file, so that two servers overwrite it. Added `run.lock` to `open.go`."},
		"what the person asked to change": {[]Message{
			wrote(final("The prompt is cut behind 80 letters so that `open.go` fits a narrow terminal.")),
			in(1, asked("can we make it shorter?")),
			in(1, wrote(final("Changed the length of the prompt in `open.go` to 60 characters, because the terminal has a margin."))),
		}, "Changed the length of the prompt in `open.go` to 60 characters, because the terminal has a margin."},
		"a lack behind what there is": {[]Message{
			final("`open.go` checks the name and the owner, but does not check the lock, so servers share it."), in(1, wrote(final("Added a check of the lock to `open.go`."))),
		}, "Before: `open.go` checks the name and the owner, but does not check the lock, so servers share it. Added a check of the lock to `open.go`."},
		"a change that the person has rolled back": {[]Message{
			wrote(final("Added `trace.go`, because logs of several servers were mixed.")),
			in(1, asked("nah, let's roll back, they don't need it")), in(1, final("Rolled back.")),
			in(2, wrote(final(lock))),
		}, lock},
		"what changed in a file": {[]Message{
			wrote(final("Added rules.\n\n- `docs/rules.md` — says why the clock masks missing locks, so that people see it")), in(1, wrote(final("Renamed `lock` to `hold`."))),
		}, "Added rules. `docs/rules.md` — says why the clock masks missing locks, so that people see it. Renamed `lock` to `hold`."},
		"a list of places for a moment": {[]Message{
			wrote(between("There are three callers of `Lock` because nobody knew of the others.")), wrote(final("Merged the callers of `Lock` in `open.go`.")),
		}, "Merged the callers of `Lock` in `open.go`."},
		"what a later turn changed": {[]Message{
			asked("What does Lock() take?"), final("Lock() in `open.go` takes only a name and waits for ever."),
			in(1, asked("let it take a limit, too")), in(1, wrote(final("Lock() takes a limit, because servers must not wait for ever."))),
		}, "Lock() takes a limit, because servers must not wait for ever."},
		"what a later turn did not change": {[]Message{
			asked("What does Close() take?"), final("Close() in `open.go` takes only a name and never waits."),
			in(1, asked("let Lock take a limit")), in(1, wrote(final("Lock() takes a limit, because servers must not wait for ever."))),
		}, "Close() in `open.go` takes only a name and never waits. Lock() takes a limit, because servers must not wait for ever."},
		"a wrong way, with the right one": {[]Message{
			final("In `open.go` it's returning `nil` instead of calling `Lock` when the file is new."), in(1, wrote(final("Added a call to `open.go`."))),
		}, "Before: In `open.go` it's returning `nil` instead of calling `Lock` when the file is new. Added a call to `open.go`."},
		"a problem between two edits": {[]Message{
			wrote(between("There are two failing tests in `open_test.go` that need the lock.")), wrote(final(lock)),
		}, lock},
		"a moment of the work": {[]Message{
			wrote(between("`run.lock` is unused since I haven't added it to `open.go` yet.")), wrote(final("Added `run.lock` to `open.go`.")),
		}, "Added `run.lock` to `open.go`."},
		"a result about diagnostics": {[]Message{
			wrote(final("Added a diagnostics page to `doctor.go`, because support asks for it.")), in(1, wrote(final("Renamed `lock` to `hold`."))),
		}, "Added a diagnostics page to `doctor.go`, because support asks for it. Renamed `lock` to `hold`."},
		"a problem that begins with a noun": {[]Message{
			final("Writes are lost silently when the disk is full, so callers never see the error."), in(1, wrote(final("`open.go` returns the error now."))),
		}, "Before: Writes are lost silently when the disk is full, so callers never see the error. `open.go` returns the error now."},
		"what is left": {[]Message{
			wrote(final(lock + " The lock has not been added to `Close` yet, because it needs a test.")),
		}, lock + " The lock has not been added to `Close` yet, because it needs a test."},
		"what the work does": {[]Message{
			wrote(final(lock + "\n\n- Handles a missing folder and a broken file, so that `Open` never fails")), in(1, wrote(final("Renamed `lock` to `hold`."))),
		}, lock + " Handles a missing folder and a broken file, so that `Open` never fails. Renamed `lock` to `hold`."},
		"a reason for no change": {[]Message{
			final("`Close` doesn't need the lock because readers wait."), in(1, wrote(final("Added `run.lock` to `open.go`."))),
		}, "`Close` doesn't need the lock because readers wait. Added `run.lock` to `open.go`."},
		"what is to be done": {[]Message{wrote(final(lock)), in(1, wrote(between("The test needs to be updated to `run.lock`."))), in(1, wrote(final("Done.")))}, lock},
		"an addition that is removed": {[]Message{
			wrote(final("Added `retry` to the settings of `open.go`, so that a busy file waits.")),
			in(1, wrote(final("Removed `retry`, since the lock waits."))),
		}, "Removed `retry`, since the lock waits."},
		"an answer before its fix": {[]Message{
			asked("does it keep the names?"), final("The loading in `open.go` does lose them."), in(1, wrote(final("Added `run.lock` to `open.go`."))),
		}, "Before: The loading in `open.go` does lose them. Added `run.lock` to `open.go`."},
		"another way": {[]Message{
			wrote(final("Replaced the name with `Must`, so that wrong names panic.")), in(1, asked("hmm, panics are not great, any other option?")),
			in(1, final("A type can check its names, because all of them are read there.")), in(2, asked("yes")), in(2, wrote(final(lock))),
		}, "A type can check its names, because all of them are read there. " + lock},
		"a labelled problem": {[]Message{
			final("The issue is that `open.go` creates the file without a lock, so servers share it."), in(1, wrote(final("Added `run.lock` to `open.go`."))),
		}, "Before: `open.go` creates the file without a lock, so servers share it. Added `run.lock` to `open.go`."},
		"an option":               {[]Message{wrote(final(lock + "\n\n## Options\n\nMove `Close` to a package, which would avoid the cycle.\n\n- It keeps the names, so nothing breaks"))}, lock},
		"the items of a question": {[]Message{wrote(final(lock + "\n\nWho reads it?\n- Servers that need the name, because they wait\n- Clients that only read"))}, lock},
		"a number with fewer items": {[]Message{wrote(final(lock + "\n\nThe skill now has three additions:\n- Names" + " of files in each folder and of the folders in them, with sizes and dates, one a line, so that a reader can find each of them by its name alone and can open it from there"))},
			lock + " Names of files in each folder and of the folders in them, with sizes and dates, one a line, so that a reader can find each of them by its name alone and can open it from there."},
		"a label without a subject": {[]Message{wrote(final(lock + "\n\nThe client has a name.\n\nIt only uses:\n- The lock of the server, since others wait"))}, lock + " The client has a name."},
		"the columns of a table": {[]Message{wrote(final(lock + "\n\n| Call | Server | Client |\n|---|---|---|\n| `Close` | waits, since it holds the lock | fails |"))},
			lock + " `Close`: Server: waits, since it holds the lock; Client: fails."},
		"a question in the first turn": {[]Message{
			asked("is the file shared?"), final("Two servers open the same file."), in(1, asked("lock it")), in(1, wrote(final(lock))),
		}, "Two servers open the same file. " + lock},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(c.said, []string{"open.go"}); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}
