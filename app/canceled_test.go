package app

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
)

// TestCanceledIsNoFailure checks that no failure is recorded for a canceled call, and that other
// failures meanwhile are recorded.
func TestCanceledIsNoFailure(t *testing.T) {
	p := newRepository(t)
	storedBy(t, p.memory(), "The okapi sleeps in the pantry.")
	ctx, cancel := context.WithCancel(t.Context())
	o := p.memory().begin(ctx)
	s := must(o.openExisting(ctx))(t)
	cancel()
	s.degraded("search", []string{"searching the index: context canceled", "git log: signal: killed", "writing the log: no space left on device"})
	if lines := o.all(); len(lines) != 1 || !strings.Contains(lines[0], "no space") {
		t.Errorf("degraded are %q", lines)
	}
	if _, err := Search(ctx, p.memory(), SearchRequest{Text: "okapi", Limit: 5}); !errors.Is(err, context.Canceled) && err != nil {
		t.Logf("the search says %v", err)
	}
	failures := must(Status(t.Context(), p.memory(), StatusRequest{}))(t).Status.Failures
	if len(failures) != 1 || !strings.Contains(failures[0].What, "no space") {
		t.Errorf("failures are %+v", failures)
	}
}

// TestTooLongIsUsage checks that a name that is too long for the system is a usage error.
func TestTooLongIsUsage(t *testing.T) {
	if known := AsError(&Error{Kind: KindInternal, Err: syscall.ENAMETOOLONG}); known.Kind != KindInternal {
		t.Errorf("a kind that is known became %s", known.Kind)
	}
	p := newRepository(t)
	storedBy(t, p.memory(), "The okapi sleeps in the pantry.")
	long := strings.Repeat("a", 5000)
	m := p.memory()
	for name, ask := range map[string]func(text string) error{
		"why": func(text string) error { _, err := Why(t.Context(), m, WhyRequest{Path: text}); return err },
		"why in parts": func(text string) error {
			_, err := Why(t.Context(), m, WhyRequest{Path: "a/" + text[:300]})
			return err
		},
		"passage": func(text string) error {
			_, err := Passage(t.Context(), m, PassageRequest{File: "memory/" + text + ".md"})
			return err
		},
		"fact": func(text string) error { _, err := Show(t.Context(), m, ShowRequest{Ref: text}); return err },
		"search in": func(text string) error {
			_, err := Search(t.Context(), m, SearchRequest{Text: text, Limit: 1})
			return err
		},
	} {
		for _, text := range []string{long, long[:400] + "\x00" + long[:20]} {
			if err := ask(text); err != nil && AsError(err).Kind != KindUsage && AsError(err).Kind != KindNotFound {
				t.Errorf("%s: %s: %.200v", name, AsError(err).Kind, err)
			}
		}
	}
}
