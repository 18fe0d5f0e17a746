package auth

import (
	"testing"
	"time"
)

func TestLoginExpires(t *testing.T) {
	s := Session{Started: time.Now(), TTL: 10 * time.Millisecond}
	if s.Expired() {
		t.Error("a new login is over at once") // on a slow machine it is
	}
	time.Sleep(10 * time.Millisecond)
	if !s.Expired() {
		t.Error("an old login still counts")
	}
}
