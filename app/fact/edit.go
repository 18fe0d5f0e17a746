package fact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// EditRequest is a change of one fact.
type EditRequest struct {
	ID     string // id of the fact, or of a note with this fact only; the end of an id; or "last"
	Change        // the changes; secrets are redacted
	// Editor, if not nil, replaces Change: it lets the user edit a file that holds the fact as
	// text, and returns when the user is done.
	Editor func(ctx context.Context, file string) error

	Agent *Agent // the agent that changes it; nil: a person
}

// Edit replaces a fact wherever memory holds it, as one change. A hand edit made in the meantime
// wins: Edit returns an error of KindRefused, and the text that the user typed in an editor stays
// in a file that the hint names. Other errors are of KindUsage, KindNoPlace, KindNotFound and
// KindLocked.
func Edit(ctx context.Context, m *app.Memory, req EditRequest) (result lookup.EditResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	end, err := app.Writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	s, err := o.OpenOrGlobal(ctx, o.OpenRecovered)
	if err != nil {
		return result, err
	}
	return EditAnywhere(ctx, s, req)
}

// EditAnywhere implements Edit for a memory that is open.
func EditAnywhere(ctx context.Context, s *app.Repo, req EditRequest) (result lookup.EditResult, err error) {
	s, f, err := lookup.FindAnywhere(ctx, s, req.ID)
	if err != nil {
		return result, err
	}
	if err := f.OthersAlone("editing"); err != nil {
		return result, err
	}
	old, err := f.Editable()
	if err != nil {
		return result, err
	}
	if err := req.Agent.MayChange(s, f); err != nil {
		return result, err
	}
	if req.Change, err = req.Agent.limit(req.Change); err == nil {
		err = req.Agent.mayReach(s.Operation, req.Change)
	}
	if err != nil {
		return result, err
	}
	by := signer{req.Agent, f.Source(old)}
	switch {
	case req.Editor != nil:
		err = editAsText(ctx, s, old, req.Editor, by, &result)
	case req.Agent != nil && req.Text != nil && strings.TrimSpace(*req.Text) != "" && s.Redact.Text(strings.TrimSpace(*req.Text)) != old.Text:
		req.ID = old.ID
		return replaceWithFact(ctx, s.Operation, req)
	default:
		err = edit(ctx, s, old, req.Change, by, &result)
	}
	if err != nil {
		return result, fmt.Errorf("editing %s: %w", memory.ShortID(old.ID), err)
	}
	return result, nil
}

// signer identifies who changes a fact.
type signer struct {
	agent  *Agent // nil: a person
	source string // source of the fact
}

// sign records in a changed fact who changed it.
func sign(s *app.Repo, edited *memory.Fact, by signer) {
	edited.Person = cmp.Or(s.Policy.Person, edited.Person)
	switch {
	case by.agent != nil:
		by.agent.mark(edited, s.Redact.Text)
	case by.source != "" && by.source != memory.ByHand:
		edited.Edited = memory.ByHand
	}
}

// undo returns a variable for the id with which 'memory undo' takes the change back, or nil for a
// change by an agent.
func (by signer) undo() *string {
	if by.agent != nil {
		return nil
	}
	return new(string)
}

// replaceWithFact stores a new fact with the text that an agent gives. The old fact stays, struck.
func replaceWithFact(ctx context.Context, o *app.Operation, req EditRequest) (lookup.EditResult, error) {
	done, err := RememberIn(ctx, o, RememberRequest{Change: req.Change, Supersedes: req.ID, Agent: req.Agent}, o.OpenToWrite)
	if err != nil {
		return lookup.EditResult{}, fmt.Errorf("editing %s: %w", memory.ShortID(req.ID), err)
	}
	return lookup.EditResult{Fact: done.Fact.Fact, Changed: !done.Fact.Existing, Replaced: req.ID, Places: []string{done.Place}}, nil
}

// edit changes a fact in its place. The title of the change names the fact by its id, because a
// purge would not reach the text in a title.
func edit(ctx context.Context, s *app.Repo, old memory.Fact, change Change, by signer, result *lookup.EditResult) error {
	now := time.Now()
	f, err := change.redacted(s.Redact.Text).apply(old, now)
	if err != nil {
		return err
	}
	switch {
	case change.Text != nil && strings.TrimSpace(f.Text) == "":
		return app.Usagef("the text is empty: 'agentflow forget' takes a fact out")
	case change.Text != nil && len(f.Text) > MaxFactText:
		return app.Usagef("the text is larger than %s", plural.Bytes(MaxFactText))
	}
	if f.Namespace != old.Namespace {
		if (f.Namespace == memory.GlobalNamespace) != s.IsGlobal() {
			return &app.Error{Kind: app.KindUsage, Err: errors.New("namespace: a fact cannot be moved between this repository's memory and your own"),
				Hint: "remember it there, and forget it here"}
		}
		if f.Namespace, err = lookup.Completed(ctx, s, f.Namespace); err != nil {
			return err
		}
	}
	same := reflect.DeepEqual(f.Normal(), old)
	if result.Fact = api.NewFact(old); same && !change.Accept {
		return nil
	}
	if !same {
		f.Updated = now
	}
	sign(s, &f, by)
	f = f.Normal()
	err = s.Store.Revise(ctx, func(files map[string][]byte) (writeback.Change, error) {
		var edits []memory.FileEdit
		edits, result.Places, result.Others = replaceFact(files, old, f)
		switch {
		case len(edits) > 0:
			return writeback.Change{Command: "memory edit", Title: "editing of " + memory.ShortID(f.ID), Edits: edits, Kept: by.undo()}, nil
		case len(result.Others) == 0:
			return writeback.Change{}, &app.Error{Kind: app.KindRefused, Err: errors.New("it was taken out of memory meanwhile")}
		}
		return writeback.Change{}, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("it was edited by hand meanwhile, in %s", result.Others[0])}
	})
	if err != nil {
		return err
	}
	result.Places, result.Others = lists.Mapped(result.Places, func(place string) string { return lookup.Named(s, place) }), lists.Mapped(result.Others, func(place string) string { return lookup.Named(s, place) })
	result.Fact, result.Changed = api.NewFact(f), true
	share.FinishWrite(ctx, s, "memory edit", f.ID)
	return nil
}

// replaceFact plans to replace old with f wherever it is. It returns the places of old, and of
// other facts with its id.
func replaceFact(files map[string][]byte, old, f memory.Fact) (edits []memory.FileEdit, places, others []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		replaced := false
		var after []byte
		for _, b := range markdown.Parse(files[name]).Blocks {
			after = append(after, b.Revise(func(at *markdown.FactAt) (markdown.Revision, memory.Fact) {
				place := fmt.Sprintf("memory/%s:%d", name, at.StartLine)
				switch {
				case at.ID != old.ID:
					return markdown.Stays, at.Fact
				case !reflect.DeepEqual(at.Fact, old):
					others = append(others, place)
					return markdown.Stays, at.Fact
				}
				replaced, places = true, append(places, place)
				return markdown.Changes, f
			})...)
		}
		if replaced {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: after})
		}
	}
	return edits, places, others
}

// editAsText lets the user edit the fact in a file. After any error, the file keeps the typed text.
func editAsText(ctx context.Context, s *app.Repo, old memory.Fact, editor func(context.Context, string) error, by signer, result *lookup.EditResult) error {
	form := factForm(old)
	file, err := formFile(s, old.ID, form)
	if err != nil {
		return err
	}
	edited := form
	if err = editor(ctx, file); err == nil {
		edited, err = readEdited(file)
	}
	if err == nil {
		var change Change
		if change, err = readForm(edited, old, time.Now()); err == nil {
			err = edit(ctx, s, old, change, by, result)
		}
	}
	if err != nil {
		return keepTyped(s, file, form, err)
	}
	if err := removeForm(file); err != nil {
		s.Warn("removing what was edited: %v", err)
	}
	return nil
}

func readEdited(file string) (string, error) {
	data, err := safefile.Read(file, safefile.NoLink, memoryfiles.MaxSize)
	return string(data), err
}

// formFile creates the file to edit in a folder named after the fact's id. A purge of the fact
// searches that folder.
func formFile(s *app.Repo, id, form string) (string, error) {
	if len(id) != lookup.FullID || strings.ContainsAny(id, `/\.`) {
		id = "odd" // no id of ours has this form
	}
	dir := filepath.Join(s.State(), "edits", id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "fact-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(form)
	return f.Name(), errors.Join(err, f.Close())
}

// keepTyped redacts the text that the user typed in the file, and adds the path of the file to the
// error. It removes a file that was not edited.
func keepTyped(s *app.Repo, file, form string, failed error) error {
	typed, err := readEdited(file)
	if err == nil && typed == form {
		_ = removeForm(file) // memory holds its content
		return failed
	}
	if err == nil {
		err = os.WriteFile(file, []byte(s.Redact.Text(typed)), 0o600)
	}
	place := "your text is kept in " + file
	if err != nil {
		place = "your text could not be kept: " + err.Error()
	}
	cause := app.AsError(failed)
	return &app.Error{Kind: cause.Kind, Err: failed, Hint: place + "; " + cmp.Or(cause.Hint, "try again")}
}

// removeForm removes the file and, if it was the last one, its folder.
func removeForm(file string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	if names, err := os.ReadDir(filepath.Dir(file)); err != nil || len(names) > 0 {
		return err
	}
	return os.Remove(filepath.Dir(file))
}
