package config

// memoryEnabled returns the setting that switches memory on or off. A value
// that cannot be understood is fatal, because its author wanted something to be
// off. Any repository may switch memory off, since that only reduces what
// happens. An untrusted repository cannot switch on what the user switched off.
func memoryEnabled(c *Config) key {
	g := group{strict: true, foreign: func(v any) error {
		if on, _ := v.(bool); on && !c.Memory.Enabled {
			return errOnlyUsers
		}
		return nil
	}}
	return g.boolean("memory.enabled", &c.Memory.Enabled, "`false` switches memory off: nothing is recalled, recorded or made. A repository may switch it off, and on again only when you trust it")
}

// MemoryOff reports whether memory is switched off, and the source of the
// setting: the path of a settings file, or an environment variable.
func (c *Config) MemoryOff() (source string, off bool) {
	return c.sources["memory.enabled"], !c.Memory.Enabled
}

// MemoryOff is Load for a caller that only needs to know whether memory is
// switched off, and by which source. It reads the two files in less than a
// millisecond. The results are valid even with an error, which is a *BadConfig.
func MemoryOff(l Layers) (source string, off bool, err error) {
	c, _, err := Load(l)
	source, off = c.MemoryOff()
	return source, off, err
}
