package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// protocol is the form of one API. Every turn of OpenAI's and Gemini's costs
// 100 tokens of input, 40 of them cached, and 20 of output.
type protocol struct {
	side   Turn                 // answers side requests without a turn
	read   func(*Request) error // reads the conversation; nil: it stays in Body
	write  func(w http.ResponseWriter, t Turn, model string, seq int)
	refuse func(http.ResponseWriter, failure)
}

// route is the answer to the requests of the Gemini CLI that choose a model and
// the next speaker.
const route = `{"reasoning":"none","next_speaker":"user","model_choice":"flash","complexity_reasoning":"none","complexity_score":1}`

var (
	responses   = protocol{side: Say(route), write: streamed(writeResponse), refuse: refuse}
	completions = protocol{side: Say(route), write: streamed(writeCompletion), refuse: refuse}
	gemini      = protocol{side: Say(route), write: streamed(func(w http.ResponseWriter, t Turn, _ int) { send(w, "", content(t)) }), refuse: refuse}
	geminiWhole = protocol{side: Say(route), refuse: refuse,
		write: func(w http.ResponseWriter, t Turn, _ string, _ int) { reply(w, http.StatusOK, content(t)) }}
)

func streamed(write func(w http.ResponseWriter, t Turn, seq int)) func(http.ResponseWriter, Turn, string, int) {
	return func(w http.ResponseWriter, t Turn, _ string, seq int) {
		w.Header().Set("Content-Type", "text/event-stream")
		write(w, t, seq)
	}
}

// refuse answers with an error in the common form of OpenAI and Gemini.
func refuse(w http.ResponseWriter, f failure) {
	reply(w, f.status, object{"error": object{"code": f.status, "message": f.message, "type": f.kind, "status": "SCRIPTED"}})
}

// send writes one server-sent event; name is empty for protocols without names.
func send(w http.ResponseWriter, name string, body object) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
		body["type"] = name
	}
	data, _ := json.Marshal(body) // body has only texts, numbers and lists
	fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush() // a client that left needs no flush
}

// writeResponse writes a turn in the form of OpenAI's Responses API
// (https://platform.openai.com/docs/api-reference/responses-streaming).
func writeResponse(w http.ResponseWriter, t Turn, seq int) {
	id := fmt.Sprintf("resp_%04d", seq)
	send(w, "response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress"}})
	output := []object{}
	for i, b := range t.blocks {
		item := responseItem(b, fmt.Sprintf("%04d_%d", seq, i))
		send(w, "response.output_item.added", object{"output_index": i, "item": item})
		if b.tool == "" {
			send(w, "response.output_text.delta", object{"item_id": item["id"], "output_index": i, "content_index": 0, "delta": b.text})
		}
		send(w, "response.output_item.done", object{"output_index": i, "item": item})
		output = append(output, item)
	}
	send(w, "response.completed", object{"response": object{"id": id, "object": "response", "status": "completed", "output": output, "usage": object{
		"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 40},
		"output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 5}, "total_tokens": 120,
	}}})
}

func responseItem(b block, id string) object {
	item := object{"id": "item_" + id, "call_id": "call_" + id, "name": b.tool, "status": "completed"}
	switch {
	case b.tool == "":
		return object{"id": "msg_" + id, "type": "message", "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": b.text, "annotations": []object{}}}}
	case b.custom != "":
		item["type"], item["input"] = "custom_tool_call", b.custom
	default:
		item["type"], item["arguments"] = "function_call", string(b.input)
	}
	if b.space != "" {
		item["namespace"] = b.space
	}
	return item
}

// writeCompletion writes a turn in the form of OpenAI's Chat Completions API
// (https://platform.openai.com/docs/api-reference/chat-streaming).
func writeCompletion(w http.ResponseWriter, t Turn, seq int) {
	piece := func(delta object, finish, usage any) {
		body := object{"id": fmt.Sprintf("chat_%04d", seq), "object": "chat.completion.chunk", "created": 1, "model": "model",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
		if usage != nil {
			body["usage"] = usage
		}
		send(w, "", body)
	}
	reason, calls := "stop", 0
	piece(object{"role": "assistant"}, nil, nil)
	for i, b := range t.blocks {
		if b.tool == "" {
			piece(object{"content": b.text}, nil, nil)
			continue
		}
		reason = "tool_calls"
		piece(object{"tool_calls": []object{{"index": calls, "id": fmt.Sprintf("call_%04d_%d", seq, i), "type": "function",
			"function": object{"name": b.tool, "arguments": string(b.input)}}}}, nil, nil)
		calls++
	}
	piece(object{}, reason, object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": object{"cached_tokens": 40}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// content returns a turn in the form of Gemini's streamGenerateContent
// (https://ai.google.dev/api/generate-content).
func content(t Turn) object {
	parts := []object{}
	for _, b := range t.blocks {
		if b.tool == "" {
			parts = append(parts, object{"text": b.text})
		} else {
			parts = append(parts, object{"functionCall": object{"name": b.tool, "args": b.input}})
		}
	}
	return object{
		"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120, "cachedContentTokenCount": 40},
		"modelVersion":  "model", "responseId": "response",
	}
}
