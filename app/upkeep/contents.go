package upkeep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/gitwatch"
	"agentflow/index/contents"
	"agentflow/internal/lists"
)

// updateContents updates the index of the names in the files of this work tree, or removes it if
// the settings disable it. It does nothing if another process is updating it.
func updateContents(ctx context.Context, s *app.Repo, o contents.Options) (report contents.Report, err error) {
	switch {
	case indexes.HasContents(s):
		tree := contents.Tree{Dir: s.Worktree, Files: func(ctx context.Context) ([]contents.File, error) { return trackedFiles(ctx, s) }, Ignored: func(path string) bool { return indexes.Ignored(s, path) }}
		report, err = contents.Update(ctx, s.Contents(), tree, o)
	case s.Contents() != "" && !s.Settings.Index.Contents:
		err = contents.Remove(ctx, s.Contents())
	}
	if errors.Is(err, contents.ErrBusy) {
		err = nil
	}
	return report, err
}

// trackedFiles lists the files of this work tree that git tracks.
func trackedFiles(ctx context.Context, s *app.Repo) ([]contents.File, error) {
	repo, err := s.Repo(ctx)
	if err != nil {
		return nil, err
	}
	files, err := repo.Files(ctx)
	return lists.Mapped(files, func(f gitwatch.File) contents.File {
		return contents.File{Path: f.Path, Stat: contents.Stat{Size: f.Size, Mtime: f.Mtime, Ctime: f.Ctime, Inode: f.Inode}}
	}), err
}

// ContentsStatus returns the size of the index of the files. It returns nil if there is none.
func ContentsStatus(ctx context.Context, s *app.Repo) (*api.ContentsStatus, error) {
	if !indexes.HasContents(s) {
		return nil, nil
	}
	store := contents.OpenStore(s.Contents())
	stats, err := store.Stats(ctx)
	return &api.ContentsStatus{Path: s.Contents(), Files: stats.Files, Bytes: stats.Bytes}, errors.Join(err, store.Close())
}

// makeContents updates the index of the files for 'agentflow index'. An error is only reported as
// degraded, because memory is found without this index.
func makeContents(ctx context.Context, s *app.Repo, rebuild bool) *api.ContentsStatus {
	var failed error
	if rebuild && s.Contents() != "" {
		failed = contents.Remove(ctx, s.Contents())
	}
	bar := app.NewBar(s.Operation, "reading")
	_, err := updateContents(ctx, s, contents.Options{Progress: func(done, total int) { bar.Count("files", done, total) }})
	bar.End()
	status, unread := ContentsStatus(ctx, s)
	s.Degraded("index", app.AppendError(nil, errors.Join(failed, err, unread)))
	return status
}

// contentsPiece limits how long the worker of a session reads files after a turn.
const contentsPiece = 5 * time.Second

// ReadPiece updates a part of the index of the files.
func ReadPiece(ctx context.Context, s *app.Repo) {
	if _, err := updateContents(ctx, s, contents.Options{Budget: contentsPiece}); err != nil && ctx.Err() == nil {
		s.Degraded("contents", []string{err.Error()})
	}
}

// A watcher reads the files of the work tree every contentsEvery. If a pass is slow it waits
// longer: contentsShare times the duration of the pass.
const (
	contentsEvery = 30 * time.Second
	contentsShare = 100
)

// KeepContents keeps the index of the files up to date until ctx ends.
func (u *Updater) KeepContents(ctx context.Context) {
	failed := false
	for ctx.Err() == nil && u.Lock.Check() == nil {
		began := time.Now()
		_, err := updateContents(ctx, u.Repo, contents.Options{})
		if err != nil && !failed && ctx.Err() == nil {
			u.Notice(err.Error())
		}
		failed = err != nil
		select {
		case <-ctx.Done():
		case <-time.After(max(contentsEvery, contentsShare*time.Since(began))):
		}
	}
}

// ContentsAfter delays the reading of files next to an agent. The delay keeps
// the agent's start fast, and a shorter run reads nothing.
const ContentsAfter = 500 * time.Millisecond

// BesideAgent returns a sink that starts to read files while the agent of a run in this work tree
// works, and a function that stops the reading and waits for its end.
func BesideAgent(ctx context.Context, s *app.Repo, sink func(agent.Event)) (beside func(agent.Event), end func()) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	read := func() {
		select {
		case <-ctx.Done():
		case <-time.After(ContentsAfter):
			_, _ = updateContents(ctx, s, contents.Options{}) // 'agentflow index' reports errors
		}
	}
	beside = func(ev agent.Event) {
		switch {
		case ev.Kind != executor.EventPhase:
		case ev.Text == executor.PhaseAgent:
			reading.Go(read)
		case ev.Text == executor.PhaseVerify || ev.Text == executor.PhaseFinish:
			stop()
		}
		sink(ev)
	}
	return beside, func() { stop(); reading.Wait() }
}

// ContentsFolders returns AgentFlow's folders in the git directories of the repository's linked
// work trees.
func ContentsFolders(s *app.Repo) []string {
	if s.CommonDir == "" {
		return nil
	}
	names, _ := os.ReadDir(filepath.Join(s.CommonDir, "worktrees")) // without the folder there are no linked work trees
	return lists.Mapped(names, func(n os.DirEntry) string { return filepath.Join(s.CommonDir, "worktrees", n.Name(), "agentflow") })
}
