package chat

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// Options configures a [Chat]. The zero value is fine.
type Options struct {
	System string           // the first message, which says how to answer; "": none
	Now    func() time.Time // what templates tell as the date; the default is [time.Now]
}

// Chat is a conversation. It keeps the tokens of all turns in a sequence of the model: a turn
// computes only what is new. It is for one goroutine at a time.
type Chat struct {
	template *Template
	words    *tokenizer.Tokenizer
	seq      *model.Sequence
	options  Options
	started  time.Time // a template's date stays the same for a conversation
	messages []Message
	cached   []int32 // the tokens of seq
}

// New begins a conversation. Close it before the model.
func New(m *model.Model, t *Template, o Options) (*Chat, error) {
	words, err := m.Tokenizer()
	if err != nil {
		return nil, err
	}
	seq, err := m.NewSequence()
	if err != nil {
		return nil, err
	}
	c := &Chat{template: t, words: words, seq: seq, options: o}
	c.Clear()
	return c, nil
}

// Close releases the conversation's memory.
func (c *Chat) Close() { c.seq.Close() }

// Clear begins anew, with the system message alone.
func (c *Chat) Clear() {
	c.messages = nil
	if c.options.System != "" {
		c.messages = []Message{{"system", c.options.System}}
	}
	c.started = time.Now()
	if c.options.Now != nil {
		c.started = c.options.Now()
	}
}

// Messages returns the conversation so far. The caller must not change it.
func (c *Chat) Messages() []Message { return c.messages }

// Tokens returns how many tokens the conversation has in its sequence, which has room for
// [model.Model.Context].
func (c *Chat) Tokens() int { return c.seq.Len() }

// Say adds a message of the user and returns the parts of the answer as they are generated. The
// answer ends where the model ends it, after g.Tokens tokens, when the context is full, and with
// the loop over it: then the part that was returned is the answer. So it is when ctx ends, after an
// error. Without any part of an answer, the message of the user does not count either.
//
// The error wraps [model.ErrContext] if the conversation has more tokens than a sequence may:
// [Chat.Clear] begins anew.
func (c *Chat) Say(ctx context.Context, text string, g model.Generation) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		messages := append(c.messages, Message{"user", text})
		ids, err := c.template.Encode(c.words, messages, c.started)
		if err != nil {
			yield("", err)
			return
		}
		if len(ids) == 0 {
			yield("", errors.New("the template makes nothing of the conversation"))
			return
		}
		var answer strings.Builder
		defer func() {
			if answer.Len() > 0 {
				c.messages = append(messages, Message{"assistant", answer.String()})
			}
		}()
		part := func(s string) bool {
			answer.WriteString(s)
			return s == "" || yield(s, nil)
		}
		stream := c.words.NewStream(tokenizer.DecodeOptions{Continue: true})
		for id, err := range c.generate(ctx, ids, g) {
			var s string
			if err == nil {
				s, err = stream.Write(id)
			}
			if err != nil {
				yield("", err)
				return
			}
			if !part(s) {
				return
			}
		}
		part(stream.Flush())
	}
}

// generate continues tokens, of which those that the sequence begins with need not be computed.
func (c *Chat) generate(ctx context.Context, ids []int32, g model.Generation) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		common := 0
		for common < len(c.cached) && common < len(ids)-1 && c.cached[common] == ids[common] {
			common++
		}
		c.seq.Truncate(common)
		all := append(c.cached[:0:0], ids...)
		defer func() { c.cached = all[:c.seq.Len()] }()
		for id, err := range c.seq.Generate(ctx, ids[common:], g) {
			if err == nil && c.words.EndsGeneration(id) {
				return
			}
			if !yield(id, err) {
				return
			}
			all = append(all, id)
		}
	}
}
