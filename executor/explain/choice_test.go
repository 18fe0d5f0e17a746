package explain

import (
	"strings"
	"testing"
)

// TestChoice checks which of several sentences a summary contains.
func TestChoice(t *testing.T) {
	const lock = "Added `run.lock` to `open.go`, because two servers shared a file."
	for name, c := range map[string]struct {
		said []Message
		want string
	}{
		"a sentence about the one before it, which is missing": {[]Message{
			wrote(final("This opens a browser with the list of locks. " + lock)),
		}, lock},
		"a sentence about the one before it": {[]Message{
			wrote(final("Servers register in `open.go` now.\n\nThis avoids that two of them share a file.")),
		}, "Servers register in `open.go` now. This avoids that two of them share a file."},
		"a fix without its subject": {[]Message{
			wrote(final("I've fixed the bug.\n\n- Moved the lock in `open.go`\n- Returns its error")),
		}, "Moved the lock in `open.go`."},
		"a remark about the change": {[]Message{
			wrote(final("The fix is working.\n\n" + lock)),
		}, lock},
		"a noun with its pronoun": {[]Message{
			wrote(final("Added `lock.go`.\n\nThe fix is working.\n\nThese tests fail because `open.go` has no lock.")),
		}, "Added `lock.go`. These tests fail because `open.go` has no lock."},
		"a request about something that it does not name": {[]Message{
			asked("Fix the review.\n\nConsider extracting this into a shared helper function to avoid more issues with maintenance later on in all the packages that we have."),
			wrote(final("Added `lock.go`.")),
		}, "Added `lock.go`."},
		"a step for the person": {[]Message{
			wrote(final("Verify that `open.go` has no longer two locks because of the clock.\n\n" + lock)),
		}, lock},
		"the goal of a plan": {[]Message{
			asked("Implement the following plan:\n\n# Names\n\n## Goal\n\nNumber the files, so that writers share none.\n\n## Steps\n\nAdd a counter."),
			acted("Let me write the counter."),
		}, `Asked: "Number the files, so that writers share none." Write the counter.`},
		"what is beside the change": {[]Message{
			wrote(final(lock + "\n\nAll green - 0 lint issues in `open.go`.\n\nThe untracked files (`a.go`) are pre-existing files.\n\nThe diff shows some unrelated changes in `b.go`.")),
		}, lock},
		"a rest of the work": {[]Message{
			wrote(final(lock + "\n\nThe remaining callers of `Lock` still fail.")),
		}, lock + " The remaining callers of `Lock` still fail."},
		"a cause behind its announcement": {[]Message{
			acted("I found the bug. `Lock` returns before the file exists. Let me move the call in `open.go`:"),
			wrote(between("Let me run the tests.")),
		}, "Before: `Lock` returns before the file exists. Move the call in `open.go`."},
		"a cause in a turn without a report": {[]Message{
			acted("Let me add `run.lock` to `open.go`."),
			between("The tests fail because two servers share a file."),
			acted("Let me update `lock_test.go`."),
			wrote(final("All fixed.")),
		}, "Add `run.lock` to `open.go`. Before: The tests fail because two servers share a file."},
		"a problem of a tool for a moment": {[]Message{
			acted("Let me add `run.lock` to `open.go`."),
			between("The issue is the diagnostics show that `open.go` has no lock."),
			wrote(final("Added `run.lock` to `open.go`.")),
		}, "Added `run.lock` to `open.go`."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(c.said, []string{"open.go"}); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestRoom checks which sentences a summary contains if there is no room for all.
func TestRoom(t *testing.T) {
	list := func(what string) (said string) {
		for _, w := range []string{"reads", "sends", "marks", "links", "names", "limits", "checks", "writes"} {
			said += "\n- Added " + what + w + " to `" + what + ".go` for each of the servers that " + w + " the files"
		}
		return said
	}
	long := func(did, what string) Message {
		return wrote(final(did + " `" + what + ".go`" + strings.Repeat(" and its "+what, 18) + "."))
	}
	busy := []Message{long("Renamed", "runes"), in(1, long("Removed", "lines")), in(2, long("Moved", "words"))}
	var changes string
	for _, call := range []string{"Flush", "Close", "Write", "Print"} {
		changes += "\n- `" + call + "` in `exit.go` now returns instead of `exit`" + strings.Repeat(" of "+call+"s", 14)
	}
	for name, c := range map[string]struct {
		said []Message
		has  string
	}{
		"what the prompt asked for": {[]Message{
			asked("The telemetry blocks the exit, can you limit its timeout?"),
			wrote(final("All of it." + list("trace") + "\n- Changed the timeout of the telemetry at the exit to 100 ms" + list("other"))),
		}, "Changed the timeout"},
		"the first sentence of a report": {[]Message{
			wrote(final("I've fixed the `Exit` of the shell, which waited for as long as the server of the numbers took for its answer.\n" + changes)),
		}, "I've fixed the `Exit`"},
		"a report of the whole work": {append(busy[:3:3],
			in(3, wrote(final("Removed the traces of readers.\n- Renamed the table of writers\n- Moved the limits of clients\n- Fixed the clock of servers\n- Added the names of agents"))),
		), "Added the names of agents"},
		"a finding after the last change": {append(busy[:3:3],
			in(3, asked("is it slow?")), in(3, final("It is. The root cause is the disk, because each write of the traces is flushed at its end.")),
		), "The root cause"},
		"details of the last turn": {[]Message{
			wrote(final("Added traces." + list("trace"))), in(1, wrote(final("Added logs."+list("log")))),
		}, "logwrites"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Summary(c.said, []string{"open.go"})
			if !strings.Contains(got, c.has) {
				t.Errorf("got %s", got)
			}
		})
	}
}
