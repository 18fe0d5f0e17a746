package gitwatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// gitStore reads a repository through the git program.
type gitStore struct {
	at  *place
	ctx context.Context //nolint:containedctx // that of the one call the store is opened for
	cat *catFile        // nil until an object is asked for
}

func (s *gitStore) head() (string, git.ID, error) {
	branch, err := s.line("symbolic-ref", "-q", "HEAD")
	if err != nil {
		return "", "", err
	}
	commit, err := s.line("rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		return "", "", err
	}
	if branch == "" && commit == "" {
		return "", "", errors.New("it names no branch and no commit")
	}
	return branch, git.KnownID(commit), nil
}

// line asks git for one line; there is none where it quietly says no.
func (s *gitStore) line(args ...string) (string, error) {
	out, err := git.Text(s.ctx, s.at.top, args...)
	if git.Exited(err, 1) {
		return "", nil
	}
	return out, err
}

func (s *gitStore) refs() ([]ref, error) {
	out, err := s.at.ask(s.ctx, nil, "for-each-ref", "--sort=refname", "--format=%(refname) %(objectname) %(symref)")
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	var refs []ref
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if id, symbolic, _ := strings.Cut(rest, " "); symbolic == "" {
			refs = append(refs, ref{git.Name(name), id})
		}
	}
	return refs, nil
}

// maxShallow bounds the file of the commits where history is cut off, in
// bytes: four hundred thousand of them.
const maxShallow = 16 << 20

func (s *gitStore) shallow() ([]git.ID, error) {
	text, err := repofile.Read(filepath.Join(s.at.common, "shallow"), repofile.AnyLink, maxShallow)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var ids []git.ID
	for line := range bytes.FieldsSeq(text) {
		ids = append(ids, git.KnownID(string(line)))
	}
	return ids, err
}

func (s *gitStore) object(id git.ID, limit int64) (string, []byte, error) {
	if s.cat == nil {
		var err error
		if s.cat, err = openCat(s.ctx, s.at.top); err != nil {
			return "", nil, err
		}
	}
	kind, raw, err := s.cat.object(id, limit)
	if err == nil || isMissing(err) || errors.Is(err, git.ErrTooLarge) {
		return kind, raw, err
	}
	s.close()
	if s.ctx.Err() != nil {
		return "", nil, s.ctx.Err()
	}
	if s.at.partial { // git ends where it may not fetch what is missing
		return "", nil, errMissing
	}
	return "", nil, fmt.Errorf("git cat-file: %w", err)
}

func (s *gitStore) close() {
	if s.cat != nil {
		s.cat.close()
		s.cat = nil
	}
}
