package git

import (
	"fmt"
	"runtime"
	"strings"
)

// Caught, deferred at the doors of the packages that read repositories, makes
// a panic behind them an error: a defect in what reads a repository must not
// keep a run from starting, nor be met again by every command that finishes it.
func Caught(err *error) {
	if p := Panic(recover()); p != nil {
		*err = p
	}
}

// Panic is the error that a recovered panic becomes, nil when there was none.
// It says where.
func Panic(recovered any) error {
	switch p := recovered.(type) {
	case nil:
		return nil
	case panicked:
		return p
	}
	return panicked{fmt.Sprintf("a defect in reading it (%v, at %s)", recovered, panicSite())}
}

// panicked is an error so that a panic that is passed on to another
// goroutine keeps its place.
type panicked struct{ text string }

func (p panicked) Error() string { return p.text }

// panicSite is the innermost of our own lines that was being run: what stands
// above the panic is who recovers it.
func panicSite() string {
	var at [64]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(3, at[:])])
	for more, below := true, false; more; {
		var f runtime.Frame
		f, more = frames.Next()
		below = below || f.Function == "runtime.gopanic"
		if below && strings.HasPrefix(f.Function, "agentflow/") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
	}
	return "an unknown place"
}
