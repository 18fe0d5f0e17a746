package list

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/session"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/memory"
	"agentflow/memory/digest"
)

// TranscriptRequest names an entry.
type TranscriptRequest struct {
	Ref string // as in ShowRequest
}

// TranscriptResult is the messages and tool calls of a run, or of turns of a session.
type TranscriptResult struct {
	api.Transcript
	Degraded []string // what did not work, a line each; never nil
}

// Transcript reads the messages and tool calls of a run or of turns of a session:
// from the run's folder, or else from the agent's own file of the session.
func Transcript(ctx context.Context, m *app.Memory, req TranscriptRequest) (res TranscriptResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return res, err
	}
	f, err := lookup.LookUp(ctx, s, req.Ref)
	if err != nil {
		return res, lookup.ExplainShared(ctx, s, "looking for the transcript of", req.Ref, err)
	}
	e := f.Entry
	if e == nil || !e.Kind.ByAgent() {
		return res, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("looking for the transcript of %s: it is no run and no session", req.Ref), Hint: "'agentflow log' lists runs and sessions"}
	}
	res.ID, res.Kind, res.Agent, res.SessionID, res.Items = e.ID, e.Kind, e.Agent, e.Session, []api.TranscriptItem{}
	items, leftOut, err := executor.ReadItems(s.Runs(), e.ID, s.Redact.Text)
	if errors.Is(err, runfolder.ErrNoFolder) {
		items, leftOut, err = keptItems(ctx, s, e, &res.From)
	}
	if err != nil {
		return res, err
	}
	res.LeftOut = leftOut
	for _, it := range items {
		res.Items = append(res.Items, api.TranscriptItem{
			Kind: string(it.Kind), Time: it.Time, Text: it.Text, Tool: it.Tool, Object: it.Object,
			DurationMS: it.Took.Milliseconds(), Failed: it.Failed, Denied: it.Denied,
		})
	}
	return res, nil
}

// keptItems reads the part of an agent's session file that belongs to an entry
// without a folder: up to the start of the session's next entry.
func keptItems(ctx context.Context, s *app.Repo, e *memory.Entry, from *string) ([]executor.Item, int, error) {
	file, decoder := keptSession(s, e)
	if file == "" {
		err := fmt.Errorf("reading the transcript of %s: %w, and there is no file of the session of %s either", memory.ShortID(e.ID), runfolder.ErrNoFolder, cmp.Or(e.Agent, "the agent"))
		return nil, 0, &app.Error{Kind: app.KindNotFound, Err: err, Hint: fmt.Sprintf("'agentflow show %s' prints its entry", memory.ShortID(e.ID))}
	}
	kept := executor.KeptSession{File: file, Decoder: decoder, Dir: s.Dir, Since: e.Time, Redact: s.Redact.Text}
	for b := range lookup.Mentioning(ctx, s, digest.BySession(e.Session)) {
		if k := b.Entry; k != nil && k.Session == e.Session && k.Kind.ByAgent() && k.Time.After(e.Time) && (kept.Until.IsZero() || k.Time.Before(kept.Until)) {
			kept.Until = k.Time
		}
	}
	items, leftOut, err := kept.Items()
	if *from = file; e.Kind == memory.KindRun {
		for i, it := range items { // in a run, the prompt has memory around the task
			if it.Kind == executor.ItemPrompt && strings.Contains(it.Text, e.Task) {
				items[i].Text = e.Task
			}
		}
	}
	return items, leftOut, err
}

// sessionID matches a session id that may become part of a path:
// Markdown that came with a repository may hold any text.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$`) })

// keptSession returns the agent's own file of an entry's session, and its
// decoder. The name is empty if there is no such file.
func keptSession(s *app.Repo, e *memory.Entry) (file string, decoder func() agent.Decoder) {
	known := session.Transcribers[e.Agent]
	if known == nil || !sessionID().MatchString(e.Session) {
		return "", nil
	}
	keeper, ok := known().(agent.Keeper)
	if !ok {
		return "", nil
	}
	kept := keeper.Kept()
	folder := cmp.Or(s.Getenv(kept.Variable), filepath.Join(s.Dirs.Home, filepath.FromSlash(kept.Folder)))
	found, _ := fs.Glob(os.DirFS(folder), strings.ReplaceAll(kept.Pattern, "{id}", e.Session))
	newest := time.Time{}
	for _, name := range found { // a session that was moved to another folder has several
		name = filepath.Join(folder, filepath.FromSlash(name))
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.ModTime().After(newest) {
			file, newest = name, info.ModTime()
		}
	}
	return file, keeper.Transcript
}
