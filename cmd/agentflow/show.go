package main

import (
	"strings"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (a *app) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show [flags] ID|last",
		Short:   "Print one entry as it stands in memory",
		Long:    "Show prints the entry with that id, or the one that holds the fact with that id,\nas it stands in the Markdown. An id may be cut to its last 4 or more digits.",
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
				return a.json(f.object())
			}
			a.printf("%s\n", strings.TrimRight(memory.Clean(string(f.Raw)), "\n"))
			a.printf("%s\n", a.dim(f.place()))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON run object")
	return cmd
}

// object is the JSON form: a run object, or the fact when it stands in text
// that is no entry.
func (f found) object() any {
	if f.Entry != nil {
		return newRunObject(*f.Entry, f.Path)
	}
	return memoryObjects([]memory.Fact{*f.Fact})[0]
}
