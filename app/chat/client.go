package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"agentflow/app"
	"agentflow/app/setup"
	"agentflow/memory"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
)

// retries limits the SDK's retries if the provider is too busy. The pauses grow to 8
// s, or follow the provider's advice.
const retries = 4

// newClient returns the client for the settings, and the model.
func newClient(s setup.ChattingResult) (client anthropic.Client, model string, err error) {
	if err := checkURL(s.BaseURL); err != nil {
		return client, "", err
	}
	var options []option.RequestOption
	if s.Provider == "bedrock" {
		model, options, err = bedrockOptions(s)
	} else {
		model, options, err = anthropicOptions(s)
	}
	if err != nil {
		return client, "", err
	}
	if s.BaseURL != "" {
		options = append(options, option.WithBaseURL(s.BaseURL))
	}
	options = append(options, option.WithMaxRetries(retries), option.WithHTTPClient(&http.Client{Transport: bounded{http.DefaultTransport}, CheckRedirect: noRedirect}))
	return anthropic.NewClient(options...), model, nil
}

// tokenEnv names the variable of a gateway's token in Anthropic's programs. They send
// it as a bearer token, not as a key.
const tokenEnv = "ANTHROPIC_AUTH_TOKEN"

func anthropicOptions(s setup.ChattingResult) (string, []option.RequestOption, error) {
	if s.Key.Reveal() == "" {
		return "", nil, missing(s.KeyEnv)
	}
	// Without the environment's defaults, no profile or variable that the user did not name
	// determines where memory is sent.
	key := option.WithAPIKey(s.Key.Reveal())
	if s.KeyEnv == tokenEnv {
		key = option.WithAuthToken(s.Key.Reveal())
	}
	return cmp.Or(s.Model, anthropic.ModelClaudeSonnet5_5), []option.RequestOption{option.WithoutEnvironmentDefaults(), key}, nil
}

func bedrockOptions(s setup.ChattingResult) (string, []option.RequestOption, error) {
	config := aws.Config{Region: s.Region}
	switch {
	case s.BearerToken.Reveal() != "":
		config.BearerAuthTokenProvider = bedrock.NewStaticBearerTokenProvider(s.BearerToken.Reveal())
	case s.Key.Reveal() == "":
		return "", nil, missing(s.KeyEnv)
	case s.SecretKey.Reveal() == "":
		return "", nil, missing(s.SecretEnv)
	default:
		config.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: s.Key.Reveal(), SecretAccessKey: s.SecretKey.Reveal(), SessionToken: s.SessionToken.Reveal()}, nil
		})
	}
	switch {
	case s.Region == "":
		return "", nil, &app.Error{Kind: app.KindUsage, Err: errors.New("the region of Bedrock is not set"), Hint: "'agentflow config set chat.region us-east-1'"}
	case s.Model == "":
		return "", nil, &app.Error{Kind: app.KindUsage, Err: errors.New("the model is not set"), Hint: "set chat.model to the id of a model, or of an inference profile, of your region"}
	}
	return s.Model, []option.RequestOption{bedrock.WithConfig(config)}, nil
}

func missing(variable string) error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("no key is set: the variable %s is empty", variable),
		Hint: "put your key into " + variable + ", or name another variable with 'agentflow config set chat.key_env NAME'"}
}

// checkURL accepts addresses only if the key and memory are encrypted on the way, or stay on
// this machine.
func checkURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())) {
		return nil
	}
	return &app.Error{Kind: app.KindUsage, Err: errors.New("chat.base_url is neither an https address nor one of this machine")}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// maxAnswer limits the response to a request, in bytes: several times the size of an answer of
// maxTokens as a stream of events.
const maxAnswer = 16 << 20

// bounded prevents a server's response from filling this machine's memory.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}

// noRedirect refuses redirects, so that no other host gets the key.
func noRedirect(*http.Request, []*http.Request) error {
	return errors.New("the provider sends us to another address, which is not followed")
}

// requestError returns an error of the provider as one of ours. It contains no part of the
// request.
func requestError(err error, s setup.ChattingResult) error {
	var apiErr *anthropic.Error
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case !errors.As(err, &apiErr):
		return &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("asking %s: %s", s.Provider, memory.Clean(s.Redact(err.Error()))), Hint: "try again; --continue resumes this conversation"}
	}
	out := &app.Error{Kind: app.KindAgent, Err: fmt.Errorf("asking %s: %s", s.Provider, memory.Clean(s.Redact(providerMessage(apiErr))))}
	switch status := apiErr.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		out.Kind, out.Hint = app.KindUsage, "check the key in "+s.KeyEnv
	case status == http.StatusNotFound:
		out.Kind, out.Hint = app.KindUsage, "check the setting chat.model"
	case status == http.StatusTooManyRequests || status >= 500 || status == http.StatusOK:
		out.Kind, out.Hint = app.KindUnavailable, "try again in a while; --continue resumes this conversation"
	}
	return out
}

// providerMessage returns the provider's text about an error, at most 500 bytes of it.
func providerMessage(err *anthropic.Error) string {
	var body struct {
		Message string
		Error   struct{ Type, Message string }
	}
	_ = json.Unmarshal([]byte(err.RawJSON()), &body) // if it fails, only the status is known
	text := cmp.Or(body.Error.Message, body.Message, http.StatusText(err.StatusCode))
	if body.Error.Type != "" {
		text = body.Error.Type + ": " + text
	}
	return fmt.Sprintf("%s (status %d)", text[:min(len(text), 500)], err.StatusCode)
}
