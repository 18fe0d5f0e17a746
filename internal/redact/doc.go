// Package redact takes secrets out of text before it is stored.
//
// It knows: what gitleaks' default rules find, and tokens that begin as no
// other text does; private keys over several lines; passwords in URLs, in
// netrc files and behind the short flags of programs (docker login -p);
// signatures of links and cookies; values given to names such as password or
// API_TOKEN, by an assignment, a sentence ("the password is …") or a
// Terraform default; and the values of this process's own secret environment
// variables. Each is replaced by "[redacted: kind]". Terminal colours,
// invisible characters and letters of full width between or in place of its
// letters do not hide a secret.
//
// Guarantees, for any bytes: it never panics; redacting twice gives the same
// as once; line breaks stay where they are, so that formats made of lines
// keep their shape; where anything goes wrong the whole text becomes
// Withheld, never the text itself. A text over MaxBytes is withheld too. The
// cost grows linearly with the text.
//
// Not guaranteed: that every secret is found. A secret without a known shape
// or a telling name looks like any other word. Commit ids, checksums, UUIDs
// and paths are left alone unless a secret's name stands before them.
package redact
