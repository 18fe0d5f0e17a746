package watch

// mostComplaints bounds what is remembered of errors whose words change
// every time.
const mostComplaints = 20

// Recovered is what Notice is told when calls work again.
const Recovered = "recovered"

// complaints tells each error once until all is well again.
type complaints struct {
	notice func(string)
	said   map[string]bool
}

func (c *complaints) failed(err error) {
	what := err.Error()
	if c.said[what] || len(c.said) >= mostComplaints {
		return
	}
	if c.said == nil {
		c.said = map[string]bool{}
	}
	c.said[what] = true
	c.notice(what)
}

func (c *complaints) worked() {
	if len(c.said) > 0 {
		c.said = nil
		c.notice(Recovered)
	}
}
