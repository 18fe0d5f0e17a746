// Package gittest makes repositories of the real git for tests: cut off from
// the user's settings, with dates that do not depend on the clock.
package gittest
