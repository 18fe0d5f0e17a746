package daemon

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app/connect"
)

var services = map[string]service{
	"plain": {Name: "agentflow-0123abcd", Program: "/usr/local/bin/agentflow", Command: []string{"daemon"}, Folder: "/home/ann/repo", Log: "/home/ann/repo/.git/agentflow/daemon.log",
		Environ: []connect.Variable{{Name: "PATH", Value: "/usr/bin:/bin"}, {Name: "HOME", Value: "/home/ann"}}, Secrets: "/home/ann/.config/agentflow/daemon.env", NoRestart: []int{2, 6}},
	"odd": {Name: "agentflow-89efcdab", Program: "/opt/50% off $HOME/ünï/agentflow", Command: []string{"daemon"}, Folder: `/home/änn/my <re&po> %h "x" $y 東京`, Log: "/home/änn/my <log>",
		Environ: []connect.Variable{{Name: "PATH", Value: `/a b:/c"d:/e\f:/100%`}, {Name: "HOME", Value: "/home/änn 'o'"}}, Secrets: "/home/änn 'o'/100% mine/daemon.env", NoRestart: []int{2, 6}},
}

// --install writes the right file for every system, on every system. UPDATE_GOLDEN=1 rewrites the
// golden files.
func TestServiceFiles(t *testing.T) {
	for name, s := range services {
		if err := s.representable("linux"); err != nil {
			t.Fatal(err)
		}
		for suffix, have := range map[string]string{".service": string(s.systemdUnit()), ".plist": string(s.launchdPlist()), ".schtasks": s.schtasksCommand() + "\n"} {
			path := filepath.Join("testdata", "install", name+suffix)
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(path, []byte(have), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if have != string(want) {
				t.Errorf("%s is\n%s", path, have)
			}
		}
	}
}

// An XML decoder finds all values in the plist.
func TestPlistHoldsWhatWentIn(t *testing.T) {
	s := services["odd"]
	var strs []string
	dec := xml.NewDecoder(strings.NewReader(string(s.launchdPlist())))
	for {
		token, err := dec.Token()
		if token == nil {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			strs = append(strs, string(text))
		}
	}
	for _, want := range []string{s.Name, s.Program, s.Folder, s.Log, s.Environ[0].Value, s.Environ[1].Value} {
		if !slices.Contains(strs, want) {
			t.Errorf("%q is not in the plist", want)
		}
	}
}

func TestWhatNoServiceFileHolds(t *testing.T) {
	for _, folder := range []string{"/home/a\nb", "/home/a\x1b[2J", "/home/a ", `/home/a\`, "/home/\xff\ufffd"} {
		s := services["plain"]
		s.Folder = folder
		if err := s.representable("linux"); err == nil {
			t.Errorf("%q is taken", folder)
		}
	}
	s := services["plain"]
	s.Program = `/opt/a"b/agentflow`
	if err := s.representable("linux"); err == nil {
		t.Error("a quote in the program's name is taken")
	}
	if err := s.representable("darwin"); err != nil {
		t.Error(err)
	}
}

// path returns the place where each system looks for its file.
func TestServicePlace(t *testing.T) {
	getenv := func(vars ...string) func(string) string {
		return func(name string) string {
			if i := slices.Index(vars, name); i >= 0 {
				return vars[i+1]
			}
			return ""
		}
	}
	home := filepath.FromSlash("/home/ann")
	for _, c := range []struct {
		goos string
		env  []string
		want string
	}{
		{"linux", []string{"HOME", home}, "/home/ann/.config/systemd/user/agentflow-0123abcd.service"},
		{"linux", []string{"HOME", home, "XDG_CONFIG_HOME", "/cfg"}, "/cfg/systemd/user/agentflow-0123abcd.service"},
		{"darwin", []string{"HOME", home, "XDG_CONFIG_HOME", "/cfg"}, "/home/ann/Library/LaunchAgents/agentflow-0123abcd.plist"},
		{"windows", nil, ""},
	} {
		s := services["plain"]
		path, start, stop := s.path(c.goos, getenv(c.env...)), s.startCommands(c.goos), s.stopCommands(c.goos)
		if path != filepath.FromSlash(c.want) || len(start) == 0 || (len(s.text(c.goos)) > 0 && len(stop) > 0) != (c.want != "") {
			t.Errorf("%s: %s, %q %q", c.goos, path, start, stop)
		}
	}
}
