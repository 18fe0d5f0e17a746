package purge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/memorytool"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// forgottenFile is a file of memory that is removed as a whole.
type forgottenFile struct {
	name    string // relative to the memory folder
	content []byte
}

// FileRef returns the name of the memory file that a reference means. It accepts the forms of hits and of lists of lost
// items: memory/notes/plan.md, file:notes/plan.md.
func FileRef(ref string) (name string, ok bool) {
	name = strings.TrimPrefix(strings.TrimPrefix(ref, memory.WholeFile("")), "memory/")
	if end := strings.LastIndex(name, ".md:"); end >= 0 { // the lines of a hit
		name = name[:end+len(".md")]
	}
	return name, strings.HasSuffix(name, ".md") && filepath.IsLocal(filepath.FromSlash(name))
}

// FileTarget returns the memory file with a name, or nil if there is none. It refuses a file with entries or facts,
// because each of them has an id.
func FileTarget(ctx context.Context, s *app.Repo, name string) (*ForgetTarget, error) {
	file := "memory/" + name
	content, err := memoryfiles.Read(filepath.Join(s.Memory(), filepath.FromSlash(name)))
	switch {
	case safefile.IsAbsent(err) || errors.Is(err, safefile.ErrNotRegular):
		return nil, nil
	case err != nil:
		return nil, err
	case app.UntrustedPart(ctx, s).File(file):
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s came with the repository", file), Hint: "delete it there"}
	case len(markdown.Parse(content).IDs()) > 0:
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s holds entries or facts", file), Hint: "forget them by their ids"}
	}
	lines := max(1, bytes.Count(content, []byte("\n")))
	return &ForgetTarget{ForgetTarget: api.ForgetTarget{ID: memory.WholeFile(name), Kind: "file", Text: "the whole file " + name, Place: lookup.LinesIn(file, 1, lines)},
		file: &forgottenFile{name, content}}, nil
}

// withFiles adds the file targets to a change. The caller has checked with edited that they are as the plan saw them.
func withFiles(c writeback.Change, targets []ForgetTarget, files map[string][]byte) writeback.Change {
	for _, t := range targets {
		if t.file == nil || files[t.file.name] == nil {
			continue
		}
		c.Edits = append(c.Edits, memory.FileEdit{File: t.file.name, Before: files[t.file.name]})
		c.ForgetFiles = append(c.ForgetFiles, t.file.name)
	}
	return c
}

// edited reports whether the target is a file with another content than the plan saw.
func (t ForgetTarget) edited(files map[string][]byte) bool {
	if t.file == nil {
		return false
	}
	now, there := files[t.file.name]
	return there && !bytes.Equal(now, t.file.content)
}

// purgeConversations removes each conversation of chat in which a file was written or shown. It removes whole
// conversations, because other parts of them quote lines of the file too.
func purgeConversations(s *app.Repo, ids []string) error {
	folder := filepath.Join(s.State(), ChatsFolder)
	kept, err := ConversationIDs(folder)
	for _, id := range kept {
		name := filepath.Join(folder, id+".json")
		data, readErr := safefile.Read(name, safefile.NoLink, MaxConversation)
		if readErr != nil && !safefile.IsAbsent(readErr) {
			err = errors.Join(err, readErr)
		}
		if slices.ContainsFunc(ids, func(id string) bool { return mentions(data, id) }) {
			if e := os.Remove(name); !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// mentions reports whether a conversation names the file that an id means.
func mentions(conversation []byte, id string) bool {
	name, whole := strings.CutPrefix(id, memory.WholeFile(""))
	if !whole {
		return false
	}
	for _, path := range []string{memorytool.PathOf(name), "memory/" + name} {
		quoted, err := json.Marshal(path)
		if err == nil && bytes.Contains(conversation, bytes.Trim(quoted, `"`)) {
			return true
		}
	}
	return false
}
