package scriptedagent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func print(w io.Writer, args []string) error {
	_, err := fmt.Fprintln(w, strings.Join(args, " "))
	return err
}

// path returns the absolute path, which is how a model names a file.
func (a *agent) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

func (a *agent) write(name, text string) error {
	path := a.path(name)
	var err error
	a.out.tool("Write", object{"file_path": path, "content": guard(text)}, func() (string, error) {
		detail := object{"type": "create", "filePath": path, "content": guard(text), "originalFile": nil}
		if was, readErr := os.ReadFile(path); readErr == nil {
			detail["type"], detail["originalFile"] = "update", guard(string(was))
		}
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		a.out.detail = detail
		return "wrote " + path, err
	})
	return err
}

func copyFile(a *agent, args []string) error {
	data, ok := a.script.files[args[0]]
	if !ok {
		return fmt.Errorf("the script has no file %q", args[0])
	}
	return a.write(args[1], string(data))
}

func edit(a *agent, args []string) error {
	path := a.path(args[0])
	var err error
	input := object{"file_path": path, "old_string": args[1], "new_string": args[2], "replace_all": false}
	a.out.tool("Edit", input, func() (string, error) {
		var data []byte
		if data, err = os.ReadFile(path); err != nil {
			return "", err
		}
		if !bytes.Contains(data, []byte(args[1])) {
			err = fmt.Errorf("%s does not hold %q", path, args[1])
			return "", err
		}
		err = os.WriteFile(path, bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1), 0o644)
		a.out.detail = object{
			"filePath": path, "originalFile": guard(string(data)), "oldString": guard(args[1]), "newString": guard(args[2]), "replaceAll": false,
		}
		return "edited " + path, err
	})
	return err
}

func read(a *agent, args []string) error {
	path := a.path(args[0])
	var err error
	a.out.tool("Read", object{"file_path": path}, func() (string, error) {
		var data []byte
		data, err = os.ReadFile(path)
		return string(data), err
	})
	return err
}

// shell runs a command like the Bash tool. If the command fails, the result
// begins with its exit code, as in Claude's CLI, and the agent continues.
func (a *agent) shell(command string) error {
	a.out.tool("Bash", object{"command": command, "description": "Run it"}, func() (string, error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = a.dir
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return "", failed(fmt.Sprintf("Exit code %d\n%s", exit.ExitCode(), out))
		}
		return string(out), err
	})
	return nil
}

// failed is the result of a command that failed.
type failed string

func (f failed) Error() string { return string(f) }

// commit commits only the named paths. It tries again if another process of the
// same work tree interfered.
func commit(a *agent, args []string) error {
	var err error
	paths := args[1:]
	input := object{"command": fmt.Sprintf("git commit -m %q -- %s", args[0], strings.Join(paths, " ")), "description": "Commit"}
	a.out.tool("Bash", input, func() (string, error) {
		var out []byte
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			out, err = a.git(append([]string{"add", "--"}, paths...))
			if err == nil {
				out, err = a.git(append([]string{"commit", "-q", "-m", args[0], "--"}, paths...))
			}
			if err == nil || !inTheWay(out) {
				break
			}
		}
		return string(out), err
	})
	return err
}

// inTheWay reports whether git failed because of another git process: the index
// or a reference was locked, the branch had moved, or the other's index
// replaced the added paths.
func inTheWay(out []byte) bool {
	for _, sign := range []string{".lock", "cannot lock ref", "did not match any file"} {
		if bytes.Contains(out, []byte(sign)) {
			return true
		}
	}
	return false
}

func (a *agent) git(args []string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = a.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return out, err
}

func start(a *agent, args []string) error {
	var err error
	input := object{"command": strings.Join(args, " "), "description": "Start it", "run_in_background": true}
	a.out.tool("Bash", input, func() (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = a.dir
		ownSession(cmd)
		if err = cmd.Start(); err != nil {
			return "", err
		}
		return fmt.Sprintf("Command running in background, process %d.", cmd.Process.Pid), cmd.Process.Release()
	})
	return err
}

func deny(a *agent, args []string) error {
	input := object{"command": strings.Join(args[1:], " ")}
	if args[0] != "Bash" {
		input = object{"file_path": a.path(args[1])}
	}
	a.out.deny(args[0], input)
	return nil
}

// flood prints much text. The words are ordinary, so that no reader can take a
// shortcut.
func flood(a *agent, args []string) error {
	total, err := size(args[0])
	if err != nil {
		return err
	}
	line := min(64<<10, total)
	if len(args) == 2 {
		if line, err = size(args[1]); err != nil {
			return err
		}
	}
	const words = "The token in the key file was read and the login test went on. "
	text := strings.Repeat(words, line/len(words)+1)
	for ; total > 0; total -= line {
		a.out.say(text[:min(line, total)])
	}
	return nil
}

func size(word string) (int, error) {
	for suffix, unit := range map[string]int{"MB": 1_000_000, "KB": 1_000} {
		if n, ok := strings.CutSuffix(word, suffix); ok {
			v, err := strconv.Atoi(n)
			return v * unit, err
		}
	}
	return strconv.Atoi(strings.TrimSuffix(word, "B"))
}

func wait(path string, limit time.Duration) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s did not appear within %v", path, limit)
}

func cost(a *agent, args []string) (err error) {
	a.out.cost, err = strconv.ParseFloat(args[0], 64)
	return err
}

func fail(a *agent, args []string) error {
	a.out.fail(strings.Join(args, " "))
	return exit(1)
}

func exitWith(_ *agent, args []string) error {
	code, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	return exit(code)
}

func die(*agent, []string) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return err
	}
	select {} // until the signal arrives
}
