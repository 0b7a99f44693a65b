// Package chat has conversations with language models: it turns messages into the text that a model
// was trained on, with the template that its file brings along, and keeps what is computed already
// from turn to turn.
//
//	template, err := chat.Read("llama.gguf")
//	c, err := chat.New(m, template, chat.Options{System: "You answer in one sentence."})
//	defer c.Close()
//	for part, err := range c.Say(ctx, "What is Metal?", model.Generation{}) { ... }
//
// # Templates
//
// Files have templates in the language Jinja: GGUF's key tokenizer.chat_template, and
// tokenizer_config.json or chat_template.jinja beside safetensors. What of Jinja they use is
// interpreted by this module, with limits: a template from anywhere ends after a million steps
// and 64 MiB of text at the latest, and reaches nothing but the messages. [Names] lists templates
// for files without one.
//
// Text that looks like one of the model's control tokens, such as <|im_end|>, becomes that token in
// a message too, as with other programs: whoever passes on messages of strangers should remove it.
package chat
