package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/builtin"
	"agentflow/app/connect"
	"agentflow/internal/atomicfile"
)

// InstallDaemonRequest says how the user's session starts the daemon.
type InstallDaemonRequest struct {
	Program   string // absolute path of this program
	NoRestart []int  // exit codes after which the daemon is not restarted
	Serve     bool   // start 'serve --daemon', which also offers memory over HTTP
}

// InstalledDaemon describes the file that starts the daemon with the user's session: a unit of
// systemd, or an agent of launchd.
type InstalledDaemon struct {
	Name     string   // name of the service
	Path     string   // absolute path of the file; empty on a system without such files
	Changed  bool     // the file was written, or removed
	Commands []string // commands for the user that start, or stop, the daemon
	LeftOut  []string // names of environment variables that are not in the file, because others can read it
	Hints    []string // how to use the daemon, and how to give it the variables that were left out
	Degraded []string
}

// InstallDaemon writes the file. It starts nothing. If a file is there that AgentFlow did not
// write, it returns an error of KindRefused.
func InstallDaemon(ctx context.Context, m *app.Memory, req InstallDaemonRequest) (result InstalledDaemon, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err != nil {
		return result, err
	}
	unit, err := newService(s, req)
	if err != nil {
		return result, fmt.Errorf("installing the daemon: %w", err)
	}
	result = InstalledDaemon{Name: unit.Name, Path: unit.path(runtime.GOOS, s.Getenv), Commands: unit.startCommands(runtime.GOOS), LeftOut: unit.LeftOut, Hints: unit.hints(runtime.GOOS)}
	if result.Path == "" {
		return result, nil
	}
	text := unit.text(runtime.GOOS)
	old, err := readService(result.Path)
	if err != nil || bytes.Equal(old, text) {
		return result, err
	}
	if err = os.MkdirAll(filepath.Dir(result.Path), 0o755); err == nil {
		err = atomicfile.Write(result.Path, text, 0o644)
	}
	if err != nil {
		return result, fmt.Errorf("installing the daemon: %w", err)
	}
	result.Changed = true
	return result, nil
}

// UninstallDaemon removes the file, if there is one. A running daemon continues.
func UninstallDaemon(ctx context.Context, m *app.Memory) (result InstalledDaemon, err error) {
	o := m.Begin(ctx)
	o.EvenOff = true
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err != nil {
		return result, err
	}
	unit := service{Name: serviceName(s)}
	result = InstalledDaemon{Name: unit.Name, Path: unit.path(runtime.GOOS, s.Getenv), Commands: unit.stopCommands(runtime.GOOS)}
	if result.Path == "" {
		return result, nil
	}
	old, err := readService(result.Path)
	if err != nil || old == nil {
		return result, err
	}
	if err := os.Remove(result.Path); err != nil {
		return result, fmt.Errorf("removing the daemon: %w", err)
	}
	result.Changed = true
	return result, nil
}

func serviceName(s *app.Repo) string {
	sum := sha256.Sum256([]byte(s.State()))
	return "agentflow-" + hex.EncodeToString(sum[:4])
}

// InstalledService returns the path of the file that InstallDaemon wrote for this repository, or
// the empty string if there is none.
func InstalledService(s *app.Repo) string {
	path := service{Name: serviceName(s)}.path(runtime.GOOS, s.Getenv)
	if path == "" {
		return ""
	}
	if text, err := readService(path); err != nil || text == nil {
		return ""
	}
	return path
}

func newService(s *app.Repo, req InstallDaemonRequest) (service, error) {
	unit := service{Name: serviceName(s), Program: req.Program, Command: []string{"daemon"}, Folder: s.Worktree, Log: filepath.Join(s.State(), "daemon.log"), NoRestart: req.NoRestart,
		Secrets: filepath.Join(filepath.Dir(s.Dirs.ConfigFile()), "daemon.env")}
	if req.Serve {
		unit.Command = []string{"serve", "--daemon"}
	}
	if unit.Folder == "" {
		unit.Folder = filepath.Dir(s.Root)
	}
	unit.Environ, unit.LeftOut = daemonEnviron(s)
	return unit, unit.representable(runtime.GOOS)
}

// readService reads the file that InstallDaemon wrote. It returns nil if there is none, and an
// error of KindRefused for a file that AgentFlow did not write.
func readService(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for the daemon's file: %w", err)
	}
	foreign := &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s is there, and agentflow did not write it", path),
		Hint: "move it away first, if it is not needed"}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil, foreign
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("looking at the daemon's file: %w", err)
	}
	if head := text[:min(len(text), 500)]; !bytes.Contains(head, []byte("daemon --install")) && !bytes.Contains(head, []byte("daemon -install")) {
		return nil, foreign
	}
	return text, nil
}

// passedOn and reachedBy name the environment variables that the daemon gets in addition to those of
// the agents. With those of passedOn it finds programs and settings. With those of reachedBy agents
// and embedders reach their services.
var (
	passedOn  = []string{"PATH", "HOME", "USER", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"}
	reachedBy = []string{"OPENAI_BASE_URL", "OLLAMA_HOST", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)

// daemonEnviron returns the environment variables that the daemon gets, and the names of those that
// it needs but does not get. The latter hold a secret, or characters that such a file cannot hold.
func daemonEnviron(s *app.Repo) (list []connect.Variable, left []string) {
	agents := builtin.AllVariables()
	for _, name := range slices.Concat(passedOn, agents.Folders) {
		if value := s.Getenv(name); value != "" {
			list = append(list, connect.Variable{Name: name, Value: value})
		}
	}
	for _, name := range distinct(agents.Services, reachedBy) {
		value := s.Getenv(name)
		switch {
		case value == "":
		case s.Redact.Text(name+"="+value) != name+"="+value || strings.ContainsFunc(value, unprintable):
			left = append(left, name)
		default:
			list = append(list, connect.Variable{Name: name, Value: value})
		}
	}
	for _, name := range append(agents.Keys, s.Settings.Embed.APIKeyEnv) {
		if name != "" && s.Getenv(name) != "" && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	return list, left
}

// distinct joins lists of names, each name once.
func distinct(lists ...[]string) []string {
	names := slices.Concat(lists...)
	slices.Sort(names)
	return slices.Compact(names)
}

type service struct {
	Name      string   // without a suffix
	Program   string   // absolute
	Command   []string // arguments of the program: plain words
	Folder    string   // work tree, absolute
	Log       string   // file for the output, with launchd
	Environ   []connect.Variable
	NoRestart []int    // exit codes after which systemd does not restart it
	Secrets   string   // file of variables that systemd reads, if it is there; absolute
	LeftOut   []string // variables that are not in Environ, although the daemon may need them
}

// path returns the file in which a system looks for the service, or the empty string for a system
// without such files.
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

func (s service) text(goos string) []byte {
	if goos == "darwin" {
		return s.launchdPlist()
	}
	return s.systemdUnit()
}

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

// hints returns lines on how to use the daemon, and on how to give it the variables that were left
// out.
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

func (s service) stopCommands(goos string) []string {
	switch goos {
	case "linux":
		return []string{"systemctl --user disable --now " + s.Name + ".service"}
	case "darwin":
		return []string{"launchctl bootout gui/$(id -u)/" + s.Name}
	}
	return nil
}

// serviceMark marks the first lines of a file that --install writes. readService looks for a part
// of it.
const serviceMark = "written by 'agentflow daemon --install'"

// representable returns an error if a text of the service cannot be written in the file of a
// system.
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

// unprintable reports whether a character is allowed in no system's file.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }

// systemdUnit returns the service as a user unit of systemd. See systemd.service(5) and, for
// quoting, systemd.syntax(7).
func (s service) systemdUnit() []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s; 'agentflow daemon --uninstall' removes it", serviceMark)
	line("[Unit]\nDescription=AgentFlow in %s", specifiers(s.Folder))
	// systemd gives up after five failed starts within ten minutes.
	line("StartLimitIntervalSec=10min\nStartLimitBurst=5")
	line("\n[Service]\nExecStart=%s %s", quotedForSystemd(s.Program), strings.Join(s.Command, " "))
	line("WorkingDirectory=%s", specifiers(s.Folder))
	for _, v := range s.Environ {
		line("Environment=%s", quotedForSystemd(v.Name+"="+v.Value))
	}
	line("# Keys are not in this file: the file below may set them, as NAME=value.\nEnvironmentFile=-%s", specifiers(s.Secrets))
	line("Restart=on-failure\nRestartSec=30s")
	line("# Unusable settings and a repository that is gone do not get better by themselves.\nRestartPreventExitStatus=%s", strings.Trim(fmt.Sprint(s.NoRestart), "[]"))
	line("# The daemon ends its jobs itself, and records them.\nKillMode=mixed\nTimeoutStopSec=2min")
	line("\n[Install]\nWantedBy=default.target")
	return b.Bytes()
}

// quotedForSystemd quotes one word of a setting that takes several. In ExecStart the word may only
// be the program, in which "$" has no special meaning.
func quotedForSystemd(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(specifiers(word)) + `"`
}

// specifiers escapes "%", which begins a specifier of systemd.
func specifiers(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// launchdPlist returns the service as an agent of launchd. See launchd.plist(5).
func (s service) launchdPlist() []byte {
	var b bytes.Buffer
	text := func(t string) string {
		var out bytes.Buffer
		_ = xml.EscapeText(&out, []byte(t)) // a write to a buffer does not fail
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
	line("\t<key>ProgramArguments</key>\n\t<array>\n\t\t<string>%s</string>", text(s.Program))
	for _, word := range s.Command {
		line("\t\t<string>%s</string>", text(word))
	}
	line("\t\t<string>--quiet</string>\n\t</array>")
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

// schtasksCommand returns the command that makes the service a task of Windows. See schtasks
// /Create.
func (s service) schtasksCommand() string {
	run := fmt.Sprintf(`cmd /c cd /d \"%s\" && \"%s\" %s --quiet`, s.Folder, s.Program, strings.Join(s.Command, " "))
	return fmt.Sprintf(`schtasks /Create /SC ONLOGON /TN "%s" /TR "%s"`, s.Name, run)
}
