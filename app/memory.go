package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/plural"

	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) restoreCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore [flags] [ID…]",
		Short: "Bring back entries that vanished or were forgotten",
		Long: `Restore writes entries back from the log: those with the given ids (forgotten
ones too), or without ids every entry that vanished without forget. What was
purged cannot come back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.siteOrGlobal(cmd.Context(), a.site)
			if err != nil {
				return err
			}
			if s, err = s.whoLost(cmd.Context(), args); err != nil {
				return err
			}
			ids, err := s.restorable(cmd.Context(), args)
			if err != nil {
				return err
			}
			refs, err := s.store.Restore(cmd.Context(), ids)
			if err != nil {
				return err
			}
			db, degraded := s.indexed(cmd.Context())
			if db != nil {
				defer db.Close()
			}
			s.degraded("memory restore", degraded)
			if asJSON {
				return a.json(map[string]any{"restored": filled(refs)})
			}
			for _, ref := range refs {
				a.printf("%s  %s\n", memory.ShortID(ref.ID), memory.Clean(fmt.Sprintf("%s  (%s)", ref.Title, ref.File)))
			}
			if len(args) == 0 && len(refs) == 0 {
				a.say("nothing is missing")
				a.hint("'agentflow memory restore ID' brings back what was forgotten")
				return nil
			}
			a.say("restored %s", plural.Count(len(refs), "entry"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: restored")
	return cmd
}

// whoLost is the memory that what args name was lost of: this one or, where it
// knows none of them, the user's own.
func (s *site) whoLost(ctx context.Context, args []string) (*site, error) {
	if len(args) == 0 || s.isGlobal() {
		return s, nil
	}
	global, err := s.globalSite(ctx, false)
	if err != nil {
		s.warn("%v", err)
	}
	if global == nil {
		return s, nil
	}
	for _, home := range []*site{s, global} {
		lost, err := home.store.Lost(ctx)
		if err != nil {
			return nil, err
		}
		for _, ref := range lost {
			if slices.ContainsFunc(args, func(arg string) bool { return endsID(ref.ID, arg) }) {
				return home, nil
			}
		}
	}
	return s, nil
}

// endsID says whether short is the end of an id, or all of it.
func endsID(id, short string) bool {
	return len(short) >= 4 && strings.HasSuffix(id, strings.ToLower(short))
}

// restorable turns short ids into whole ones; without any it lists all that
// vanished. An id that the log does not know stays as it is: the error about
// it is the store's.
func (s *site) restorable(ctx context.Context, args []string) ([]string, error) {
	var ids []string
	if len(args) == 0 {
		vanished, err := s.store.Vanished(ctx)
		for _, ref := range vanished {
			ids = append(ids, ref.ID)
		}
		return ids, err
	}
	known, err := s.store.Lost(ctx)
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		id, err := wholeID(arg, known)
		if err != nil {
			return nil, err
		}
		lost := slices.ContainsFunc(known, func(ref writeback.Ref) bool { return ref.ID == id })
		if f, err := s.find(arg, ""); !lost && arg != "last" && err == nil {
			return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("restoring %s: it is not lost: it stands in %s", memory.ShortID(f.ID), f.place()),
				Hint: "'agentflow show " + memory.ShortID(f.ID) + "' prints it"}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func wholeID(short string, known []writeback.Ref) (string, error) {
	id := short
	for _, ref := range known {
		if !endsID(ref.ID, short) {
			continue
		}
		if id != short && id != ref.ID {
			return "", &Error{Kind: KindUsage, Err: fmt.Errorf("restoring %s: more than one id ends so", short), Hint: "give more digits"}
		}
		id = ref.ID
	}
	return id, nil
}
