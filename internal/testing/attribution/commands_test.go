package attribution

import (
	"fmt"
	"strings"

	"agentflow/internal/testing/randomtest"
)

// command is a shell command of an agent. Its parts run one after the other,
// so that others can act between them.
type command struct {
	parts  []string
	cwd    string   // it changes into this folder first
	writes []string // what it says that it writes, relative to cwd
	amends bool
	// leaves means that it leaves a process running.
	leaves bool
}

func (c command) text() string {
	text := strings.Join(c.parts, "\n")
	if c.cwd != "" {
		text = "cd " + c.cwd + "\n" + text
	}
	return text
}

func quote(path string) string {
	if strings.ContainsAny(path, " *") {
		return "'" + path + "'"
	}
	return path
}

// shellCommand makes up a command: most name the files they write, some change
// files that they do not name, some only read.
func (s *scenario) shellCommand() command {
	switch n := s.rnd.IntN(20); {
	case n < 9:
		return s.namingCommand()
	case n < 11:
		return s.silentCommand()
	case n < 14:
		return s.readingCommand()
	case n < 16:
		a, b := s.namingCommand(), s.readingCommand()
		if a.cwd != "" || b.cwd != "" {
			return a
		}
		return command{parts: append(b.parts, a.parts...), writes: a.writes}
	default:
		return s.gitCommand()
	}
}

// namingCommand returns a command that names the files it writes.
func (s *scenario) namingCommand() command {
	file, fresh, word := s.file(), s.freshName(), s.word("run")
	p, q := quote(file), quote(fresh)
	one := func(writes string, format string, args ...any) command {
		return command{parts: []string{fmt.Sprintf(format, args...)}, writes: []string{writes}}
	}
	switch s.rnd.IntN(20) {
	case 0:
		return one(file, "echo '%s' >> %s", word, p)
	case 1:
		return one(file, "echo '%s' > %s", word, p)
	case 2:
		return one(file, "sed -i '2s/.*/%s/' %s", word, p)
	case 3:
		return one(file, "sed -i -e '1i %s' -e '$d' %s", word, p)
	case 4:
		return one(fresh, "mkdir -p $(dirname %s) && printf '%s\\n' | tee %s > /dev/null", q, word, q)
	case 5:
		return one(fresh, "mkdir -p %s\ncat > %s <<'EOF'\n%s\nsecond line\nEOF", quote(folderOf(fresh)), q, word)
	case 6:
		return one(fresh, "mkdir -p %s; cp %s %s", quote(folderOf(fresh)), p, q)
	case 7:
		return command{parts: []string{"mkdir -p " + quote(folderOf(fresh)), fmt.Sprintf("mv %s %s", p, q)}, writes: []string{file, fresh}}
	case 8:
		return one(file, "rm %s", p)
	case 9:
		return one(file, "rm -f -- %s", p)
	case 10:
		return one(file, "git rm -qf --ignore-unmatch %s", p)
	case 11:
		return one(file, "git checkout -q -- %s", p)
	case 12:
		return one(file, "chmod +x %s", p)
	case 13:
		return one(file, "cat gen.sh >> %s; echo '%s' >> %s", p, word, p)
	case 14:
		return command{parts: []string{fmt.Sprintf("echo '%s' >> new.txt", word), "ls -l"}, cwd: "d", writes: []string{"new.txt"}}
	case 15:
		return command{parts: []string{fmt.Sprintf("echo '%s' | tee -a b.txt", word)}, cwd: "d", writes: []string{"b.txt"}}
	case 16:
		return one("d/e", "rm -rf d/e")
	case 17:
		return one(file, "head -3 gen.sh | sort -o %s", p)
	case 18:
		return one(fresh, "mkdir -p %s; ln -sf some/where %s", quote(folderOf(fresh)), q)
	default:
		return one(file, "echo '%s' >> %s/%s", word, s.dir, p)
	}
}

// silentCommand writes files and does not say which.
func (s *scenario) silentCommand() command {
	word := s.word("run")
	text := randomtest.Pick(s.rnd,
		"sh gen.sh %s",
		"sh fmt.sh %s",
		"for f in d/*.txt; do echo %s >> \"$f\"; done",
		"find src -type f -exec sed -i '1s/.*/%s/' {} +",
		"sh gen.sh %s && sh fmt.sh again",
		"f=$(ls | grep txt | head -1); echo %s >> \"$f\"",
		": %s; git stash -q",
		": %s; git stash pop -q || git checkout -q -f && git clean -qfd",
	)
	return command{parts: []string{fmt.Sprintf(text, word)}}
}

// readingCommand only reads, or reads one file to write another.
func (s *scenario) readingCommand() command {
	p, q := quote(s.file()), quote(s.file())
	fresh := s.freshName()
	text := randomtest.Pick(s.rnd,
		"cat %[1]s", "grep -n line %[1]s", "wc -l %[1]s %[2]s", "git diff -- %[1]s", "head -2 %[1]s; tail -2 %[2]s",
		"diff %[1]s %[2]s", "sed -n 1,5p %[1]s", "sort %[1]s | uniq -c", "test -f %[1]s && cat %[2]s > /dev/null",
		"git log --oneline -3 -- %[1]s", "git status --short", "sh -n %[1]s 2>/dev/null; ls -l %[2]s", "cmp %[1]s %[2]s 2>&1",
		"cp %[1]s /dev/null", "cat < %[1]s", "stat %[1]s %[2]s")
	if s.rnd.IntN(4) == 0 {
		return command{parts: []string{"mkdir -p " + quote(folderOf(fresh)), fmt.Sprintf("cat %s > %s", p, quote(fresh))}, writes: []string{fresh}}
	}
	return command{parts: []string{"true", fmt.Sprintf(text, p, q)}}
}

// gitCommand lets git write.
func (s *scenario) gitCommand() command {
	word := s.word("commit")
	switch s.rnd.IntN(14) {
	case 0, 1:
		return command{parts: []string{"git add -A", "git commit -qm '" + word + "'"}}
	case 2, 3:
		return command{parts: []string{"git commit -qam '" + word + "'"}}
	case 4:
		file := quote(s.file())
		return command{parts: []string{"git add -- " + file, "git commit -qm '" + word + "' -- " + file}}
	case 5:
		return command{parts: []string{"git commit -q --amend -m '" + word + "'"}, amends: true}
	case 6:
		return command{parts: []string{"git commit -qa --amend --no-edit"}, amends: true}
	case 7:
		return command{parts: []string{"git checkout -q -b b" + word}}
	case 8:
		return command{parts: []string{"git checkout -q side"}}
	case 9:
		return command{parts: []string{"git stash -q"}}
	case 10:
		return command{parts: []string{": > .gitignore"}, writes: []string{".gitignore"}}
	case 11:
		return command{parts: []string{"git add -f local.db app.log", "git commit -qm '" + word + "'"}}
	case 12:
		return command{parts: []string{randomtest.Pick(s.rnd, ": > .git/info/exclude", "rm -rf nested/.git",
			"git update-index --no-assume-unchanged cfg.ini", "git add -f local.db")}}
	default:
		return command{parts: []string{"GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git commit -qam '" + word + "' --date 2001-01-01T00:00:00Z"}}
	}
}

// backgroundCommand leaves a process running, which writes on request.
func (s *scenario) backgroundCommand() command {
	c := command{parts: []string{"true"}, leaves: true}
	if s.rnd.IntN(3) == 0 {
		c.writes = []string{"server.txt"}
	}
	return c
}
