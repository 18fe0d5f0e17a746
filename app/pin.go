package app

import (
	"fmt"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (a *operation) pinCommand() *cobra.Command {
	cmd := a.pinning(true)
	cmd.Use = "pin [flags] ID…|last"
	cmd.Short = "Keep an entry or a fact from ageing"
	cmd.Long = `Pin marks an entry or a fact, where it stands in the Markdown, so that its age
no longer counts against it and it ranks a little higher. 'unpin' takes the
mark off.`
	cmd.Example = "  agentflow pin 3f9a1c\n  agentflow pin last"
	return cmd
}

func (a *operation) unpinCommand() *cobra.Command {
	cmd := a.pinning(false)
	cmd.Use = "unpin [flags] ID…|last"
	cmd.Short = "Let a pinned entry or fact age again"
	cmd.Long = "Unpin takes off the mark that 'pin' set."
	cmd.Example = "  agentflow unpin 3f9a1c"
	return cmd
}

// pinning is what pin and unpin share.
func (a *operation) pinning(pinned bool) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Args: atLeastOne("an id, or 'last'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.siteOrGlobal(cmd.Context(), a.site)
			if err != nil {
				return err
			}
			var targets []target
			for _, ref := range args {
				home, f, err := s.findAnywhere(cmd.Context(), ref)
				if err != nil {
					return err
				}
				targets = append(targets, target{storedItem: f, home: home})
			}
			done, err := a.pin(cmd, targets, pinned)
			if asJSON && err == nil {
				return a.json(done)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list: id, title, file, pinned, changed")
	return cmd
}

// pinObject is what became of one id.
type pinObject struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	File    string `json:"file"` // relative to the .agentflow folder
	Pinned  bool   `json:"pinned"`
	Changed bool   `json:"changed"` // false: it was so already
}

// pin marks the targets, each in its own memory, and brings the index of that
// up to date.
func (a *operation) pin(cmd *cobra.Command, targets []target, pinned bool) ([]pinObject, error) {
	past := map[bool]string{true: "pinned", false: "unpinned"}[pinned]
	was := map[bool]string{true: "pinned", false: "not pinned"}[pinned]
	list := []pinObject{}
	homes := map[string]*site{}
	for _, f := range targets {
		homes[f.home.Root] = f.home
		done, err := f.home.store.Pin(cmd.Context(), f.ID, pinned)
		if err != nil {
			return list, fmt.Errorf("having %s %s: %w", memory.ShortID(f.ID), past, err)
		}
		if done.Changed {
			a.say("%s %s: %s", past, memory.ShortID(f.ID), cleanLine(done.Title))
		} else {
			a.say("%s was %s already: %s", memory.ShortID(f.ID), was, cleanLine(done.Title))
		}
		list = append(list, pinObject{f.ID, done.Title, "memory/" + done.File, pinned, done.Changed})
	}
	for _, home := range homes {
		home.reindex(cmd.Context(), cmd.Name())
	}
	return list, nil
}
