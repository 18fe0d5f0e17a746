package open

import (
	"strings"
)

// NewPlaces returns the replacements for conceal.
func NewPlaces(repository, address, dir, folder string) *strings.Replacer {
	return strings.NewReplacer(dir, repository, folder, "the server's folder", address, "its remote")
}
