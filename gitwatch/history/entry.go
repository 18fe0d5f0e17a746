package history

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/trailer"
)

// maxMessage limits the runes that an entry keeps of a commit's message.
const maxMessage = 4000

// maxRedacted bounds how much of a message is read, in bytes.
const maxRedacted = 64 << 10

// EntryID returns the id of a commit's entry. It is the same on every machine: a UUIDv7 of the
// commit's time, with the other bits from the commit's full id.
func EntryID(commit string, at time.Time) string {
	sum := sha256.Sum256([]byte("agentflow commit " + commit))
	id, err := memory.NewID(withinFourDigits(at), bytes.NewReader(sum[:]))
	if err != nil {
		panic("gitwatch: a hash has too few bytes for an id: " + err.Error())
	}
	return id
}

// IsForgotten reports whether the entry of a commit, or one that names it, was forgotten or removed by
// hand. barred reports that of an id: see writeback.Store.Barred.
func IsForgotten(c Ref, barred func(id string) bool) bool {
	return barred(EntryID(c.ID, c.Time)) || barred(c.ID) || barred(c.ID[:min(len(c.ID), changeset.ShortTaken)])
}

// Entry returns the entry of a commit that no run made. Its task is the message without
// trailers that name people. Message and paths
// are redacted. Paths that ignore selects never enter memory, nor do AgentFlow's own.
func Entry(c Commit, redact func(string) string, ignore func(path string) bool) memory.Entry {
	message := strings.TrimSpace(c.Subject + "\n\n" + trailer.Strip(c.Body))
	message = redact(message[:min(len(message), maxRedacted)])
	message = memory.Head(strings.ToValidUTF8(message, "\uFFFD"), maxMessage)
	changes := changeset.List{Items: changeset.Fold(memorable(c.Files, ignore), changeset.MaxChanges), Unread: c.Unread}
	return memory.Entry{
		ID: EntryID(c.ID, c.Time), Kind: memory.KindCommit, Time: withinFourDigits(c.Time),
		Title: memory.Title(message), Task: message,
		Commits: []changeset.Commit{{ID: c.ID}},
		Changes: changes.Redacted(redact),
	}
}

// memorable returns the changes that may enter memory.
func memorable(files []changeset.Change, ignore func(path string) bool) []changeset.Change {
	kept := func(p string) bool {
		return p == "" || !ignore(p) && !git.InOwnFolder(p)
	}
	return slices.DeleteFunc(slices.Clone(files), func(f changeset.Change) bool { return !kept(f.Path) || !kept(f.OldPath) })
}

// withinFourDigits returns t, or the nearest time with a year of four digits. Committers' clocks
// may be set to any time.
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
