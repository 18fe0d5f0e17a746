package app

import (
	"context"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/memory"
	"agentflow/uses"

	"github.com/spf13/cobra"
)

func (a *operation) showCommand() *cobra.Command {
	var asJSON, stat bool
	cmd := &cobra.Command{
		Use:   "show [flags] ID|COMMIT|last",
		Short: "Print one entry as it stands in memory, or all that is known of a fact",
		Long: `Show prints the entry with that id, or the one that holds the fact with that id,
as it stands in the Markdown, and for a run what memory had put in front of it,
numbered for 'forget --hit'. Of a fact it tells all that is known; the id of one
that was merged into another stands for that. An id may be cut to its last 4 or
more digits. A commit, as git names it, stands for the entry that has it, also
when it was rewritten since. On a terminal a diff stat of what changed follows.`,
		Example:           "  agentflow show last\n  agentflow show 3f9a1c --json\n  agentflow show HEAD~2",
		Args:              exactly(1, "one id or commit, or 'last'"),
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.siteOrGlobal(cmd.Context(), a.reading)
			if err != nil {
				return err
			}
			f, err := s.lookUp(cmd.Context(), args[0])
			if args[0] != "last" { // a run: your own memory has none
				s, f, err = s.orGlobal(cmd.Context(), args[0], f, err)
			}
			if err != nil {
				return err
			}
			s.uses().Add(cmd.Context(), uses.Get, []string{f.ID}, time.Now())
			if asJSON {
				return a.json(s.object(cmd.Context(), f))
			}
			if f.Entry != nil {
				a.printf("%s\n", strings.TrimRight(memory.Clean(string(f.Raw)), "\n"))
				a.printf("%s\n", a.dim(f.place()))
			}
			if f.Fact != nil {
				s.printFact(f)
			}
			if f.Entry != nil && (stat || a.outTTY) {
				a.printStat(changesOf(f.Entry), columns(), "")
			}
			s.printLinks(cmd.Context(), f.Entry)
			s.printRecalled(f.Entry)
			return nil
		},
	}
	cmd.Flags().BoolVar(&stat, "stat", false, "the diff stat also where there is no terminal")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON run object")
	return cmd
}

// object is the JSON form: a run object, or the fact when it stands in text
// that is no entry.
func (s *site) object(ctx context.Context, f storedItem) any {
	if f.Entry != nil {
		o := api.NewRun(*f.Entry, f.Path)
		shown, _ := s.recalled(f.Entry)
		for _, h := range shown {
			o.Recalled = append(o.Recalled, api.Shown(h))
		}
		withLinks(&o, s.linked(ctx, f.Entry))
		o.Later = laterCommits(s.later(ctx, f.Entry))
		return o
	}
	return s.factOf(f).object()
}
