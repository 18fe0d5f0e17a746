package proc

// Clipped keeps the beginning of what is written to it, as of a process that
// may print without end. It is not safe for concurrent use.
type Clipped struct {
	Data []byte
	Most int    // bytes that are kept
	Full func() // called whenever not all is kept; nil: nobody is told
}

// Write keeps what there is room for, and never fails.
func (c *Clipped) Write(p []byte) (int, error) {
	kept := p[:min(len(p), c.Most-len(c.Data))]
	c.Data = append(c.Data, kept...)
	if len(kept) < len(p) && c.Full != nil {
		c.Full()
	}
	return len(p), nil
}
