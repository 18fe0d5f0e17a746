package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// shape is the part of a repository's format that a reader must know.
type shape struct {
	IDs      git.Algorithm
	Reftable bool   // references and reflogs are not files
	Partial  bool   // objects may be missing, to be fetched when they are needed
	OnlyGit  string // why only the git program can read it; empty if go-git can
}

// goExtensions lists the extensions of a repository's format (git-config(1), extensions.*) that do
// not affect a reader, or that this package supports itself.
var goExtensions = map[string]bool{
	"noop": true, "noop-v1": true, "preciousobjects": true, "partialclone": true, "worktreeconfig": true, "relativeworktrees": true,
}

// openLimit bounds how long git may take to report whether it can read a repository.
const openLimit = 10 * time.Second

// findShape finds out, before anything is read, which parts go-git cannot read (git-config(1),
// extensions.*), and whether the git program can.
func (p *Place) findShape(ctx context.Context) error {
	file := filepath.Join(p.CommonDir, "config")
	text, err := safefile.Read(file, safefile.AnyLink, maxConfig)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open repository: %w", err)
	}
	raw := gitconfig.New()
	if err := gitconfig.NewDecoder(bytes.NewReader(text)).Decode(raw); err != nil {
		return fmt.Errorf("open repository: read %s: %w", file, err)
	}
	p.shape = shapeOf(raw)
	if p.OnlyGit == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	_, err = p.Git(ctx, nil, "rev-parse", "--git-dir")
	if err != nil {
		return &UnsupportedError{p.CommonDir, p.OnlyGit, err}
	}
	return nil
}

func shapeOf(config *gitconfig.Config) shape {
	var s shape
	for _, remote := range config.Section("remote").Subsections {
		s.Partial = s.Partial || isTrue(remote.Option("promisor"))
	}
	for _, o := range config.Section("extensions").Options {
		name, value := strings.ToLower(o.Key), strings.ToLower(o.Value)
		switch {
		case name == "objectformat" && value == "sha1", name == "refstorage" && value == "files", goExtensions[name]:
			s.Partial = s.Partial || name == "partialclone"
		case name == "objectformat":
			s.OnlyGit = strings.ToUpper(value) + " object ids"
			if value == "sha256" {
				s.IDs = git.SHA256
			}
		case name == "refstorage":
			s.Reftable, s.OnlyGit = true, "the "+value+" reference format"
		default:
			s.OnlyGit = "the extension " + name
		}
	}
	return s
}

// UnsupportedError means that neither go-git nor the git program can read a repository of this
// shape.
type UnsupportedError struct {
	Path  string // the git directory, or the file in it
	Shape string // "the reftable format", "SHA-256 object ids", …
	Err   error  // why git cannot
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("read repository %s: it uses %s: %v", e.Path, e.Shape, e.Err)
}

// Unwrap returns why git cannot.
func (e *UnsupportedError) Unwrap() error { return e.Err }
