package attribution

import (
	"fmt"
	"strings"

	"agentflow/internal/testing/randomtest"
)

// personStep returns a step that a person takes in a terminal or an editor, as
// a shell script.
func (s *scenario) personStep(word string) string {
	file, fresh := quote(s.file()), quote(s.freshName())
	folder := quote(folderOf(strings.Trim(fresh, "'")))
	if s.rnd.IntN(4) == 0 {
		return s.personInGit(file, word)
	}
	switch s.rnd.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("echo '%s' >> %s", word, file)
	case 3, 4:
		return fmt.Sprintf("sed -i '3s/.*/%s/' %s", word, file)
	case 5, 6, 7:
		return fmt.Sprintf("mkdir -p %s; echo '%s' > %s", folder, word, fresh)
	case 8:
		return "rm -f " + file
	case 9:
		return fmt.Sprintf("mkdir -p %s; mv %s %s", folder, file, fresh)
	case 10, 11: // as editors save
		return fmt.Sprintf("{ head -4 %[1]s; echo '%[2]s'; } > .saved~ && mv .saved~ %[1]s", file, word)
	case 12:
		return "chmod +x " + file
	case 13:
		return fmt.Sprintf("echo '%s' > %s", word, file)
	case 14:
		return "echo '" + randomtest.Pick(s.rnd, "new*.txt", "src/", "d/e/", "*.tmp") + "' >> .gitignore"
	default:
		return randomtest.Pick(s.rnd, "sed -i '/db/d' .gitignore", ": > .git/info/exclude", "git update-index --no-assume-unchanged cfg.ini")
	}
}

func (s *scenario) personInGit(file, word string) string {
	switch s.rnd.IntN(14) {
	case 0, 1, 2:
		return "git commit -qam '" + word + "'"
	case 3:
		return "git add -A; git commit -qm '" + word + "'"
	case 4:
		return fmt.Sprintf("git add -- %s; git commit -qm '%s' -- %s", file, word, file)
	case 5:
		return "git commit -q --amend -m '" + word + "'"
	case 6:
		return "git commit -qa --amend --no-edit"
	case 7:
		return "git stash -q -u"
	case 8:
		return "git stash -q"
	case 9:
		return "git stash pop -q"
	case 10:
		return randomtest.Pick(s.rnd, "git checkout -q side", "git checkout -q main", "git checkout -q -b p"+word)
	case 11:
		return "git add -- " + file
	case 12:
		return "git checkout -q -- " + file
	default:
		return "git rm -q --cached -- " + file
	}
}

// amends reports whether a script replaces the commit that is checked out.
func amends(script string) bool { return strings.Contains(script, "--amend") }
