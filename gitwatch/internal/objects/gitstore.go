package objects

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/safefile"
)

// gitStore reads a repository through the git program.
type gitStore struct {
	at  *repo.Place
	ctx context.Context //nolint:containedctx // that of the one call the store is opened for

	cat *exec.Cmd // git cat-file; nil until the first object is read
	in  io.WriteCloser
	out *bufio.Reader
}

func (s *gitStore) Head() (string, git.ID, error) {
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

// line asks git for one line. It returns "" if git answers no.
func (s *gitStore) line(args ...string) (string, error) {
	out, err := git.Text(s.ctx, s.at.Top, args...)
	if git.Exited(err, 1) {
		return "", nil
	}
	return out, err
}

func (s *gitStore) Refs() ([]Ref, error) {
	out, err := s.at.Git(s.ctx, nil, "for-each-ref", "--sort=refname", "--format=%(refname) %(objectname) %(symref)")
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if id, symbolic, _ := strings.Cut(rest, " "); symbolic == "" {
			refs = append(refs, Ref{git.Name(name), id})
		}
	}
	return refs, nil
}

// maxShallow bounds the file of the commits where history is cut off, in bytes: four hundred
// thousand of them.
const maxShallow = 16 << 20

func (s *gitStore) Shallow() ([]git.ID, error) {
	text, err := safefile.Read(filepath.Join(s.at.CommonDir, "shallow"), safefile.AnyLink, maxShallow)
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
		if err := s.start(); err != nil {
			return "", nil, err
		}
	}
	kind, raw, err := s.ask(id, limit)
	if err == nil || isMissing(err) || errors.Is(err, git.ErrTooLarge) {
		return kind, raw, err
	}
	s.Close()
	if s.ctx.Err() != nil {
		return "", nil, s.ctx.Err()
	}
	if s.at.Partial { // git ends if it may not fetch a missing object
		return "", nil, errMissing
	}
	return "", nil, fmt.Errorf("git cat-file: %w", err)
}

// start starts one git cat-file, which returns object after object.
func (s *gitStore) start() error {
	cmd, err := git.Command(s.ctx, s.at.Top, "cat-file", "--batch-command")
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cat, s.out = cmd, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// Close ends the git process.
func (s *gitStore) Close() {
	if s.cat != nil {
		_ = s.in.Close()
		_ = s.cat.Process.Kill()
		_ = s.cat.Wait()
		s.cat = nil
	}
}

// ask asks for the size first if there is a bound.
func (s *gitStore) ask(id git.ID, limit int64) (string, []byte, error) {
	if limit < noLimit {
		_, size, err := s.command("info", id)
		if err != nil {
			return "", nil, err
		}
		if size > limit {
			return "", nil, git.ErrTooLarge
		}
	}
	kind, size, err := s.command("contents", id)
	if err != nil {
		return "", nil, err
	}
	raw := make([]byte, size+1) // and a line feed
	if _, err := io.ReadFull(s.out, raw); err != nil {
		return "", nil, err
	}
	return kind, raw[:size], nil
}

// command sends one command and reads the line of the answer: "ID KIND SIZE", or "ID missing".
func (s *gitStore) command(name string, id git.ID) (kind string, size int64, err error) {
	if _, err := fmt.Fprintf(s.in, "%s %s\n", name, id); err != nil {
		return "", 0, err
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return "", 0, err
	}
	fields := strings.Fields(line)
	switch {
	case len(fields) == 2 && fields[1] == "missing":
		return "", 0, errMissing
	case len(fields) != 3 || fields[0] != id.String():
		return "", 0, errors.New("it answered " + git.OneLine(line))
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	return fields[1], size, err
}
