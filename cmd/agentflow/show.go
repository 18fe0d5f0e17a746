package main

import (
	"context"
	"strings"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (a *app) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show [flags] ID|last",
		Short:   "Print one entry as it stands in memory",
		Long:    "Show prints the entry with that id, or the one that holds the fact with that id,\nas it stands in the Markdown, and for a run what memory had put in front of it,\nnumbered for 'forget --hit'. An id may be cut to its last 4 or more digits.",
		Example: "  agentflow show last\n  agentflow show 3f9a1c --json",
		Args:    exactly(1, "one id, or 'last'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.reading(cmd.Context())
			if err != nil {
				return err
			}
			f, err := s.find(args[0], memory.KindRun)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(s.object(cmd.Context(), f))
			}
			a.printf("%s\n", strings.TrimRight(memory.Clean(string(f.Raw)), "\n"))
			a.printf("%s\n", a.dim(f.place()))
			s.printLinks(cmd.Context(), f.Entry)
			s.printRecalled(f.Entry)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON run object")
	return cmd
}

// object is the JSON form: a run object, or the fact when it stands in text
// that is no entry.
func (s *site) object(ctx context.Context, f found) any {
	if f.Entry != nil {
		o := newRunObject(*f.Entry, f.Path)
		o.Recalled, _ = s.recalled(f.Entry)
		o.link(s.linked(ctx, f.Entry))
		o.Later = s.later(ctx, f.Entry)
		return o
	}
	return memoryObjects([]memory.Fact{*f.Fact})[0]
}
