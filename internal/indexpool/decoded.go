package indexpool

import (
	"sync"

	"agentflow/index"
)

// Decoded caches decoded digests by memory folder. It is safe for concurrent use.
type Decoded struct {
	mu sync.Mutex
	of map[string]*index.Decoded // by folder
}

func (d *Decoded) In(folder string) *index.Decoded {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[folder] == nil {
		if d.of == nil {
			d.of = map[string]*index.Decoded{}
		}
		d.of[folder] = &index.Decoded{}
	}
	return d.of[folder]
}
