package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

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

// responses writes a turn in the form of OpenAI's Responses API
// (https://platform.openai.com/docs/api-reference/responses-streaming).
func responses(w http.ResponseWriter, t Turn, seq int) {
	id := fmt.Sprintf("resp_%04d", seq)
	send(w, "response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress"}})
	output := []object{}
	for i, p := range t.parts {
		item := responseItem(p, fmt.Sprintf("%04d_%d", seq, i))
		send(w, "response.output_item.added", object{"output_index": i, "item": item})
		if p.tool == "" {
			send(w, "response.output_text.delta", object{"item_id": item["id"], "output_index": i, "content_index": 0, "delta": p.text})
		}
		send(w, "response.output_item.done", object{"output_index": i, "item": item})
		output = append(output, item)
	}
	send(w, "response.completed", object{"response": object{"id": id, "object": "response", "status": "completed", "output": output, "usage": object{
		"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 40},
		"output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 5}, "total_tokens": 120,
	}}})
}

func responseItem(p part, id string) object {
	item := object{"id": "item_" + id, "call_id": "call_" + id, "name": p.tool, "status": "completed"}
	switch {
	case p.tool == "":
		return object{"id": "msg_" + id, "type": "message", "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": p.text, "annotations": []object{}}}}
	case p.custom != "":
		item["type"], item["input"] = "custom_tool_call", p.custom
	default:
		item["type"], item["arguments"] = "function_call", p.arguments()
	}
	if p.space != "" {
		item["namespace"] = p.space
	}
	return item
}

// completions writes a turn in the form of OpenAI's Chat Completions API
// (https://platform.openai.com/docs/api-reference/chat-streaming).
func completions(w http.ResponseWriter, t Turn, seq int) {
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
	for i, p := range t.parts {
		if p.tool == "" {
			piece(object{"content": p.text}, nil, nil)
			continue
		}
		reason = "tool_calls"
		piece(object{"tool_calls": []object{{"index": calls, "id": fmt.Sprintf("call_%04d_%d", seq, i), "type": "function",
			"function": object{"name": p.tool, "arguments": p.arguments()}}}}, nil, nil)
		calls++
	}
	piece(object{}, reason, object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": object{"cached_tokens": 40}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// gemini writes a turn in the form of Gemini's streamGenerateContent
// (https://ai.google.dev/api/generate-content).
func gemini(w http.ResponseWriter, t Turn, _ int) { send(w, "", content(t)) }

func content(t Turn) object {
	parts := []object{}
	for _, p := range t.parts {
		if p.tool == "" {
			parts = append(parts, object{"text": p.text})
		} else {
			parts = append(parts, object{"functionCall": object{"name": p.tool, "args": p.input}})
		}
	}
	return object{
		"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120, "cachedContentTokenCount": 40},
		"modelVersion":  "model", "responseId": "response",
	}
}
