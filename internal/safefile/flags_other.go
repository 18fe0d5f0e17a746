//go:build !unix

package safefile

const dontWait, dontFollow = 0, 0
