package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/purge"
	"agentflow/app/share"
	"agentflow/internal/memorytool"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/writeback"
)

// MemoryTool executes a command of Anthropic's memory tool on the files below notes/ of the repository's memory. The
// answers, and the texts of errors for the model, follow the tool's documentation. Secrets are redacted in written
// text, and in shown text that people wrote. Hand edits win: if a person edits a file meanwhile, the command runs on
// the saved file, or fails as it would have there. No command removes a line that a person wrote, but a file may be
// moved with it.
//
// Removals can be reversed: 'memory undo' takes back str_replace, delete and rename, and forget.Restore brings back a
// deleted file. Each change counts as one of the session's MaxAgentWrites. A view does not count, nor does a command that
// fails.
//
// Errors have KindUsage (the command is malformed, or its path leads elsewhere), KindNotFound, KindRefused (the files
// do not allow it, or the session has used up its writes), KindNoPlace or KindLocked.
func (a *AgentSession) MemoryTool(ctx context.Context, c memorytool.Command) (text string, err error) {
	o := a.memory.Begin(ctx)
	var degraded []string
	defer o.End(&degraded, &err)
	if !o.Policy.KeepsNotes() {
		return "", &app.Error{Kind: app.KindRefused, Err: errors.New("a team's server keeps no notes of agents: those are each clone's own"), Hint: "store facts instead"}
	}
	if !c.Writes() {
		return viewNotes(ctx, o, c)
	}
	end, err := app.Writing(ctx, o)
	if err != nil {
		return "", err
	}
	defer end(&err)
	s, err := o.OpenToWrite(ctx)
	if err != nil {
		return "", err
	}
	if text, err = a.writeNotes(ctx, s, c); err != nil {
		return "", writeError(err)
	}
	share.FinishWrite(ctx, s, forget.MemoryToolCommand, app.CleanLine(c.String()))
	return text, nil
}

// writeNotes makes the change of a command, planned on the current files. While others write it waits as long as an
// append does.
func (a *AgentSession) writeNotes(ctx context.Context, s *app.Repo, c memorytool.Command) (text string, err error) {
	counted, by := false, a.author(s)
	plan := func(files map[string][]byte) (writeback.Change, error) {
		result, err := memorytool.Do(files, c, func(before string, after string) (string, error) { return storable(s, before, after) }, s.Redact.Text)
		if text = result.Text; err != nil || len(result.Edits) == 0 {
			return writeback.Change{}, toolError(err)
		}
		if err := mayMake(s, c, result.Edits); err != nil {
			return writeback.Change{}, err
		}
		if !counted {
			if err := a.write(); err != nil {
				return writeback.Change{}, err
			}
			counted = true
		}
		return noteChange(c, result.Edits, by), nil
	}
	for end := time.Now().Add(s.LockWait); ; {
		err = s.Store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil || time.Now().After(end) {
			if counted && err != nil {
				a.giveBack()
			}
			return text, err
		}
	}
}

// writeError converts an error of the store to the form that the model reads.
func writeError(err error) error {
	var hand *writeback.HandError
	switch {
	case errors.As(err, &hand):
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("line %d of %s stays as it is: %w", hand.Line, memorytool.PathOf(hand.File), writeback.ErrByHand), Hint: "ask the user to change it"}
	case errors.Is(err, writeback.ErrLink):
		return toolError(memorytool.ErrLink)
	case errors.Is(err, safefile.ErrTooLarge):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "choose another name"}
	case errors.Is(err, writeback.ErrUntrusted):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "'agentflow trust --memory' accepts it"}
	case errors.Is(err, writeback.ErrChanged):
		return &app.Error{Kind: app.KindLocked, Err: errors.New("the files are edited all the time, and nothing was changed"), Hint: "try again"}
	}
	return err
}

// viewNotes answers a command that only reads. Without a memory the directory is empty.
func viewNotes(ctx context.Context, o *app.Operation, c memorytool.Command) (string, error) {
	files, show := map[string][]byte{}, func(text string) string { return text }
	s, err := o.OpenToRead(ctx)
	switch {
	case err == nil:
		if files, err = noteFiles(ctx, s); err != nil {
			return "", err
		}
		show = s.Redact.Text
	case app.AsError(err).Kind != app.KindNoPlace:
		return "", err
	default:
		if _, _, e := o.Place(); e != nil {
			return "", e
		}
	}
	result, err := memorytool.Do(files, c, nil, show)
	return result.Text, toolError(err)
}

// noteFiles returns the files below notes/ by their names in memory. It follows no links.
func noteFiles(ctx context.Context, s *app.Repo) (map[string][]byte, error) {
	files := map[string][]byte{}
	untrusted := app.UntrustedPart(ctx, s)
	if untrusted.Outside {
		return files, nil
	}
	root, err := os.OpenRoot(s.Memory())
	if err != nil {
		return files, purge.IgnoreAbsent(err)
	}
	defer root.Close()
	if info, err := root.Lstat(strings.TrimSuffix(memory.NotesFolder, "/")); err != nil || !info.IsDir() {
		return files, purge.IgnoreAbsent(err)
	}
	err = fs.WalkDir(root.FS(), strings.TrimSuffix(memory.NotesFolder, "/"), func(name string, item fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed a moment ago
		case err != nil:
			return err
		case item.IsDir() || !item.Type().IsRegular() || untrusted.File("memory/"+name) || !strings.HasSuffix(name, ".md"):
			return ctx.Err()
		}
		if info, err := item.Info(); err == nil && info.Size() > writeback.MaxTaken {
			return nil // the log does not hold it either
		}
		content, err := root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		files[name] = content
		return err
	})
	return files, err
}

// author returns the author for the agent's notes. Its names are cleaned and redacted, and the run that the agent
// claims is included only if it is proven.
func (a *AgentSession) author(s *app.Repo) *writeback.Author {
	return &writeback.Author{Agent: fact.AgentLabel(a.agent.Name, s.Redact.Text), Session: fact.AgentLabel(a.agent.Session, s.Redact.Text), Run: a.agent.ProvenRun(s.Operation), At: time.Now().UTC()}
}

// noteChange returns the change of a command, with the agent as its author.
func noteChange(c memorytool.Command, edits []memory.FileEdit, by *writeback.Author) writeback.Change {
	title := c.String() + " by " + cmp.Or(by.Agent, memory.ByAgent)
	if by.Session != "" {
		title += " in session " + by.Session
	}
	if by.Run != "" {
		title += " of run " + memory.ShortID(by.Run)
	}
	change := writeback.Change{Command: forget.MemoryToolCommand, Title: title, Edits: edits, By: by}
	if c.TakesAway() {
		change.Kept = new(string)
	}
	if c.Command == memorytool.Delete {
		for _, e := range edits {
			change.ForgetFiles = append(change.ForgetFiles, e.File)
		}
	}
	return change
}

// toolError adds the kind to an error of the tool. It returns other errors as they are.
func toolError(err error) error {
	var tool *memorytool.Error
	if !errors.As(err, &tool) {
		return err
	}
	kinds := map[memorytool.Why]app.Kind{memorytool.Invalid: app.KindUsage, memorytool.NotFound: app.KindNotFound, memorytool.Refused: app.KindRefused}
	return &app.Error{Kind: kinds[tool.Why], Err: tool}
}
