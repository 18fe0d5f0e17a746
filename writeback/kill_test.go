package writeback

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/memory"
)

// TestMain lets the test program be the writer that gets killed: it records entries from a number
// on, some of them several at once, forgets, pins and judges some, rotates often, and prints each
// operation that succeeded.
func TestMain(m *testing.M) {
	if root := os.Getenv("WRITEBACK_TEST_ROOT"); root != "" {
		write := writeForever
		if os.Getenv("WRITEBACK_TEST_NOTES") != "" {
			write = noteForever
		}
		err := write(context.Background(), root, os.Getenv("WRITEBACK_TEST_FROM"))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func writeForever(ctx context.Context, root, from string) error {
	n, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for ; ; n++ {
		// A new Store each time, as every command has.
		s, err := open(placeAt(root).Place)
		if err != nil {
			return err
		}
		if _, err := s.Recover(ctx); err != nil {
			return err
		}
		var pending *PendingError
		if _, _, err := s.Record(ctx, entry(n)); err != nil && !errors.As(err, &pending) {
			return err
		}
		fmt.Println("recorded", n)
		switch n % 7 {
		case 1:
			many := bulk(n)
			if _, err = s.RecordAll(ctx, many); err == nil {
				fmt.Println("bulk", n)
			}
		case 0:
			_, err = s.Forget(ctx, entry(n-1).ID)
			err = tell(err, "forgot", n-1)
		case 3:
			_, err = s.Pin(ctx, entry(n).ID, true)
			err = tell(err, "pinned", n)
		case 5:
			_, _, err = s.Judge(ctx, judgement(n))
			err = tell(err, "judged", n)
		}
		if err != nil {
			return err
		}
	}
}

// bulk are the entries recorded at once with number n, of several days.
func bulk(n int) []memory.Entry {
	var many []memory.Entry
	for i := range 12 {
		e := entry(10_000_000 + 12*n + i)
		e.Time = day.AddDate(0, 0, -1-i%4)
		many = append(many, e)
	}
	return many
}

// tell prints an operation that succeeded.
func tell(err error, command string, n int) error {
	if err == nil {
		fmt.Println(command, n)
	}
	if errors.Is(err, ErrLocked) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// TestKilledWriter kills writers with SIGKILL at random moments. Entries that were reported safe
// must be there once, no entry may be there twice or in part, forgotten ones must stay away, and
// pinned or judged ones must stay so.
func TestKilledWriter(t *testing.T) {
	p := placeAt(t.TempDir())
	p.t = t
	p.open()
	said := heard{"recorded": {}, "bulk": {}, "forgot": {}, "pinned": {}, "judged": {}}
	next := 1
	for round := range 200 {
		if round%20 == 19 {
			if err := os.RemoveAll(filepath.Dir(p.Memory)); err != nil {
				t.Fatal(err)
			}
		}
		next = 1000 * (round + 1)
		killOne(t, p, next, said)
		if round%10 == 9 {
			p.recover()
			p.check(said)
			if t.Failed() {
				t.Fatalf("after round %d", round)
			}
			// A fresh log and files keep the rounds short.
			for _, numbers := range said {
				clear(numbers)
			}
			if err := errors.Join(os.RemoveAll(p.State), os.RemoveAll(p.Memory)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// heard holds, by operation, the numbers of the entries that a writer reported done.
type heard map[string]map[int]bool

// killOne starts a writer and kills it some milliseconds after its first word.
func killOne(t *testing.T, p *place, from int, done heard) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), "WRITEBACK_TEST_ROOT="+p.root, "WRITEBACK_TEST_FROM="+strconv.Itoa(from))
	var said strings.Builder
	writer.Stderr = &said
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	after := time.Duration(rand.Int64N(int64(40 * time.Millisecond)))
	var kill sync.Once
	for lines := bufio.NewScanner(out); lines.Scan(); {
		kill.Do(func() { time.AfterFunc(after, func() { _ = writer.Process.Kill() }) })
		operation, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		done[operation][n] = true
	}
	if err := writer.Wait(); err == nil || said.Len() > 0 {
		t.Fatalf("the writer ended by itself: %v, %s", err, said.String())
	}
}

func (p *place) check(said heard) {
	p.t.Helper()
	var want []memory.Entry
	for n := range said["recorded"] {
		switch {
		case n%7 == 6 && (said["forgot"][n] || said["recorded"][n+1]):
			// A kill may fall between a forget and the word about it.
		case n%7 == 3 && !said["recorded"][n+1] && !said["pinned"][n]:
			// Likewise between a pin and its word.
		case n%7 == 3 && said["pinned"][n]:
			want = append(want, pinned(entry(n)))
		default:
			want = append(want, entry(n))
		}
	}
	for n := range said["bulk"] {
		want = append(want, bulk(n)...)
	}
	p.wantOnce(want...)
	p.wantParsed()
	var judged []memory.Judgement
	for n := range said["judged"] {
		judged = append(judged, judgement(n))
	}
	p.wantJudged(judged...)
	files, err := list(p.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	for n := range said["forgot"] {
		for name := range files {
			if strings.Contains(p.read(name), entry(n).ID) {
				p.t.Errorf("forgotten entry %d is in %s", n, name)
			}
		}
	}
	if gone, err := p.open().Vanished(p.t.Context()); err != nil || len(gone) > 0 {
		p.t.Errorf("vanished %v, error %v", gone, err)
	}
}

// TestManyWriters has 32 processes' worth of stores record at once.
func TestManyWriters(t *testing.T) {
	p := newPlace(t)
	p.RotateAt = 8 << 10
	p.open()
	var all sync.WaitGroup
	var want []memory.Entry
	for w := range 32 {
		for i := range 4 {
			want = append(want, entry(100*w+i))
		}
		all.Go(func() {
			for i := range 4 {
				s, err := open(p.Place)
				if err == nil {
					_, _, err = s.Record(t.Context(), entry(100*w+i))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	p.wantOnce(want...)
	p.wantParsed()
}

// TestEditorAgainstWriters has an editor save by rename, over and over, while
// eight writers append: no entry may go, and the editor's words stay.
func TestEditorAgainstWriters(t *testing.T) {
	p := newPlace(t)
	p.record(entry(0))
	const name = "2026-11-21.md"
	stop := make(chan struct{})
	var editor, writers sync.WaitGroup
	saves := 0
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	editor.Go(func() {
		for ; ; saves++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			text := strings.Replace(p.read(name), "# 2026-11-21\n", "# 2026-11-21\n\n- a thought\n", 1)
			if err := os.WriteFile(p.path(".saving"), []byte(text), 0o600); err != nil {
				t.Error(err)
			}
			if err := os.Rename(p.path(".saving"), p.path(name)); err != nil {
				t.Error(err)
			}
		}
	})
	want := []memory.Entry{entry(0)}
	for w := range 8 {
		for i := range 12 {
			want = append(want, entry(10+20*w+i))
		}
		writers.Go(func() {
			for i := range 12 {
				var pending *PendingError
				s, err := open(p.Place)
				if err == nil {
					_, _, err = s.Record(t.Context(), entry(10+20*w+i))
				}
				if err != nil && !errors.As(err, &pending) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	editor.Wait()
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
	p.wantOnce(want...)
	if !strings.Contains(p.read(name), "- a thought\n") {
		t.Error("the editor's words are gone")
	}
	t.Logf("%d saves", saves)
}
