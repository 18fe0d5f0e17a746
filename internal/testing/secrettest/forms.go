// Package secrettest makes texts with fake secrets, for tests of redaction. It
// makes them when a test runs, so that no file here contains text that a
// scanner would report as a secret.
package secrettest

import (
	"math/rand"
	"regexp"
	"strconv"
	"strings"
)

// Sample is a text with secrets.
type Sample struct {
	Name    string
	Text    string
	Secrets []string // as they occur in Text
}

// forms are texts with secrets between ⟦ and ⟧. ⟨24⟩ is replaced by this many
// letters and digits, ⟨h32⟩ by hexadecimal digits, ⟨d15⟩ by decimal digits.
var forms = []struct{ name, text string }{
	{"anthropic oauth", "the CLI printed ⟦sk-ant-oat01-⟨86⟩-⟨6⟩AA⟧ and went on"},
	{"docker pat", "docker uses ⟦dckr_pat_⟨27⟩⟧."},
	{"docker oat", "⟦dckr_oat_⟨27⟩⟧"},
	{"docker login", "docker login -u ada -p ⟦Hunter2-⟨6⟩⟧ registry.example.com"},
	{"docker login word", "docker login -u ada -p ⟦swordfish⟧ registry.example.com"},
	{"docker login quoted", "$ docker login registry.example.com --username ada -p '⟦correct horse 9⟧' && docker push x"},
	{"docker login attached", "sudo docker login -uada -p⟦hunter2⟨6⟩⟧"},
	{"podman login", "podman login -u=ada -p=⟦hunter2⟨6⟩⟧ quay.io"},
	{"helm login", "helm registry login ghcr.io -u ada -p ⟦hunter2⟨6⟩⟧"},
	{"az login", "az login --service-principal -u http://x -p ⟦hunter2⟨6⟩⟧ --tenant t"},
	{"mysql attached", "mysql -uroot -p⟦hunter2⟨4⟩⟧ -h db.example.com shop"},
	{"mysql word", "mysql -u root -p⟦swordfish⟧ shop"},
	{"mysql separate", "mysql -u root -p ⟦hunter2⟨4⟩⟧ shop"},
	{"mysqldump", "+ mysqldump -h db -u app -p'⟦s3cret!⟨4⟩⟧' shop > dump.sql"},
	{"mysqladmin", "mysqladmin -u root -p\"⟦s3cret!⟨4⟩⟧\" status"},
	{"mariadb", "mariadb -uapp -p⟦s3cret⟨4⟩⟧ shop"},
	{"sshpass", "sshpass -p ⟦swordfish⟧ ssh root@host.example.com uptime"},
	{"sshpass quoted", "sshpass -p '⟦p4ss word!⟧' scp a b:"},
	{"sshpass attached", "sshpass -p⟦hunter2x⟧ rsync -a . host:"},
	{"redis", "redis-cli -h cache -a ⟦hunter2⟨6⟩⟧ ping"},
	{"mongo", "mongosh --host db -u app -p ⟦hunter2⟨6⟩⟧"},
	{"netrc", "machine api.example.com\n  login ada\n  password ⟦swordfish⟧\n"},
	{"netrc line", "machine api.example.com login ada password ⟦hunter2x⟧"},
	{"netrc without login", "machine api.example.com password ⟦hunter2x⟧"},
	{"netrc default", "default login ada password ⟦hunter2x⟧"},
	{"netrc in JSON", `{"text":"machine api.example.com\n  login ada\n  password ⟦hunter2x⟧\n"}`},
	{"password is", "The password is ⟦hunter2x⟧."},
	{"password is quoted", "the password is \"⟦swordfish⟧\", as ever"},
	{"password is, backticks", "The admin password is `⟦hunter2x⟧`."},
	{"password is, bold", "password is **⟦hunter2x⟧**"},
	{"password for", "The password for the staging database is ⟦Tr0ub4dor⟨4⟩⟧, ask Ada."},
	{"password was", "I saw that the root password was ⟦hunter2x!⟧ before"},
	{"password set to", "the password of ada was changed to ⟦hunter2x⟧ today"},
	{"passphrase is", "passphrase is: ⟦c0rrect-h0rse⟧"},
	{"token is", "your API token is ⟦⟨24⟩7q⟧"},
	{"secret is", "The client secret is now ⟦⟨20⟩7q⟧"},
	{"sas", "https://acct.blob.core.windows.net/c/b?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig=⟦⟨30⟩7%2B⟨10⟩%3D⟧"},
	{"sas escaped", `"url": "https://x.example/b?sp=r\u0026sig=⟦⟨42⟩7%3D⟧"`},
	{"s3", "https://b.s3.amazonaws.com/k?X-Amz-Expires=300&X-Amz-Signature=⟦⟨h64⟩⟧"},
	{"cookie", "Cookie: sessionid=⟦⟨32⟩7q⟧; theme=dark; csrftoken=⟦⟨24⟩7q⟧"},
	{"set-cookie", "< set-cookie: sid=⟦s%3A⟨32⟩7q⟧; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly"},
	{"cookie in code", "headers = {\"Cookie\": \"JSESSIONID=⟦⟨h32⟩⟧; lang=en-US\"}"},
	{"cookie of curl", "curl -s --cookie 'sid=⟦⟨24⟩7q⟧' https://example.com"},
	{"cookie header of curl", "curl -H 'Cookie: _gh_sess=⟦⟨40⟩7q⟧' https://example.com"},
	{"azure devops", "AZURE_DEVOPS_PAT=⟦⟨50⟩7q⟧"},
	{"azure devops ext", "export AZURE_DEVOPS_EXT_PAT=\"⟦⟨52⟩⟧\""},
	{"pat in YAML", "  githubPat: ⟦⟨20⟩7q⟧"},
	{"terraform", "variable \"db_password\" {\n  type    = string\n  default = \"⟦swordfish⟧\"\n}\n"},
	{"terraform sensitive", "variable \"api_token\" {\n  description = \"for the API\"\n  type = string\n  sensitive = true\n  default   = \"⟦⟨20⟩7q⟧\"\n}"},
	{"terraform in JSON", `{"text":"variable \"db_password\" {\n  default = \"⟦hunter2x⟧\"\n}"}`},
	{"facebook", "⟦EAAB⟨h60⟩⟨100⟩ZD⟧"},
	{"facebook app", "access: ⟦⟨d15⟩|⟨20⟩7q-⟨4⟩⟧ "},
	{"new relic", "⟦NRAK-⟨26⟩7⟧"},
	{"new relic browser", "licence ⟦NRJS-⟨h19⟩⟧"},
	{"new relic insert", "⟦NRII-⟨30⟩7q⟧"},
	{"atlassian", "⟦ATATT3xFfGF0⟨178⟩=⟨h8⟩⟧"},
	{"atlassian named", "ATLASSIAN_TOKEN=⟦ATATT3xFfGF0⟨178⟩=⟨h8⟩⟧"},
	{"bitbucket", "https://x-token-auth@bitbucket.org ⟦ATBB⟨32⟩⟧"},
	{"XML", "<adobeToken>\n    ⟦⟨h32⟩⟧\n</adobeToken>"},
	{"line end in JSON", `{"text":"<adobeToken>\n    ⟦⟨h32⟩⟧\n</adobeToken>"}`},
	{"coloured value", "DB_PASSWORD=\x1b[32m⟦hunter2x⟧\x1b[0m"},
	{"coloured name", "\x1b[1;34mDB_PASSWORD\x1b[0m=\x1b[32m⟦hunter2x⟧\x1b[0m"},
	{"coloured halves", "\x1b[31m⟦dckr_pat_\x1b[0m\x1b[32m⟨27⟩⟧\x1b[0m"},
	{"matched by grep", "config:\x1b[01;31m\x1b[Kpassword\x1b[m\x1b[K: ⟦hunter2x⟧"},
	{"coloured with C1", "DB_PASSWORD=\u009b32m⟦hunter2x⟧\u009b0m"},
	{"full width", "ＤＢ＿ＰＡＳＳＷＯＲＤ＝⟦ｈｕｎｔｅｒ２ｘ⟧"},
	{"full width value", "DB_PASSWORD=⟦ｈｕｎｔｅｒ２ｘ⟧"},
	{"zero width", "DB_PASS\u200bWORD=⟦hun\u200bter2x⟧"},
	{"zero width in a token", "⟦dckr\u200d_pat_⟨12⟩\u2060⟨15⟩⟧"},
	{"soft hyphens", "⟦dckr_pat_⟨12⟩\u00ad⟨15⟩⟧"},
	{"hidden characters", "⟦dckr_pat_⟨12⟩\u206a⟨5⟩\ufff9⟨5⟩\U000e0100⟨5⟩⟧"},
}

var placeholder = regexp.MustCompile(`⟨([hd]?)(\d+)⟩`)

// Forms returns texts in the forms in which people and tools write secrets, the
// same ones at every call.
func Forms() []Sample {
	g := rand.New(rand.NewSource(1))
	out := make([]Sample, 0, len(forms))
	for _, f := range forms {
		text := placeholder.ReplaceAllStringFunc(f.text, func(s string) string {
			m := placeholder.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[2])
			return random(g, alphabets[m[1]], n)
		})
		out = append(out, read(f.name, text))
	}
	return out
}

var alphabets = map[string]string{
	"": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "h": "0123456789abcdef", "d": "0123456789",
}

func random(g *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[g.Intn(len(alphabet))])
	}
	return b.String()
}

// read removes the marks from a text.
func read(name, marked string) Sample {
	s := Sample{Name: name}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(marked, "⟦")
		b.WriteString(before)
		if !ok {
			break
		}
		secret, rest, _ := strings.Cut(after, "⟧")
		b.WriteString(secret)
		s.Secrets = append(s.Secrets, secret)
		marked = rest
	}
	s.Text = b.String()
	return s
}
