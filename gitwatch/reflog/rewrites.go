package reflog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// Rewrite is a commit that git replaced by another, by amend or rebase, as its post-rewrite hook
// reports. Both ids are full.
type Rewrite struct{ Old, New string }

// maxRewrites limits the bytes of the record of rewrites before it loses its older half: some
// thirteen thousand rewrites.
const maxRewrites = 1 << 20

// RecordRewrites adds to the record in file, one line each, which package links reads. Git itself
// does not keep which commit a rebase made another from if the patch changed. Pairs may be recorded
// twice. Only one process may call it at a time.
func RecordRewrites(file string, list []Rewrite) error {
	var text bytes.Buffer
	for _, w := range list {
		fmt.Fprintf(&text, "%s %s\n", w.Old, w.New)
	}
	if text.Len() == 0 {
		return nil
	}
	old, err := safefile.Read(file, safefile.NoLink, 4*maxRewrites)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("recording what was rewritten: %w", err)
	}
	if len(old) > maxRewrites {
		old = old[len(old)/2:]
		old = old[bytes.IndexByte(old, '\n')+1:]
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	if err := atomicfile.WriteHere(file, append(old, text.Bytes()...), 0o600); err != nil {
		return fmt.Errorf("recording what was rewritten: %w", err)
	}
	return nil
}

// ReadRewrites returns the record as old → new. It skips lines that cannot be read. A record that
// does not exist is empty.
func ReadRewrites(file string) (map[string][]string, error) {
	text, err := safefile.Read(file, safefile.NoLink, 4*maxRewrites)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what was rewritten: %w", err)
	}
	next := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		if git.KnownID(from) != "" && git.KnownID(to) != "" {
			next[from] = append(next[from], to)
		}
	}
	return next, nil
}

// Origins maps commits to those that they were made from, by the record in file.
func Origins(file string) (map[string][]string, error) {
	next, err := ReadRewrites(file)
	if err != nil {
		return nil, err
	}
	origins := map[string][]string{}
	for from, list := range next {
		for _, to := range list {
			origins[to] = append(origins[to], from)
		}
	}
	return origins, nil
}
