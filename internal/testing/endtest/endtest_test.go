package endtest

import (
	"testing"
	"testing/synctest"
)

// failing takes a failure down instead of failing.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Fatalf(string, ...any) { f.failed = true }

func TestSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		f := &failing{TB: t}
		if Soon(f, "nothing", func() {}); f.failed {
			t.Error("work that ends was failed")
		}
		if Soon(f, "much", func() { <-never }); !f.failed {
			t.Error("work without an end was not failed")
		}
		close(never)
	})
}
