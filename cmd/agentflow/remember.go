package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *app) rememberCommand() *cobra.Command {
	var factType, key string
	var importance float64
	var tags []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remember [flags] TEXT…",
		Short: "Put a fact into memory",
		Long: `Remember appends a dated note with the fact to memory and prints its id.
The text is the words given, or - to read it from standard input. Secrets in
it are redacted, as everywhere.`,
		Example: `  agentflow remember "The login test depends on the clock; use synctest."
  agentflow remember --type procedural --tags release "Tag before you push."`,
		Args: atLeastOne("the text to remember"),
		RunE: func(cmd *cobra.Command, args []string) error {
			fact := memory.Fact{Type: memory.FactType(factType), Importance: importance, Tags: tags, Key: key, Source: "hand"}
			if err := oneOf("type", factType, "semantic", "episodic", "procedural"); err != nil {
				return err
			}
			if !(importance >= 0 && importance <= 1) {
				return usagef("--importance: want a number from 0 to 1, have %g", importance)
			}
			text, err := a.factText(args)
			if err != nil {
				return err
			}
			s, err := a.writable(cmd.Context())
			if err != nil {
				return err
			}
			fact.Text = s.redact.Text(text)
			return s.remember(cmd, fact, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&factType, "type", "semantic", "semantic, episodic or procedural")
	flags.Float64Var(&importance, "importance", 0.5, "from 0 to 1")
	flags.StringSliceVar(&tags, "tags", nil, "comma-separated tags")
	flags.StringVar(&key, "key", "", "what the fact is about: of two values for one key the newer counts")
	flags.BoolVar(&asJSON, "json", false, "one JSON object of the memory")
	complete(cmd, "type", "semantic", "episodic", "procedural")
	return cmd
}

// factText is the text to remember.
func (a *app) factText(words []string) (string, error) {
	if len(words) != 1 || words[0] != "-" {
		return strings.Join(words, " "), nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, maxFact+1))
	switch text := strings.TrimSpace(string(data)); {
	case err != nil:
		return "", fmt.Errorf("reading the text to remember: %w", err)
	case len(data) > maxFact:
		return "", usagef("the text to remember is larger than %s", size(maxFact))
	case text == "":
		return "", usagef("the text to remember is empty")
	default:
		return text, nil
	}
}

// maxFact bounds what is read as one fact; more is a mistake, such as a file.
const maxFact = 64 << 10

// remember writes the note and brings the index up to date.
func (s *site) remember(cmd *cobra.Command, fact memory.Fact, asJSON bool) error {
	meta := writeback.Meta{Worktree: s.Linked}
	if repo, err := s.repo(); err == nil {
		meta.Branch, fact.Commit, _ = repo.Head(cmd.Context())
		meta.Base = fact.Commit
	}
	entry, path, err := s.store.Remember(cmd.Context(), fact, time.Now(), meta)
	if err != nil {
		return notRecorded(err)
	}
	db, degraded := s.indexed(cmd.Context())
	if db != nil {
		defer db.Close()
	}
	s.degraded("remember", degraded)
	if asJSON {
		return s.json(memoryObjects(entry.Facts)[0])
	}
	s.say("remembered in %s", s.shown(path))
	s.printf("%s\n", memory.ShortID(entry.Facts[0].ID))
	return nil
}
