package fact

import (
	"context"
	"fmt"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/memory"
)

// PinRequest names the entries and facts to pin or unpin.
type PinRequest struct {
	IDs    []string // each an id, the end of one, or "last"
	Pinned bool     // false: remove the mark
}

// PinResult lists the results.
type PinResult struct {
	Pins     []api.Pin // in the order of the ids; never nil
	Degraded []string
}

// Pin marks entries and facts, each in the memory that holds it, so that their age no longer counts. If one of them is
// not found, it marks none. Errors have KindUsage, KindNoPlace, KindNotFound or KindLocked.
func Pin(ctx context.Context, m *app.Memory, req PinRequest) (result PinResult, err error) {
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
	command, marked := "unpin", "unpinned"
	if req.Pinned {
		command, marked = "pin", "pinned"
	}
	result.Pins = []api.Pin{}
	homes := make([]*app.Repo, len(req.IDs))
	for i, ref := range req.IDs {
		home, f, err := lookup.FindAnywhere(ctx, s, ref)
		if err == nil {
			err = f.OthersAlone("having " + marked)
		}
		if err != nil {
			return result, err
		}
		homes[i] = home
		result.Pins = append(result.Pins, api.Pin{ID: f.ID, Pinned: req.Pinned})
	}
	changed := map[string]*app.Repo{}
	for i, home := range homes {
		pin := &result.Pins[i]
		done, err := home.Store.Pin(ctx, pin.ID, req.Pinned)
		if err != nil {
			return result, fmt.Errorf("having %s %s: %w", memory.ShortID(pin.ID), marked, err)
		}
		pin.Title, pin.File, pin.Changed = done.Title, "memory/"+done.File, done.Changed
		changed[home.Root] = home
	}
	ids := lists.Mapped(result.Pins, func(p api.Pin) string { return p.ID })
	for _, home := range changed {
		share.FinishWrite(ctx, home, command, ids...)
	}
	return result, nil
}
