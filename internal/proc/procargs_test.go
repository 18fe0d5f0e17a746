//go:build linux || darwin

package proc

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

func TestHoldsTag(t *testing.T) {
	for environ, want := range map[string]bool{
		"A=b\x00AGENTFLOW_RUN_ID=one\x00C=d\x00": true,
		"AGENTFLOW_RUN_ID=one":                   true,
		"AGENTFLOW_RUN_ID=one2\x00":              false,
		"AGENTFLOW_RUN_ID=on\x00":                false,
		"XAGENTFLOW_RUN_ID=one\x00":              false,
		"A=AGENTFLOW_RUN_ID=one\x00":             false,
		"":                                       false,
	} {
		if got := holdsTag([]byte(environ), "one"); got != want {
			t.Errorf("%q: %v", environ, got)
		}
	}
}

func procargs(count uint32, path string, pad int, argv, environ string) []byte {
	raw := binary.NativeEndian.AppendUint32(nil, count)
	return append(raw, path+strings.Repeat("\x00", pad+1)+argv+environ...)
}

func TestSplitArgs(t *testing.T) {
	argv, environ := splitArgs(procargs(2, "/bin/sh", 5, "sh\x00-c\x00", "A=b\x00\x00"))
	if string(argv) != "sh\x00-c\x00" || string(environ) != "A=b\x00\x00" {
		t.Errorf("%q %q", argv, environ)
	}
}

func FuzzSplitArgs(f *testing.F) {
	f.Add([]byte("abc"), "/bin/sh", uint8(3), "x\x00y", "A=b")
	f.Add(procargs(1<<31, "p", 0, "a", ""), "p", uint8(0), "", "")
	f.Fuzz(func(t *testing.T, any []byte, path string, pad uint8, arg, entry string) {
		splitArgs(any) // must not panic on any input
		path, arg = strings.ReplaceAll(path, "\x00", "p"), "a"+strings.ReplaceAll(arg, "\x00", "a")
		want := []byte(arg + "\x00\x00second\x00")
		argv, environ := splitArgs(procargs(3, path, int(pad), string(want), entry))
		if !bytes.Equal(argv, want) || string(environ) != entry {
			t.Fatalf("%q %q", argv, environ)
		}
	})
}
