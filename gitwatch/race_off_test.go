//go:build !race

package gitwatch

const raceEnabled = false
