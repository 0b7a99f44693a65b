package chat

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/jinja"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

var (
	// ErrNoTemplate is wrapped by errors about files without a template, and unknown names of some.
	ErrNoTemplate = errors.New("no chat template")
	// ErrTemplate is wrapped by errors of templates, which have the line.
	ErrTemplate = jinja.ErrTemplate
)

// Message is a part of a conversation.
type Message struct {
	Role    string // "system", "user" or "assistant"
	Content string
}

// Template turns conversations into texts. It is safe for concurrent use.
type Template struct {
	name string // for errors: the file, or the name
	t    *jinja.Template
}

// Parse parses a template. The name is for errors.
func Parse(name, text string) (*Template, error) {
	t, err := jinja.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: chat template: %w", name, err)
	}
	return &Template{name, t}, nil
}

// ggufKey has the template of a GGUF file.
const ggufKey = "tokenizer.chat_template"

// Read reads the template of a model: from the metadata of a GGUF file, or from chat_template.jinja
// or tokenizer_config.json beside safetensors. The error wraps [ErrNoTemplate] if it has none. A
// file whose name ends in .jinja is a template itself.
func Read(file string) (*Template, error) {
	if filepath.Ext(file) == ".jinja" {
		text, err := document.Config.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return Parse(file, string(text))
	}
	kind, err := model.KindOf(file)
	if err != nil {
		return nil, err
	}
	if kind != "gguf" {
		return readBeside(file)
	}
	f, err := gguf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := f.Text(ggufKey)
	if errors.Is(err, gguf.ErrNoKey) {
		return nil, fmt.Errorf("%s: %s: %w", file, ggufKey, ErrNoTemplate)
	}
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// readBeside reads the template of safetensors.
func readBeside(file string) (*Template, error) {
	text, name, err := model.ReadChatTemplate(filepath.Dir(file))
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, fmt.Errorf("%s: no chat_template.jinja and no tokenizer_config.json beside it: %w", file,
			ErrNoTemplate)
	case text == "" && filepath.Ext(name) == ".json":
		return nil, fmt.Errorf("%s: chat_template: %w", name, ErrNoTemplate)
	}
	return Parse(name, text)
}

// named are the templates that files without one may be used with.
func named() [][2]string {
	return [][2]string{
		{"chatml", `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`},
		{"gemma", `{{ bos_token }}{% for m in messages %}
{% if m.role == 'system' %}{{ raise_exception('there is no role "system"') }}{% endif %}
{{ '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\n' + m.content | trim + '<end_of_turn>\n' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}`},
		{"llama3", `{{ bos_token }}{% for m in messages %}
{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + m.content | trim + '<|eot_id|>' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}`},
		{"zephyr", `{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + eos_token + '\n' }}{% endfor %}
{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}`},
	}
}

// Names returns the names of the templates that [Named] knows, sorted.
func Names() (names []string) {
	for _, x := range named() {
		names = append(names, x[0])
	}
	return names
}

// Named returns a template by its name, for a model whose file has none. The error wraps
// [ErrNoTemplate], and lists the names.
func Named(name string) (*Template, error) {
	for _, x := range named() {
		if x[0] == name {
			return Parse(name, x[1])
		}
	}
	return nil, fmt.Errorf("%q; known are %s: %w", name, strings.Join(Names(), ", "), ErrNoTemplate)
}

// Text returns a conversation as the model was trained on it. Unless the last message is the
// assistant's, it ends where an answer begins. The tokenizer tells what begins and ends texts. A
// system message that the template refuses is put before the first of the user. The errors wrap
// [ErrTemplate].
func (t *Template) Text(words *tokenizer.Tokenizer, messages []Message, now time.Time) (string, error) {
	text, err := t.text(words, messages, now)
	if errors.Is(err, jinja.ErrRaised) && len(messages) > 1 && messages[0].Role == "system" {
		rest := slices.Clone(messages[1:])
		rest[0].Content = messages[0].Content + "\n\n" + rest[0].Content
		text, err = t.text(words, rest, now)
	}
	if err != nil {
		return "", fmt.Errorf("%s: chat template: %w", t.name, err)
	}
	return text, nil
}

func (t *Template) text(words *tokenizer.Tokenizer, messages []Message, now time.Time) (string, error) {
	token := func(id int32) string {
		x, _ := words.Token(id)
		return x.Text
	}
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = map[string]any{"role": m.Role, "content": m.Content}
	}
	s := words.Special()
	answer := len(messages) == 0 || messages[len(messages)-1].Role != "assistant"
	return t.t.Render(map[string]any{"messages": list, "add_generation_prompt": answer, "bos_token": token(s.BOS),
		"eos_token": token(s.EOS), "unk_token": token(s.Unknown), "pad_token": token(s.Padding), "tools": nil,
		"documents": nil}, now)
}

// Encode returns the tokens of [Template.Text], with the one that begins texts if the model expects
// it and the template does not write it.
func (t *Template) Encode(words *tokenizer.Tokenizer, messages []Message, now time.Time) ([]int32, error) {
	text, err := t.Text(words, messages, now)
	if err != nil {
		return nil, err
	}
	ids := words.Encode(text, tokenizer.EncodeOptions{ParseSpecial: true})
	if s := words.Special(); s.AddBOS && s.BOS >= 0 && (len(ids) == 0 || ids[0] != s.BOS) {
		ids = slices.Insert(ids, 0, s.BOS)
	}
	return ids, nil
}
