package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/plural"

	"agentflow/api"
	"agentflow/config"
	"agentflow/gitwatch"
	"agentflow/internal/repofile"
)

// brought is what of a memory somebody else wrote: files that git tracks came
// with the repository, and a repository of another user is his altogether.
// Until the user accepts it, none of it gets into prompts.
type brought struct {
	// whole says why nothing here is the user's; empty: files are judged one by
	// one.
	whole string
	// hint is what to do about whole.
	hint string
	// outside says that memory leads out of the repository: nothing of it is read.
	outside bool
	// tracked are the ids of what git tracks, by path in the .agentflow folder.
	tracked map[string]string
	// refused are those of them that are not accepted, by path in lower case,
	// as another spelling may be the same file.
	refused map[string]bool
	// around are the folders that came as a link or as a repository of their own:
	// with all that is in them.
	around []string
}

// file says whether the repository brought a file, by its path in the
// .agentflow folder, and nobody accepted it.
func (b brought) file(path string) bool { return b.whole != "" || b.trackedFile(path) }

// trackedFile is file where the repository is the user's own.
func (b brought) trackedFile(path string) bool {
	path = strings.ToLower(path)
	return b.refused[path] || slices.ContainsFunc(b.around, func(folder string) bool {
		return path == folder || folder == "." || strings.HasPrefix(path, folder+"/")
	})
}

// names are the memory files that are refused, in order.
func (b brought) names() []string {
	var names []string
	for path := range b.tracked {
		if b.refused[strings.ToLower(path)] && (path == "." || path == "memory" || strings.HasPrefix(path, "memory/")) {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}

// state says whether the repository brought anything of what we derive.
func (b brought) state() bool {
	for path := range b.tracked {
		if low := strings.ToLower(path); low == "." || low == "state" || strings.HasPrefix(low, "state/") {
			return true
		}
	}
	return false
}

// looked is what a look at the repository found.
type looked struct {
	mu    sync.Mutex
	at    time.Time
	found brought
}

// lookAgain is how long what was found out is good for: less than a person
// takes from one command to the next.
const lookAgain = time.Second

// brought finds out what of this memory the repository brought.
func (s *site) brought(ctx context.Context) brought {
	s.looked.mu.Lock()
	defer s.looked.mu.Unlock()
	if s.looked.at.IsZero() || time.Since(s.looked.at) > lookAgain {
		s.looked.found, s.looked.at = s.lookAtBrought(ctx), time.Now()
	}
	return s.looked.found
}

func (s *site) lookAtBrought(ctx context.Context) brought {
	if s.Root == "" || s.Root == s.dirs.Global().Root {
		return brought{}
	}
	top := filepath.Dir(s.Root)
	for _, folder := range []string{s.Root, s.Memory()} {
		if leadsOutside(folder, top) {
			return brought{whole: folder + " leads outside the repository", hint: "replace the link by a folder of its own", outside: true}
		}
	}
	others, err := gitwatch.OwnedByOthers(top, s.Root, s.Memory(), s.GitDir, s.CommonDir)
	if err != nil {
		return brought{whole: err.Error()}
	}
	if others {
		return brought{whole: top + " belongs to another user", hint: "if you trust all that is in it: git config --global --add safe.directory " + top}
	}
	b := brought{}
	if b.tracked, err = trackedBelow(ctx, s.Root); err != nil {
		return brought{whole: "what of memory git tracks cannot be told: " + err.Error()}
	}
	if len(b.tracked) > 0 {
		b.judge(s.accepted(b.tracked), s.Root)
	}
	return b
}

// trackedBelow lists what git tracks in a folder, by path in it; "." is the
// folder itself, as a link or a repository of its own.
func trackedBelow(ctx context.Context, folder string) (map[string]string, error) {
	for top := filepath.Dir(folder); ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
			if top == filepath.Dir(top) {
				return nil, nil
			}
			continue
		}
		repo, err := gitwatch.Open(ctx, top)
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

// judge tells what is accepted of what git tracks.
func (b *brought) judge(a config.Accepted, root string) {
	b.refused = map[string]bool{}
	for path, id := range b.tracked {
		if a.Accepts(path, id) {
			continue
		}
		b.refused[strings.ToLower(path)] = true
		if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path))); err == nil && !info.Mode().IsRegular() {
			b.around = append(b.around, strings.ToLower(path))
		}
	}
}

// accepted is what the user accepts of what git tracks. What is done here to a
// file that is accepted stays so when it is committed: its contents are noted.
func (s *site) accepted(tracked map[string]string) config.Accepted {
	if s.dirs.State == "" {
		return config.Accepted{}
	}
	a, err := s.dirs.MemoryTrust().Of(s.Memory())
	if err != nil {
		s.warn("%v; what the repository brought counts as not accepted", err)
		return config.Accepted{}
	}
	changed := false
	for path, id := range tracked {
		if a.Accepts(path, id) {
			changed = noteEdited(&a, s.Root, path) || changed
		}
	}
	if changed {
		if err := s.dirs.MemoryTrust().Set(s.Memory(), a); err != nil {
			s.warn("%v", err)
		}
	}
	return a
}

// maxNoted is how large an accepted file may be for its changes to be
// followed, in bytes.
const maxNoted = 8 << 20

// noteEdited accepts what a file holds now, where that is not known yet.
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
	text, err := repofile.Read(name, repofile.NoLink, maxNoted)
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

// tellBrought says once what is not believed, and what to do about it.
func (s *site) tellBrought(ctx context.Context) {
	b := s.brought(ctx)
	what := b.summary()
	if what == "" || s.quiet {
		return
	}
	told := config.Fingerprint(append(b.names(), b.whole))
	if s.dirs.State != "" {
		a, err := s.dirs.MemoryTrust().Of(s.Memory())
		if err == nil && a.Reported == told {
			return
		}
		a.Reported = told
		if err == nil {
			err = s.dirs.MemoryTrust().Set(s.Memory(), a)
		}
		if err != nil {
			s.warn("%v", err)
		}
	}
	s.say("%s", what)
	s.hint("%s", b.advice())
}

// object is b as JSON; nil when all is the user's own.
func (b brought) object() *api.FromRepository {
	what := b.summary()
	if what == "" {
		return nil
	}
	return &api.FromRepository{Why: what, Hint: b.advice(), Files: filled(b.names())}
}

// summary is what is not believed, on one line; empty when all is the user's.
func (b brought) summary() string {
	const left = "not believed, and left out of prompts"
	if b.whole != "" {
		return fmt.Sprintf("%s: its memory is %s", b.whole, left)
	}
	names := b.names()
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s came with the repository: it is %s", names[0], left)
	}
	return fmt.Sprintf("%s came with the repository (%s …): they are %s", plural.Count(len(names), "memory file"), names[0], left)
}

// advice is what to do about it.
func (b brought) advice() string {
	if b.whole != "" {
		return b.hint
	}
	them := "them"
	if len(b.names()) == 1 {
		them = "it"
	}
	return "'agentflow trust --memory' accepts what is in " + them + "; 'agentflow search' shows it"
}

// acceptMemory accepts what the repository brought, as it is now.
func (s *site) acceptMemory(b brought) error {
	a, err := s.dirs.MemoryTrust().Of(s.Memory())
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(b.tracked)) {
		a.Accept(path, b.tracked[path])
	}
	return s.dirs.MemoryTrust().Set(s.Memory(), a)
}
