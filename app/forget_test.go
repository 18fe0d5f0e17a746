package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestForget(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	first, second := remembered(t, m, "The old walrus."), remembered(t, m, "The new walrus.")
	plan, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{first, first[len(first)-6:]}})
	if err != nil || len(plan.Targets) != 1 || plan.Targets[0].Text != "The old walrus." || plan.Targets[0].Kind != "fact" {
		t.Fatalf("%+v, %v", plan, err)
	}
	if content := memoryText(t, p.Repo); !strings.Contains(content, "old walrus") {
		t.Fatalf("the plan changed memory:\n%s", content)
	}
	done, err := ApplyForget(t.Context(), m, plan)
	if err != nil || !slices.Equal(done.Forgotten.Forgotten, []string{first}) || done.Forgotten.DryRun {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := memoryText(t, p.Repo); strings.Contains(content, "old walrus") || !strings.Contains(content, "new walrus") {
		t.Errorf("memory holds\n%s", content)
	}
	// An item that was taken out already is no obstacle.
	if done, err = ApplyForget(t.Context(), m, plan); err != nil {
		t.Errorf("the same plan again: %+v, %v", done, err)
	}
	back, err := Restore(t.Context(), m, RestoreRequest{IDs: []string{first}})
	if err != nil || len(back.Restored) != 1 || !strings.Contains(memoryText(t, p.Repo), "old walrus") {
		t.Errorf("%+v, %v", back, err)
	}
	pins, err := Pin(t.Context(), m, PinRequest{IDs: []string{first}, Pinned: true})
	if err != nil || len(pins.Pins) != 1 || !pins.Pins[0].Changed {
		t.Fatalf("%+v, %v", pins, err)
	}
	plan, err = PlanForget(t.Context(), m, ForgetRequest{Before: time.Now().Add(time.Hour), Type: "semantic"})
	if err != nil || plan.Pinned != 1 || len(plan.Targets) != 1 || plan.Targets[0].ID != second {
		t.Errorf("by age: %+v, %v", plan, err)
	}
}

// A plan is refused if the text of its fact changed since, and applied if other facts were added to its file.
func TestForgetRefusesWhatChanged(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The widget is round.")
	moved, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	remembered(t, m, "The gadget is flat.")
	text := "The widget is square."
	if _, err := Edit(t.Context(), m, EditRequest{ID: id, FactChange: FactChange{Text: &text}}); err != nil {
		t.Fatal(err)
	}
	_, err = ApplyForget(t.Context(), m, moved)
	wantKind(t, err, KindRefused)
	if !errors.Is(err, ErrPlanChanged) || !strings.Contains(memoryText(t, p.Repo), "square") {
		t.Errorf("%v; memory holds\n%s", err, memoryText(t, p.Repo))
	}
	plan, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	remembered(t, m, "The gizmo is hollow.")
	if _, err := ApplyForget(t.Context(), m, plan); err != nil || strings.Contains(memoryText(t, p.Repo), "square") {
		t.Errorf("%v; memory holds\n%s", err, memoryText(t, p.Repo))
	}
}

func TestPurge(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The hush-hush xylophone.")
	plan, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}, Purge: true})
	if err == nil {
		_, err = ApplyForget(t.Context(), m, plan)
	}
	if err != nil || p.holds("xylophone") {
		t.Errorf("%v; the text is still there: %v", err, p.holds("xylophone"))
	}
	_, err = Restore(t.Context(), m, RestoreRequest{IDs: []string{id}})
	wantKind(t, err, KindRefused)
	_, err = Restore(t.Context(), m, RestoreRequest{IDs: []string{"ffffff"}})
	wantKind(t, err, KindNotFound)
}

func TestForgetPinAndRestoreErrors(t *testing.T) {
	m, nowhere := newRepository(t).memory(), newFolder(t).memory()
	id := remembered(t, m, "The widget is round.")
	for _, c := range []struct {
		m    *Memory
		req  ForgetRequest
		want Kind
	}{
		{m, ForgetRequest{}, KindUsage},
		{m, ForgetRequest{Type: "semantic"}, KindUsage},
		{m, ForgetRequest{IDs: []string{id}, Tags: []string{"x"}}, KindUsage},
		{m, ForgetRequest{Tags: []string{"x"}, Type: "dream"}, KindUsage},
		{m, ForgetRequest{Query: "x", Limit: -1}, KindUsage},
		{m, ForgetRequest{IDs: []string{"ffffff"}}, KindNotFound},
		{nowhere, ForgetRequest{IDs: []string{id}}, KindNoPlace},
	} {
		_, err := PlanForget(t.Context(), c.m, c.req)
		wantKind(t, err, c.want)
	}
	_, err := Pin(t.Context(), m, PinRequest{IDs: []string{id, "ffffff"}, Pinned: true})
	wantKind(t, err, KindNotFound)
	if plan, err := PlanForget(t.Context(), m, ForgetRequest{Type: "semantic", Before: time.Now().Add(time.Hour)}); err != nil || plan.Pinned != 0 {
		t.Errorf("one of the ids was pinned all the same: %+v, %v", plan, err)
	}
	_, err = Pin(t.Context(), nowhere, PinRequest{IDs: []string{id}})
	wantKind(t, err, KindNoPlace)
	_, err = Restore(t.Context(), m, RestoreRequest{IDs: []string{id}})
	wantKind(t, err, KindRefused)
	_, err = Restore(t.Context(), nowhere, RestoreRequest{})
	wantKind(t, err, KindNoPlace)
}
