package history

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// maxMessage is how many runes of a commit's message an entry keeps.
const maxMessage = 4000

// maxRedacted bounds, in bytes, how much of a message is looked at.
const maxRedacted = 64 << 10

// EntryID is the id of a commit's entry, the same whoever writes it: a
// UUIDv7 of the commit's time, its other bits from the commit's full id.
func EntryID(commit string, at time.Time) string {
	sum := sha256.Sum256([]byte("agentflow commit " + commit))
	id, err := memory.NewID(withinFourDigits(at), bytes.NewReader(sum[:]))
	if err != nil {
		panic("gitwatch: a hash has too few bytes for an id: " + err.Error())
	}
	return id
}

// Entry is the entry of a commit that no run made: its task is the message,
// redacted as its paths are. Paths that ignore names never enter memory, nor
// do our own.
func Entry(c Commit, redact func(string) string, ignore func(path string) bool) memory.Entry {
	message := strings.TrimSpace(c.Subject + "\n\n" + c.Body)
	message = redact(message[:min(len(message), maxRedacted)])
	message = memory.Head(strings.ToValidUTF8(message, "\uFFFD"), maxMessage)
	changes := memory.ChangeList{Items: memory.Fold(memorable(c.Files, ignore), memory.MaxChanges), Unread: c.Unread}
	return memory.Entry{
		ID: EntryID(c.ID, c.Time), Kind: memory.KindCommit, Time: withinFourDigits(c.Time),
		Title: memory.Title(message), Task: message,
		Commits: []memory.Commit{{ID: c.ID}},
		Changes: changes.Redacted(redact),
	}
}

// memorable are the changes that may enter memory.
func memorable(files []memory.Change, ignore func(path string) bool) []memory.Change {
	kept := func(p string) bool {
		return p == "" || !ignore(p) && !git.InOwnFolder(p)
	}
	return slices.DeleteFunc(slices.Clone(files), func(f memory.Change) bool { return !kept(f.Path) || !kept(f.OldPath) })
}

// withinFourDigits is t, or the nearest time that has a day of four digits: clocks of
// committers say anything.
func withinFourDigits(t time.Time) time.Time {
	first, last := time.Unix(0, 0), time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case t.Before(first):
		return first.UTC()
	case t.After(last):
		return last
	}
	return t
}
