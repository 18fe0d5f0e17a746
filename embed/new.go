package embed

import (
	"fmt"
)

// Options say which embedder is wanted, and where it is.
type Options struct {
	Provider   string // local, none
	Dimensions int    // 0: the provider's own choice
}

// New returns the embedder that o asks for. For the provider "none" both
// results are nil: search is by keywords.
func New(o Options) (Embedder, error) {
	switch o.Provider {
	case "none":
		return nil, nil
	case "local":
		m := localDefault
		if o.Dimensions > 0 {
			m.Dimensions = o.Dimensions
		}
		return newLocal(m), nil
	}
	return nil, fmt.Errorf("embed with provider %q: want local or none", o.Provider)
}
