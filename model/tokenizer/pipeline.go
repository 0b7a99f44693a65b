package tokenizer

import "strings"

// bytePipeline splits a text and merges the parts.
type bytePipeline struct {
	steps  []step
	escape bool // spaces are U+2581
	model  *bpe
}

func (p *bytePipeline) encode(s *scratch, ids []int32, text string, _ place) []int32 {
	if p.escape {
		text = strings.ReplaceAll(text, " ", escapedSpace)
	}
	for _, part := range s.splitter.split(text, p.steps) {
		ids = p.model.encode(s, ids, s.splitter.runes.slice(part))
	}
	return ids
}

// spacePipeline merges a text as a whole.
type spacePipeline struct {
	prefix bool // a space before the text
	model  *sentencePiece
}

func (p *spacePipeline) encode(s *scratch, ids []int32, text string, at place) []int32 {
	text = strings.ReplaceAll(text, " ", escapedSpace)
	if p.prefix && at.first {
		text = escapedSpace + text
	}
	return p.model.encode(s, ids, text, at.lead)
}

// unigramPipeline normalizes a text and divides it as a whole.
type unigramPipeline struct {
	text  unigramText
	model *unigram
}

func (p *unigramPipeline) encode(s *scratch, ids []int32, text string, _ place) []int32 {
	return p.model.encode(s, ids, p.text.normalize(text))
}

// wordPipeline divides a text into words, and each into tokens.
type wordPipeline struct {
	lowercase, stripAccents bool
	model                   *wordPiece
}

func (p *wordPipeline) encode(s *scratch, ids []int32, text string, _ place) []int32 {
	ggufWords(text, p.lowercase, p.stripAccents, func(word string) {
		ids = p.model.encode(s, ids, escapedSpace+word)
	})
	return ids
}
