package agent

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/internal/memorytool"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// storable returns the text to store in a file of notes in place of before. It redacts secrets. If before has no
// entries and facts, it escapes text that reads as one, because an agent would choose its id, source and tags. A secret
// that a person wrote into the file stays, as in other files, but no other secret is stored with it.
func storable(s *app.Repo, before, after string) (string, error) {
	switch shown := s.Redact.Text(before); {
	case shown == before:
		if after = s.Redact.Text(after); after == redact.Withheld {
			return "", &app.Error{Kind: app.KindRefused, Err: errors.New("the text could not be searched for secrets, and is not stored")}
		}
	case addsSecrets(s, before, after, redact.Marks(shown)):
		return "", &app.Error{Kind: app.KindRefused, Err: errors.New("the text holds what looks like a secret, and is not stored"), Hint: "leave it out"}
	}
	if len(markdown.Parse([]byte(before)).IDs()) == 0 {
		after = markdown.Inert(after)
	}
	return after, nil
}

// addsSecrets reports whether the text after holds more secrets than had, the number in before, or a secret in a new
// line.
func addsSecrets(s *app.Repo, before, after string, had int) bool {
	stood, added := map[string]bool{}, ""
	for line := range strings.Lines(before) {
		stood[line] = true
	}
	for line := range strings.Lines(after) {
		if !stood[line] {
			added += line
		}
	}
	return s.Redact.Text(added) != added || redact.Marks(s.Redact.Text(after)) > had
}

// mayTakeNotes returns an error if an agent may not make an edit. Only people put entries and facts into files of
// notes, so an edit must leave them as they are and add none.
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
	return fact.RefusedToAgents(strings.Join(ids[:min(1, len(ids))], ""), "a person wrote it into the file")
}

// mayMake returns an error if an agent may not make the edits of a command.
func mayMake(s *app.Repo, c memorytool.Command, edits []memory.FileEdit) error {
	for _, e := range edits {
		if e.Before == nil && s.Redact.Text(e.File) != e.File {
			return &app.Error{Kind: app.KindRefused, Err: errors.New("the path holds what looks like a secret, and is not stored")}
		}
		if c.Command == memorytool.Rename || e.Before == nil {
			continue // moved text stays as it is, and new text is inert
		}
		if err := mayTakeNotes(e); err != nil {
			return err
		}
	}
	return nil
}
