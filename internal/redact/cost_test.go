package redact

import (
	"encoding/base64"
	"math/rand"
	"strings"
	"testing"

	"agentflow/internal/testing/endtest"
)

// texts returns inputs of about 1 MB, from the most ordinary to the worst
// known.
func texts() map[string]string {
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	random := make([]byte, size*3/4)
	rand.New(rand.NewSource(1)).Read(random)
	blob := base64.StdEncoding.EncodeToString(random)
	set, err := defaultRules()
	if err != nil {
		panic(err)
	}
	var all, assigned strings.Builder
	for _, k := range set.keywords {
		all.WriteString(k.word + "x ")
		assigned.WriteString(k.word + "=")
	}
	return map[string]string{
		"prose": fill("The login test depended on the wall clock, so it failed around midnight. " +
			"Using a fake clock made it stable; see the notes about time zones for the rest.\n"),
		"code": fill("func (s *Session) Refresh(ctx context.Context) error {\n\tif s.token == nil {\n\t\treturn errNoToken\n\t}\n" +
			"\tkey := s.store.Key(s.user.ID)\n\tvalue, err := s.store.Get(ctx, key)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"read the session: %w\", err)\n\t}\n" +
			"\tfor i, item := range value.Items {\n\t\ts.items[i] = item.Clone()\n\t}\n\treturn nil\n}\n\n"),
		"dense":     fill("key: api token = auth secret, password: access key => credential\n"),
		"key=":      fill("key=key="),
		"token=":    fill("token=token: "),
		"password:": fill("password: password:\n"),
		"secrets":   fill("DB_PASSWORD=hunter22 x\nAPI_TOKEN=abc123def456 "),
		"urls":      fill("https://a:b@c://d:e@"),
		"begin":     fill("-----BEGIN PRIVATE KEY----"),
		"curl":      fill("curl -H curl -u "),
		"secret":    fill("kind: secret data: secret "),
		"base64":    blob,
		"lines":     strings.Join(strings.SplitAfter(blob, "A"), "\n"),
		"ey":        fill("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"),
		"keywords":  fill(all.String()),
		"assigned":  fill(assigned.String()),
		"quotes":    fill(`password="`),
		"run":       fill("token=a-"),
		"commands":  fill("mysql -u x mysql -p "),
		"netrc":     fill("machine a.b login x machine "),
		"cookies":   fill("Cookie: a=b; cookie=c; "),
		"told":      fill("the password for the token is password was "),
		"terraform": fill("variable \"password\" { "),
		"colours":   fill("\x1b[31mok\x1b[0m password\x1b[1m: \x1b[32mhunter2x\x1b[0m\n"),
		"sequences": fill("\x1b[\x1b]\u009b\\e["),
		"wide":      fill("ＰＡＳＳＷＯＲＤ＝ｘ　"),
		"bars":      fill("123456789012345|"),
		"eaa":       fill("EAAB EAAC1 "),
		"marks":     fill("[redacted: [redacted: x] password=[redacted: y]abcdefgh1 "),
	}
}

func BenchmarkText(b *testing.B) {
	r, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range texts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				r.Text(s)
			}
		})
	}
}

// BenchmarkFirst measures the first text, which includes reading gitleaks'
// rules and building the table of words.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		set, err := parseRules(gitleaksRules)
		if err != nil || len(set.rules) < 200 {
			b.Fatal(err)
		}
		if _, err := newScanner(nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLongTextsEnd redacts long texts of the worst kinds known, on which work
// that grows with their square would take many minutes; BenchmarkText has the speed.
func TestLongTextsEnd(t *testing.T) {
	r := newRedactor(t, Options{})
	for name, s := range texts() {
		endtest.Soon(t, name, func() { r.Text(s[:len(s)/2]) })
	}
}
