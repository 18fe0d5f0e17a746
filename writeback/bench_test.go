package writeback

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// BenchmarkRecord is one entry into a memory of some size, two syncs
// included.
func BenchmarkRecord(b *testing.B) {
	for _, files := range []int{0, 2000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			p := newPlace(b)
			p.RotateAt = 0
			p.fill(files)
			n := 0
			for b.Loop() {
				n++
				e := entry(n)
				// Twenty entries a day, as a busy day has.
				e.Time = day.AddDate(0, 0, n/20)
				if _, _, err := p.open().Record(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRecoverIdle is Recover over 10,000 entries in 2,000 files when
// there is nothing to do.
func BenchmarkRecoverIdle(b *testing.B) {
	p := newPlace(b)
	p.RotateAt = 0
	p.fill(2000)
	if _, ok := p.open().nothingToDo(); !ok {
		b.Fatal("there is something to do")
	}
	for b.Loop() {
		p.recover()
	}
}

// BenchmarkRecoverEdit is Recover when one of 2,000 files was edited by hand.
func BenchmarkRecoverEdit(b *testing.B) {
	p := newPlace(b)
	p.RotateAt = 0
	p.fill(2000)
	for n := 0; b.Loop(); n++ {
		p.write("MEMORY.md", fmt.Sprintf("# Memory\n\n- %d\n", n))
		p.recover()
	}
}

// fill writes files of five entries each by hand and takes them up.
func (p *place) fill(files int) {
	p.t.Helper()
	for n := range files {
		date := day.AddDate(0, 0, -n-1)
		var text bytes.Buffer
		text.WriteString("# " + date.Format(time.DateOnly) + "\n\n")
		for i := range 5 {
			e := entry(1_000_000 + 5*n + i)
			e.Time = date
			text.Write(markdown.FormatV2(e))
		}
		p.write(memory.DayFile(date), text.String())
		p.age(memory.DayFile(date))
	}
	p.recover()
}
