// Package ahead makes the members of a sequence before they are asked for, on all
// processors.
package ahead

import (
	"iter"
	"runtime"
)

// Map yields what produce makes of each member of list, in their order. Up to as many
// as there are processors are made ahead, each on a goroutine of its own; what was made
// for nobody is dropped.
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
