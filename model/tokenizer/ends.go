package tokenizer

import "slices"

// Texts of tokens that files often do not declare, as llama.cpp finds them.
var (
	eotTexts = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
		"<EOT>", "_<EOT>", "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>"}
	eomTexts       = []string{"<|eom_id|>"}
	fimPrefixTexts = []string{"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
		"<|code_prefix|>", "<|prefix|>"}
	fimSuffixTexts = []string{"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
		"<|code_suffix|>", "<|suffix|>"}
	fimMiddleTexts = []string{"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
		"<|code_middle|>", "<|middle|>"}
	fimPaddingTexts    = []string{"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}
	fimRepositoryTexts = []string{"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}
	fimSeparatorTexts  = []string{"<|file_sep|>"}
	endTexts           = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>",
		"<|calls|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
		"<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>",
		"[e~["}
	shownTexts = []string{"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"}
)

// findSpecial finds special tokens by their texts where the file does not declare them. In GGUF
// files they are control tokens then, whatever the file calls them.
func findSpecial(v *vocabulary, s *Special, gguf bool) {
	for _, x := range [...]struct {
		id    *int32
		texts []string
	}{
		{&s.EOT, eotTexts}, {&s.EOM, eomTexts}, {&s.FIMPrefix, fimPrefixTexts}, {&s.FIMSuffix, fimSuffixTexts},
		{&s.FIMMiddle, fimMiddleTexts}, {&s.FIMPadding, fimPaddingTexts}, {&s.FIMRepository, fimRepositoryTexts},
		{&s.FIMSeparator, fimSeparatorTexts},
	} {
		for _, text := range x.texts {
			if id := v.id(text); *x.id < 0 && id >= 0 && (gguf || v.isAdded(id)) {
				*x.id = id
				if gguf {
					v.tokens[id].Kind |= Control
				}
			}
		}
	}
}

// isAdded reports whether a token was added to the vocabulary, and not found in texts by training.
func (v *vocabulary) isAdded(id int32) bool { return v.tokens[id].Kind&(Control|UserDefined) != 0 }

// findEnds returns the tokens after which generation ends.
func findEnds(v *vocabulary, s *Special, gguf bool) (ends []int32) {
	for _, text := range endTexts {
		if id := v.id(text); id >= 0 && (gguf || v.isAdded(id)) {
			ends = append(ends, id)
			if gguf {
				v.tokens[id].Kind |= Control
			}
		}
	}
	for _, text := range shownTexts {
		if id := v.id(text); id >= 0 && gguf {
			v.tokens[id].Kind = UserDefined
		}
	}
	for _, id := range []int32{s.FIMPadding, s.FIMRepository, s.FIMSeparator, s.EOS, s.EOT, s.EOM} {
		if id >= 0 {
			ends = append(ends, id)
		}
	}
	has := func(text string) bool { return slices.Contains(ends, v.id(text)) && v.id(text) >= 0 }
	drop := func(text string, kind Kind) {
		id := v.id(text)
		ends = slices.DeleteFunc(ends, func(x int32) bool { return x == id })
		if gguf {
			v.tokens[id].Kind = kind
		}
	}
	// "<|end|>" ends a message, not what a model generates, where there are tokens for calls.
	if calls := has("<|call|>") || has("<|calls|>"); calls && has("<|end|>") && (has("<|return|>") || has("<|flush|>")) {
		drop("<|end|>", UserDefined)
	}
	if has("<|tool_response>") && has("</s>") {
		drop("</s>", Normal)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}
