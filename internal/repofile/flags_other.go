//go:build !unix

package repofile

const dontWait, dontFollow = 0, 0
