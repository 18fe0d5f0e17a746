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

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// kept is what connect remembers of an agent, so that disconnect gives back the
// same bytes. It lies in the user's state folder, for the user alone: settings hold
// secrets.
type kept struct {
	Way   string     `json:"way"`   // plugin, hooks or tools
	Files []keptFile `json:"files"` // in the order in which they were changed
	Made  []string   `json:"made"`  // folders that were made for them, the outer ones first

	path string
}

type keptFile struct {
	Path    string `json:"path"`    // absolute
	Existed bool   `json:"existed"` // before
	Before  []byte `json:"before"`
	After   string `json:"after"` // SHA-256 of what was written, hex
}

// maxConnectFile is the size in bytes above which a settings file is left alone.
const maxConnectFile = 32 << 20

// readKept reads what is kept of an agent; nothing where it was never connected.
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

// file is what is kept of a file; nil: nothing.
func (k *kept) file(path string) *keptFile {
	for i := range k.Files {
		if k.Files[i].Path == path {
			return &k.Files[i]
		}
	}
	return nil
}

// put keeps the text of before of a file, and what it becomes.
func (k *kept) put(f keptFile) {
	if have := k.file(f.Path); have != nil {
		*have = f
		return
	}
	k.Files = append(k.Files, f)
}

// make lists the folders that a file needs and that are not there.
func (k *kept) make(path string) {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || slices.Contains(k.Made, dir) {
		return
	}
	k.make(dir)
	k.Made = append(k.Made, dir)
}

// removeMade removes the folders that were made, if they are empty.
func (k *kept) removeMade() {
	made := slices.Clone(k.Made)
	slices.Reverse(made)
	removeEmptyFolders(made...)
}

// untouched says that nobody has changed a file since connect wrote it.
func (f *keptFile) untouched(now []byte) bool { return f != nil && f.After == hashOf(now) }

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// settingsText is a settings file as it is now.
type settingsText struct {
	path string
	text []byte
	is   bool // there is such a file
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
	keep          *keptFile // what is kept of it then; nil: nothing any more
}

func (e connectEdit) changes() bool {
	return e.before.is != e.after.is || !bytes.Equal(e.before.text, e.after.text)
}

// shown are the lines that the change takes out and puts in, with the head of each
// place. Other settings on such a line may hold secrets: redact takes them out.
func (e connectEdit) shown(redact func(string) string) []string {
	lines := []string{}
	text := unified(filepath.Base(e.before.path), e.before.text, e.after.text)
	for i, line := range strings.Split(string(text), "\n") {
		if i > 1 && line != "" && strings.Contains("-+@", line[:1]) { // behind the names of the file
			lines = append(lines, redact(strings.TrimRight(line, "\r")))
		}
	}
	return lines
}

// writable says why a file cannot be changed; nil: it can.
func (e connectEdit) writable() error {
	info, err := os.Stat(e.before.path)
	if err != nil {
		return nil // it is to be made
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("it is read-only: 'chmod u+w' makes it writable")
	}
	return nil
}

// apply makes the change, if the file is still what it was.
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
