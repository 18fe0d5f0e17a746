package terminal

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Pager starts a pager for a terminal at the first write. If there is no pager,
// or it cannot be started, the text goes to the terminal directly. If the user
// leaves the pager early, Write fails with EPIPE. Pager is safe for concurrent
// use.
type Pager struct {
	command string
	vars    []string  // its environment
	screen  *os.File  // the terminal
	direct  io.Writer // writes to the terminal if there is no pager

	mu      sync.Mutex
	begun   bool
	text    io.WriteCloser
	process *exec.Cmd // nil if there is none, or it has ended
}

// NewPager returns the pager that the environment names: AGENTFLOW_PAGER,
// PAGER, or less, with LESS=FRX unless LESS is set. On Windows there is no
// default. NewPager returns nil if the variable that counts is empty or "cat",
// and on an unknown terminal.
func NewPager(environ []string, screen *os.File, direct io.Writer) *Pager {
	vars := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	command := "less"
	if runtime.GOOS == "windows" {
		command = ""
	}
	for _, name := range []string{"PAGER", "AGENTFLOW_PAGER"} {
		if value, set := vars[name]; set {
			command = value
		}
	}
	command = strings.TrimSpace(command)
	simple := vars["TERM"] == "dumb" || vars["TERM"] == "" && runtime.GOOS != "windows"
	if command == "" || command == "cat" || simple {
		return nil
	}
	p := &Pager{command: command, screen: screen, direct: direct, vars: slices.Clone(environ)}
	for _, v := range []struct{ name, value string }{{"LESS", "FRX"}, {"LV", "-c"}} { // the same values as git
		if _, set := vars[v.name]; !set {
			p.vars = append(p.vars, v.name+"="+v.value)
		}
	}
	return p
}

// Write starts the pager if necessary and writes text to it.
func (p *Pager) Write(text []byte) (int, error) { return p.writer().Write(text) }

func (p *Pager) writer() io.Writer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.begun = true
		p.start()
	}
	if p.text == nil {
		return p.direct
	}
	return p.text
}

func (p *Pager) start() {
	argv := pagerArgv(p.command)
	if _, err := exec.LookPath(argv[0]); err != nil {
		return
	}
	process := exec.Command(argv[0], argv[1:]...)
	process.Env, process.Stdout, process.Stderr = p.vars, p.screen, os.Stderr
	text, err := process.StdinPipe()
	if err != nil {
		return
	}
	if process.Start() == nil {
		p.text, p.process = text, process
	}
}

// pagerArgv returns the command line of a pager. It uses the shell if the
// command contains shell syntax.
func pagerArgv(command string) []string {
	words := strings.Fields(command)
	if runtime.GOOS == "windows" || !strings.ContainsAny(command, "|&;<>()$`\\\"'*?[]#~=%{}!") {
		return words
	}
	if _, err := exec.LookPath(words[0]); err != nil && !strings.ContainsAny(words[0], "|&;<>()$`\\\"'*?[]#~=%{}!") {
		return words // the program does not exist, and the shell would only report that
	}
	return []string{"sh", "-c", command}
}

// Wrap wraps w, which writes to the same terminal: while the pager runs, text
// goes to the pager.
func (p *Pager) Wrap(w io.Writer) io.Writer { return pagerWriter{p, w} }

type pagerWriter struct {
	pager *Pager
	to    io.Writer
}

func (b pagerWriter) Write(text []byte) (int, error) {
	if b.pager.On() {
		return b.pager.Write(text)
	}
	return b.to.Write(text)
}

// On reports whether the pager runs and reads the keys.
func (p *Pager) On() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process != nil
}

// Close waits until the user has left the pager. It ignores the pager's exit
// code.
func (p *Pager) Close() {
	p.mu.Lock()
	process := p.process
	p.mu.Unlock()
	if process == nil {
		return
	}
	_ = p.text.Close()
	_ = process.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = nil
}

// Kill kills the pager.
func (p *Pager) Kill() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		_ = p.process.Process.Kill()
	}
}
