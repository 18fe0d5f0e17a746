package app

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
)

// service is a daemon to be started with the user's session.
type service struct {
	Name      string // without a suffix
	Program   string // absolute
	Folder    string // work tree, absolute
	Log       string // where launchd writes its output
	Environ   []variable
	NoRestart []int    // exit codes after which systemd does not start it again
	Secrets   string   // file of variables that systemd reads, if it is there; absolute
	LeftOut   []string // variables that are not in Environ, though the daemon may need them
}

type variable struct{ Name, Value string }

// path is where a system looks for the service; empty where it has no such
// file.
func (s service) path(goos string, getenv func(string) string) string {
	home := getenv("HOME")
	switch goos {
	case "linux":
		base := getenv("XDG_CONFIG_HOME")
		if base == "" {
			base = filepath.Join(home, ".config")
		}
		return filepath.Join(base, "systemd", "user", s.Name+".service")
	case "darwin":
		return filepath.Join(home, "Library", "LaunchAgents", s.Name+".plist")
	}
	return ""
}

// text is the contents of the file.
func (s service) text(goos string) []byte {
	if goos == "darwin" {
		return s.launchdPlist()
	}
	return s.systemdUnit()
}

// startCommands start the service, now and with each session.
func (s service) startCommands(goos string) []string {
	switch goos {
	case "linux":
		return []string{"systemctl --user daemon-reload", "systemctl --user enable --now " + s.Name + ".service"}
	case "darwin":
		return []string{"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/" + s.Name + ".plist"}
	case "windows":
		return []string{s.schtasksCommand()}
	}
	return nil
}

// hints say how the daemon is used, and what gives it the variables that were
// left out.
func (s service) hints(goos string) (list []string) {
	switch {
	case goos == "linux":
		list = append(list, "'loginctl enable-linger' lets it run while you are logged out; 'journalctl --user -u "+s.Name+"' shows what it writes")
		if len(s.LeftOut) > 0 {
			list = append(list, "the daemon gets the variables in "+s.Secrets+" too: write NAME=value lines there, and keep it to yourself with 'chmod 600'")
		}
	case goos == "darwin" && len(s.LeftOut) > 0:
		list = append(list, "'launchctl setenv NAME value' gives a variable to what launchd starts, until you log out; for Claude, 'claude auth login' is enough")
	}
	return list
}

// stopCommands end it.
func (s service) stopCommands(goos string) []string {
	switch goos {
	case "linux":
		return []string{"systemctl --user disable --now " + s.Name + ".service"}
	case "darwin":
		return []string{"launchctl bootout gui/$(id -u)/" + s.Name}
	}
	return nil
}

// The mark in the first lines of a file that --install writes: a file without
// it is not ours.
const serviceMark = "written by 'agentflow daemon --install'"

// representable says why a text cannot stand in the file of a system.
func (s service) representable(goos string) error {
	texts := []string{s.Program, s.Folder, s.Log, s.Secrets}
	for _, v := range s.Environ {
		texts = append(texts, v.Value)
	}
	for _, text := range texts {
		if strings.ContainsFunc(text, unprintable) {
			return fmt.Errorf("%q has characters that such a file cannot hold", text)
		}
	}
	if goos == "linux" && strings.ContainsAny(s.Program, "\"'\\") {
		return fmt.Errorf("%q has quotes in it, which systemd takes in no program's name", s.Program)
	}
	if strings.TrimSpace(s.Folder) != s.Folder || strings.HasSuffix(s.Folder, `\`) {
		return fmt.Errorf("%q begins or ends as such a file cannot hold", s.Folder)
	}
	return nil
}

// unprintable is a character that no file of a system holds.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }

// systemdUnit is the service as a user unit of systemd; see systemd.service(5)
// and, for quoting, systemd.syntax(7).
func (s service) systemdUnit() []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s; 'agentflow daemon --uninstall' removes it", serviceMark)
	line("[Unit]\nDescription=AgentFlow in %s", specifiers(s.Folder))
	// A start that fails at once, again and again, is given up.
	line("StartLimitIntervalSec=10min\nStartLimitBurst=5")
	line("\n[Service]\nExecStart=%s daemon", quotedForSystemd(s.Program))
	line("WorkingDirectory=%s", specifiers(s.Folder))
	for _, v := range s.Environ {
		line("Environment=%s", quotedForSystemd(v.Name+"="+v.Value))
	}
	line("# Keys are not in this file: they may stand there, as NAME=value.\nEnvironmentFile=-%s", specifiers(s.Secrets))
	line("Restart=on-failure\nRestartSec=30s")
	line("# Unusable settings and a repository that is gone do not get better by themselves.\nRestartPreventExitStatus=%s", strings.Trim(fmt.Sprint(s.NoRestart), "[]"))
	line("# The daemon ends its jobs itself, and records them.\nKillMode=mixed\nTimeoutStopSec=2min")
	line("\n[Install]\nWantedBy=default.target")
	return b.Bytes()
}

// quotedForSystemd is one word of a setting that takes several. Of ExecStart
// it may be the program, in which "$" means itself.
func quotedForSystemd(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(specifiers(word)) + `"`
}

// specifiers keeps "%" from being read as one.
func specifiers(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// launchdPlist is the service as an agent of launchd; see launchd.plist(5).
func (s service) launchdPlist() []byte {
	var b bytes.Buffer
	text := func(t string) string {
		var out bytes.Buffer
		_ = xml.EscapeText(&out, []byte(t)) // a buffer takes all
		return out.String()
	}
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pair := func(indent, key, value string) {
		line("%s<key>%s</key>\n%s<string>%s</string>", indent, text(key), indent, text(value))
	}
	line(`<?xml version="1.0" encoding="UTF-8"?>`)
	line(`<!-- %s; 'agentflow daemon -uninstall' removes it -->`, strings.ReplaceAll(serviceMark, "--", "-"))
	line(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`)
	line("<plist version=\"1.0\">\n<dict>")
	pair("\t", "Label", s.Name)
	line("\t<key>ProgramArguments</key>\n\t<array>\n\t\t<string>%s</string>\n\t\t<string>daemon</string>\n\t\t<string>--quiet</string>\n\t</array>", text(s.Program))
	pair("\t", "WorkingDirectory", s.Folder)
	line("\t<key>EnvironmentVariables</key>\n\t<dict>")
	for _, v := range s.Environ {
		pair("\t\t", v.Name, v.Value)
	}
	line("\t</dict>")
	pair("\t", "StandardErrorPath", s.Log)
	line("\t<key>RunAtLoad</key>\n\t<true/>")
	line("\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>")
	line("\t<key>ThrottleInterval</key>\n\t<integer>60</integer>\n\t<key>ExitTimeOut</key>\n\t<integer>120</integer>")
	line("</dict>\n</plist>")
	return b.Bytes()
}

// schtasksCommand makes the service a task of Windows; see schtasks /Create.
func (s service) schtasksCommand() string {
	run := fmt.Sprintf(`cmd /c cd /d \"%s\" && \"%s\" daemon --quiet`, s.Folder, s.Program)
	return fmt.Sprintf(`schtasks /Create /SC ONLOGON /TN "%s" /TR "%s"`, s.Name, run)
}
