package setup_test

import (
	"context"
	"slices"
	"testing"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

// While the history is read, before a question about it, a person sees that, from the beginning to the end.
func TestReadingTheHistoryIsShown(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	for name, read := range map[string]func(context.Context) error{
		"the first look": func(ctx context.Context) error { _, err := setup.FindFirstLook(ctx, m); return err },
		"the commits": func(ctx context.Context) error {
			_, err := commit.Backfill(ctx, m, commit.BackfillRequest{Last: 1, DryRun: true})
			return err
		},
	} {
		ctx, events := apptest.Heard(t.Context())
		if err := read(ctx); err != nil {
			t.Fatal(err)
		}
		shown := slices.DeleteFunc(*events, func(e app.Event) bool { return e.Kind != app.EventProgress })
		if len(shown) < 2 || shown[0].Progress.What != "reading the history" || !shown[len(shown)-1].Progress.Over {
			t.Errorf("%s: %v", name, shown)
		}
	}
}
