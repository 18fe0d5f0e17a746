package executor

import (
	"strings"

	"agentflow/executor/internal/bounded"
)

// detailWithoutSecrets returns the object of a tool call as it is stored. It drops the last
// word of a clipped text, because that may be half of a secret, which redaction does not
// recognise.
func detailWithoutSecrets(redact func(string) string, detail string) string {
	if cut, was := strings.CutSuffix(detail, "…"); was {
		detail = strings.TrimSpace(cut[:max(0, strings.LastIndexAny(cut, " \t"))] + " …")
	}
	return bounded.RedactBounded(redact, detail, maxStoredDetail)
}

// maxStoredDetail limits the stored object of a tool call, in bytes.
const maxStoredDetail = 1000
