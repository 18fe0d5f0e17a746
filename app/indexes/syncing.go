package indexes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/app/sharing"
	"agentflow/index"
	"agentflow/internal/agentdocs"
	"agentflow/internal/indexpool"
	"agentflow/internal/plural"
)

// WithSynced updates the index as far as that is quick, and then runs use on it. The lines report parts that are not up
// to date. The error comes from opening the index or from use.
func WithSynced(ctx context.Context, s *app.Repo, use func(*indexpool.Index) error) (degraded []string, err error) {
	listed := index.List(ctx, Sources(ctx, s)...)
	notices, err := With(ctx, s, func(db *indexpool.Index) error {
		report, err := db.SyncSome(ctx, listed)
		degraded = NotInStep(report, err)
		return use(db)
	})
	return append(notices, degraded...), err
}

// NotInStep lists the differences between the index and the files.
func NotInStep(report index.SyncReport, err error) []string {
	lines := report.Skipped
	if report.Left > 0 {
		lines = append(lines, fmt.Sprintf(indexBehind+"%s of memory changed and will be read by the next commands, or by 'agentflow index'", plural.Count(report.Left, "file")))
	}
	if err != nil {
		lines = append(lines, fmt.Sprintf("bringing the index up to date: %v", err))
	}
	return lines
}

// indexBehind begins the line which reports that there was no time to read all changed files.
const indexBehind = "the index is not up to date: "

// IsBehind reports whether a line of Degraded says that the index is not up to date.
func IsBehind(line string) bool { return strings.HasPrefix(line, indexBehind) }

// Reindex updates the index after an edit.
func Reindex(ctx context.Context, s *app.Repo, command string) {
	degraded, err := WithSynced(ctx, s, func(*indexpool.Index) error { return nil })
	s.Degraded(command, app.AppendError(degraded, err))
}

// Sources lists the folders with Markdown to index.
func Sources(ctx context.Context, s *app.Repo) []index.Source {
	sources := []index.Source{MemorySource(ctx, s)}
	bare := s.CommonDir != "" && s.Worktree == ""
	in := s.Settings.Index
	files := slices.DeleteFunc(slices.Clone(in.Include), func(p string) bool { return p == agentdocs.AutoMemory })
	if len(files) > 0 && !bare {
		sources = append(sources, index.Source{Dir: filepath.Dir(s.Root), Included: true, Include: files, Ignore: in.Ignore})
	}
	if dir := agentfiles.AutoFolder(s); dir != "" {
		sources = append(sources, index.Source{Dir: dir, Prefix: agentfiles.AutoPrefix, Included: true, Include: []string{"*.md"}})
	}
	return append(sources, sharing.Sources(s)...)
}

// MemorySource returns the memory folder as a source.
func MemorySource(ctx context.Context, s *app.Repo) index.Source {
	b := app.UntrustedPart(ctx, s)
	source := index.Source{Dir: s.Memory(), Prefix: "memory/", Untrusted: func(rel string) bool { return b.File("memory/" + rel) }}
	if b.Outside {
		source.Dir = "" // read nothing there
	}
	return source
}

// Ignored reports whether a path of the work tree is excluded from memory.
func Ignored(s *app.Repo, path string) bool { return index.Ignored(s.Settings.Index.Ignore, path) }
