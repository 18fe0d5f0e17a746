package gitdir

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// Git does not record the main work tree of a git directory that was made with
// --separate-git-dir: only the .git file of that work tree names the git directory. Main
// reads it from a file of our own, which NoteMain writes.

// MainRoot is the main work tree of a common directory, or the common
// directory itself when the repository is bare or does not say.
func MainRoot(common string) string {
	if tree, _ := Main(common); tree != "" {
		return tree
	}
	return common
}

// Main finds the main work tree of a common directory; empty where there is none. It is
// certain when git's config or a note says so, and otherwise follows from the directory's
// name.
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

// isMain says whether the .git of a folder leads to a common directory as that of its
// main work tree.
func isMain(tree, common string) bool {
	d, err := Of(tree)
	return err == nil && d.Linked == "" && d.Common == common
}

// notePath is the file that names the main work tree.
func notePath(common string) string { return filepath.Join(common, "agentflow", "main-worktree") }

func readNote(common string) string {
	text, err := repofile.Read(notePath(common), repofile.NoLink, maxPointer)
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

// core is what git's config says of the main work tree.
type core struct {
	bare     bool
	worktree string
}

// readCore reads the config, and config.worktree, which git uses instead of it for these
// keys when extensions.worktreeConfig is on.
func readCore(common string) (c core) {
	cfg := c.read(filepath.Join(common, "config"))
	if cfg != nil && isTrue(cfg.Section("extensions").Option("worktreeConfig")) {
		c.read(filepath.Join(common, "config.worktree"))
	}
	return c
}

// read takes the keys from a config file. The result is nil where there is nothing of use.
func (c *core) read(file string) *gitconfig.Config {
	text, err := repofile.Read(file, repofile.AnyLink, maxGitConfig)
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

// mayName says whether a config may hold one of the keys with a value that matters.
// Decoding the config of a thousand branches takes 7 ms, and almost none has them.
func mayName(text []byte) bool {
	text = bytes.ToLower(text)
	return bytes.Contains(text, []byte("worktree")) || bytes.Count(text, []byte("bare")) > bytes.Count(text, []byte("bare = false"))
}

// isTrue reads a boolean of git's config.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
