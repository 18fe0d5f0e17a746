package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/app/api"
	"agentflow/gitwatch"
	"agentflow/internal/config"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
)

// Untrusted is memory that another person wrote. Files that git tracks came with
// the repository, and a repository of another user is that user's altogether. Until
// the user accepts it, none of it gets into prompts.
type Untrusted struct {
	Reason  string            // why nothing here is the user's; empty: files are judged one by one
	Hint    string            // what to do about reason
	Outside bool              // memory leads out of the repository: none of it is read
	Tracked map[string]string // ids of the files that git tracks, by path in the .agentflow folder
	Refused map[string]bool   // ids of files that are not accepted, by path in lower case, as another spelling may be the same file
	folders []string          // that came as a link or as a repository of their own: with everything in them
}

// File reports whether a file, by its path in the .agentflow folder, came with the
// repository and was not accepted by the user.
func (u Untrusted) File(path string) bool { return u.Reason != "" || u.trackedFile(path) }

// trackedFile is file for a repository that is the user's own.
func (u Untrusted) trackedFile(path string) bool {
	path = strings.ToLower(path)
	return u.Refused[path] || slices.ContainsFunc(u.folders, func(folder string) bool {
		return path == folder || folder == "." || strings.HasPrefix(path, folder+"/")
	})
}

// Names returns the refused memory files, in order.
func (u Untrusted) Names() []string {
	var names []string
	for path := range u.Tracked {
		if u.Refused[strings.ToLower(path)] && (path == "." || path == "memory" || strings.HasPrefix(path, "memory/")) {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}

// State reports whether derived files came with the repository.
func (u Untrusted) State() bool {
	for path := range u.Tracked {
		if low := strings.ToLower(path); low == "." || low == "state" || strings.HasPrefix(low, "state/") {
			return true
		}
	}
	return false
}

// untrustedCache holds the last answer for a moment.
type untrustedCache struct {
	mu    sync.Mutex
	at    time.Time
	found Untrusted
}

// untrustedFor limits the life of an answer: less than the time between two commands
// of a person.
const untrustedFor = time.Second

// UntrustedPart returns the part of this memory that came with the repository.
func UntrustedPart(ctx context.Context, s *Repo) Untrusted {
	c := &s.untrustedCache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) > untrustedFor {
		c.found, c.at = FindUntrusted(ctx, s), time.Now()
	}
	return c.found
}

func FindUntrusted(ctx context.Context, s *Repo) Untrusted {
	if s.Root == "" || s.Root == s.Dirs.Global().Root {
		return Untrusted{}
	}
	top := filepath.Dir(s.Root)
	for _, folder := range []string{s.Root, s.Memory()} {
		if safefile.LeadsOutside(folder, top) {
			return Untrusted{Reason: folder + " leads outside the repository", Hint: "replace the link by a folder", Outside: true}
		}
	}
	others, err := gitwatch.OwnedByOthers(top, s.Root, s.Memory(), s.GitDir, s.CommonDir)
	if err != nil {
		return Untrusted{Reason: err.Error()}
	}
	if others {
		return Untrusted{Reason: top + " belongs to another user", Hint: "if you trust all that is in it: git config --global --add safe.directory " + top}
	}
	u := Untrusted{}
	if u.Tracked, err = trackedBelow(ctx, s, s.Root); err != nil {
		return Untrusted{Reason: "git does not say which files of memory it tracks: " + err.Error()}
	}
	if len(u.Tracked) > 0 {
		u.judge(accepted(s, u.Tracked), s.Root)
	}
	return u
}

// trackedBelow lists the files that git tracks in a folder, by path in it. "." is the
// folder itself, as a link or a nested repository.
func trackedBelow(ctx context.Context, s *Repo, folder string) (map[string]string, error) {
	for top := filepath.Dir(folder); ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
			if top == filepath.Dir(top) {
				return nil, nil
			}
			continue
		}
		repo, err := repoAt(ctx, s, top)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(top, folder)
		if err != nil {
			return nil, err
		}
		ids, err := repo.Tracked(ctx, filepath.ToSlash(rel))
		below := make(map[string]string, len(ids))
		for path, id := range ids {
			below[cmp.Or(strings.TrimPrefix(path[len(rel):], "/"), ".")] = id
		}
		return below, err
	}
}

// judge stores which of the tracked files are not accepted.
func (u *Untrusted) judge(a config.Accepted, root string) {
	u.Refused = map[string]bool{}
	for path, id := range u.Tracked {
		if a.Accepts(path, id) {
			continue
		}
		u.Refused[strings.ToLower(path)] = true
		if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path))); err == nil && !info.Mode().IsRegular() {
			u.folders = append(u.folders, strings.ToLower(path))
		}
	}
}

// accepted returns the tracked files that the user accepts. An accepted file
// stays accepted when it is changed here and committed, because its contents are
// noted.
func accepted(s *Repo, tracked map[string]string) config.Accepted {
	if s.Dirs.State == "" {
		return config.Accepted{}
	}
	a, err := s.Dirs.MemoryTrust().Of(s.Memory())
	if err != nil {
		s.Warn("%v; memory that came with the repository counts as not accepted", err)
		return config.Accepted{}
	}
	changed := false
	for path, id := range tracked {
		if a.Accepts(path, id) {
			changed = noteEdited(&a, s.Root, path) || changed
		}
	}
	if changed {
		if err := s.Dirs.MemoryTrust().Set(s.Memory(), a); err != nil {
			s.Warn("%v", err)
		}
	}
	return a
}

// maxNoted limits the bytes of an accepted file for which changes are
// accepted too.
const maxNoted = 8 << 20

// noteEdited accepts the present contents of a file if they are not accepted yet.
func noteEdited(a *config.Accepted, root, path string) bool {
	name := filepath.Join(root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	seen := fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
	if a.Seen[path] == seen {
		return false
	}
	text, err := safefile.Read(name, safefile.NoLink, maxNoted)
	if err != nil {
		return false
	}
	for _, id := range gitwatch.BlobIDs(text) {
		a.Accept(path, id)
	}
	if a.Seen == nil {
		a.Seen = map[string]string{}
	}
	a.Seen[path] = seen
	return true
}

// TellUntrusted reports once which memory is not trusted, and what to do about it.
func TellUntrusted(ctx context.Context, s *Repo) {
	u := UntrustedPart(ctx, s)
	what := u.summary()
	if what == "" || s.quiet {
		return
	}
	fingerprint := config.Fingerprint(append(u.Names(), u.Reason))
	if s.Dirs.State != "" {
		a, err := s.Dirs.MemoryTrust().Of(s.Memory())
		if err == nil && a.Reported == fingerprint {
			return
		}
		a.Reported = fingerprint
		if err == nil {
			err = s.Dirs.MemoryTrust().Set(s.Memory(), a)
		}
		if err != nil {
			s.Warn("%v", err)
		}
	}
	s.Say("%s", what)
	s.Hint("%s", u.advice())
}

// Object returns u as JSON; nil if all of memory is the user's.
func (u Untrusted) Object() *api.FromRepository {
	what := u.summary()
	if what == "" {
		return nil
	}
	return &api.FromRepository{Why: what, Hint: u.advice(), Files: lists.Filled(u.Names())}
}

// summary says in one line what is not trusted. It is empty if all of memory is the user's.
func (u Untrusted) summary() string {
	const left = "not believed, and left out of prompts"
	if u.Reason != "" {
		return fmt.Sprintf("%s: its memory is %s", u.Reason, left)
	}
	names := u.Names()
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s came with the repository: it is %s", names[0], left)
	}
	return fmt.Sprintf("%s came with the repository (%s …): they are %s", plural.Count(len(names), "memory file"), names[0], left)
}

// advice says what to do about it.
func (u Untrusted) advice() string {
	if u.Reason != "" {
		return u.Hint
	}
	them := "them"
	if len(u.Names()) == 1 {
		them = "it"
	}
	return "'agentflow trust --memory' accepts the contents of " + them + "; 'agentflow search' shows it"
}
