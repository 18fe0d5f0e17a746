package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// newState makes agentflow's folder of a repository that has only that.
func newState(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), ".git", "agentflow")
	if err := os.MkdirAll(filepath.Join(dir, folderName), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// note appends what hook number n would.
func note(t *testing.T, path string, n int) {
	t.Helper()
	write(t, path, fmt.Sprintf("commit - %040x - \n", n))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func queueOf(dir string) string { return filepath.Join(dir, folderName, queueName) }

// takeAll takes, and gives the numbers of the events.
func takeAll(t *testing.T, dir string) (numbers []int, damaged int) {
	t.Helper()
	err := Take(t.Context(), dir, func(events []Event, d int) error {
		numbers, damaged = append(numbers, numbersOf(t, events)...), damaged+d
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers, damaged
}

func numbersOf(t *testing.T, events []Event) (numbers []int) {
	t.Helper()
	for _, e := range events {
		var n int
		if _, err := fmt.Sscanf(e.New, "%x", &n); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func expect(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: took %v, want %v", what, got, want)
	}
}

func TestTakeForgetsWhatWasUsed(t *testing.T) {
	dir := newState(t)
	if Pending(dir) || Pending(filepath.Join(dir, "nowhere")) {
		t.Error("nothing was noted, and something is pending")
	}
	got, _ := takeAll(t, dir)
	expect(t, "an empty queue", got)
	note(t, queueOf(dir), 1)
	note(t, queueOf(dir), 2)
	if !Pending(dir) {
		t.Error("nothing is pending")
	}
	failed := errors.New("no")
	if err := Take(t.Context(), dir, func([]Event, int) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error of use came back as %v", err)
	}
	if !Pending(dir) {
		t.Error("what could not be used was forgotten")
	}
	note(t, queueOf(dir), 3)
	got, damaged := takeAll(t, dir)
	expect(t, "after an error", got, 1, 2, 3)
	if damaged != 0 || Pending(dir) {
		t.Errorf("%d damaged; pending: %v", damaged, Pending(dir))
	}
	got, _ = takeAll(t, dir)
	expect(t, "a second time", got)
	if err := Take(t.Context(), filepath.Join(dir, "nowhere"), nil); err != nil {
		t.Errorf("where no hook was installed: %v", err)
	}
}

// A hook may have opened the queue before it is put away.
func TestALateWriterLosesNothing(t *testing.T) {
	dir := newState(t)
	note(t, queueOf(dir), 1)
	late, err := os.OpenFile(queueOf(dir), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	got, _ := takeAll(t, dir)
	expect(t, "before", got, 1)
	fmt.Fprintf(late, "commit - %040x - \n", 2)
	note(t, queueOf(dir), 3)
	got, _ = takeAll(t, dir)
	expect(t, "after", got, 2, 3)

	// During use.
	note(t, queueOf(dir), 4)
	var all []int
	err = Take(t.Context(), dir, func(events []Event, _ int) error {
		if all = append(all, numbersOf(t, events)...); len(all) == 1 {
			note(t, queueOf(dir), 5)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "during use", all, 4, 5)
}

func TestDamagedLines(t *testing.T) {
	dir := newState(t)
	write(t, queueOf(dir), "what\n")
	note(t, queueOf(dir), 1)
	write(t, queueOf(dir), "commit - 12")
	got, damaged := takeAll(t, dir)
	expect(t, "beside damage", got, 1)
	if damaged != 1 {
		t.Errorf("%d damaged, want 1: the unfinished line may be finished yet", damaged)
	}
	put, err := filepath.Glob(queueOf(dir) + ".*")
	if err != nil || len(put) != 1 {
		t.Fatalf("put away: %v, %v", put, err)
	}
	if err := os.Chtimes(put[0], time.Time{}, time.Now().Add(-2*settled)); err != nil {
		t.Fatal(err)
	}
	if got, damaged = takeAll(t, dir); len(got) != 0 || damaged != 1 {
		t.Errorf("an unfinished line that nobody writes any more: %v, %d damaged", got, damaged)
	}
	if got, damaged = takeAll(t, dir); len(got) != 0 || damaged != 0 {
		t.Errorf("once more: %v, %d damaged", got, damaged)
	}
}

func TestMissedEventsCountAsDamaged(t *testing.T) {
	dir := newState(t)
	write(t, filepath.Join(dir, folderName, missedName), "x\n")
	write(t, filepath.Join(filepath.Dir(dir), missedBeside), "")
	if _, damaged := takeAll(t, dir); damaged != 2 {
		t.Errorf("%d damaged, want 2", damaged)
	}
	if _, damaged := takeAll(t, dir); damaged != 0 {
		t.Errorf("%d damaged a second time", damaged)
	}
}

func TestOldFilesAreRemoved(t *testing.T) {
	dir := newState(t)
	old := time.Now().Add(-2 * settled)
	for name, keep := range map[string]bool{
		fmt.Sprintf("queue.%d.0", old.UnixNano()):        false,
		fmt.Sprintf("queue.%d.0", time.Now().UnixNano()): true, // put away just now
		"queue.1": true, "queue.x.1": true, "other": true,
	} {
		path := filepath.Join(dir, folderName, name)
		write(t, path, "")
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		takeAll(t, dir)
		if _, err := os.Stat(path); (err == nil) != keep {
			t.Errorf("%s: kept %v, want %v", name, err == nil, keep)
		}
	}
}
