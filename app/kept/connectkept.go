// Package kept stores the user's settings files as they were before agents were connected, and makes the changes of
// such files. Package app/connect decides the changes.
//
// There is one record for each agent (Kept), in the user's state folder. Only the user can read it, because settings
// hold secrets. It has the earlier bytes of each file and a checksum of the text that was written, so that
// disconnecting restores the bytes of a file that was not changed since. ConnectEdit.Apply refuses if a file has
// changed since it was planned.
//
// Not guaranteed: without the record, the earlier bytes are unknown, and only our additions can be removed.
package kept

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

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/app/api"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// Kept is what connect stores about an agent, so that disconnect can restore the same bytes. The
// file is in the user's state folder and readable only by the user, because settings hold secrets.
type Kept struct {
	Way   string     `json:"way"`   // plugin, hooks or tools
	Files []KeptFile `json:"files"` // in the order of the changes
	Made  []string   `json:"made"`  // folders that connect created for them, outermost first

	Path string `json:"-"`
}

// KeptFile is the record of one file.
type KeptFile struct {
	Path    string `json:"path"`    // absolute
	Existed bool   `json:"existed"` // whether it existed before connect
	Before  []byte `json:"before"`
	After   string `json:"after"` // hex SHA-256 of the text that connect wrote
}

// ReadKept reads the record of an agent. It returns an empty record for an agent that was never
// connected.
func ReadKept(state, agent string) (*Kept, error) {
	k := &Kept{Path: filepath.Join(state, "connect", agent+".json")}
	data, err := safefile.Read(k.Path, safefile.NoLink, 4*agentfiles.MaxSize)
	if safefile.IsAbsent(err) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(data, k)
	}
	if err != nil {
		return k, fmt.Errorf("reading what connect kept: %s: %w", k.Path, err)
	}
	return k, nil
}

// Save writes the record.
func (k *Kept) Save() error {
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return atomicfile.WriteHere(k.Path, data, 0o600)
}

// File returns the record of a file, or nil if there is none.
func (k *Kept) File(path string) *KeptFile {
	for i := range k.Files {
		if k.Files[i].Path == path {
			return &k.Files[i]
		}
	}
	return nil
}

// Put adds the record of a file, or replaces it.
func (k *Kept) Put(f KeptFile) {
	if have := k.File(f.Path); have != nil {
		*have = f
		return
	}
	k.Files = append(k.Files, f)
}

// Make adds the missing folders on the way to a file to k.Made.
func (k *Kept) Make(path string) {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || slices.Contains(k.Made, dir) {
		return
	}
	k.Make(dir)
	k.Made = append(k.Made, dir)
}

// RemoveMade removes the folders that connect created, if they are empty.
func (k *Kept) RemoveMade() {
	made := slices.Clone(k.Made)
	slices.Reverse(made)
	RemoveEmptyFolders(made...)
}

// Untouched reports whether a file is unchanged since connect wrote it.
func (f *KeptFile) Untouched(now []byte) bool { return f != nil && f.After == HashOf(now) }

// HashOf returns the checksum of a text, as in KeptFile.After.
func HashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// SettingsText is the content of a settings file.
type SettingsText struct {
	Path string
	Text []byte
	Is   bool // the file exists
}

// ReadSettingsText reads a settings file. A file that does not exist is no error, but a broken link is.
func ReadSettingsText(path string) (SettingsText, error) {
	text, err := safefile.Read(path, safefile.AnyLink, agentfiles.MaxSize)
	if safefile.IsAbsent(err) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&os.ModeSymlink != 0 {
			return SettingsText{}, fmt.Errorf("%s is a link that leads nowhere", path)
		}
		return SettingsText{Path: path}, nil
	}
	return SettingsText{path, text, true}, err
}

// ConnectEdit is one change of a file.
type ConnectEdit struct {
	Agent, About  string
	Before, After SettingsText
	Keep          *KeptFile // the record to store for the file; nil: none
}

// Changes reports whether the edit changes the file.
func (e ConnectEdit) Changes() bool {
	return e.Before.Is != e.After.Is || !bytes.Equal(e.Before.Text, e.After.Text)
}

// Object returns the edit as a JSON object. redact removes secrets from the shown lines.
func (e ConnectEdit) Object(redact func(string) string) api.ConnectFile {
	action := "change"
	switch {
	case !e.Before.Is:
		action = "create"
	case !e.After.Is:
		action = "remove"
	}
	return api.ConnectFile{Agent: e.Agent, Path: e.Before.Path, Action: action, About: e.About, Diff: e.shown(redact)}
}

// shown returns the removed and added lines of the change, and the head of each hunk. redact
// removes secrets, because such a line may hold other settings too.
func (e ConnectEdit) shown(redact func(string) string) []string {
	lines := []string{}
	text := Unified(filepath.Base(e.Before.Path), e.Before.Text, e.After.Text)
	for i, line := range strings.Split(string(text), "\n") {
		if i > 1 && line != "" && strings.Contains("-+@", line[:1]) { // after the lines with the file's names
			lines = append(lines, redact(strings.TrimRight(line, "\r")))
		}
	}
	return lines
}

// Writable returns an error if a file cannot be changed.
func (e ConnectEdit) Writable() error {
	info, err := os.Stat(e.Before.Path)
	if err != nil {
		return nil // the file does not exist yet
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("it is read-only: 'chmod u+w' makes it writable")
	}
	return nil
}

// Apply makes the change, unless the file has changed since it was planned.
func (e ConnectEdit) Apply() error {
	path := e.Before.Path
	changed := ChangedMeanwhile(path)
	switch {
	case !e.After.Is:
		now, err := ReadSettingsText(path)
		if err != nil || !bytes.Equal(now.Text, e.Before.Text) {
			return changed
		}
		return os.Remove(path)
	case !e.Before.Is:
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if _, err := os.Lstat(path); err == nil {
			return changed
		}
		return atomicfile.Write(path, e.After.Text, 0o600)
	}
	made, err := atomicfile.ReplaceIf(atomicfile.OS{}, path, e.Before.Text, e.After.Text)
	if err == nil && !made {
		return changed
	}
	return err
}

// ChangedMeanwhile returns the error for a file that has changed since the plan.
func ChangedMeanwhile(path string) error {
	return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("changing %s: it was changed meanwhile", path), Hint: "try again"}
}
