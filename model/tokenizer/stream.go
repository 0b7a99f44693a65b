package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// Stream decodes tokens one by one, as a model generates them. It is for one goroutine at a time.
type Stream struct {
	t       *Tokenizer
	special bool
	first   bool
	held    []byte // the beginning of a character whose other bytes are still to come
	count   int
}

// NewStream returns a decoder of tokens that come one by one. Set [DecodeOptions.Continue] for
// tokens that a model generates after a prompt.
func (t *Tokenizer) NewStream(o DecodeOptions) *Stream {
	return &Stream{t: t, special: o.Special, first: !o.Continue}
}

// Write returns the text that a token completes. The bytes of a character may be of several tokens:
// until the last of them is written it is held back. What cannot become UTF-8 is returned as it is.
// All texts together, with that of Flush, are what Decode returns for the tokens.
func (s *Stream) Write(id int32) (string, error) {
	if id < 0 || int(id) >= len(s.t.vocabulary.tokens) {
		return "", fmt.Errorf("token %d has the id %d, the vocabulary has %d", s.count+1, id, len(s.t.vocabulary.tokens))
	}
	s.count++
	s.held, s.first = s.t.decoding.append(s.held, &s.t.vocabulary.tokens[id], s.first, s.special)
	n := complete(s.held)
	text := string(s.held[:n])
	s.held = append(s.held[:0], s.held[n:]...)
	return text, nil
}

// Flush returns the bytes that are held back: the beginning of a character that never ended.
func (s *Stream) Flush() string {
	text := string(s.held)
	s.held = s.held[:0]
	return text
}

// complete returns how much of a text is before the beginning of a character that is not complete.
func complete(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax+1; i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if utf8.FullRune(text[i:]) {
			break
		}
		return i
	}
	return len(text)
}
