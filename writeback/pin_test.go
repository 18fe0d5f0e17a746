package writeback

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
)

func pinned(e memory.Entry) memory.Entry {
	e.Pinned = true
	return e
}

func judgement(n int) memory.Judgement {
	return memory.Judgement{Task: entry(n).Title, Entry: entry(n - 1).ID, Title: entry(n - 1).Title, Run: entry(n).ID}
}

// wantJudged checks that the feedback file holds its heading and whole
// judgements, none twice, and these among them.
func (p *place) wantJudged(judged ...memory.Judgement) {
	p.t.Helper()
	src, err := os.ReadFile(p.path(memory.FeedbackFile))
	if errors.Is(err, os.ErrNotExist) && len(judged) == 0 {
		return
	}
	if err != nil {
		p.t.Fatal(err)
	}
	list := markdown.ParseJudgements(src)
	want, runs := items.FeedbackHead, []string{}
	for _, j := range list {
		want += markdown.FormatJudgement(j)
		runs = append(runs, j.Run)
	}
	if string(src) != want {
		p.t.Errorf("the feedback file holds more than judgements:\n%s", src)
	}
	slices.Sort(runs)
	if len(slices.Compact(runs)) != len(list) {
		p.t.Errorf("a judgement stands twice:\n%s", src)
	}
	for _, j := range judged {
		if _, ok := markdown.Judged(src, j.Run, j.Entry); !ok {
			p.t.Errorf("%+v is not in\n%s", j, src)
		}
	}
}

// TestPinAndUnpin marks an entry and a fact, says so when it was so already,
// and leaves the rest as it is.
func TestPinAndUnpin(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	hand := "- by hand <!-- id=0199cccc-bbbb-7ccc-8ddd-000000000001 tags=a -->\n"
	p.write("MEMORY.md", hand)
	s := p.open()
	for _, c := range []struct {
		id      string
		pin     bool
		changed bool
	}{{entry(1).ID, true, true}, {entry(1).ID, true, false}, {"0199cccc-bbbb-7ccc-8ddd-000000000001", true, true}} {
		got, err := s.Pin(t.Context(), c.id, c.pin)
		if err != nil || got.Changed != c.changed || got.ID != c.id || got.Title == "" {
			t.Errorf("%+v: got %+v, error %v", c, got, err)
		}
	}
	p.wantOnce(pinned(entry(1)), entry(2))
	if got := p.read("MEMORY.md"); got != strings.Replace(hand, "tags=a", "tags=a,pinned", 1) {
		t.Errorf("MEMORY.md holds %q", got)
	}
	for _, id := range []string{entry(1).ID, "0199cccc-bbbb-7ccc-8ddd-000000000001"} {
		if got, err := s.Pin(t.Context(), id, false); err != nil || !got.Changed {
			t.Errorf("unpinning: %+v, %v", got, err)
		}
	}
	p.wantOnce(entry(1), entry(2))
	if got := p.read("MEMORY.md"); got != hand {
		t.Errorf("MEMORY.md holds %q", got)
	}
	if _, err := s.Pin(t.Context(), "0199", true); !errors.Is(err, ErrNotFound) {
		t.Errorf("pinned what is not there: %v", err)
	}
	if report := p.recover(); len(report.Finished)+len(report.Vanished) > 0 {
		t.Errorf("report %+v", report)
	}
}

// TestPinnedComesBack: a folder that vanished is restored with its pins and
// judgements, and a forgotten pinned entry comes back pinned.
func TestPinnedComesBack(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	s := p.open()
	if _, err := s.Pin(t.Context(), entry(1).ID, true); err != nil {
		t.Fatal(err)
	}
	j, known, err := s.Judge(t.Context(), judgement(1))
	if err != nil || known || j.ID == "" || !j.Time.Equal(day) {
		t.Fatalf("judged %+v, %v, %v", j, known, err)
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.wantOnce(pinned(entry(1)), entry(2))
	p.wantJudged(judgement(1))
	for _, id := range []string{entry(1).ID, j.ID} {
		if _, err := s.Forget(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.read(memory.FeedbackFile); got != items.FeedbackHead {
		t.Errorf("the feedback file holds %q", got)
	}
	if _, err := s.Restore(t.Context(), []string{entry(1).ID, j.ID}); err != nil {
		t.Fatal(err)
	}
	p.wantOnce(pinned(entry(1)), entry(2))
	p.wantJudged(judgement(1))
}

// TestJudgeTwice changes nothing; taking the line out by hand takes it back,
// and nothing brings it again but saying it again.
func TestJudgeTwice(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	s := p.open()
	first, _, err := s.Judge(t.Context(), judgement(1))
	if err != nil {
		t.Fatal(err)
	}
	once := p.read(memory.FeedbackFile)
	again, known, err := s.Judge(t.Context(), judgement(1))
	if err != nil || !known || again.ID != first.ID || p.read(memory.FeedbackFile) != once {
		t.Errorf("judged again: %+v, %v, %v\n%s", again, known, err, p.read(memory.FeedbackFile))
	}
	if _, _, err := s.Judge(t.Context(), judgement(2)); err != nil {
		t.Fatal(err)
	}
	p.wantJudged(judgement(1), judgement(2))
	p.write(memory.FeedbackFile, strings.Replace(p.read(memory.FeedbackFile), markdown.FormatJudgement(first), "", 1))
	if r := p.recover(); len(r.Vanished)+len(r.Finished)+len(r.Restored) > 0 {
		t.Errorf("report %+v", r)
	}
	if got := p.read(memory.FeedbackFile); strings.Contains(got, first.ID) {
		t.Errorf("it is back: %s", got)
	}
	if _, known, err := s.Judge(t.Context(), judgement(1)); known || err != nil {
		t.Errorf("judged anew: %v, %v", known, err)
	}
	p.wantJudged(judgement(1), judgement(2))
}

// TestPurgeTakesJudgements: a purged run or entry is named by no judgement.
func TestPurgeTakesJudgements(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	for n := range 4 {
		p.record(entry(n))
	}
	for n := 1; n < 4; n++ {
		if _, _, err := s.Judge(t.Context(), judgement(n)); err != nil {
			t.Fatal(err)
		}
	}
	// The run of the first judgement, and what the second and the forgotten
	// one are about.
	j, _, err := s.Judge(t.Context(), memory.Judgement{Task: "Zanzibar", Entry: entry(1).ID, Run: entry(3).ID})
	if err == nil {
		_, err = s.Forget(t.Context(), j.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Purge(t.Context(), []string{entry(1).ID}, Traces{})
	if err != nil || !slices.Contains(report.Cleaned, p.path(memory.FeedbackFile)) {
		t.Errorf("report %+v, error %v", report, err)
	}
	p.wantJudged(judgement(3))
	if got := p.read(memory.FeedbackFile); len(markdown.ParseJudgements([]byte(got))) != 1 {
		t.Errorf("the feedback file holds\n%s", got)
	}
	for _, path := range []string{s.logs.Main.Path(), s.logs.Main.Checkpoint()} {
		if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "Zanzibar") {
			t.Errorf("%s holds a judgement of what was purged: %v", path, err)
		}
	}
}

// TestEditsAreFinished: the next command makes edits that are in the log and could not be made in
// Markdown.
func TestEditsAreFinished(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	if _, err := p.open().Pin(t.Context(), entry(2).ID, true); err != nil {
		t.Fatal(err)
	}
	left := 1
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.Memory}}
	s := p.open()
	if _, err := s.Pin(t.Context(), entry(1).ID, true); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("pinned: %v", err)
	}
	p.Sys = nil
	p.recover()
	p.wantOnce(pinned(entry(1)), pinned(entry(2)))

	left = 1
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.Memory}}
	s = p.open()
	if _, err := s.Pin(t.Context(), entry(2).ID, false); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("unpinned: %v", err)
	}
	if _, _, err := s.Judge(t.Context(), judgement(1)); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("judged: %v", err)
	}
	p.Sys = nil
	if _, known, err := p.open().Judge(t.Context(), judgement(1)); err != nil || known {
		t.Fatalf("judged: known %v, error %v", known, err)
	}
	p.wantOnce(pinned(entry(1)), entry(2))
	p.wantJudged(judgement(1))
	if r := p.recover(); len(r.Finished)+len(r.Vanished) > 0 {
		t.Errorf("report %+v", r)
	}
}
