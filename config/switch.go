package config

// memoryEnabled is the switch of memory. It stops everything when it cannot be
// understood, as whoever wrote it wanted something to be off. Any repository
// may switch memory off, since that only takes away, and none that is not
// trusted switches on what the user switched off.
func memoryEnabled(c *Config) key {
	g := group{strict: true, foreign: func(v any) error {
		if on, _ := v.(bool); on && !c.Memory.Enabled {
			return errOnlyUsers
		}
		return nil
	}}
	return g.boolean("memory.enabled", &c.Memory.Enabled, "`false` switches memory off: nothing is recalled, recorded or made. A repository may switch it off, and on again only when you trust it")
}

// MemoryOff says whether memory is switched off, and which layer did it: the
// path of a settings file, or an environment variable.
func (c *Config) MemoryOff() (source string, off bool) {
	return c.sources["memory.enabled"], !c.Memory.Enabled
}

// MemoryOff is Load for a caller that has to know only whether memory is
// switched off, and where. It reads the two files, and takes less than a
// millisecond. With an error, a *BadConfig, the answer still counts.
func MemoryOff(l Layers) (source string, off bool, err error) {
	c, _, err := Load(l)
	source, off = c.MemoryOff()
	return source, off, err
}
