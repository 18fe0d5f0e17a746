package proc

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestLives checks that a process of another container or machine counts as
// possibly alive, since nothing is known of it.
func TestLives(t *testing.T) {
	r, err := readRow(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	own := strconv.FormatUint(r.start, 10)
	for began, want := range map[string]bool{
		own: true, "1": false, own + " " + namespace(): true, "1 " + namespace(): false,
		"1 another": true, own + " " + strings.Replace(namespace(), "pid:[", "pid:[1", 1): true,
	} {
		if got := Lives(os.Getpid(), began); got != want {
			t.Errorf("Lives of one that began at %q: %v", began, got)
		}
	}
	if _, began := Caller(); began != "" && !strings.HasSuffix(began, " "+namespace()) {
		t.Errorf("the caller began at %q", began)
	}
}
