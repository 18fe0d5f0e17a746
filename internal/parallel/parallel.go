// Package parallel computes the members of a sequence before they are needed, on
// all processors.
package parallel

import (
	"iter"
	"runtime"
)

// Map yields the results of produce for the members of list, in their order. It
// computes up to as many results ahead as there are processors, each on a
// separate goroutine. Results that are not consumed are dropped.
func Map[S, T any](list []S, produce func(S) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		ahead := make(chan chan T, runtime.GOMAXPROCS(0))
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(ahead)
			for _, member := range list {
				one := make(chan T, 1)
				select {
				case ahead <- one:
					go func() { one <- produce(member) }()
				case <-stop:
					return
				}
			}
		}()
		for one := range ahead {
			if !yield(<-one) {
				return
			}
		}
	}
}
