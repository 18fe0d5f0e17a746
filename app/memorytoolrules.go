package app

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memorytool"
)

// storable is what of a text may take the place of before in a file of notes:
// secrets are redacted, and nothing in it reads as an entry or a fact, which
// would have the id, the source and the tags that the agent says. A secret that
// a person wrote into the file stays, as it does elsewhere; no other is stored
// beside it.
func (s *openMemory) storable(before, after string) (string, error) {
	switch shown := s.redact.Text(before); {
	case shown == before:
		if after = s.redact.Text(after); after == redact.Withheld {
			return "", &Error{Kind: KindRefused, Err: errors.New("the text could not be searched for secrets, and is not stored")}
		}
	case s.addsSecrets(before, after, redact.Marks(shown)):
		return "", &Error{Kind: KindRefused, Err: errors.New("the text holds what looks like a secret, and is not stored"), Hint: "leave it out"}
	}
	if len(markdown.Parse([]byte(before)).IDs()) == 0 {
		after = markdown.Inert(after)
	}
	return after, nil
}

// addsSecrets says whether a text holds more secrets than the so many of the one
// before, or one in a line of its own.
func (s *openMemory) addsSecrets(before, after string, had int) bool {
	stood, added := map[string]bool{}, ""
	for line := range strings.Lines(before) {
		stood[line] = true
	}
	for line := range strings.Lines(after) {
		if !stood[line] {
			added += line
		}
	}
	return s.redact.Text(added) != added || redact.Marks(s.redact.Text(after)) > had
}

// mayTakeNotes says why an agent may not make an edit of a file in which a
// person put entries or facts, the only one who does; nil when it may: each
// stands as before, and no other beside it.
func mayTakeNotes(e memory.FileEdit) error {
	was, is := markdown.Parse(e.Before), markdown.Parse(e.After)
	if slices.EqualFunc(was.Facts(), is.Facts(), func(a, b markdown.FactAt) bool { return bytes.Equal(a.Raw, b.Raw) }) &&
		slices.EqualFunc(was.Entries(), is.Entries(), func(a, b *memory.Entry) bool { return reflect.DeepEqual(a, b) }) {
		return nil
	}
	ids := was.IDs()
	if len(ids) == 0 {
		ids = is.IDs()
	}
	return refusedToAgents(strings.Join(ids[:min(1, len(ids))], ""), "a person wrote it into the file")
}

// mayMake says why an agent may not make the edits of a command; nil when it
// may.
func (s *openMemory) mayMake(c memorytool.Command, edits []memory.FileEdit) error {
	for _, e := range edits {
		if e.Before == nil && s.redact.Text(e.File) != e.File {
			return &Error{Kind: KindRefused, Err: errors.New("the path holds what looks like a secret, and is not stored")}
		}
		if c.Command == memorytool.Rename || e.Before == nil {
			continue // a text that moves stays as it is, and one that is new is inert
		}
		if err := mayTakeNotes(e); err != nil {
			return err
		}
	}
	return nil
}
