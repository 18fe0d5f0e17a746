package explain

import "testing"

// TestFindings: an answer's findings count and not the thoughts before it announces them, and neither does a
// sentence about text that the summary leaves out.
func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		said  []Message
		files []string
		want  string
	}{
		"thoughts before a review": {
			[]Message{
				asked("can you review the docs of names?"),
				final("Good - `Name` is an alias of `Entry`. The doc has it.\n\nHere's my review of the docs:\n\nOverall this is a solid update that agrees with the code. `Size` is missing, because the old text had no sizes."),
			}, nil,
			"Overall this is a solid update that agrees with the code. `Size` is missing, because the old text had no sizes.",
		},
		"a command that asks for a review": {
			[]Message{
				asked("/review"), in(0, final("This change gives each commit one name. It was two before.\n\n**Verdict: Approve with minor suggestions**")),
				in(1, asked("set the author too")), in(1, wrote(final("Set the author of `names.go`, because the list had none."))),
			}, []string{"names.go"},
			"This change gives each commit one name. It was two before. Verdict: Approve with minor suggestions. Set the author of `names.go`, because the list had none.",
		},
		"what memory says, and when": {
			[]Message{
				asked("why do we mask the password?"), in(0, final("Memory says: `dump` wrote it into the log. It was masked together with the cookie this morning. The log is public, so it must stay out.")),
				in(1, asked("mask the names too")), in(1, wrote(final("Masked the names in `log.go`, because they are people."))),
			}, []string{"log.go"},
			"Masked the names in `log.go`, because they are people.",
		},
		"a refused action in the middle": {
			[]Message{
				asked("what about the key?"), in(0, final("I would leave the key out, because `log.go` does not define that header.")),
				in(1, asked("ok, leave it out, and run the linter")), in(1, asked("no, leave the linter, CI does that")), in(1, wrote(final("Masked the names in `log.go`."))),
			}, []string{"log.go"},
			"I would leave the key out, because `log.go` does not define that header. Masked the names in `log.go`.",
		},
		"a reason besides a commit": {
			append(committed("Mask the cookie and the password in the dump of a request."),
				asked("mask the cookie"), wrote(final("`dump` now masks the cookie and the password. It carries a password too, since BasicAuth reads it from `dump.go`."))),
			[]string{"dump.go"},
			"Number the files. Mask the cookie and the password in the dump of a request. `dump` now masks the cookie and the password. It carries a password too, since BasicAuth reads it from `dump.go`.",
		},
		"a labelled cause": {
			[]Message{
				asked("names appear twice"),
				wrote(final("The fix mirrors the pattern of `Parse`.\n\n`trim` handles both formats because `Parse` detects them.\n\n**Root cause:** `list` never called `trim`, so each list had all names.\n\n**Fix:** Added `trim` to `list`.")),
			}, []string{"list.go"},
			"`trim` handles both formats because `Parse` detects them. Root cause: `list` never called `trim`, so each list had all names. Fix: Added `trim` to `list`.",
		},
		"what was not done": {
			[]Message{
				asked("are both readers locked?"), in(0, final("The lock of the writer wasn't applied to readers, because they came later.")),
				in(1, asked("yes, fix it")), in(1, wrote(final("Added the lock to both readers."))),
			}, []string{"read.go"},
			"Before: The lock of the writer wasn't applied to readers, because they came later. Added the lock to both readers.",
		},
		"a number in bold": {
			[]Message{asked("tidy the names"), wrote(final("### Fixes\n\n**1. Shared helper** (`names.go`), because three files had it."))}, []string{"names.go"},
			"Fixes: Shared helper (`names.go`), because three files had it.",
		},
		"a name before which code is shown": {
			[]Message{asked("why does the fetch fail?"), final("Two functions fetch:\n\n```go\nFetch()\n```\n\ngo-git asks no helper for a password, so the fetch fails.")}, nil,
			"go-git asks no helper for a password, so the fetch fails.",
		},
		"a question as a heading": {
			[]Message{asked("what is the limit for?"), final("What does it solve?:\n\nThe limit keeps one list from filling the memory, because lists of names have no end.")}, nil,
			"The limit keeps one list from filling the memory, because lists of names have no end.",
		},
	} {
		if got := Summary(c.said, c.files); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestSubjectBesideBodies: a commit that is only a subject says nothing that the list of commits does not.
func TestSubjectBesideBodies(t *testing.T) {
	list := Commits([]string{"add -c\n\nCo-Authored-By: A <a@b.c>", "group names\n\nGroup names by their first letter, since lists are long."})
	if len(list) != 1 || !list[0].hasBody() {
		t.Errorf("have %+v", list)
	}
	if list := Commits([]string{"add -c"}); len(list) != 1 {
		t.Errorf("have %+v", list)
	}
}

// TestSentencesOverLines: a number or an address that ends a sentence on a line of its own is no reference.
func TestSentencesOverLines(t *testing.T) {
	const body = "The number of names was\n1000000.\n\nIt is read from\nhttps://a.example/x\nand never waits."
	list := Commits([]string{"count names\n\n" + body + "\n\nFixes #12\nhttps://a.example/y\nSigned-off-by: A <a@b.example>"})
	if want := "count names\n\n" + body; len(list) != 1 || list[0].Text != want {
		t.Errorf("%+v, want %q", list, want)
	}
}
