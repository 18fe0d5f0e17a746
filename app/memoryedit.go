package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/repofile"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (a *operation) memoryEditCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "edit [flags] ID|last",
		Short: "Change a fact in your editor",
		Long: `Edit opens the text of a fact, below its attributes, in $VISUAL or $EDITOR, and
puts what you save in its place, wherever it stands. An attribute whose line you
take out stays as it is; one you leave empty is taken away. Where the fact was
edited by hand meanwhile, that counts, and your text is kept for another try.`,
		Example:           "  agentflow memory edit 3f9a1c\n  EDITOR='code --wait' agentflow memory edit last",
		Args:              exactly(1, "the id of a fact, or 'last'"),
		ValidArgsFunction: a.completeFacts,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(a.editor()) == 0 {
				return &Error{Kind: KindUsage, Err: errors.New("editing a fact: there is no editor"), Hint: "set EDITOR"}
			}
			s, err := a.siteOrGlobal(cmd.Context(), a.site)
			if err != nil {
				return err
			}
			s, f, err := s.findAnywhere(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fact, err := f.editable()
			if err != nil {
				return err
			}
			return s.editFact(cmd.Context(), fact, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object of the memory")
	return cmd
}

// editable is the fact that is meant: a note's only one is the note.
func (f storedItem) editable() (memory.Fact, error) {
	switch {
	case f.Fact != nil && f.File == feedback:
		return memory.Fact{}, &Error{Kind: KindRefused,
			Err:  fmt.Errorf("editing %s: it is a judgement, not a fact", memory.ShortID(f.ID)),
			Hint: "'agentflow forget " + memory.ShortID(f.ID) + "' takes it back"}
	case f.Fact != nil:
		return *f.Fact, nil
	case len(f.Facts) == 1 && f.Entry.Kind == memory.KindNote && f.Facts[0].ID != "":
		return f.Facts[0].Fact, nil
	}
	return memory.Fact{}, &Error{Kind: KindRefused,
		Err:  fmt.Errorf("editing %s: it is an entry, and only facts are edited so", memory.ShortID(f.ID)),
		Hint: fmt.Sprintf("its task and its summary can be edited in %s, from line %d on; what it says of git and of its result is as it was found", f.Path, f.StartLine)}
}

// editFact has a fact edited. What was typed is not lost whatever fails.
func (s *site) editFact(ctx context.Context, old memory.Fact, asJSON bool) error {
	form := factForm(old)
	path, err := s.editPlace(old.ID, form)
	if err != nil {
		return fmt.Errorf("editing %s: %w", memory.ShortID(old.ID), err)
	}
	f, err := s.edited(ctx, path, form, old)
	if err != nil {
		return s.keepEdit(path, form, fmt.Errorf("editing %s: %w", memory.ShortID(old.ID), err))
	}
	if err := errors.Join(os.Remove(path), removeIfEmpty(filepath.Dir(path))); err != nil {
		s.warn("removing what was edited: %v", err)
	}
	if asJSON {
		return s.json(api.NewFact(f))
	}
	return nil
}

// edited runs the editor and puts what it left in place of the fact.
func (s *site) edited(ctx context.Context, path, form string, old memory.Fact) (memory.Fact, error) {
	if err := s.editFile(ctx, path); err != nil {
		return old, err
	}
	data, err := repofile.Read(path, repofile.NoLink, maxMemoryFile)
	if err != nil {
		return old, err
	}
	now := time.Now()
	f, err := readForm(string(data), old, s.redact.Text, now)
	var bad formError
	if errors.As(err, &bad) {
		return old, &Error{Kind: KindUsage, Err: err}
	}
	if f.Namespace, err = s.moved(ctx, old.Namespace, f.Namespace); err != nil {
		return old, err
	}
	if string(data) == form || reflect.DeepEqual(f.Normal(), old) {
		s.say("nothing was changed")
		return old, nil
	}
	f.Updated = now
	places, left, err := s.revise(ctx, old, f.Normal())
	if err != nil {
		return old, err
	}
	s.say("changed %s in %s", memory.ShortID(f.ID), strings.Join(places, ", "))
	for _, place := range left {
		s.warn("another fact with the id %s stands in %s: it is left as it is", memory.ShortID(f.ID), place)
	}
	s.reindex(ctx, "memory edit")
	return f.Normal(), nil
}

// moved completes the namespace that was typed for a fact.
func (s *site) moved(ctx context.Context, old, typed string) (string, error) {
	if typed == old {
		return typed, nil
	}
	if (typed == memory.GlobalNamespace) != s.isGlobal() {
		return "", &Error{Kind: KindUsage, Err: errors.New("namespace: a fact cannot be moved between this repository's memory and your own"),
			Hint: "remember it there, and forget it here"}
	}
	return s.completed(ctx, typed)
}

// editPlace makes the file that is edited, in a folder of the fact's own, so
// that a purge finds it.
func (s *site) editPlace(id, form string) (string, error) {
	if len(id) != fullID || strings.ContainsAny(id, `/\.`) {
		id = "odd" // as no id of ours is
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

// keepEdit leaves the edited text, without secrets, where the user finds it,
// and says where. What was not changed goes.
func (s *site) keepEdit(path, form string, failed error) error {
	data, err := repofile.Read(path, repofile.NoLink, maxMemoryFile)
	if err == nil && string(data) == form {
		_ = errors.Join(os.Remove(path), removeIfEmpty(filepath.Dir(path)))
		return failed
	}
	if err == nil {
		err = os.WriteFile(path, []byte(s.redact.Text(string(data))), 0o600)
	}
	code, hint := classify(failed)
	kept := "your text is kept in " + path
	if err != nil {
		kept = "your text could not be kept: " + err.Error()
	}
	return codedError{code: code, err: failed, hint: kept + "; " + cmp.Or(hint, "try again")}
}

// removeIfEmpty removes a folder that nothing is in.
func removeIfEmpty(dir string) error {
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		return err
	}
	return os.Remove(dir)
}
