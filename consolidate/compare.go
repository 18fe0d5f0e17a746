package consolidate

// compare lists what may be the same or contradict each other.
func (p *plan) compare() {}
