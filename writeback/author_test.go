package writeback

import (
	"errors"
	"testing"
	"time"

	"agentflow/memory"
)

// TestWhoWroteANote: the log knows which agent changed a file of notes last, and
// which of its lines a person wrote, also once a checkpoint took the place of
// its records, when the file moved, and when it was away.
func TestWhoWroteANote(t *testing.T) {
	for _, rotate := range []int64{1, 1 << 20} {
		p := newPlace(t)
		p.RotateAt = rotate
		by := func(agent string) *Author {
			return &Author{Agent: agent, Session: "s", At: time.Unix(1, 0).UTC()}
		}
		apply := func(agent string, edits ...memory.FileEdit) error {
			return p.open().Apply(t.Context(), Change{Command: "memory tool", By: by(agent), Edits: edits})
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		const a, b = "notes/a.md", "notes/b.md"
		must(apply("one", memory.FileEdit{File: a, After: []byte("x\ny\n")}))
		p.write(a, "x\nby hand\ny\n")
		p.recover()
		must(apply("two", memory.FileEdit{File: a, Before: []byte("x\nby hand\ny\n"), After: []byte("by hand\nz\n")}))
		must(apply("three", memory.FileEdit{File: b, After: []byte("by hand\nz\n")}, memory.FileEdit{File: a, Before: []byte("by hand\nz\n")}))
		var hand *HandError
		if err := apply("four", memory.FileEdit{File: b, Before: []byte("by hand\nz\n"), After: []byte("z\n")}); !errors.Is(err, ErrByHand) || !errors.As(err, &hand) || hand.File != b || hand.Line != 1 {
			t.Errorf("taking the line out: %v", err)
		}
		if err := apply("four", memory.FileEdit{File: b, Before: []byte("by hand\nz\n")}); !errors.Is(err, ErrByHand) {
			t.Errorf("taking the file away: %v", err)
		}
		// A person takes the file away, and brings it back.
		must(p.open().Apply(t.Context(), Change{Command: "forget", ForgetFiles: []string{b}, Edits: []memory.FileEdit{{File: b, Before: []byte("by hand\nz\n")}}}))
		if _, err := p.open().Restore(t.Context(), []string{memory.WholeFile(b)}); err != nil {
			t.Fatal(err)
		}
		must(apply("five", memory.FileEdit{File: b, Before: []byte("by hand\nz\n"), After: []byte("by hand\n")}))
		if err := apply("six", memory.FileEdit{File: b, Before: []byte("by hand\n"), After: []byte{}}); !errors.Is(err, ErrByHand) {
			t.Errorf("taking the line out of a restored file: %v", err)
		}
		authors, err := p.open().Authors(t.Context())
		if err != nil || len(authors) != 1 || authors[b] != *by("five") {
			t.Errorf("the authors are %+v, %v", authors, err)
		}
	}
}
