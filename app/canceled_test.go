package app_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/app/why"
	"agentflow/internal/testing/apptest"
)

// TestCanceledIsNoFailure checks that no failure is recorded for a canceled call, and that other
// failures meanwhile are recorded.
func TestCanceledIsNoFailure(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.StoredBy(t, p.Memory(), "The okapi sleeps in the pantry.")
	ctx, cancel := context.WithCancel(t.Context())
	o := p.Memory().Begin(ctx)
	s := apptest.Must(o.OpenExisting(ctx))(t)
	cancel()
	s.Degraded("search", []string{"searching the index: context canceled", "git log: signal: killed", "writing the log: no space left on device"})
	if lines := o.All(); len(lines) != 1 || !strings.Contains(lines[0], "no space") {
		t.Errorf("degraded are %q", lines)
	}
	if _, err := search.Search(ctx, p.Memory(), search.SearchRequest{Text: "okapi", Limit: 5}); !errors.Is(err, context.Canceled) && err != nil {
		t.Logf("the search says %v", err)
	}
	failures := apptest.Must(setup.Status(t.Context(), p.Memory(), setup.StatusRequest{}))(t).Status.Failures
	if len(failures) != 1 || !strings.Contains(failures[0].What, "no space") {
		t.Errorf("failures are %+v", failures)
	}
}

// TestTooLongIsUsage checks that a name that is too long for the system is a usage error.
func TestTooLongIsUsage(t *testing.T) {
	if known := app.AsError(&app.Error{Kind: app.KindInternal, Err: syscall.ENAMETOOLONG}); known.Kind != app.KindInternal {
		t.Errorf("a kind that is known became %s", known.Kind)
	}
	p := apptest.NewRepository(t)
	apptest.StoredBy(t, p.Memory(), "The okapi sleeps in the pantry.")
	long := strings.Repeat("a", 5000)
	m := p.Memory()
	for name, ask := range map[string]func(text string) error{
		"why": func(text string) error { _, err := why.Why(t.Context(), m, why.WhyRequest{Path: text}); return err },
		"why in parts": func(text string) error {
			_, err := why.Why(t.Context(), m, why.WhyRequest{Path: "a/" + text[:300]})
			return err
		},
		"passage": func(text string) error {
			_, err := list.Passage(t.Context(), m, list.PassageRequest{File: "memory/" + text + ".md"})
			return err
		},
		"fact": func(text string) error { _, err := list.Show(t.Context(), m, list.ShowRequest{Ref: text}); return err },
		"search in": func(text string) error {
			_, err := search.Search(t.Context(), m, search.SearchRequest{Text: text, Limit: 1})
			return err
		},
	} {
		for _, text := range []string{long, long[:400] + "\x00" + long[:20]} {
			if err := ask(text); err != nil && app.AsError(err).Kind != app.KindUsage && app.AsError(err).Kind != app.KindNotFound {
				t.Errorf("%s: %s: %.200v", name, app.AsError(err).Kind, err)
			}
		}
	}
}
