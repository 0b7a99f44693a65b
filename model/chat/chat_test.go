package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/test/tinymodel"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/chat"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// open opens a tiny model whose tokens are bytes.
func open(t *testing.T) *model.Model {
	acc, err := compute.Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, acc.Close(t.Context())) })
	e, err := tensor.New(acc)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close(t.Context())) })
	m, err := model.Open(t.Context(), e, tinymodel.Write(t), model.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close(context.Background())) })
	return m
}

// short is a template of few tokens.
func short(t *testing.T) *chat.Template {
	x, err := chat.Parse("short", "{% for m in messages %}{{ m.role[0] ~ m.content }};{% endfor %}"+
		"{% if add_generation_prompt %}a{% endif %}")
	require.NoError(t, err)
	return x
}

// answer returns what is generated for a conversation that is computed as a whole.
func answer(t *testing.T, m *model.Model, messages []chat.Message, n int) string {
	words, err := m.Tokenizer()
	require.NoError(t, err)
	ids, err := short(t).Encode(words, messages, friday)
	require.NoError(t, err)
	seq, err := m.NewSequence()
	require.NoError(t, err)
	defer seq.Close()
	text := words.NewStream(tokenizer.DecodeOptions{Continue: true})
	var b strings.Builder
	for id, err := range seq.Generate(t.Context(), ids, model.Generation{Tokens: n}) {
		require.NoError(t, err)
		s, err := text.Write(id)
		require.NoError(t, err)
		b.WriteString(s)
	}
	return b.String() + text.Flush()
}

// TestChat: turns answer as if the whole conversation was computed anew, whatever became of those
// before.
func TestChat(t *testing.T) {
	m := open(t)
	c, err := chat.New(m, short(t), chat.Options{System: "S", Now: func() time.Time { return friday }})
	require.NoError(t, err)
	defer c.Close()
	say := func(ctx context.Context, text string, parts, tokens int) (string, error) {
		var b strings.Builder
		n := 0
		for s, err := range c.Say(ctx, text, model.Generation{Tokens: tokens}) {
			if err != nil {
				return b.String(), err
			}
			b.WriteString(s)
			if n++; n == parts {
				break
			}
		}
		return b.String(), nil
	}
	before := []chat.Message{{"system", "S"}}
	for i, text := range []string{"one", "two", "three"} {
		before = append(before, chat.Message{Role: "user", Content: text})
		got, err := say(t.Context(), text, 0, 5)
		require.NoError(t, err)
		assert.Equal(t, answer(t, m, before, 5), got, "turn %d", i)
		before = append(before, chat.Message{Role: "assistant", Content: got})
		assert.Equal(t, before, c.Messages())
	}
	c.Clear()
	assert.Equal(t, before[:1], c.Messages())

	// An answer that is not heard to its end.
	got, err := say(t.Context(), "one", 2, 5)
	require.NoError(t, err)
	before = []chat.Message{{"system", "S"}, {"user", "one"}, {"assistant", got}}
	assert.Equal(t, before, c.Messages())

	// One that its context stops in the middle.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	parts := ""
	for s, err := range c.Say(ctx, "two", model.Generation{Tokens: 9}) {
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
			break
		}
		parts += s
		stop()
	}
	before = append(before, chat.Message{Role: "user", Content: "two"}, chat.Message{Role: "assistant", Content: parts})
	assert.Equal(t, before, c.Messages())
	got, err = say(t.Context(), "three", 0, 4)
	require.NoError(t, err)
	before = append(before, chat.Message{Role: "user", Content: "three"})
	assert.Equal(t, answer(t, m, before, 4), got)

	// One that never began: it is as if nothing had been said.
	before = append(before, chat.Message{Role: "assistant", Content: got})
	_, err = say(ctx, "four", 0, 1)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = say(t.Context(), strings.Repeat("x", tinymodel.Context), 0, 1)
	assert.ErrorIs(t, err, model.ErrContext)
	assert.Equal(t, before, c.Messages())
	_, err = say(t.Context(), "", 0, 0) // until the context is full
	require.NoError(t, err)
	assert.Equal(t, tinymodel.Context, c.Tokens())
}
