package writeback

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"agentflow/memory"
)

// TestNamesThatAreNotUTF8: a file with such a name is no vanished one, and
// comes back with its folder under its own name.
func TestNamesThatAreNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system allows no such names")
	}
	p := newPlace(t)
	p.rotateAt = 1 // a checkpoint holds names too
	names := []string{"caf\xe9.md", "\"quoted.md", "\xff/\xfe.md"}
	for _, name := range names {
		p.write(name, "- one <!-- id=0199aaaa-"+memory.HashID(name)[:8]+" -->\n")
	}
	for range 3 {
		if r := p.recover(); len(r.Vanished)+len(r.Restored) > 0 {
			t.Fatalf("%+v", r)
		}
		p.record(entry(1))
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	for _, name := range names {
		if !strings.Contains(p.read(name), "- one") {
			t.Errorf("%q did not come back", name)
		}
	}
	p.write(names[0], "nothing\n")
	if r := p.recover(); len(r.Vanished) != 1 || r.Vanished[0].File != names[0] {
		t.Errorf("what was taken out is %+v", r.Vanished)
	}
}

// TestTheLogKeepsNoCopyOfWhatIsTooLarge: it is said once, nothing counts as
// vanished, and the log stays small.
func TestTheLogKeepsNoCopyOfWhatIsTooLarge(t *testing.T) {
	p := newPlace(t)
	p.mostTaken = 1 << 10
	p.write("huge.md", strings.Repeat("large\n", 1000))
	said := 0
	for range 3 {
		r, err := p.open().Recover(t.Context())
		if err != nil || len(r.Vanished) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, line := range r.Degraded {
			if strings.Contains(line, "huge.md") {
				said++
			}
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
	p.record(entry(1))
	if info, err := os.Stat(p.State + "/log"); err != nil || info.Size() > 3000 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
	if err := os.Remove(p.path("huge.md")); err != nil {
		t.Fatal(err)
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("%+v", r)
	}
}
