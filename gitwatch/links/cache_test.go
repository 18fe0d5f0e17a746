package links

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestLinkCacheDamage: results that are not as they were written are dropped, never believed.
func TestLinkCacheDamage(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	gittest.Want(t, "first", l.links(e), "here")
	whole, err := os.ReadFile(l.files.Cache)
	gittest.Must(t, err)
	for i := range whole {
		data := append([]byte{}, whole...)
		data[i] ^= 1
		gittest.Must(t, os.WriteFile(l.files.Cache, data, 0o600))
		if _, err := load(l.files.Cache); err == nil {
			t.Fatalf("byte %d was changed and nobody noticed", i)
		}
	}
	gittest.Must(t, os.WriteFile(l.files.Cache, whole[:len(whole)-1], 0o600))
	gittest.Want(t, "cut", l.links(e), "here")
	if _, err := load(l.files.Cache); err != nil {
		t.Error("it was not written anew")
	}
}

// TestLinkCacheBound: a cache that grew too large is built again.
func TestLinkCacheBound(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	links, err := Open(t.Context(), l.Open(), l.files)
	gittest.Must(t, err)
	var ids []string
	for n := range maxCache / 40 {
		ids = append(ids, fmt.Sprintf("%040x", n))
	}
	links.state.reachable.add(ids...)
	links.changed = true
	gittest.Must(t, links.Save())
	if info, err := os.Stat(l.files.Cache); err != nil || info.Size() > 100 {
		t.Fatalf("%v, error %v", info, err)
	}
	gittest.Want(t, "anew", l.links(e), "here")
}

func TestIDSet(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("%040x", n) }
	var s idSet
	s.add(id(5), id(1), id(3))
	s.add(id(4), id(3))
	s.remove([]string{id(1), id(9)})
	var got []string
	for n := range 7 {
		got = append(got, fmt.Sprint(s.has(id(n))))
	}
	gittest.Want(t, "has", strings.Join(got, " "), "false false false true true true false")
}
