package app

import (
	"fmt"

	"agentflow/internal/config"
	"agentflow/internal/redact"
)

// Place finds the repository and the user's folders.
func (o *Operation) Place() (config.Place, config.Dirs, error) {
	dirs, err := o.Dirs()
	if err != nil && dirs.Home == "" && !o.quiet {
		o.Warn("%v", err)
	}
	place, err := config.Find(o.Dir, dirs.Home)
	return place, dirs, err
}

// Load reads the settings in force in place and warns of problems in them.
func (o *Operation) Load(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, problems, err := config.Load(o.Layers(place, dirs))
	if o.Policy.Team && settings != nil {
		o.Team.adjust(settings)
	}
	for _, p := range problems {
		if !p.Fatal {
			o.Warn("%s", p)
		}
	}
	return settings, err
}

// Layers returns the sources of the settings for a place.
func (o *Operation) Layers(place config.Place, dirs config.Dirs) config.Layers {
	l := config.Layers{UserFile: dirs.ConfigFile(), Environ: o.Environ}
	if place.Root == "" {
		return l
	}
	l.RepoFile = place.ConfigFile()
	if dirs.State != "" {
		sum, err := dirs.Trust().Sum(l.RepoFile)
		if err != nil {
			o.Warn("%v; the repository's settings count as not trusted", err)
		}
		l.Trusted = sum
	}
	return l
}

// LoadOn calls Load for operations that use memory. If memory is switched off, it returns a SwitchedOff error
// together with the settings.
func (o *Operation) LoadOn(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, err := o.Load(place, dirs)
	if err != nil {
		return settings, err
	}
	if source, off := settings.MemoryOff(); off {
		pauseNoting(o, place)
		return settings, SwitchedOff(o, source, place)
	}
	if !o.isOn { // written once: a daemon loads the settings again while other goroutines run
		o.isOn = true
	}
	return settings, nil
}

// LoadHere reads the settings in force here, and creates their redactor.
func LoadHere(o *Operation) (*config.Config, *redact.Redactor, error) {
	place, dirs, err := o.Place()
	if err != nil {
		return nil, nil, err
	}
	settings, err := o.LoadOn(place, dirs)
	if err != nil {
		return nil, nil, err
	}
	red, err := Redactor(o, settings)
	return settings, red, err
}

// Redactor returns the redactor of the settings.
func Redactor(o *Operation, settings *config.Config) (*redact.Redactor, error) {
	red, err := redact.New(redact.Options{Extra: settings.Redact.Extra, Names: settings.Redact.Names, Env: o.Environ})
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("reading the settings: %w", err)}
	}
	return red, nil
}
