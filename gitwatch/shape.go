package gitwatch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// checkShape finds, before anything is read wrongly, the repository formats
// that go-git cannot read (git-config(1), extensions.*).
func (r *Repo) checkShape() error {
	file := filepath.Join(r.commonDir, "config")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open repository: %w", err)
	}
	raw := gitconfig.New()
	if err := gitconfig.NewDecoder(bytes.NewReader(text)).Decode(raw); err != nil {
		return fmt.Errorf("open repository: read %s: %w", file, err)
	}
	if !raw.HasSection("extensions") {
		return nil
	}
	extensions := raw.Section("extensions")
	if f := extensions.Option("objectformat"); f != "" && !strings.EqualFold(f, "sha1") {
		return &UnsupportedError{r.commonDir, strings.ToUpper(f) + " object ids"}
	}
	if f := extensions.Option("refstorage"); f != "" && !strings.EqualFold(f, "files") {
		return &UnsupportedError{r.commonDir, "the " + f + " reference format"}
	}
	return nil
}
