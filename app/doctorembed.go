package app

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"agentflow/config"
	"agentflow/embed"
)

// probeWait is how long the doctor waits for an embedder, as long as a run
// would for all of recall.
const probeWait = 3 * time.Second

// checkEmbedder looks whether searching by meaning works. Nothing stops
// without it, so nothing of it is a failure.
func (a *operation) checkEmbedder(ctx context.Context, settings config.Embed) check {
	c := check{Name: "embedder", Grade: gradeOK}
	e, err := a.embedder(settings)
	switch {
	case err != nil:
		c.Grade, c.Detail = gradeWarn, err.Error()+"; searching goes by keywords"
		c.Hint = "correct [embed] in your config"
	case e == nil:
		c.Detail = "none: searching goes by keywords"
	case settings.Provider == "claude":
		c = checkClaudeEmbedder(c)
	case !asks(e):
		c.Detail = fmt.Sprintf("%s, %d dimensions, in this process", settings.Provider, e.Info().Dimensions)
	default:
		c = probeEmbedder(ctx, c, e, settings.Provider)
	}
	return c
}

// checkClaudeEmbedder does not ask: that would be paid for.
func checkClaudeEmbedder(c check) check {
	path, err := exec.LookPath("claude")
	if err != nil {
		c.Grade, c.Detail, c.Hint = gradeWarn, "claude: "+err.Error(), startHint(&config.Config{}, "claude")
		return c
	}
	c.Detail = "claude: " + path + ", not asked, because an answer costs money"
	c.Hint = `slow and coarse: only 'search', 'index' and 'watch' ask it; provider = "local" is free`
	return c
}

// probeEmbedder asks for one vector.
func probeEmbedder(ctx context.Context, c check, e embed.Embedder, provider string) check {
	ctx, cancel := context.WithTimeoutCause(ctx, probeWait, fmt.Errorf("no answer within %v", probeWait))
	defer cancel()
	vectors, err := e.Embed(ctx, embed.Query, []string{"agentflow"})
	if err == nil && (len(vectors) != 1 || len(vectors[0]) == 0) {
		err = errors.New("the answer holds no vector")
	}
	if err != nil {
		c.Grade, c.Detail, c.Hint = gradeWarn, err.Error()+"; searching goes by keywords", embedHint(provider)
		return c
	}
	c.Detail = fmt.Sprintf("%s answers, %d dimensions", provider, len(vectors[0]))
	return c
}

func embedHint(provider string) string {
	if provider == "ollama" {
		return "start it with 'ollama serve', fetch the model with 'ollama pull', and see base_url and model in [embed]"
	}
	return `see base_url, model and api_key_env in [embed]; provider = "local" needs no network`
}
