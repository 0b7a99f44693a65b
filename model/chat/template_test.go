package chat_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/test/tinymodel"
	"github.com/puremetal/puremetal/model/chat"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

var friday = time.Date(2024, time.July, 26, 0, 0, 0, 0, time.UTC)

// words returns a tokenizer with tokens that begin and end texts.
func words(t *testing.T) *tokenizer.Tokenizer {
	f := &gguf.File{}
	var pairs []gguf.Pair
	for key, x := range map[string]any{"model": "llama", "tokens": []string{"<s>", "</s>", "<unk>", "a"},
		"scores": []float32{0, 0, 0, 0}, "token_type": []int32{3, 3, 2, 1}, "bos_token_id": uint32(0),
		"eos_token_id": uint32(1), "unknown_token_id": uint32(2)} {
		v, err := gguf.NewValue(x)
		require.NoError(t, err)
		pairs = append(pairs, gguf.Pair{Key: "tokenizer.ggml." + key, Value: v})
	}
	f, err := gguf.Open(tinymodelWith(t, pairs))
	require.NoError(t, err)
	defer f.Close()
	w, err := tokenizer.FromGGUF(f)
	require.NoError(t, err)
	return w
}

// tinymodelWith writes a file of metadata alone.
func tinymodelWith(t *testing.T, pairs []gguf.Pair) string {
	name := filepath.Join(t.TempDir(), "words.gguf")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, gguf.Write(f, pairs, nil))
	require.NoError(t, f.Close())
	return name
}

// styles are templates that do what those of known models do.
func styles() map[string]string {
	return map[string]string{
		"llama 3": `{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set system_message = "" %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\n" }}
{%- if tools is not none %}{{- "Environment: ipython\n" }}{%- endif %}
{{- "Today: " + date_string + "\n\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}
        {{- message['content'] | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
`,
		"qwen 3": `{%- if tools %}
    {{- '<|im_start|>system\n' + (tools | map('tojson') | join('\n')) }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
{%- endif %}
{%- set ns = namespace(searching=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- set tool = message.content.startswith('<tool>') and message.content.endswith('</tool>') %}
    {%- if ns.searching and message.role == "user" and not (tool) %}
        {%- set ns.searching = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- elif message.role == "assistant" %}
        {%- set content = message.content %}
        {%- set thoughts = '' %}
        {%- if message.thoughts is defined and message.thoughts is not none %}
            {%- set thoughts = message.thoughts %}
        {%- elif '</think>' in message.content %}
            {%- set content = message.content.split('</think>')[-1].lstrip('\n') %}
            {%- set thoughts = message.content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or thoughts) %}
            {{- '<|im_start|>assistant\n<think>\n' + thoughts.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}
{%- endif %}`,
		"gemma": `{{ bos_token }}` +
			`{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system messages') }}{% endif %}` +
			`{% for message in messages %}` +
			`{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}` +
			`{{ raise_exception('roles must alternate') }}{% endif %}` +
			`{% if (message['role'] == 'assistant') %}{% set role = 'model' %}` +
			`{% else %}{% set role = message['role'] %}{% endif %}` +
			`{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}` +
			`{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}`,
		"phi 3": `{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}` +
			`{{'<|system|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'user' %}` +
			`{{'<|user|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'assistant' %}` +
			`{{'<|assistant|>\n' + message['content'] + '<|end|>\n'}}{% endif %}{% endfor %}` +
			`{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}`,
		"mistral": `{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\n\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- else %}
        {{- raise_exception("unknown role " ~ message.role) }}
    {%- endif %}
{%- endfor %}`,
		"tinyllama": `{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>
'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}`,
		"deepseek": `{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}` +
			`{% set ns = namespace(is_first=false, system_prompt='') %}{%- for message in messages %}` +
			`{%- if message['role'] == 'system' %}{% set ns.system_prompt = message['content'] %}{%- endif %}{%- endfor %}` +
			`{{bos_token}}{{ns.system_prompt}}{%- for message in messages %}{%- if message['role'] == 'user' %}` +
			`{{'<|User|>' + message['content']}}{%- endif %}` +
			`{%- if message['role'] == 'assistant' and message['content'] is not none %}{% set content = message['content'] %}` +
			`{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}` +
			`{{'<|Assistant|>' + content + '<|end|>'}}{%- endif %}{%- endfor -%}` +
			`{% if add_generation_prompt %}{{'<|Assistant|><think>\n'}}{% endif %}`,
		"macros": `{%- macro show(message, last=false) -%}
  {%- if message.content is string -%}
    {{- message.content | trim -}}
  {%- else -%}
    {%- for part in message.content if part.type == 'text' -%}{{- part.text -}}{%- endfor -%}
  {%- endif -%}
  {{- '.' if last -}}
{%- endmacro -%}
{#- A comment. -#}
{%- for message in messages %}
{{ message.role | capitalize }}: {{ show(message, last=loop.last) }}
{%- endfor %}`,
	}
}

// TestStyles compares with what Python's Jinja2 writes for the same templates.
func TestStyles(t *testing.T) {
	w := words(t)
	messages := []chat.Message{{"system", " Be brief. "}, {"user", "Hi"}, {"assistant", "<think>\nhm\n</think>\n\nHello "},
		{"user", " Bye"}}
	for name, want := range map[string]string{
		"llama 3": "<s><|start_header_id|>system<|end_header_id|>\n\nToday: 26 Jul 2024\n\nBe brief.<|eot_id|>" +
			"<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n" +
			"<think>\nhm\n</think>\n\nHello<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>" +
			"<|start_header_id|>assistant<|end_header_id|>\n\n",
		"qwen 3": "<|im_start|>system\n Be brief. <|im_end|>\n<|im_start|>user\nHi<|im_end|>\n" +
			"<|im_start|>assistant\nHello <|im_end|>\n<|im_start|>user\n Bye<|im_end|>\n<|im_start|>assistant\n",
		"gemma": "<s><start_of_turn>user\nBe brief. \n\nHi<end_of_turn>\n<start_of_turn>model\n<think>\nhm\n</think>\n\n" +
			"Hello<end_of_turn>\n<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n",
		"phi 3": "<|system|>\n Be brief. <|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\n<think>\nhm\n</think>\n\n" +
			"Hello <|end|>\n<|user|>\n Bye<|end|>\n<|assistant|>\n",
		"mistral": "<s>[INST] Hi[/INST] <think>\nhm\n</think>\n\nHello</s>[INST]  Be brief. \n\n Bye[/INST]",
		"tinyllama": "<|system|>\n Be brief. </s>\n<|user|>\nHi</s>\n<|assistant|>\n<think>\nhm\n</think>\n\nHello </s>\n" +
			"<|user|>\n Bye</s>\n<|assistant|>\n",
		"deepseek": "<s> Be brief. <|User|>Hi<|Assistant|>\n\nHello <|end|><|User|> Bye<|Assistant|><think>\n",
		"macros":   "System: Be brief.User: HiAssistant: <think>\nhm\n</think>\n\nHelloUser: Bye.",
	} {
		x, err := chat.Parse(name, styles()[name])
		require.NoError(t, err, name)
		got, err := x.Text(w, messages, friday)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	require.Len(t, styles(), 8)
	x, err := chat.Parse("x.gguf", styles()["gemma"])
	require.NoError(t, err)
	_, err = x.Text(w, []chat.Message{{"user", "a"}, {"user", "b"}}, friday)
	assert.ErrorIs(t, err, chat.ErrTemplate)
	assert.ErrorContains(t, err, "x.gguf: chat template: line 1: roles must alternate")
}

// TestNamed: the templates for files without one.
func TestNamed(t *testing.T) {
	w := words(t)
	messages := []chat.Message{{"system", "S"}, {"user", "U"}, {"assistant", "A"}}
	for name, want := range map[string]string{
		"chatml": "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n",
		"gemma":  "<s><start_of_turn>user\nS\n\nU<end_of_turn>\n<start_of_turn>model\nA<end_of_turn>\n",
		"llama3": "<s><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n" +
			"U<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|>",
		"zephyr": "<|system|>\nS</s>\n<|user|>\nU</s>\n<|assistant|>\nA</s>\n",
	} {
		x, err := chat.Named(name)
		require.NoError(t, err)
		got, err := x.Text(w, messages, friday)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		prompt, err := x.Text(w, append(messages, chat.Message{Role: "user", Content: "B"}), friday)
		require.NoError(t, err)
		assert.Contains(t, prompt, want)
		assert.Contains(t, prompt[len(want):], "B")
	}
	assert.Len(t, chat.Names(), 4)
	_, err := chat.Named("x")
	assert.ErrorIs(t, err, chat.ErrNoTemplate)
	assert.ErrorContains(t, err, `"x"; known are chatml, gemma, llama3, zephyr`)
}

// TestEncode: the token that begins a text is there once, whoever writes it.
func TestEncode(t *testing.T) {
	w := words(t)
	for _, text := range []string{"a</s>", "{{ bos_token }}a</s>"} {
		x, err := chat.Parse("x", text)
		require.NoError(t, err)
		ids, err := x.Encode(w, nil, friday)
		require.NoError(t, err)
		assert.Equal(t, int32(0), ids[0])
		assert.Equal(t, int32(1), ids[len(ids)-1])
		assert.NotContains(t, ids[1:], int32(0))
	}
}

// TestRead finds templates where files have them.
func TestRead(t *testing.T) {
	v, err := gguf.NewValue("G{{ messages[0].content }}")
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "model.safetensors")
	text := func(file string) string {
		t.Helper()
		x, err := chat.Read(file)
		require.NoError(t, err)
		s, err := x.Text(words(t), []chat.Message{{"user", "1"}}, friday)
		require.NoError(t, err)
		return s
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	assert.Equal(t, "G1", text(tinymodel.Write(t, gguf.Pair{Key: "tokenizer.chat_template", Value: v})))
	_, err = chat.Read(tinymodel.Write(t))
	assert.ErrorIs(t, err, chat.ErrNoTemplate)
	_, err = chat.Read(file)
	assert.ErrorIs(t, err, chat.ErrNoTemplate)
	for _, config := range []string{`{}`, `{"chat_template": null}`,
		`{"chat_template": [{"name": "tool_use", "template": ""}]}`} {
		write("tokenizer_config.json", config)
		_, err = chat.Read(file)
		assert.ErrorIs(t, err, chat.ErrNoTemplate, config)
	}
	write("tokenizer_config.json", `{"bos_token": {"content": "<s>"}, "chat_template": "C{{ messages[0].content }}"}`)
	assert.Equal(t, "C1", text(file))
	write("tokenizer_config.json",
		`{"chat_template": [{"name": "x", "template": "X"}, {"name": "default", "template": "D"}]}`)
	assert.Equal(t, "D", text(file))
	write("chat_template.jinja", "J{{ messages[0].content }}\n")
	assert.Equal(t, "J1", text(file))
	write("chat_template.jinja", "{% evil %}")
	_, err = chat.Read(file)
	assert.ErrorIs(t, err, chat.ErrTemplate)
	assert.ErrorContains(t, err, "chat_template.jinja: chat template: line 1: statement evil")
	write("x.gguf", "GGUF")
	_, err = chat.Read(filepath.Join(dir, "x.gguf"))
	assert.ErrorIs(t, err, gguf.ErrFormat)
	_, err = chat.Read(filepath.Join(dir, "none.gguf"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
