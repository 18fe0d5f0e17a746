package redact

import (
	"regexp"
	"strings"
	"testing"
)

func newRedactor(t testing.TB, o Options) *Redactor {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNamedValues marks the secret in each line with ⟦ and ⟧.
func TestNamedValues(t *testing.T) {
	r := newRedactor(t, Options{Names: []string{"Ticket_Code"}})
	for _, marked := range []string{
		"DB_PASSWORD=⟦hunter2x⟧",
		"DB_PASSWORD=⟦swordfish⟧",
		"password=⟦hunter2secretXYZ⟧",
		"password=⟦mySecretPass1⟧",
		"export DB_PASSWORD='⟦correct horse b4ttery⟧' && run",
		`{"githubToken": "⟦abc123def456⟧", "n": 1}`,
		`{\"password\":\"⟦p4ssw0rdx⟧\"}`,
		"password: ⟦hunter22⟧",
		"password: ⟦swordfish⟧",
		`password = "⟦hunter2\"x⟧"`,
		"  client_secret: '⟦Zm9vYmFy-1⟧'",
		"Authorization: Bearer ⟦abc123xyz890q⟧",
		`curl -H "Authorization: Basic ⟦dXNlcjpwYXNz⟧" https://example.com`,
		`'Authorization': 'token ⟦0123456789abcdef0123456789abcdef01234567⟧'`,
		"GITHUB_TOKEN=⟦0123456789abcdef0123456789abcdef01234567⟧",
		"mysql --password ⟦hunter2!⟧ -h db",
		"mysql --password=⟦hunter2!⟧ -h db",
		"https://api.example.com/v1?token=⟦a1b2c3d4e5f6⟧&page=2",
		"<password>⟦hunter2x⟧</password>",
		"**Password**: ⟦hunter2x⟧",
		"password: str = \"⟦hunter2x⟧\"",
		"config[\"password\"] = \"⟦hunter2x⟧\"",
		"api key: ⟦a1b2c3d4e5⟧",
		"apiKey := \"⟦a1b2c3d4e5⟧\"",
		"+  secret_key_base: ⟦5e1f0c9a7b⟧",
		"AZURE_CONNECTION_STRING=\"⟦Server=x;Account=1;Code=2⟧\"",
		"ticket_code: ⟦quartzly⟧",
		"curl -u ⟦ada:swordfish1⟧ https://a.example\ncurl -s https://b.example\ncurl -u '⟦bob:swordfish2⟧' https://c.example\n",
		"postgres://app:⟦s3cret⟧@db.example.com:5432/app",
		"postgres://app:⟦s3c@ret⟧@localhost/app",
		"postgres://app:⟦s3/c@ret⟧@db.example.com/app",
		"redis://:⟦s3cret⟧@cache:6379/0",
		"git clone https://⟦0123456789abcdef0123⟧@github.com/x/y.git",
		"two: http://a:⟦b1⟧@h.example https://c:⟦d2⟧@h.example/x@v1",
	} {
		checkMarked(t, r, marked)
	}
}

func checkMarked(t *testing.T, r *Redactor, marked string) {
	t.Helper()
	var in, want strings.Builder
	rest := marked
	for {
		before, after, ok := strings.Cut(rest, "⟦")
		in.WriteString(before)
		want.WriteString(before)
		if !ok {
			break
		}
		secret, tail, _ := strings.Cut(after, "⟧")
		in.WriteString(secret)
		want.WriteString("*")
		rest = tail
	}
	got := r.Text(in.String())
	plain := regexp.MustCompile(`\[redacted: [a-z0-9 -]{0,64}\]`).ReplaceAllString(got, "*")
	if plain != want.String() {
		t.Errorf("%q becomes\n%q", in.String(), got)
	}
	if again := r.Text(got); again != got {
		t.Errorf("%q becomes %q the second time", got, again)
	}
}

// Ordinary text stays as it is, byte for byte.
func TestOrdinaryText(t *testing.T) {
	r := newRedactor(t, Options{Env: []string{"PWD=/home/ada/MyProjects/Backend2024Service", "PATH=/usr/local/bin:/usr/bin", "SSH_AUTH_SOCK=/run/user/1000/agent.sock", "TOKEN=short", "AUTH=${OTHER_VALUE}"}})
	for _, s := range []string{
		"",
		"open /home/ada/MyProjects/Backend2024Service/.git/agentflow/log: read-only file system",
		"the token expired, so the secret was rotated and the password changed",
		"password: must be at least 8 characters",
		"Password must be changed every 90 days.",
		"token: required for access to the API",
		"auth: fix the redirect after login (#1234)",
		"feat(auth): refresh tokens before they expire",
		"fix: token refresh; key: none, secret: null, password: false",
		"password: ******** token: <your-token> secret: ${SECRET} api_key: {{ .Values.apiKey }}",
		"API_KEY=$API_KEY TOKEN=${TOKEN} SECRET=%SECRET% PASSWORD=your_password KEY=changeme",
		"const token = process.env.GITHUB_TOKEN;",
		`token := os.Getenv("GITHUB_TOKEN")`,
		"password = getpass.getpass()",
		"token, err := s.tokens.Next(ctx)",
		"if token == nil || password != expectedPassword {",
		"login(user, password=user_password, token=access_token)",
		"type Config struct {\n\tPassword string `json:\"password\"`\n\tToken    string `json:\"token,omitempty\"`\n}",
		"interface Login { password: string; token: string | null }",
		"max_tokens: 4096, total_tokens=1234567, token_count: 12, tokenizer: cl100k_base",
		"commit 9f1c2ab0d3e4f5061728394a5b6c7d8e9f001122",
		"9f1c2ab0d3e4f5061728394a5b6c7d8e9f001122 Fix the login test",
		"index 9f1c2ab0d3..e4f5061728 100644\n--- a/auth/token.go\n+++ b/auth/token.go",
		"key: 9f1c2ab0d3e4f5061728394a5b6c7d8e9f001122",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  dist/app.tar.gz",
		"id 0199f0c4-7a1b-7000-8000-000000000001 session=550e8400-e29b-41d4-a716-446655440000",
		"sourcegraph is a search engine\n9f1c2ab0d3e4f5061728394a5b6c7d8e9f001122",
		"github.com/zricethezav/gitleaks/v8/detect h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		"import \"golang.org/x/crypto/ssh/agent\"",
		"--- FAIL: TestTokenRefreshKeepsSecret (0.03s)\n    token_test.go:41: got 3, want 4",
		"see https://example.com/docs/auth/token?page=2#api-key and http://localhost:8080/token",
		"git@github.com:owner/repo.git ssh://git@github.com/owner/repo.git",
		"npm install @scope/auth-token@1.2.3 https://registry.npmjs.org/@scope/key/-/key-1.0.0.tgz",
		"pwd: /home/user/project\nPWD=/home/user/project OLDPWD=/tmp",
		"TOKEN_FILE=/run/secrets/token password_file: ./secrets/db_password.txt",
		"CREATE TABLE users (password_hash text, token_id integer)",
		"func TestPasswordHash(t *testing.T) { want := hash(password) }",
		"author: Somebody Important, authority: unknown, passwordless: available",
		`if strings.Contains(s, "-----BEGIN PRIVATE KEY-----") { return true }`,
		"M auth/session.go (+12 −3)\nR auth/clock.go ← auth/time.go",
		"the password is required, the token is expired and the secret is stored in the vault",
		"The password is base64-encoded, the token is sha256-hashed and the secret is 32 bytes long.",
		"the password is at least 12 characters, and was changed on 2026-11-21",
		"the token is valid for 30 days; the password is hashed with argon2id",
		"password for the test user is set in auth_test.go, and the secret of the app is in vault/app.yaml",
		"docker run -p 8080:80 nginx && docker compose -p shop2 up && mkdir -p out/v2/bin1",
		"docker login -u ada --password-stdin registry.example.com, then docker login -p $TOKEN",
		"mysql -u root -p shop, mysql --port=3307 -P 3307",
		"go test -tags mysql -parallel 4 ./mysql -p1",
		"the mysql -path flag; sshpass -e ssh host; sshpass -f ./secret.txt ssh host; sshpass -p $PASS ssh host",
		"machine learning login page password field 12345 and the default login screen",
		"a machine with 16 cores logged in at 12:30",
		"Cookie: theme=dark; lang=en-US; path=/; consent=yes",
		"cookies: use these: theme=dark; path=/; samesite=Strict, the cookies are read by session-store2",
		"bearer: required for access to the API, type: http, scheme: bearer, bearerFormat: JWT",
		"Bearer authentication-middleware, Bearer oauth2-proxy-client-v12 as in RFC 6750",
		"bearer := strings.TrimPrefix(header, \"Bearer \"); return \"Bearer \" + accessTokenOfUser2(session)",
		"Authorization: Bearer ${ACCESS_TOKEN}, Bearer <your-access-token-1>, Bearer {{ .Values.apiToken2 }}",
		"cookies: SameSite=Lax; the cookie: must be set before the session=1 is read",
		"Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=31536000; Path=/account2/settings",
		"verify(sig=signature, key=public_key) && sig=%s&sig=abc",
		"GITHUB_PATH=/home/ada/bin2 pattern=foo2bar pat=1 compat=ie11x Pat: hello",
		"variable \"region\" {\n  default = \"eu-west-1\"\n}\nvariable \"password_length\" {\n  default = \"sixteen\"\n}",
		"variable \"db_password\" {\n  type = string\n}\nvariable \"region\" {\n  default = \"eu-west-1\"\n}",
		"\x1b[32mok\x1b[0m password: \x1b[1mnone\x1b[0m, 合格：すべて　通過 ＰＡＳＳ👩\u200d💻",
		"| 1234567890123 | total_of_all_the_tokens_there |",
		"\"js-tokens\": \"^3.0.0 || ^4.0.0\", js-tokens@^3.0.0, token: >=1.2.3",
		"golang.org/x/oauth2 v0.25.0 h1:CY4y7XT9v0cRI9oupztF8AgiIu99L/ksR/Xp/6jrZ70=",
		"2026-11-21T14:32:07+01:00 level=info msg=\"token refreshed\" took=12ms",
	} {
		if got := r.Text(s); got != s {
			t.Errorf("%q\nbecomes\n%q", s, got)
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := New(Options{Extra: []string{"fine", "bad("}}); err == nil || !strings.Contains(err.Error(), `"bad("`) {
		t.Errorf("a bad expression: %v", err)
	}
	r := newRedactor(t, Options{
		Extra: []string{`PROJ-\d+`, `badge (\w+)`},
		Env:   []string{"DEPLOY_TOKEN=plainlooking", "SHELL=/bin/bash", "LANGUAGE=plainvalue", "NPM_AUTH=abc", "broken"},
	})
	in := "PROJ-12 badge xyz, see plainlooking and plain\x1b[1mlook\u200bing and plainvalue in /bin/bash"
	want := "[redacted: custom] badge [redacted: custom], see [redacted: token] and [redacted: token] and plainvalue in /bin/bash"
	if got := r.Text(in); got != want {
		t.Errorf("%q", got)
	}
}
