// Package auth keeps login sessions.
package auth

import "time"

// Session is one login.
type Session struct {
	Started time.Time
	TTL     time.Duration
}

// Expired says whether the session is over.
func (s Session) Expired() bool { return time.Since(s.Started) >= s.TTL }
