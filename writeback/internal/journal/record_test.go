package journal

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzRecord(f *testing.F) {
	f.Add([]byte("a\\n\nb\t\x00\xff"), "id", "file", []byte("00000000 {}\t"))
	f.Fuzz(func(t *testing.T, text []byte, id, name string, other []byte) {
		id, name = strings.ToValidUTF8(id, "?"), strings.ToValidUTF8(name, "?")
		want := Record{Op: OpEntry, ID: id, File: name, Text: text}
		line := want.Encode(nil)
		if n := strings.Count(string(line), "\n"); n != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("%d newlines in %q", n, line)
		}
		got, err := Decode(line[:len(line)-1])
		if err != nil || got.ID != id || got.File != name || string(got.Text) != string(text) {
			t.Fatalf("got %+v, error %v", got, err)
		}
		line[len(line)/2] ^= 1
		if _, err := Decode(line[:len(line)-1]); err == nil {
			t.Fatal("a flipped bit was not noticed")
		}
		if end, _ := Each("other", other, 7, func(Record, int64) {}); end != 7+int64(bytes.LastIndexByte(other, '\n'))+1 {
			t.Errorf("%q ends at %d", other, end)
		}
	})
}
