package writeback

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestOldCheckpointIsMadeAnew checks that the next writer replaces a checkpoint that an older
// program wrote, and that is read whole each time.
func TestOldCheckpointIsMadeAnew(t *testing.T) {
	p := newPlace(t)
	p.RotateAt = 1
	for n := range 60 {
		p.record(entry(n))
	}
	path := filepath.Join(p.State, "checkpoint")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte(`{"op":"contents"`)) - len("00000000 ")
	if err := os.WriteFile(path, text[:at], 0o600); err != nil {
		t.Fatal(err)
	}
	p.RotateAt = 8 << 10 // less than the checkpoint, more than the log
	if p.open().logs.Main.InParts() {
		t.Fatal("it is no old one")
	}
	want := p.files()
	p.record(entry(100))
	if !p.open().logs.Main.InParts() {
		t.Error("it is as it was")
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	for name := range want {
		if p.files()[name] == "" {
			t.Errorf("%s did not come back", name)
		}
	}
}
