package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// kept is what connect stores about an agent, so that disconnect can restore the same bytes. The
// file is in the user's state folder and readable only by the user, because settings hold secrets.
type kept struct {
	Way   string     `json:"way"`   // plugin, hooks or tools
	Files []keptFile `json:"files"` // in the order of the changes
	Made  []string   `json:"made"`  // folders that connect created for them, outermost first

	path string
}

type keptFile struct {
	Path    string `json:"path"`    // absolute
	Existed bool   `json:"existed"` // whether it existed before connect
	Before  []byte `json:"before"`
	After   string `json:"after"` // hex SHA-256 of the text that connect wrote
}

// readKept reads the record of an agent. It returns an empty record for an agent that was never
// connected.
func readKept(state, agent string) (*kept, error) {
	k := &kept{path: filepath.Join(state, "connect", agent+".json")}
	data, err := repofile.Read(k.path, repofile.NoLink, 4*maxConnectFile)
	if repofile.IsAbsent(err) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(data, k)
	}
	if err != nil {
		return k, fmt.Errorf("reading what connect kept: %s: %w", k.path, err)
	}
	return k, nil
}

func (k *kept) save() error {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return atomicfile.WriteHere(k.path, data, 0o600)
}

// file returns the record of a file, or nil if there is none.
func (k *kept) file(path string) *keptFile {
	for i := range k.Files {
		if k.Files[i].Path == path {
			return &k.Files[i]
		}
	}
	return nil
}

// put adds the record of a file, or replaces it.
func (k *kept) put(f keptFile) {
	if have := k.file(f.Path); have != nil {
		*have = f
		return
	}
	k.Files = append(k.Files, f)
}

// make adds the missing folders on the way to a file to k.Made.
func (k *kept) make(path string) {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || slices.Contains(k.Made, dir) {
		return
	}
	k.make(dir)
	k.Made = append(k.Made, dir)
}

// removeMade removes the folders that connect created, if they are empty.
func (k *kept) removeMade() {
	made := slices.Clone(k.Made)
	slices.Reverse(made)
	removeEmptyFolders(made...)
}

// untouched reports whether a file is unchanged since connect wrote it.
func (f *keptFile) untouched(now []byte) bool { return f != nil && f.After == hashOf(now) }

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// settingsText is the content of a settings file.
type settingsText struct {
	path string
	text []byte
	is   bool // the file exists
}

func readSettingsText(path string) (settingsText, error) {
	text, err := repofile.Read(path, repofile.AnyLink, maxConnectFile)
	if repofile.IsAbsent(err) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&os.ModeSymlink != 0 {
			return settingsText{}, fmt.Errorf("%s is a link that leads nowhere", path)
		}
		return settingsText{path: path}, nil
	}
	return settingsText{path, text, true}, err
}

// connectEdit is one change of a file.
type connectEdit struct {
	agent, about  string
	before, after settingsText
	keep          *keptFile // the record to store for the file; nil: none
}

func (e connectEdit) changes() bool {
	return e.before.is != e.after.is || !bytes.Equal(e.before.text, e.after.text)
}

func (e connectEdit) object(redact func(string) string) api.ConnectFile {
	action := "change"
	switch {
	case !e.before.is:
		action = "create"
	case !e.after.is:
		action = "remove"
	}
	return api.ConnectFile{Agent: e.agent, Path: e.before.path, Action: action, About: e.about, Diff: e.shown(redact)}
}

// shown returns the removed and added lines of the change, and the head of each hunk. redact
// removes secrets, because such a line may hold other settings too.
func (e connectEdit) shown(redact func(string) string) []string {
	lines := []string{}
	text := unified(filepath.Base(e.before.path), e.before.text, e.after.text)
	for i, line := range strings.Split(string(text), "\n") {
		if i > 1 && line != "" && strings.Contains("-+@", line[:1]) { // after the lines with the file's names
			lines = append(lines, redact(strings.TrimRight(line, "\r")))
		}
	}
	return lines
}

// writable returns an error if a file cannot be changed.
func (e connectEdit) writable() error {
	info, err := os.Stat(e.before.path)
	if err != nil {
		return nil // the file does not exist yet
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("it is read-only: 'chmod u+w' makes it writable")
	}
	return nil
}

// apply makes the change, unless the file has changed since it was planned.
func (e connectEdit) apply() error {
	path := e.before.path
	changed := changedMeanwhile(path)
	switch {
	case !e.after.is:
		now, err := readSettingsText(path)
		if err != nil || !bytes.Equal(now.text, e.before.text) {
			return changed
		}
		return os.Remove(path)
	case !e.before.is:
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if _, err := os.Lstat(path); err == nil {
			return changed
		}
		return atomicfile.Write(path, e.after.text, 0o600)
	}
	made, err := atomicfile.ReplaceIf(atomicfile.OS{}, path, e.before.text, e.after.text)
	if err == nil && !made {
		return changed
	}
	return err
}

func changedMeanwhile(path string) error {
	return &Error{Kind: KindRefused, Err: fmt.Errorf("changing %s: it was changed meanwhile", path), Hint: "try again"}
}
