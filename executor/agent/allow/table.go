package allow

import (
	"path"
	"slices"
	"strings"
)

// checks lists programs, or programs and their first operands, that a rule allows with any
// arguments. They test, lint and format.
var checks = map[string][]string{
	"go": {"vet", "test", "build", "fmt"}, "gofmt": nil, "golangci-lint": {"run"}, "staticcheck": nil, "gotestsum": nil,
	"cargo": {"test", "check", "clippy", "build", "fmt"}, "rustfmt": nil,
	"pytest": nil, "mypy": nil, "pyright": nil, "flake8": nil, "pylint": nil, "ruff": {"check", "format"}, "black": nil, "isort": nil,
	"jest": nil, "vitest": nil, "eslint": nil, "tsc": nil, "prettier": nil, "npm": {"test"}, "yarn": {"test"}, "pnpm": {"test"},
	"dotnet": {"test", "build"}, "rspec": nil, "rubocop": nil, "phpunit": nil, "phpstan": nil, "ctest": nil, "shellcheck": nil, "mvn": {"test"},
	"git": {"add", "commit"},
}

// runsOthers lists options with which a check runs another program, or writes to a given path.
var runsOthers = []string{"exec", "toolexec", "vettool", "config", "rulesdir", "plugin", "require", "globalSetup", "setupFiles", "resolver", "require-extension", "to-command", "template", "file", "output", "o", "F", "c", "p"}

// anyArguments returns the number of words that a rule with any arguments names, or 0 if none
// is possible.
func anyArguments(words []string) int {
	operands, known := checks[words[0]]
	n := 1
	switch {
	case !known:
		return 0
	case operands != nil:
		if len(words) < 2 || !slices.Contains(operands, words[1]) {
			return 0
		}
		n = 2
	}
	if words[0] != "git" && slices.ContainsFunc(words[n:], isRunsOther) {
		return 0
	}
	return n
}

func isRunsOther(word string) bool {
	option, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "-") && slices.Contains(runsOthers, option)
}

// dangers lists programs without a rule, by reason.
var dangers = map[string][]string{
	"it deletes or overwrites files":            {"rm", "rmdir", "unlink", "shred", "truncate", "dd", "mkfs", "wipefs", "fdisk", "parted", "del", "srm"},
	"it runs as another user":                   {"sudo", "doas", "su", "pkexec", "runas", "chroot", "unshare", "nsenter"},
	"it runs a text as commands":                {"sh", "bash", "zsh", "dash", "fish", "ksh", "csh", "tcsh", "ash", "busybox", "pwsh", "powershell", "cmd", "cmd.exe", "eval", "exec", "source", ".", "command", "builtin", "trap", "alias", "awk", "gawk", "mawk", "osascript", "expect", "script", "ed", "ex", "vi", "vim", "emacs"},
	"it runs other programs":                    {"xargs", "parallel", "env", "find", "fd", "watch", "entr", "nohup", "setsid", "stdbuf", "timeout", "nice", "ionice", "time", "strace", "gdb", "npx", "bunx", "pnpx", "uvx", "pipx", "docker", "podman", "nerdctl", "make.exe", "systemd-run", "screen", "tmux", "at", "batch", "crontab", "git-sh"},
	"it uses the network":                       {"curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "http", "https", "aria2c", "ngrok"},
	"it changes who may use files":              {"chmod", "chown", "chgrp", "setfacl", "chattr", "icacls"},
	"it stops programs":                         {"kill", "pkill", "killall", "shutdown", "reboot", "halt", "poweroff", "systemctl", "service", "launchctl", "taskkill"},
	"it changes machines or services elsewhere": {"kubectl", "helm", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "aws", "gcloud", "az", "gh", "glab", "fly", "flyctl", "heroku", "vercel", "netlify", "firebase", "wrangler", "psql", "mysql", "mongo", "mongosh", "redis-cli"},
	"it installs programs":                      {"apt", "apt-get", "dpkg", "yum", "dnf", "rpm", "apk", "pacman", "brew", "snap", "flatpak", "choco", "winget", "gem", "pip", "pip3", "conda", "easy_install"},
}

// danger returns why the words of a command have no rule, or "" if they may have one.
func danger(words []string) string {
	program := strings.TrimSuffix(path.Base(strings.ReplaceAll(strings.Trim(words[0], `"'`), `\`, "/")), ".exe")
	for why, programs := range dangers {
		if slices.Contains(programs, program) || strings.HasPrefix(program, "mkfs.") {
			return why
		}
	}
	operand := ""
	if len(words) > 1 {
		operand = words[1]
	}
	switch {
	case program == "git":
		return gitDanger(operand)
	case isPublishing(operand) || operand == "run" && len(words) > 2 && isPublishing(words[2]):
		return "it publishes, installs or deploys"
	case slices.Contains(interpreters, program) && (operand == "" || slices.ContainsFunc(words[1:], isCode)):
		return "it runs a text as a program"
	}
	return ""
}

// gitDanger returns why a command of git has no rule. Only add and commit have rules.
func gitDanger(operand string) string {
	switch operand {
	case "add", "commit":
		return ""
	case "push":
		return "it sends commits to others"
	case "status", "diff", "log", "show", "blame", "rev-parse", "ls-files":
		return "Claude allows it in its plain form without a rule"
	}
	return "it can change or lose work that git holds"
}

var interpreters = []string{"python", "python2", "python3", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript", "tclsh", "java", "jshell", "ghci", "irb", "sqlite3"}

// isCode reports whether an argument of an interpreter means that a text follows that it runs.
func isCode(word string) bool {
	return word == "-" || word == "eval" || strings.HasPrefix(word, "--eval") || strings.HasPrefix(word, "--print") || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word[1:], "ceprER")
}

func isPublishing(word string) bool {
	return slices.Contains([]string{"publish", "push", "deploy", "upload", "login", "install", "i", "add", "ci", "uninstall", "remove", "exec", "dlx", "x", "release", "apply", "destroy"}, word)
}
