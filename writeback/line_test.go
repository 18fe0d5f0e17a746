package writeback

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzLogLine(f *testing.F) {
	f.Add([]byte("a\\n\nb\t\x00\xff"), "id", "file", []byte("00000000 {}\t"))
	f.Fuzz(func(t *testing.T, text []byte, id, name string, other []byte) {
		id, name = strings.ToValidUTF8(id, "?"), strings.ToValidUTF8(name, "?")
		want := record{Op: opEntry, ID: id, File: name, Text: text}
		line := want.encode(nil)
		if n := strings.Count(string(line), "\n"); n != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("%d newlines in %q", n, line)
		}
		got, err := decode(line[:len(line)-1])
		if err != nil || got.ID != id || got.File != name || string(got.Text) != string(text) {
			t.Fatalf("got %+v, error %v", got, err)
		}
		line[len(line)/2] ^= 1
		if _, err := decode(line[:len(line)-1]); err == nil {
			t.Fatal("a flipped bit was not noticed")
		}
		newView().replay("other", other, 0)
		if s := parseSeen(bytes.NewReader(other), true); s != nil && parseSeen(bytes.NewReader(s.format()), true) == nil {
			t.Error("a seen file does not read back")
		}
	})
}
