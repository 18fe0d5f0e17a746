package app

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) rememberCommand() *cobra.Command {
	var flags factFlags
	var older string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remember [flags] TEXT…",
		Short: "Put a fact into memory",
		Long: `Remember appends a dated note with the fact to memory and prints its id. The
text is the words given, or - to read it from standard input; the flags for what
happened, and for a way to do something, put lines of their own behind it.
Secrets in it are redacted, as everywhere.

With --supersedes the older fact is struck in the same change, and what no flag
says is taken over from it. A fact that the namespace holds already is not
written again. With --namespace global it goes to your own memory, which counts
in all your repositories and is in none of them.`,
		Example: `  agentflow remember "The login test depends on the clock; use synctest."
  agentflow remember --key deploy.day --supersedes 3f9a1c "We deploy on Tuesdays."
  agentflow remember --type procedural --name release --steps "Tag." --steps "Push the tag."`,
		RunE: func(cmd *cobra.Command, args []string) error {
			fact, err := flags.fact(cmd, nil, time.Now())
			if err != nil {
				return err
			}
			text, err := a.factText(args, flags.parts)
			if err != nil {
				return err
			}
			s, fact, err := a.placed(cmd, &flags, fact, older)
			if err != nil {
				return err
			}
			fact.Text = text
			clean := fact.Redacted(s.redact.Text)
			if redact.Marks(clean.Text) > redact.Marks(fact.Text) {
				s.say("what looks like a secret in the text was redacted, and is not stored")
			}
			return s.remember(cmd, clean, asJSON)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&older, "supersedes", "", "strike this fact, which the new one replaces: an `id`, or 'last'")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object of the memory")
	return cmd
}

// factText is the text to remember.
func (a *operation) factText(words []string, parts memory.Parts) (string, error) {
	parts.Text = strings.TrimSpace(strings.Join(words, " "))
	if len(words) == 1 && words[0] == "-" {
		data, err := io.ReadAll(io.LimitReader(a.in, maxFact+1))
		if err != nil {
			return "", fmt.Errorf("reading the text to remember: %w", err)
		}
		parts.Text = strings.TrimSpace(string(data))
	}
	switch text := parts.String(); {
	case len(text) > maxFact:
		return "", usagef("the text to remember is larger than %s", size(maxFact))
	case text == "":
		return "", &Error{Kind: KindUsage, Err: fmt.Errorf("the text to remember is empty"), Hint: "see 'agentflow remember --help'"}
	default:
		return text, nil
	}
}

// maxFact bounds what is read as one fact; more is a mistake, such as a file.
const maxFact = 64 << 10

// placed opens the memory that a fact is to go to and completes the fact: an
// older one that it replaces has a say in both.
func (a *operation) placed(cmd *cobra.Command, flags *factFlags, fact memory.Fact, older string) (*site, memory.Fact, error) {
	ctx := cmd.Context()
	var s *site
	var err error
	if fact.Namespace == memory.GlobalNamespace {
		s, err = a.globalSite(ctx, true)
	} else {
		s, err = a.writable(ctx)
	}
	if err != nil {
		return nil, fact, err
	}
	if older != "" {
		home, old, err := s.superseded(ctx, older)
		if err != nil {
			return nil, fact, err
		}
		if fact, err = flags.fact(cmd, &old.Fact, time.Now()); err != nil {
			return nil, fact, err
		}
		if home != s && cmd.Flags().Changed("namespace") {
			return nil, fact, usagef("%s is in your own memory: --namespace %s cannot hold what replaces it", memory.ShortID(old.ID), namespaceText(fact.Namespace))
		}
		s, fact.Supersedes = home, old.ID
	}
	fact.Namespace, err = s.completed(ctx, fact.Namespace)
	return s, fact, err
}

// remember writes the note, strikes the fact it replaces, and brings the
// index up to date.
func (s *site) remember(cmd *cobra.Command, fact memory.Fact, asJSON bool) error {
	now := time.Now()
	known := s.facts()
	if k, ok := same(known, fact, now); ok && fact.Supersedes == "" {
		return s.remembered(k.object(), k.place(), true, nil, asJSON)
	}
	fact.Source, fact.Created = memory.ByHand, now
	meta := writeback.Meta{Worktree: s.Linked}
	if repo, err := s.repo(cmd.Context()); err == nil {
		meta.Branch, fact.Commit, _ = repo.Head(cmd.Context())
		meta.Base = fact.Commit
	}
	done, err := s.write(cmd.Context(), fact, now, meta)
	if err != nil {
		return err
	}
	if said := done.Said; said != nil { // somebody else said it since we looked
		place := storedBlock{File: path.Join(filepath.Base(s.Memory()), said.File), Path: filepath.Join(s.Memory(), filepath.FromSlash(said.File))}
		k := s.factAt(place, markdown.FactAt{Fact: said.Fact, StartLine: said.StartLine, EndLine: said.EndLine})
		return s.remembered(k.object(), k.place(), true, nil, asJSON)
	}
	s.reindex(cmd.Context(), "remember")
	return s.remembered(api.NewFact(done.Entry.Facts[0].Normal()), s.shown(done.File), false, sameKey(known, fact, now), asJSON)
}

func (s *site) write(ctx context.Context, fact memory.Fact, now time.Time, meta writeback.Meta) (writeback.Remembered, error) {
	if fact.Supersedes != "" {
		entry, path, err := s.store.Supersede(ctx, fact, now, meta)
		if err == nil {
			s.say("struck %s, which it replaces", memory.ShortID(fact.Supersedes))
		}
		return writeback.Remembered{Entry: entry, File: path}, err
	}
	done, err := s.store.Remember(ctx, fact, now, meta)
	if err != nil {
		err = notRecorded(err)
	}
	return done, err
}

// rememberObject is what remember --json prints.
type rememberObject struct {
	api.Fact
	Existing bool     `json:"existing"`           // memory held it already; nothing was written
	SameKey  []string `json:"same_key,omitempty"` // ids of older facts that hold and have its key
}

func (s *site) remembered(o api.Fact, place string, existing bool, rivals []storedFact, asJSON bool) error {
	out := rememberObject{Fact: o, Existing: existing}
	for _, k := range rivals {
		out.SameKey = append(out.SameKey, k.ID)
	}
	if asJSON {
		return s.json(out)
	}
	if existing {
		s.say("memory holds that already, in %s", place)
	} else {
		s.say("remembered in %s", place)
	}
	for _, k := range rivals {
		s.say("%s has the key %s too: %s", memory.ShortID(k.ID), cleanLine(k.Key), memory.Title(k.Text))
		s.hint("'agentflow consolidate' lets the newer stand; --supersedes %s says so at once", memory.ShortID(k.ID))
	}
	s.printf("%s\n", memory.ShortID(o.ID))
	return nil
}

// same finds the fact that says what f says and holds in its namespace.
func same(known []storedFact, f memory.Fact, now time.Time) (storedFact, bool) {
	for _, k := range known {
		if k.ID != "" && k.Live(now) && sameFact(k.Fact, f) {
			return k, true
		}
	}
	return storedFact{}, false
}

// sameFact says whether two facts of one memory say the same of the same
// namespace. In the user's own memory the project's name means all of it.
func sameFact(a, b memory.Fact) bool {
	place := func(f memory.Fact) string {
		if f.Namespace == memory.GlobalNamespace {
			return memory.ProjectNamespace
		}
		return memory.NamespaceOf(f.Namespace)
	}
	return place(a) == place(b) && consolidate.Same(a.Text) == consolidate.Same(b.Text)
}

// sameKey lists the other facts that hold in f's namespace and have its key.
func sameKey(known []storedFact, f memory.Fact, now time.Time) []storedFact {
	var list []storedFact
	for _, k := range known {
		if f.Key != "" && k.Key == f.Key && k.ID != f.Supersedes && k.Namespace == f.Namespace && k.Live(now) {
			list = append(list, k)
		}
	}
	return list
}
