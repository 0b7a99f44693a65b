package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/tinymodel"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
)

// start starts a server of a tiny model.
func start(t *testing.T, o model.SchedulerOptions, metadata ...gguf.Pair) (*server, string) {
	s, err := newServer(t.Context(), tinymodel.Write(t, metadata...), o)
	require.NoError(t, err)
	h := httptest.NewServer(s.handler())
	t.Cleanup(func() {
		h.Close()
		assert.NoError(t, s.close(context.Background()))
	})
	return s, h.URL
}

// post asks for a completion.
func post(t *testing.T, ctx context.Context, url string, q map[string]any) *http.Response {
	return postTo(t, ctx, url+"/v1/completions", q)
}

func postTo(t *testing.T, ctx context.Context, url string, q map[string]any) *http.Response {
	body, err := json.Marshal(q)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// text returns an answer's text.
func text(t *testing.T, r *http.Response) string {
	require.Equal(t, http.StatusOK, r.StatusCode)
	var c completion
	require.NoError(t, json.NewDecoder(r.Body).Decode(&c))
	require.Len(t, c.Choices, 1)
	return *c.Choices[0].Text
}

// events returns the events of a stream.
func events(t *testing.T, r io.Reader) (list []string) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if line, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			list = append(list, line)
		}
	}
	require.NoError(t, lines.Err())
	return list
}

// TestCompletions compares answers at once, in streams and beside others.
func TestCompletions(t *testing.T) {
	_, url := start(t, model.SchedulerOptions{Active: 4})
	q := map[string]any{"prompt": "Once", "max_tokens": 9, "temperature": 0}
	r := post(t, t.Context(), url, q)
	assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
	var whole completion
	require.NoError(t, json.NewDecoder(r.Body).Decode(&whole))
	require.Len(t, whole.Choices, 1)
	assert.Equal(t, usage{4, 9, 13}, *whole.Usage)
	assert.Equal(t, "length", *whole.Choices[0].FinishReason)

	q["stream"] = true
	r = post(t, t.Context(), url, q)
	assert.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	list := events(t, r.Body)
	require.Greater(t, len(list), 1)
	assert.Equal(t, "[DONE]", list[len(list)-1])
	var parts strings.Builder
	for _, e := range list[:len(list)-1] {
		var c completion
		require.NoError(t, json.Unmarshal([]byte(e), &c))
		parts.WriteString(*c.Choices[0].Text)
	}
	assert.Equal(t, *whole.Choices[0].Text, parts.String())

	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			q := map[string]any{"prompt": "Once", "max_tokens": 9, "temperature": 0}
			if i%3 > 0 {
				q["prompt"], q["temperature"], q["seed"] = strings.Repeat("upon ", i), 1, i
			}
			got := text(t, post(t, t.Context(), url, q))
			if i%3 == 0 {
				assert.Equal(t, *whole.Choices[0].Text, got)
			}
		})
	}
	all.Wait()
}

// TestChats compares the answers of a conversation, at once and in a stream, with the completion of
// what the template makes of it.
func TestChats(t *testing.T) {
	template, err := gguf.NewValue("{% for m in messages %}{{ m.role[0] ~ m.content }};{% endfor %}a")
	require.NoError(t, err)
	_, url := start(t, model.SchedulerOptions{}, gguf.Pair{Key: "tokenizer.chat_template", Value: template})
	want := text(t, post(t, t.Context(), url, map[string]any{"prompt": "sS;uhi;a", "max_tokens": 9, "temperature": 0}))
	q := map[string]any{"max_tokens": 9, "temperature": 0, "messages": []message{{"system", "S"}, {"user", "hi"}}}
	var whole completion
	r := postTo(t, t.Context(), url+"/v1/chat/completions", q)
	require.NoError(t, json.NewDecoder(r.Body).Decode(&whole))
	assert.Equal(t, "chat.completion", whole.Object)
	assert.Equal(t, message{"assistant", want}, *whole.Choices[0].Message)
	assert.Equal(t, usage{8, 9, 17}, *whole.Usage)

	q["stream"] = true
	list := events(t, postTo(t, t.Context(), url+"/v1/chat/completions", q).Body)
	var parts strings.Builder
	for i, e := range list[:len(list)-1] {
		var c completion
		require.NoError(t, json.Unmarshal([]byte(e), &c))
		assert.Equal(t, "chat.completion.chunk", c.Object)
		assert.Equal(t, i == 0, c.Choices[0].Delta.Role == "assistant")
		parts.WriteString(c.Choices[0].Delta.Content)
	}
	assert.Equal(t, want, parts.String())

	delete(q, "max_tokens") // as many as there is room for
	q["stream"] = false
	r = postTo(t, t.Context(), url+"/v1/chat/completions", q)
	require.NoError(t, json.NewDecoder(r.Body).Decode(&whole))
	assert.Equal(t, tinymodel.Context-8+1, whole.Usage.Completion)

	_, url = start(t, model.SchedulerOptions{})
	r = postTo(t, t.Context(), url+"/v1/chat/completions", q)
	assert.Equal(t, http.StatusBadRequest, r.StatusCode)
}

// TestRefusals tests wrong requests, clients that go away, and more requests than may wait.
func TestRefusals(t *testing.T) {
	_, url := start(t, model.SchedulerOptions{Active: 1})
	for _, q := range []map[string]any{{"prompt": ""}, {"prompt": "x", "max_tokens": -1}, {"prompt": "x",
		"temperature": -1},
		{"prompt": strings.Repeat("x", tinymodel.Context+1)}} {
		assert.Equal(t, http.StatusBadRequest, post(t, t.Context(), url, q).StatusCode, q)
	}
	for _, body := range []string{"{", `{"prompt": 7}`, strings.Repeat(" ", maxBody+1)} {
		r, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, http.StatusBadRequest, r.StatusCode)
	}
	// A client that goes away takes no place.
	ctx, gone := context.WithCancel(t.Context())
	r := post(t, ctx, url, map[string]any{"prompt": "x", "max_tokens": 60, "stream": true})
	gone()
	_, err := io.ReadAll(r.Body)
	assert.ErrorIs(t, err, context.Canceled)
	for err, status := range map[error]int{model.ErrBusy: http.StatusTooManyRequests,
		compute.ErrClosed:   http.StatusServiceUnavailable,
		io.ErrUnexpectedEOF: http.StatusInternalServerError} {
		w := httptest.NewRecorder()
		(&answer{w: w}).fail(fmt.Errorf("generating: %w", err))
		assert.Equal(t, status, w.Code)
		assert.Equal(t, status == http.StatusTooManyRequests, w.Header().Get("Retry-After") != "")
		assert.Contains(t, w.Body.String(), err.Error())
	}
	assert.NotEmpty(t, text(t, post(t, t.Context(), url, map[string]any{"prompt": "x", "max_tokens": 3,
		"temperature": 0})))
	for _, page := range []string{"/health", "/load", "/v1/models", "/report"} {
		r, err := http.Get(url + page)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, http.StatusOK, r.StatusCode, page)
	}
}
