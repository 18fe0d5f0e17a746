package explain

import (
	"strings"
	"testing"
)

// TestTopics checks which turns of a session a summary contains.
func TestTopics(t *testing.T) {
	const lock = "Added `run.lock` to `open.go`, because two servers shared a file."
	long := func(what string) Message {
		return wrote(final("Rewrote `" + what + ".go` so that it counts" + strings.Repeat(" more "+what+what, 14) + "."))
	}
	for name, c := range map[string]struct {
		said []Message
		want string
	}{
		"the last of many": {[]Message{
			long("runes"), in(1, long("lines")), in(2, long("words")), in(3, long("marks")), in(4, long("locks")),
		}, "locks.go"},
		"a review before a change": {[]Message{
			final("The pull request fixes the sum, because cents were lost."),
			in(1, final("Yes.")), in(2, wrote(final("Documented `Total` in `README.md`."))),
		}, "The pull request fixes the sum, because cents were lost. Documented `Total` in `README.md`."},
		"research after a cause": {[]Message{
			final("The other tool keeps notes, since rebases lose them."),
			in(1, wrote(final(lock))),
		}, lock},
		"a turn without an answer": {[]Message{
			wrote(final("Renamed `Sum` to `Total`.")),
			in(1, between("Found it. `Open` never creates the folder, because the flag is missing.")),
			in(1, wrote(between("Let me run the tests."))),
		}, "Renamed `Sum` to `Total`. Before: `Open` never creates the folder, because the flag is missing."},
		"a remark beside the change": {[]Message{
			wrote(final(lock)), in(1, wrote(final("All clean. The style suggestions aren't enforced by the linter."))),
		}, lock},
		"a call to act": {[]Message{wrote(final(lock + "\n→ Type approved to finish the phase, or describe what is wrong"))}, lock},
		"a proposal": {[]Message{
			wrote(final(lock + "\n\nSuggestions:\n- Remove the flag, since it has no effect")),
		}, lock},
		"a change that the person takes back": {[]Message{
			wrote(final("Added the default case to `open.go`.")),
			in(1, asked("please remove the default again")),
			in(1, wrote(final("`open.go` lists each case, so that a new one fails."))),
		}, "`open.go` lists each case, so that a new one fails."},
		"a change done differently": {[]Message{
			wrote(final("The `push` setting is stored as quoted text now.")),
			in(1, wrote(final("The `push` setting is stored as a plain boolean instead of quoted text now."))),
		}, "The `push` setting is stored as a plain boolean instead of quoted text now."},
		"an answer that refers to the question": {[]Message{
			wrote(final(lock)),
			in(1, final("That would break `Close`, because readers wait. `Close` is called by all readers, so it must stay.")),
		}, lock + " `Close` is called by all readers, so it must stay."},
		"code after the change": {[]Message{wrote(final("Done. Now it uses booleans:\n```\na: true\n```"))}, "Now it uses booleans."},
	} {
		t.Run(name, func(t *testing.T) {
			got := Summary(c.said, []string{"open.go"})
			if name == "the last of many" {
				if !strings.Contains(got, c.want) {
					t.Errorf("got %s", got)
				}
				return
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSharesOfCommits checks that each of several commits gets room.
func TestSharesOfCommits(t *testing.T) {
	faults := []string{
		"Names were drawn twice, because both servers start their counter at zero after each crash of the host.",
		"Clocks went backwards, since virtual machines that resume keep the old moment until the daemon corrects it.",
		"Sums lost cents, because prices were rounded before discounts and taxes of every country were added.",
		"Locks outlived their owner, since the kernel releases them only when the last child closes its descriptor.",
	}
	var list []string
	for i, fault := range faults {
		list = append(list, "Mend it\n\n"+fault+" Further"+strings.Repeat(" detail"+string(rune('a'+i)), 14)+".")
	}
	got := Summary(Commits(list), nil)
	for _, fault := range faults {
		if !strings.Contains(got, fault) {
			t.Errorf("%s is missing in: %s", fault, got)
		}
	}
}
