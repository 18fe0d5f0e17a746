package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxLimited bounds how many names a limiter counts. When there are more, it begins anew.
const maxLimited = 10_000

// limiter bounds how often each of many names may ask, in this process. It is safe for
// concurrent use.
type limiter struct {
	rate  rate.Limit // a second
	burst int
	now   func() time.Time

	mu    sync.Mutex
	names map[string]*rate.Limiter
}

func newLimiter(perSecond float64, burst int, now func() time.Time) *limiter {
	return &limiter{rate: rate.Limit(perSecond), burst: burst, now: now, names: map[string]*rate.Limiter{}}
}

func (l *limiter) of(name string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.names[name]
	if one == nil {
		if len(l.names) >= maxLimited {
			clear(l.names)
		}
		one = rate.NewLimiter(l.rate, l.burst)
		l.names[name] = one
	}
	return one
}

// allow counts one request, and says whether it may be answered.
func (l *limiter) allow(name string) bool { return l.of(name).AllowN(l.now(), 1) }

// has says whether one more may be answered, and counts none.
func (l *limiter) has(name string) bool { return l.of(name).TokensAt(l.now()) >= 1 }
