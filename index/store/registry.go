package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Options say how a store is opened.
type Options struct {
	Path     string // of a store that is a file; "" means in memory
	Identity string // what else an index must agree in to be used as it is
	Embedder string // key of the embedder that vectors are made with; "" means none
	ReadOnly bool   // leave the index alone
	// Notice receives, once, what was repaired and why.
	Notice func(string)
}

// Opener opens a store. A store that is absent is made.
type Opener func(ctx context.Context, o Options) (Store, error)

var registry = struct {
	sync.Mutex
	openers map[string]Opener
}{openers: map[string]Opener{}}

// Register makes a store known by a name. It is called by init functions.
func Register(name string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	registry.openers[name] = open
}

// Open opens a store by its name.
func Open(ctx context.Context, name string, o Options) (Store, error) {
	registry.Lock()
	open := registry.openers[name]
	names := slices.Sorted(maps.Keys(registry.openers))
	registry.Unlock()
	if open == nil {
		return nil, fmt.Errorf("there is no index store %q, only %s", name, strings.Join(names, ", "))
	}
	return open(ctx, o)
}
