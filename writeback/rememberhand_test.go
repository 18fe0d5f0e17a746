package writeback

import (
	"strings"
	"testing"

	"agentflow/memory"
)

// TestRememberSeesHandEdits holds that what a person wrote is not written again, and
// that what they took out is.
func TestRememberSeesHandEdits(t *testing.T) {
	p := newPlace(t)
	remember := func(text string) bool {
		done, err := p.open().Remember(t.Context(), memory.Fact{Text: text}, day, Meta{})
		if err != nil {
			t.Fatal(err)
		}
		return done.Existing == nil
	}
	if !remember("Clocks are fake.") || remember("clocks are fake") {
		t.Error("one fact was not written once")
	}
	const byHand = "# Memory\n\n- Seals eat at dawn. <!-- id=0198beef-0000-7000-8000-000000000001 -->\n"
	p.write("MEMORY.md", byHand)
	p.recover()
	if remember("Seals eat at dawn.") {
		t.Error("what a person had written was written again")
	}
	p.write("MEMORY.md", strings.Replace(byHand, "dawn", "dusk", 1))
	p.recover()
	if !remember("Seals eat at dawn.") || remember("Seals eat at dusk.") {
		t.Error("an edit was not seen")
	}
}
