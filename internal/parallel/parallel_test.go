package parallel

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestMapKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := []int{5, 1, 4, 2, 3, 0}
		got := slices.Collect(Map(list, func(n int) int {
			time.Sleep(time.Duration(n) * time.Second)
			return 10 * n
		}))
		if !slices.Equal(got, []int{50, 10, 40, 20, 30, 0}) {
			t.Error(got)
		}
	})
}

// TestMapStops checks that after the consumer stops, only a few more values are
// made and no goroutine is left.
func TestMapStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := make(chan int, 1000)
		for n := range Map(make([]int, 1000), func(int) int { made <- 1; return len(made) }) {
			if n > 0 {
				break
			}
		}
		synctest.Wait()
		if most := 2*runtime.GOMAXPROCS(0) + 3; len(made) > most {
			t.Errorf("%d were made, at most %d are needed", len(made), most)
		}
	})
}
