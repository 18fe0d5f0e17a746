// Package gittest makes repositories with the real git for tests, isolated from
// the user's settings and with dates that do not depend on the clock.
package gittest
