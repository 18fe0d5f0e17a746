package index

import (
	"agentflow/index/sources"
)

// Source is a folder of Markdown files to index.
type Source = sources.Source

// Progress is the progress of a Sync or Rebuild through the files that it has
// to read.
type Progress struct {
	Files, AllFiles int
	Bytes, AllBytes int64
}
