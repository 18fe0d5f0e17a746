package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
)

// soonEnough is how long after the end of a run on one machine of a team another machine may
// not have its memory yet.
const soonEnough = 10 * time.Second

// TestTeamNewcomer follows docs/team.md with two machines and a server: each command is
// one of that page. The work of an agent on one machine is recalled on the other, through the
// server and from its own clone. As root each machine is a network namespace,
// otherwise an address of loopback.
func TestTeamNewcomer(t *testing.T) {
	n := newNetwork(t)
	dsn := pgtest.Database(t)
	server := n.machine("server", newLab(t, ""))
	root := filepath.Dir(server.Repo)
	server.Git("init", "-q", "--bare", filepath.Join(root, "shop.git"))
	git := server.daemon(root)
	at := net.JoinHostPort(n.server, freePort(t))
	n.said = strings.NewReplacer("git@git.example.com:team/shop.git", git, "https://memory.example.com", "https://"+at, "memory.example.com", n.server,
		"/etc/agentflow/cert.pem", filepath.Join(root, "cert.pem"), "/etc/agentflow/key.pem", filepath.Join(root, "key.pem"), "0.0.0.0:443", at)
	writeCertificate(t, root, n.server)

	server.Env = append(server.Env, "AGENTFLOW_DSN="+dsn)
	server.types("agentflow config set team.remotes git@git.example.com:team/shop.git")
	server.types("agentflow config set team.hosts memory.example.com")
	server.types("agentflow config set team.cert /etc/agentflow/cert.pem")
	server.types("agentflow config set team.key /etc/agentflow/key.pem")
	token := strings.TrimSpace(server.types("agentflow serve token add bob --write"))
	serving := server.starts("agentflow serve --team --addr 0.0.0.0:443")
	defer func() {
		if t.Failed() {
			t.Logf("the server said\n%s", serving.Err.String())
		}
	}()
	labtest.Await(t, "the server to listen", func() bool { return strings.Contains(serving.Err.String(), "memory is at") })

	task := "Fix the flaky login test"
	ada := n.machine("ada", newLab(t, `say "The login test raced the real clock. Expired now takes the time."`))
	bob := n.machine("bob", newLab(t, ""))
	for _, m := range []machine{ada, bob} {
		m.Git("remote", "add", "origin", git)
		m.types("agentflow share --what entries --yes")
		m.types("agentflow config set share.auto true")
	}
	bob.Env = append(bob.Env, "AGENTFLOW_TEAM_TOKEN="+token, "SSL_CERT_FILE="+filepath.Join(root, "cert.pem"))
	bob.types("agentflow config set team.url https://memory.example.com")
	if out := bob.may("agentflow doctor"); !strings.Contains(out, "answers for 1 repository: shop") {
		t.Errorf("the doctor does not see the server:\n%s", out)
	}

	ada.types(fmt.Sprintf("agentflow run %q", task))
	ended := time.Now()
	labtest.Await(t, "the run on the other machine", func() bool {
		return strings.Contains(bob.types(`agentflow recall "Why was the login test flaky?"`), "raced the real clock")
	})
	took := time.Since(ended)
	t.Logf("%s: recalled on the other machine through the server %v after the run's end", n.kind, took.Round(time.Millisecond))
	if took > soonEnough {
		t.Errorf("it took more than %v", soonEnough)
	}
	if out := bob.types(`agentflow recall "Why was the login test flaky?"`); !strings.Contains(out, "team:shop:shared/") {
		t.Errorf("the hit is not the server's:\n%s", out)
	}

	bob.types("agentflow sync")
	bob.types("agentflow config unset team.url")
	if out := bob.types(`agentflow recall "Why was the login test flaky?"`); !strings.Contains(out, "raced the real clock") || strings.Contains(out, "team:") {
		t.Errorf("its own clone does not have the run after a sync:\n%s", out)
	}
}

// network is where the machines of a trial are.
type network struct {
	t      *testing.T
	kind   string
	server string // its address
	holder map[string]int
	page   string            // docs/team.md
	said   *strings.Replacer // text of the page → its value here
}

// newNetwork makes a namespace for each machine, or takes addresses of loopback.
func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{t: t, kind: "addresses of loopback", server: "127.0.0.3", page: documents(t)["docs/team.md"]}
	if os.Geteuid() == 0 {
		if err := n.separate(); err != nil {
			t.Logf("no network namespaces, so loopback: %v", err)
			n.holder = nil
			return n
		}
		n.kind, n.server = "network namespaces", "10.77.0.1"
	}
	return n
}

// separate makes the namespaces: a process holds each and dies with us, so none is left.
func (n *network) separate() error {
	n.holder = map[string]int{}
	for _, name := range []string{"server", "ada", "bob"} {
		cmd := exec.Command("unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep 600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		var out labtest.Lines
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			return err
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		n.t.Cleanup(func() { _ = cmd.Process.Kill() })
		labtest.Await(n.t, "a namespace", func() bool { return out.String() != "" || len(over) > 0 })
		if out.String() != "up\n" {
			return fmt.Errorf("unshare: %s", out.String())
		}
		n.holder[name] = cmd.Process.Pid
	}
	script := fmt.Sprintf(`set -e
on() { nsenter --net=/proc/$1/ns/net ip $2; }
on %[1]d 'link add lan type bridge'
on %[1]d 'link set lan up'
on %[1]d 'addr add 10.77.0.1/24 dev lan'
n=1
for m in %[2]d %[3]d; do
	n=$((n+1))
	on %[1]d "link add port$n type veth peer name eth0 netns $m"
	on %[1]d "link set port$n master lan up"
	on $m 'link set eth0 up'
	on $m "addr add 10.77.0.$n/24 dev eth0"
done`, n.holder["server"], n.holder["ada"], n.holder["bob"])
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// machine is one machine of the network. Background processes of its commands run there too.
type machine struct {
	*lab
	n    *network
	name string
}

func (n *network) machine(name string, l *lab) machine { return machine{l, n, name} }

// command returns a program that runs on the machine.
func (m machine) command(program string, args ...string) *exec.Cmd {
	if pid, ok := m.n.holder[m.name]; ok {
		args = append([]string{fmt.Sprintf("--net=/proc/%d/ns/net", pid), program}, args...)
		program = "nsenter"
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = m.Repo, m.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd
}

// says returns a command of docs/team.md with the values of this test.
func (m machine) says(line string) *exec.Cmd {
	m.T.Helper()
	if !strings.Contains(m.n.page, line) {
		m.T.Errorf("docs/team.md does not say %q", line)
	}
	return m.command("sh", "-c", "exec "+m.n.said.Replace(line))
}

// types runs a command of docs/team.md, which must succeed, and returns its standard output.
func (m machine) types(line string) string {
	m.T.Helper()
	cmd := m.says(line)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		m.T.Fatalf("%s: %s: %v\n%s%s", m.name, line, err, out, said.String())
	}
	return string(out)
}

// may runs a command that may fail.
func (m machine) may(line string) string {
	m.T.Helper()
	out, _ := m.says(line).CombinedOutput()
	return string(out)
}

// starts starts a command of docs/team.md that runs until the test ends.
func (m machine) starts(line string) *labtest.Process {
	m.T.Helper()
	p := &labtest.Process{Cmd: m.says(line)}
	p.Stdout, p.Stderr = &p.Out, &p.Err
	m.start(p.Cmd)
	return p
}

func (m machine) start(cmd *exec.Cmd) {
	m.T.Helper()
	if err := cmd.Start(); err != nil {
		m.T.Fatal(err)
	}
	m.T.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// daemon lets git serve the repositories in a folder, and returns the address of shop.git.
func (m machine) daemon(root string) string {
	m.T.Helper()
	port := freePort(m.T)
	m.start(m.command("git", "daemon", "--reuseaddr", "--listen="+m.n.server, "--port="+port, "--base-path="+root, "--export-all", "--enable=receive-pack", root))
	address := fmt.Sprintf("git://%s/shop.git", net.JoinHostPort(m.n.server, port))
	labtest.Await(m.T, "git's daemon", func() bool { return m.command("git", "ls-remote", address).Run() == nil })
	return address
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String()) // it is one
	return port
}

// writeCertificate makes a self-signed certificate in cert.pem, and its key in key.pem.
func writeCertificate(t *testing.T, dir, address string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(address)}, IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
