package apptest

// EmbedWith makes these the user's settings.
func (p *Place) EmbedWith(settings string) {
	p.T.Helper()
	p.Write(p.SettingsFile(), settings)
}
