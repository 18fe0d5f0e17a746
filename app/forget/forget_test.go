package forget_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/purge"
	"agentflow/internal/testing/apptest"
)

func TestForget(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	first, second := apptest.Remembered(t, m, "The old walrus."), apptest.Remembered(t, m, "The new walrus.")
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{first, first[len(first)-6:]}})
	if err != nil || len(plan.Targets) != 1 || plan.Targets[0].Text != "The old walrus." || plan.Targets[0].Kind != "fact" {
		t.Fatalf("%+v, %v", plan, err)
	}
	if content := apptest.MemoryText(t, p.Repo); !strings.Contains(content, "old walrus") {
		t.Fatalf("the plan changed memory:\n%s", content)
	}
	done, err := forget.ApplyForget(t.Context(), m, plan)
	if err != nil || !slices.Equal(done.Forgotten.Forgotten, []string{first}) || done.Forgotten.DryRun {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := apptest.MemoryText(t, p.Repo); strings.Contains(content, "old walrus") || !strings.Contains(content, "new walrus") {
		t.Errorf("memory holds\n%s", content)
	}
	// An item that was taken out already is no obstacle.
	if done, err = forget.ApplyForget(t.Context(), m, plan); err != nil {
		t.Errorf("the same plan again: %+v, %v", done, err)
	}
	back, err := forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{first}})
	if err != nil || len(back.Restored) != 1 || !strings.Contains(apptest.MemoryText(t, p.Repo), "old walrus") {
		t.Errorf("%+v, %v", back, err)
	}
	pins, err := fact.Pin(t.Context(), m, fact.PinRequest{IDs: []string{first}, Pinned: true})
	if err != nil || len(pins.Pins) != 1 || !pins.Pins[0].Changed {
		t.Fatalf("%+v, %v", pins, err)
	}
	plan, err = forget.PlanForget(t.Context(), m, forget.Request{Before: time.Now().Add(time.Hour), Type: "semantic"})
	if err != nil || plan.Pinned != 1 || len(plan.Targets) != 1 || plan.Targets[0].ID != second {
		t.Errorf("by age: %+v, %v", plan, err)
	}
}

// TestForgetWords checks that words choose the items with most of them, by the ids that other commands use.
func TestForgetWords(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	wanted := apptest.Remembered(t, m, "Tests use the clean_environ fixture of conftest.")
	apptest.Remembered(t, m, "Clean the cache before a release.")
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{Query: "clean_environ fixture"})
	if err != nil || len(plan.Targets) != 1 || plan.Targets[0].ID != wanted || plan.Targets[0].Kind != "fact" {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := forget.ApplyForget(t.Context(), m, plan); err != nil || strings.Contains(apptest.MemoryText(t, p.Repo), "fixture") {
		t.Errorf("%v; memory holds\n%s", err, apptest.MemoryText(t, p.Repo))
	}
	if back, err := forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{wanted}}); err != nil || len(back.Restored) != 1 {
		t.Errorf("%+v, %v", back, err)
	}
}

// A plan is refused if the text of its fact changed since, and applied if other facts were added to its file.
func TestForgetRefusesWhatChanged(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The widget is round.")
	moved, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Remembered(t, m, "The gadget is flat.")
	text := "The widget is square."
	if _, err := fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Change: fact.Change{Text: &text}}); err != nil {
		t.Fatal(err)
	}
	_, err = forget.ApplyForget(t.Context(), m, moved)
	apptest.WantKind(t, err, app.KindRefused)
	if !errors.Is(err, purge.ErrPlanChanged) || !strings.Contains(apptest.MemoryText(t, p.Repo), "square") {
		t.Errorf("%v; memory holds\n%s", err, apptest.MemoryText(t, p.Repo))
	}
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Remembered(t, m, "The gizmo is hollow.")
	if _, err := forget.ApplyForget(t.Context(), m, plan); err != nil || strings.Contains(apptest.MemoryText(t, p.Repo), "square") {
		t.Errorf("%v; memory holds\n%s", err, apptest.MemoryText(t, p.Repo))
	}
}

func TestPurge(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The hush-hush xylophone.")
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true})
	if err == nil {
		_, err = forget.ApplyForget(t.Context(), m, plan)
	}
	if err != nil || p.Holds("xylophone") {
		t.Errorf("%v; the text is still there: %v", err, p.Holds("xylophone"))
	}
	_, err = forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{id}})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{"ffffff"}})
	apptest.WantKind(t, err, app.KindNotFound)
}

func TestForgetPinAndRestoreErrors(t *testing.T) {
	m, nowhere := apptest.NewRepository(t).Memory(), apptest.NewFolder(t).Memory()
	id := apptest.Remembered(t, m, "The widget is round.")
	for _, c := range []struct {
		m    *app.Memory
		req  forget.Request
		want app.Kind
	}{
		{m, forget.Request{}, app.KindUsage},
		{m, forget.Request{Type: "semantic"}, app.KindUsage},
		{m, forget.Request{IDs: []string{id}, Tags: []string{"x"}}, app.KindUsage},
		{m, forget.Request{Tags: []string{"x"}, Type: "dream"}, app.KindUsage},
		{m, forget.Request{Query: "x", Limit: -1}, app.KindUsage},
		{m, forget.Request{IDs: []string{"ffffff"}}, app.KindNotFound},
		{nowhere, forget.Request{IDs: []string{id}}, app.KindNoPlace},
	} {
		_, err := forget.PlanForget(t.Context(), c.m, c.req)
		apptest.WantKind(t, err, c.want)
	}
	_, err := fact.Pin(t.Context(), m, fact.PinRequest{IDs: []string{id, "ffffff"}, Pinned: true})
	apptest.WantKind(t, err, app.KindNotFound)
	if plan, err := forget.PlanForget(t.Context(), m, forget.Request{Type: "semantic", Before: time.Now().Add(time.Hour)}); err != nil || plan.Pinned != 0 {
		t.Errorf("one of the ids was pinned all the same: %+v, %v", plan, err)
	}
	_, err = fact.Pin(t.Context(), nowhere, fact.PinRequest{IDs: []string{id}})
	apptest.WantKind(t, err, app.KindNoPlace)
	_, err = forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{id}})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = forget.Restore(t.Context(), nowhere, forget.RestoreRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)
}
