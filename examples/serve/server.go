package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/chat"
	"github.com/puremetal/puremetal/model/tokenizer"
	"github.com/puremetal/puremetal/telemetry"
)

// server has a model, and a scheduler that generates the texts of all requests at once.
type server struct {
	name      string
	acc       *compute.Accelerator
	monitor   *telemetry.Monitor
	engine    *tensor.Engine
	model     *model.Model
	words     *tokenizer.Tokenizer
	template  *chat.Template // nil: the model's file has none
	scheduler *model.Scheduler
	requests  atomic.Uint64
}

func newServer(ctx context.Context, file string, o model.SchedulerOptions) (*server, error) {
	s := &server{name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if err := s.open(ctx, file, o); err != nil {
		return nil, errors.Join(err, s.close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *server) open(ctx context.Context, file string, o model.SchedulerOptions) (err error) {
	if s.acc, err = compute.Open(); err != nil {
		return err
	}
	if s.monitor, err = telemetry.Watch(s.acc, telemetry.Options{}); err != nil {
		return err
	}
	if s.engine, err = tensor.New(s.acc); err != nil {
		return err
	}
	if s.model, err = model.Open(ctx, s.engine, file, model.Options{}); err != nil {
		return err
	}
	if s.words, err = s.model.Tokenizer(); err != nil {
		return err
	}
	if s.template, err = chat.Read(file); err != nil && !errors.Is(err, chat.ErrNoTemplate) {
		return err
	}
	s.scheduler, err = s.model.NewScheduler(o)
	return err
}

// close closes what is open, in the opposite order.
func (s *server) close(ctx context.Context) error {
	var err error
	if s.scheduler != nil {
		err = errors.Join(err, s.scheduler.Close(ctx))
	}
	if s.model != nil {
		err = errors.Join(err, s.model.Close(ctx))
	}
	if s.engine != nil {
		err = errors.Join(err, s.engine.Close(ctx))
	}
	if s.monitor != nil {
		s.monitor.Close()
	}
	if s.acc != nil {
		err = errors.Join(err, s.acc.Close(ctx))
	}
	return err
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/completions", s.complete)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /load", s.load)
	mux.Handle("/", s.monitor.Handler()) // /health, /report and pages for a browser
	return mux
}

// request is what of OpenAI's requests the server knows: completions have a prompt, chats messages.
type request struct {
	Prompt      string    `json:"prompt"`
	Messages    []message `json:"messages"`
	MaxTokens   int       `json:"max_tokens"`
	Temperature *float64  `json:"temperature"` // 1 if it is missing, as OpenAI has it
	TopP        float64   `json:"top_p"`
	Seed        uint64    `json:"seed"`
	Stream      bool      `json:"stream"`
}

// completion is OpenAI's answer, or a part of one.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// choice has a text of a completion, a message of a chat, or a part of one.
type choice struct {
	Index        int      `json:"index"`
	Text         *string  `json:"text,omitempty"`
	Message      *message `json:"message,omitempty"`
	Delta        *message `json:"delta,omitempty"`
	FinishReason *string  `json:"finish_reason"`
}

// message is a part of a conversation.
type message struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// maxBody limits a request in bytes.
const maxBody = 1 << 20

// complete continues a prompt.
func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	a := &answer{server: s, w: w}
	a.ID, a.Object = "cmpl-", "text_completion"
	a.answer(r, request{MaxTokens: 16}, func(q *request) ([]int32, error) {
		return s.words.Encode(q.Prompt, tokenizer.EncodeOptions{AddSpecial: true}), nil
	})
}

// chat answers the last message of a conversation, for models whose file has a template for chats.
func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	a := &answer{server: s, w: w, chats: true}
	a.ID, a.Object = "chatcmpl-", "chat.completion"
	a.answer(r, request{MaxTokens: s.model.Context()}, func(q *request) ([]int32, error) {
		if s.template == nil {
			return nil, chat.ErrNoTemplate
		}
		var list []chat.Message
		for _, m := range q.Messages {
			list = append(list, chat.Message{Role: m.Role, Content: m.Content})
		}
		return s.template.Encode(s.words, list, time.Now())
	})
}

// answer answers a request, for which begin returns the tokens to continue. It has default values.
func (a *answer) answer(r *http.Request, q request, begin func(*request) ([]int32, error)) {
	s, w := a.server, a.w
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	prompt, err := begin(&q)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	g := model.Generation{Tokens: q.MaxTokens, Seed: q.Seed, Sampling: tensor.Sampling{Temperature: 1, TopP: q.TopP}}
	if q.Temperature != nil {
		g.Sampling.Temperature = *q.Temperature
	}
	if q.MaxTokens < 1 || !(g.Sampling.Temperature >= 0) || !(q.TopP >= 0) {
		fail(w, http.StatusBadRequest, errors.New("max_tokens must be positive, temperature and top_p not negative"))
		return
	}
	a.stream, a.text = q.Stream, s.words.NewStream(tokenizer.DecodeOptions{Continue: true})
	a.Created, a.Model = time.Now().Unix(), s.name
	a.ID += strconv.FormatUint(s.requests.Add(1), 10)
	if a.stream && a.chats {
		a.Object = "chat.completion.chunk"
	}
	reason := "length"
	for id, err := range s.scheduler.Generate(r.Context(), prompt, g) { // a client that goes away ends it
		var part string
		if err == nil {
			part, err = a.text.Write(id)
		}
		if err != nil {
			a.fail(err)
			return
		}
		a.tokens++
		if s.words.EndsGeneration(id) {
			reason = "stop"
			break
		}
		if !a.add(part) {
			return
		}
	}
	a.end(reason, len(prompt))
}

// answer is what a request gets: at once, or token by token as server-sent events.
type answer struct {
	completion
	*server
	w      http.ResponseWriter
	chats  bool
	stream bool
	text   *tokenizer.Stream
	all    strings.Builder
	tokens int
	began  bool
}

// add adds text, and reports whether the client is still there.
func (a *answer) add(text string) bool {
	if !a.stream {
		a.all.WriteString(text)
		return true
	}
	if text == "" {
		return true
	}
	return a.send(text, nil)
}

// send sends an event.
func (a *answer) send(text string, reason *string) bool {
	c := choice{Text: &text, FinishReason: reason}
	if a.chats {
		c = choice{Delta: &message{Content: text}, FinishReason: reason}
		if !a.began {
			c.Delta.Role = "assistant"
		}
	}
	if !a.began {
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.began = true
	}
	a.Choices = []choice{c}
	line, err := json.Marshal(a.completion)
	if err == nil {
		_, err = fmt.Fprintf(a.w, "data: %s\n\n", line)
	}
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
	return err == nil
}

// end sends what is left.
func (a *answer) end(reason string, prompt int) {
	rest := a.text.Flush()
	if a.stream {
		if a.send(rest, &reason) {
			fmt.Fprint(a.w, "data: [DONE]\n\n")
		}
		return
	}
	all := a.all.String() + rest
	c := choice{Text: &all, FinishReason: &reason}
	if a.chats {
		c = choice{Message: &message{"assistant", all}, FinishReason: &reason}
	}
	a.Choices = []choice{c}
	a.Usage = &usage{prompt, a.tokens, prompt + a.tokens}
	reply(a.w, http.StatusOK, a.completion)
}

// fail reports an error, in a stream that has begun as an event.
func (a *answer) fail(err error) {
	if a.began {
		line, _ := json.Marshal(problem{detail{err.Error()}})
		fmt.Fprintf(a.w, "data: %s\n\n", line)
		return
	}
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, model.ErrBusy):
		status = http.StatusTooManyRequests
		a.w.Header().Set("Retry-After", "1")
	case errors.Is(err, model.ErrContext), errors.Is(err, model.ErrToken):
		status = http.StatusBadRequest
	case errors.Is(err, compute.ErrClosed):
		status = http.StatusServiceUnavailable
	}
	fail(a.w, status, err)
}

// problem is OpenAI's answer for an error.
type problem struct {
	Error detail `json:"error"`
}

type detail struct {
	Message string `json:"message"`
}

func fail(w http.ResponseWriter, status int, err error) {
	reply(w, status, problem{detail{err.Error()}})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that has gone away needs no answer
}

// models lists the only model.
func (s *server) models(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	reply(w, http.StatusOK, map[string]any{"object": "list", "data": []entry{{s.name, "model"}}})
}

// load says how many texts are generated and how many wait.
func (s *server) load(w http.ResponseWriter, _ *http.Request) {
	active, waiting := s.scheduler.Load()
	reply(w, http.StatusOK, map[string]int{"active": active, "waiting": waiting})
}
