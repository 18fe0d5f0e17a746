package memory

import "testing"

// TestRemoveAllByOwnID: a fact that took in another one stays when that one is
// removed, and no longer says that it did.
func TestRemoveAllByOwnID(t *testing.T) {
	const first, both = "- One. <!-- id=0199-one -->\n", "- Two. <!-- id=0199-two merged=0199-one,0199-old -->\n"
	for name, test := range map[string]struct{ src, gone, want string }{
		"in two places": {first + both, "0199-one", "- Two. <!-- id=0199-two merged=0199-old -->\n"},
		"in another":    {both, "0199-one", "- Two. <!-- id=0199-two merged=0199-old -->\n"},
		"the other":     {first + both, "0199-two", first},
		"none":          {first + both, "0199-none", first + both},
	} {
		got, ok := Parse([]byte(test.src)).RemoveAll(func(id string) bool { return id == test.gone })
		if string(got) != test.want || ok != (test.want != test.src) {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
	if rest, _, _ := Parse([]byte(first + both)).Remove("0199-one"); string(rest) != both {
		t.Errorf("Remove leaves\n%s", rest)
	}
}
