package gitdir

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// Git does not record the main work tree of a git directory made with
// --separate-git-dir: only the .git file of that work tree names the git
// directory. Main reads it from a file of ours, which NoteMain writes.

// MainRoot returns the main work tree of a common directory, or the common
// directory itself if the repository is bare or the work tree is unknown.
func MainRoot(common string) string {
	if tree, _ := Main(common); tree != "" {
		return tree
	}
	return common
}

// Main finds the main work tree of a common directory, or returns "" if there
// is none. It is certain if git's config or a note names it. Otherwise it is
// derived from the name of the directory.
func Main(common string) (tree string, certain bool) {
	core := readCore(common)
	if core.bare {
		return "", true
	}
	if tree, err := Resolve(join(common, core.worktree)); core.worktree != "" && err == nil && isMain(tree, common) {
		return tree, true
	}
	if tree := readNote(common); tree != "" {
		return tree, true
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common), false
	}
	return "", false
}

// isMain reports whether the .git of a folder leads to a common directory, and
// the folder is its main work tree.
func isMain(tree, common string) bool {
	d, err := Of(tree)
	return err == nil && d.Linked == "" && d.Common == common
}

// notePath returns the path of the file that names the main work tree.
func notePath(common string) string { return filepath.Join(common, "agentflow", "main-worktree") }

func readNote(common string) string {
	text, err := safefile.Read(notePath(common), safefile.NoLink, maxPointer)
	if err != nil {
		return ""
	}
	tree, err := Resolve(strings.TrimRight(string(text), "\r\n"))
	if err != nil || !isMain(tree, common) {
		return ""
	}
	return tree
}

// NoteMain records the main work tree of a common directory, for Main.
func NoteMain(common, tree string) error {
	path := notePath(common)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("noting the main work tree of %s: %w", common, err)
	}
	if err := atomicfile.Write(path, []byte(tree+"\n"), 0o600); err != nil {
		return fmt.Errorf("noting the main work tree of %s: %w", common, err)
	}
	return nil
}

// core holds the settings about the main work tree from git's config.
type core struct {
	bare     bool
	worktree string
}

// readCore reads config, and config.worktree, which git prefers for these keys
// if extensions.worktreeConfig is on.
func readCore(common string) (c core) {
	cfg := c.read(filepath.Join(common, "config"))
	if cfg != nil && isTrue(cfg.Section("extensions").Option("worktreeConfig")) {
		c.read(filepath.Join(common, "config.worktree"))
	}
	return c
}

// read takes the keys from a config file. It returns nil if the file has none
// of them.
func (c *core) read(file string) *gitconfig.Config {
	text, err := safefile.Read(file, safefile.AnyLink, maxGitConfig)
	if err != nil || !mayName(text) {
		return nil
	}
	cfg := gitconfig.New()
	if gitconfig.NewDecoder(bytes.NewReader(text)).Decode(cfg) != nil {
		return nil
	}
	section := cfg.Section("core")
	if section.HasOption("bare") {
		c.bare = isTrue(section.Option("bare"))
	}
	if tree := section.Option("worktree"); tree != "" {
		c.worktree = tree
	}
	return cfg
}

// mayName reports whether a config may set one of the keys to a relevant value.
// Decoding the config of a thousand branches takes 7 ms, and almost none has
// these keys.
func mayName(text []byte) bool {
	text = bytes.ToLower(text)
	return bytes.Contains(text, []byte("worktree")) || bytes.Count(text, []byte("bare")) > bytes.Count(text, []byte("bare = false"))
}

// isTrue parses a boolean of git's config.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
