package reftrace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// read and move are lines as git writes them.
func read(n int) string {
	return fmt.Sprintf("04:42:12.905108 refs/debug.c:193        iterator_advance: refs/remotes/origin/team/branch-%d (0)\n", n)
}

func move(n int) string {
	return fmt.Sprintf("04:42:12.905108 refs/debug.c:71         0: HEAD %040x -> %040x (F=0x5, T=0x1) \"commit: %d\"\n", n, n+1, n)
}

// trace appends to a trace as git does.
type trace struct {
	*testing.T
	name string
	want strings.Builder
}

func (tr *trace) add(text string) {
	tr.Helper()
	f, err := os.OpenFile(tr.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		tr.Fatal(err)
	}
}

// copied is what a copy of a part of the trace holds about moves.
func (tr *trace) copied(from int64) string {
	tr.Helper()
	f, err := os.Open(tr.name)
	if err != nil {
		tr.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	var out bytes.Buffer
	if err == nil {
		err = Copy(&out, f, from, info.Size())
	}
	if err != nil {
		tr.Fatal(err)
	}
	var moves strings.Builder
	for line := range strings.Lines(out.String()) {
		if says([]byte(line)) {
			moves.WriteString(line)
		}
	}
	if moves.Len() == out.Len() {
		tr.Errorf("the copy does not say that git wrote: %.200q", out.String())
	}
	return moves.String()
}

func (tr *trace) onDisk() int64 {
	tr.Helper()
	info, err := os.Stat(tr.name)
	if err != nil {
		tr.Fatal(err)
	}
	return onDisk(info)
}

// TestTrim: of 50 MB of reads with moves between them, the moves stay, each in its
// place unless the file shrinks, and the disk has a few megabytes.
func TestTrim(t *testing.T) {
	for name, shrinks := range map[string]bool{"in place": false, "shrinking": true} {
		t.Run(name, func(t *testing.T) { testTrim(t, shrinks) })
	}
}

func testTrim(t *testing.T, shrinks bool) {
	if runtime.GOOS != "linux" {
		t.Skip("no part of a file can be freed")
	}
	tr := &trace{T: t, name: filepath.Join(t.TempDir(), "refs.log")}
	trimmer := NewTrimmer(tr.name)
	trimmer.Shrinks = shrinks
	var reads strings.Builder
	for n := range 10_000 {
		reads.WriteString(read(n))
	}
	var half int64
	wantHalf := 0
	most := int64(0)
	for n := range 50 {
		if n == 25 {
			info, err := os.Stat(tr.name)
			if err != nil {
				t.Fatal(err)
			}
			half, wantHalf = info.Size(), tr.want.Len()
		}
		tr.add(reads.String() + move(n) + read(n) + "04:42")
		tr.add(move(n + 1)[5:]) // a line in two writes
		tr.want.WriteString(move(n) + move(n+1))
		if err := trimmer.Trim(); err != nil {
			t.Fatal(err)
		}
		most = max(most, tr.onDisk())
	}
	if got := tr.copied(0); got != tr.want.String() {
		t.Errorf("of %d bytes about moves, %d are left", tr.want.Len(), len(got))
	}
	if got, want := tr.copied(half), tr.want.String()[wantHalf:]; !shrinks && got != want {
		t.Errorf("of %d bytes about moves in the second half, %d are left", len(want), len(got))
	}
	if most > 2*step {
		t.Errorf("%d bytes on the disk", most)
	}
	info, err := os.Stat(tr.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes long, %d on the disk", info.Size(), tr.onDisk())
}

// TestTrimWhileGitAppends: what git appends during a trim is freed by the next one.
func TestTrimWhileGitAppends(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no part of a file can be freed")
	}
	tr := &trace{T: t, name: filepath.Join(t.TempDir(), "refs.log")}
	half := strings.Repeat(read(1), 2*step/len(read(1)))
	tr.add(half + half)
	f, err := os.OpenFile(tr.name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trimmer := NewTrimmer(tr.name)
	err = trimmer.trimTo(f, int64(len(half)))
	if before := tr.onDisk(); err != nil || before > 3*step {
		t.Errorf("after the first trim: %d bytes on the disk, error %v", before, err)
	}
	if err := trimmer.Trim(); err != nil || tr.onDisk() > step {
		t.Errorf("after the next trim: %d bytes on the disk, error %v", tr.onDisk(), err)
	}
}

// TestCut: where nothing can be freed, the trace is emptied and says so.
func TestCut(t *testing.T) {
	tr := &trace{T: t, name: filepath.Join(t.TempDir(), "refs.log")}
	tr.add(strings.Repeat(move(1), Limit/len(move(1))+1))
	if err := NewTrimmer(tr.name).Trim(); err != nil {
		t.Fatal(err)
	}
	if got := tr.onDisk(); got > 1<<20 {
		t.Errorf("%d bytes on the disk", got)
	}
	tr.add(read(1) + move(2))
	if got := tr.copied(0); got != cutLine+move(2) {
		t.Errorf("the copy has %q", got)
	}
	f, err := os.Open(tr.name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !IsCut(f) {
		t.Error("it does not count as cut")
	}
}

// TestTrimFollowsNoLink: an agent could put one in the place of the trace.
func TestTrimFollowsNoLink(t *testing.T) {
	outside := &trace{T: t, name: filepath.Join(t.TempDir(), "outside")}
	text := strings.Repeat(read(1), 2*step/len(read(1)))
	outside.add(text)
	link := filepath.Join(t.TempDir(), "refs.log")
	if err := os.Symlink(outside.name, link); err != nil {
		t.Skip(err)
	}
	_ = NewTrimmer(link).Trim()
	if data, err := os.ReadFile(outside.name); err != nil || string(data) != text {
		t.Errorf("%d bytes are left (%v)", len(data), err)
	}
}
