package index

// Progress is how far a Sync or Rebuild has come with the files it has to
// look at.
type Progress struct {
	Files, AllFiles int
	Bytes, AllBytes int64
}

// expect begins the progress of a Sync.
func (s *syncer) expect(todo []found) {
	s.progress = Progress{AllFiles: len(todo)}
	for _, f := range todo {
		s.progress.AllBytes += f.size
	}
}

// advance tells of a piece that was dealt with.
func (s *syncer) advance(p piece, last bool) {
	s.report.Bytes += p.bytes
	s.progress.Bytes += p.bytes
	if last {
		s.progress.Files++
	}
	if s.o.Progress != nil {
		s.o.Progress(s.progress)
	}
}
