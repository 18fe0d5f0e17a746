package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withoutNulls removes null arguments from a tool's call: some models send null for every
// argument that they omit.
func withoutNulls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
			call.Arguments = leaveOut(call.Arguments)
		}
		return next(ctx, method, req)
	}
}

// leaveOut returns an object without its null members, or another value unchanged.
func leaveOut(object json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return object
	}
	all := len(members)
	for name, value := range members {
		if string(value) == "null" {
			delete(members, name)
		}
	}
	if len(members) == all {
		return object
	}
	left, err := json.Marshal(members)
	if err != nil {
		return object
	}
	return left
}
