package attribution

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"agentflow/internal/testing/gittest"
)

// process is a process that a call of the run left running. It writes on
// request.
type process struct {
	s     *scenario
	call  *call
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func (s *scenario) leave(c *call) {
	p := &process{s: s, call: c, cmd: s.sh(s.dir, filepath.Join(s.f.Run, "refs.log"), `while read -r line; do eval "$line"; echo; done`)}
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	gittest.Must(s.t, err)
	out, err := p.cmd.StdoutPipe()
	gittest.Must(s.t, err)
	p.out = bufio.NewReader(out)
	gittest.Must(s.t, p.cmd.Start())
	s.processes = append(s.processes, p)
}

// act lets it write a file: that which its call named, or another.
func (p *process) act() {
	name := p.s.freshName()
	if len(p.call.writes) > 0 {
		name = p.call.writes[0]
	} else if p.s.rnd.IntN(2) == 0 {
		name = p.s.file()
	}
	who := background
	if p.call.who == silent {
		who = silent
	}
	line := fmt.Sprintf("mkdir -p %s 2>/dev/null; echo %s >> %s", quote(folderOf(name)), p.s.word("left"), quote(name))
	p.s.step(who, p.call, line, false, func() string {
		_, err := fmt.Fprintln(p.stdin, line)
		gittest.Must(p.s.t, err)
		_, err = p.out.ReadString('\n')
		gittest.Must(p.s.t, err)
		return ""
	})
}

func (p *process) end() {
	gittest.Must(p.s.t, p.stdin.Close())
	gittest.Must(p.s.t, p.cmd.Wait())
}
