package apptest

// InDatabase keeps the index of a place in a database.
func (p *Place) InDatabase(dsn string) {
	p.Settings("[index]\nstore = \"postgres\"\n")
	p.Env = append(p.Env, "AGENTFLOW_DSN="+dsn)
}
