package server

import (
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxLimited limits how many names a limiter counts. Beyond it, the limiter
// forgets all of them.
const maxLimited = 10_000

// limiter limits how often each name may make requests, in this process. It is
// safe for concurrent use.
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

// allow counts one request and reports whether it may be answered.
func (l *limiter) allow(name string) bool { return l.of(name).AllowN(l.now(), 1) }

// has reports whether one more request may be answered, without counting it.
func (l *limiter) has(name string) bool { return l.of(name).TokensAt(l.now()) >= 1 }

// seen holds a limited number of hashes of secrets. It is safe for concurrent
// use.
type seen struct {
	mu     sync.Mutex
	hashes map[[sha256.Size]byte]bool
}

func newSeen() *seen { return &seen{hashes: map[[sha256.Size]byte]bool{}} }

func (s *seen) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hashes[sha256.Sum256([]byte(secret))]
}

func (s *seen) add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hashes) >= maxLimited {
		clear(s.hashes)
	}
	s.hashes[sha256.Sum256([]byte(secret))] = true
}

func (s *seen) remove(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hashes, sha256.Sum256([]byte(secret)))
}
