package objects

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

func TestParseCommit(t *testing.T) {
	who := "A B <a@b> 1700000000 +0100"
	for _, c := range []struct{ raw, want string }{
		{"tree " + gittest.IDA + "\nauthor " + who + "\ncommitter " + who + "\n\nsubject\nmore\n\nbody\n", gittest.IDA + " [] 1700000000 subject more|body"},
		{"tree " + gittest.IDA + "\nparent " + gittest.IDB + "\nparent " + gittest.IDC + "\nauthor " + who + "\ncommitter " + who + "\ngpgsig -----BEGIN\n tree " + gittest.IDB + "\n \n -----END\n\ns", gittest.IDA + " [" + gittest.IDB + " " + gittest.IDC + "] 1700000000 s"},
		{"tree " + gittest.IDA + "\nauthor " + who + "\ncommitter " + who + "\n", gittest.IDA + " [] 1700000000 "}, // no message
		{"tree " + gittest.IDA + "\nauthor x\ncommitter <> never\n\ns\n", gittest.IDA + " [] 0 s"},
		{"tree " + strings.Repeat("ab", 32) + "\nauthor x\ncommitter <a> 7 +0000\n\ns\n", strings.Repeat("ab", 32) + " [] 7 s"},
		{"tree abc\n\ns\n", "it is damaged"},
		{"tree " + gittest.IDA + "\nparent x\n\ns\n", "it is damaged"},
		{"", "it is damaged"},
	} {
		got, err := parseCommit("", []byte(c.raw))
		told := fmt.Sprint(err)
		if err == nil {
			told = strings.TrimSuffix(fmt.Sprintf("%s %s %d %s|%s", got.tree, got.Parents, got.Time, got.Subject, got.Body), "|")
		}
		gittest.Want(t, c.raw, told, c.want)
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00"+strings.Repeat("\x01", 20)+"40000 b\x00"+strings.Repeat("\x02", 20)), false)
	f.Add([]byte("100664 a b\x00"+strings.Repeat("\x01", 32)), true)
	f.Add([]byte("100644 a"), false)
	f.Fuzz(func(t *testing.T, raw []byte, wide bool) {
		width := 20
		if wide {
			width = 32
		}
		entries, err := parseTree(raw, width)
		if err != nil {
			return
		}
		size := 0
		for _, e := range entries {
			if len(e.Hash) != width || strings.Contains(e.Name, "\x00") {
				t.Fatalf("entry %+v", e)
			}
			size += len(e.Name) + 1 + width + 2 // at least one digit and a space
		}
		if size > len(raw) || (len(entries) == 0) != (len(raw) == 0) {
			t.Fatalf("%d entries of %d bytes", len(entries), len(raw))
		}
	})
}
