package contents

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// TestMain lets the test program be the process that a test kills: it updates the
// file named in CONTENTS_TEST_DB.
func TestMain(m *testing.M) {
	if db := os.Getenv("CONTENTS_TEST_DB"); db != "" {
		f := folder{dir: os.Getenv("CONTENTS_TEST_DIR")}
		_, err := Update(context.Background(), db, f.tree(), Options{})
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKilledUpdate kills updates at arbitrary times: results stay complete, and
// the next update continues. The number of kills is a tenth of AGENTFLOW_KILLS,
// and at least 5.
func TestKilledUpdate(t *testing.T) {
	f, table := newFolder(t), NewTable()
	for i := range 100 {
		path, text := fmt.Sprintf("dir/f%d.go", i), identifiersOf(fmt.Sprintf("name%c", 'a'+i%7), 3000)
		f.write(path, text)
		table.Put(path, Of([]byte(text)))
	}
	kills, most := 5, 0
	if text := os.Getenv("AGENTFLOW_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		must(t, err)
		kills = max(kills/10, 5)
	}
	took := f.killAfter(time.Hour)
	asked := hashesOfAll([]string{"nameabck", "namegcck", "nothing"})
	for i := range kills {
		must(t, Remove(t.Context(), f.db))
		f.killAfter(took * time.Duration(i) / time.Duration(kills))
		found, err := f.store.Find(t.Context(), asked)
		if err != nil || len(found.Paths) > found.Files {
			t.Fatalf("after kill %d: %v, %d files", i, err, found.Files)
		}
		if found.Files < 100 {
			most = max(most, found.Files)
		}
		f.killAfter(took * time.Duration(kills-i) / time.Duration(2*kills))
		_, err = Update(t.Context(), f.db, f.tree(), Options{})
		must(t, err)
		must(t, whole(t.Context(), f.db))
		if got, err := f.store.Find(t.Context(), asked); err != nil || !reflect.DeepEqual(got, table.Find(asked)) {
			t.Fatalf("after kill %d and an update: %v\n got %+v\nwant %+v", i, err, got, table.Find(asked))
		}
	}
	t.Logf("an update took %v; a killed one left up to %d of 100 files", took, most)
}

// killAfter updates the file in another process, which it kills after a time.
func (f *folder) killAfter(d time.Duration) (took time.Duration) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), d)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "CONTENTS_TEST_DB="+f.db, "CONTENTS_TEST_DIR="+f.dir)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if ctx.Err() == nil && (err != nil || string(out) != "<nil>\n") {
		f.Fatalf("updating: %v %s", err, out)
	}
	return time.Since(began)
}
