package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// jsonPipeline encodes texts as a tokenizer.json says.
type jsonPipeline struct {
	normalizers []normalizer
	parser      *specialParser // of tokens that are looked for in normalized text, or nil
	stages      []stage
	byteLevel   bool
	model       interface {
		encode(s *scratch, ids []int32, word string) []int32
	}
}

// stage divides the parts of a text, or changes each.
type stage struct {
	steps  []step
	change func(text string, start bool) string
}

func (p *jsonPipeline) encode(s *scratch, ids []int32, text string, at place) []int32 {
	for _, n := range p.normalizers {
		text = n(text)
	}
	if p.parser == nil {
		return p.divide(s, ids, text, at.start)
	}
	for _, f := range p.parser.divide(text, at.parse) {
		if f.id >= 0 {
			ids = append(ids, f.id)
		} else {
			ids = p.divide(s, ids, f.text, at.start)
		}
		at.start = false
	}
	return ids
}

// normalizeToken normalizes the text of a token.
func (p *jsonPipeline) normalizeToken(text string) string {
	for _, n := range p.normalizers {
		text = n(text)
	}
	return text
}

func (p *jsonPipeline) divide(s *scratch, ids []int32, text string, start bool) []int32 {
	if text == "" {
		return ids
	}
	if len(p.stages) == 1 && p.stages[0].change == nil { // the usual case, without lists of texts
		for _, x := range s.splitter.split(text, p.stages[0].steps) {
			ids = p.model.encode(s, ids, s.splitter.runes.slice(x))
		}
		return ids
	}
	parts := []string{text}
	for _, stage := range p.stages {
		if stage.change != nil {
			for i := range parts {
				parts[i] = stage.change(parts[i], start && i == 0)
			}
			continue
		}
		var next []string
		for _, part := range parts {
			for _, x := range s.splitter.split(part, stage.steps) {
				next = append(next, s.splitter.runes.slice(x))
			}
		}
		parts = next
	}
	for _, part := range parts {
		ids = p.model.encode(s, ids, part)
	}
	return ids
}

// wordsAndOthers divides at blanks, and between the characters of words and others.
func wordsAndOthers(r rune) runKind {
	switch {
	case isWord(r):
		return 1
	case unicode.IsSpace(r):
		return dropped
	}
	return 2
}

func blanks(r rune) runKind {
	if unicode.IsSpace(r) {
		return dropped
	}
	return 1
}

func bertParts(r rune) runKind {
	if bertPunctuation(r) {
		return alone
	}
	return blanks(r)
}

func punctuationAlone(r rune) runKind {
	if bertPunctuation(r) {
		return alone
	}
	return 1
}

func digitsAlone(r rune) runKind {
	if unicode.IsNumber(r) {
		return alone
	}
	return 1
}

func digits(r rune) runKind {
	if unicode.IsNumber(r) {
		return 2
	}
	return 1
}

// kind returns the type of the model, which old files do not name.
func (r *jsonReader) kind() string {
	m := &r.file.Model
	switch {
	case m.Type != "":
		return m.Type
	case m.Merges != nil:
		return "BPE"
	case len(m.Vocab) > 0 && m.Vocab[0] == '[':
		return "Unigram"
	}
	return "WordPiece"
}

// readVocabulary reads the tokens of the model, and those that were added.
func (r *jsonReader) readVocabulary() error {
	var tokens []Token
	put := func(id int, t Token, where string) error {
		if id < 0 || id >= maxTokens {
			return fmt.Errorf("%s: token %.40q has the id %d, want 0 to %d: %w", where, t.Text, id, maxTokens-1, ErrVocabulary)
		}
		if id >= len(tokens) {
			tokens = append(tokens, make([]Token, id+1-len(tokens))...)
		}
		if old := &tokens[id]; old.Kind != 0 && old.Text != t.Text {
			return fmt.Errorf("%s: the id %d is of both %.40q and %.40q: %w", where, id, old.Text, t.Text, ErrVocabulary)
		}
		t.Score = tokens[id].Score + t.Score
		tokens[id] = t
		return nil
	}
	switch kind := r.kind(); kind {
	case "BPE", "WordPiece":
		err := eachEntry(r.file.Model.Vocab, func(text string, value []byte) error {
			id, err := strconv.Atoi(string(value))
			if err != nil {
				return fmt.Errorf("the id of %.40q is %.20q: %w", text, value, ErrVocabulary)
			}
			return put(id, Token{Text: text, Kind: Normal}, "model: vocab")
		})
		if err != nil {
			return err
		}
	case "Unigram":
		var list []scored
		if err := json.Unmarshal(r.file.Model.Vocab, &list); err != nil {
			return fmt.Errorf("model: vocab: %w: %w", err, ErrVocabulary)
		}
		for id, x := range list {
			if err := put(id, Token{Text: x.text, Score: x.score, Kind: Normal}, "model: vocab"); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("model: %w type %.40q; known are BPE, Unigram, WordPiece", ErrUnknown, kind)
	}
	for _, a := range r.file.AddedTokens {
		t := Token{Text: a.Content, Kind: UserDefined}
		if a.Special {
			t.Kind = Control
		}
		for _, x := range [...]struct {
			on   bool
			trim trim
		}{{a.Left, trimLeft}, {a.Right, trimRight}, {a.SingleWord, wholeWord}, {a.Normalized, normalized}} {
			if x.on {
				t.trim |= x.trim
			}
		}
		if err := put(a.ID, t, "added_tokens"); err != nil {
			return err
		}
	}
	for i := range tokens {
		if tokens[i].Kind == 0 {
			tokens[i].Kind = Unused
		}
	}
	if err := checkCount(len(tokens), "vocab"); err != nil {
		return err
	}
	var err error
	r.v, err = newVocabulary(tokens, func(i int) string { return fmt.Sprintf("the token with the id %d", i) })
	return err
}

// scored is ["text", -1.5].
type scored struct {
	text  string
	score float64
}

func (s *scored) UnmarshalJSON(data []byte) error {
	pair := [2]any{&s.text, &s.score}
	return json.Unmarshal(data, &pair)
}

func (r *jsonReader) readModel() error {
	m := &r.file.Model
	unknown := int32(-1)
	if m.UnknownToken != nil {
		unknown = r.v.id(*m.UnknownToken)
	} else if m.UnknownID != nil && *m.UnknownID >= 0 && *m.UnknownID < len(r.v.tokens) {
		unknown = int32(*m.UnknownID)
	}
	if unknown >= 0 {
		r.v.tokens[unknown].Kind = r.v.tokens[unknown].Kind&^Normal | Unknown
	}
	r.t.special.Unknown = unknown
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	switch r.kind() {
	case "BPE":
		if m.Dropout != nil && *m.Dropout != 0 {
			return fmt.Errorf("%w dropout %v; known is 0", ErrUnknown, *m.Dropout)
		}
		merges, err := readMerges(m.Merges)
		if err != nil {
			return err
		}
		merge := func(i int) (string, string, error) { return merges[i][0], merges[i][1], nil }
		b, err := newBPE(r.v, len(merges), merge, text(m.Prefix), false)
		if err != nil {
			return err
		}
		b.byteLevel = hasByteLevel(r.file.PreTokenizer)
		b.ignoreMerges, b.fallback, b.unknown, b.fuse = m.IgnoreMerges, m.ByteFallback, unknown, m.FuseUnknown
		b.suffix = text(m.Suffix)
		r.p.model = b
	case "Unigram":
		u := newUnigram(r.v, unknown)
		u.fallback = m.ByteFallback
		r.p.model = u
	default:
		inside := "##"
		if m.Prefix != nil {
			inside = *m.Prefix
		}
		w := newWordPiece(r.v, unknown, inside)
		w.most = 100
		if m.MostCharacters != nil {
			w.most = *m.MostCharacters
		}
		r.p.model = w
	}
	if m.ByteFallback {
		for _, id := range r.v.bytes {
			if id >= 0 {
				r.v.tokens[id].Kind = Byte
			}
		}
	}
	return nil
}

// hasByteLevel reports whether a pre-tokenizer writes bytes as characters.
func hasByteLevel(p *part) bool {
	return p != nil && (p.Type == "ByteLevel" || slices.ContainsFunc(p.Pretokenizers, func(x part) bool {
		return hasByteLevel(&x)
	}))
}

// readAround finds the tokens around a text.
func (r *jsonReader) readAround(p *part) error {
	if p == nil {
		return nil
	}
	add := func(list *[]int32, ids ...int32) error {
		for _, id := range ids {
			if id < 0 || int(id) >= len(r.v.tokens) {
				return fmt.Errorf("%s has the id %d, the vocabulary has %d: %w", p.Type, id, len(r.v.tokens), ErrVocabulary)
			}
			*list = append(*list, id)
		}
		return nil
	}
	switch p.Type {
	case "ByteLevel":
	case "Sequence":
		for i := range p.Processors {
			if err := r.readAround(&p.Processors[i]); err != nil {
				return err
			}
		}
	case "BertProcessing", "RobertaProcessing":
		if p.Class == nil || p.Separator == nil {
			return fmt.Errorf("%s without cls and sep: %w", p.Type, ErrVocabulary)
		}
		if err := add(&r.t.before, p.Class.id); err != nil {
			return err
		}
		return add(&r.t.after, p.Separator.id)
	case "TemplateProcessing":
		list := &r.t.before
		for _, piece := range p.Single {
			if piece.Sequence != nil {
				list = &r.t.after
			} else if piece.SpecialToken != nil {
				if err := add(list, p.SpecialTokens[piece.SpecialToken.ID].IDs...); err != nil {
					return err
				}
			}
		}
	default:
		return unknown(p, "BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing")
	}
	return nil
}

// nameSpecial finds special tokens: those around a text, and others by their texts, since a
// tokenizer.json names none.
func (r *jsonReader) nameSpecial() {
	s := &r.t.special
	find := func(id *int32, texts string) {
		for _, text := range strings.Fields(texts) {
			if x := r.v.id(text); *id < 0 && x >= 0 && r.v.tokens[x].Kind&Control != 0 {
				*id = x
			}
		}
	}
	if len(r.t.before) > 0 {
		s.BOS, s.AddBOS = r.t.before[0], true
	}
	if n := len(r.t.after); n > 0 {
		s.EOS, s.AddEOS = r.t.after[n-1], true
	}
	find(&s.BOS, "<|begin_of_text|> <s> <bos> [CLS] <|startoftext|> <|begin▁of▁sentence｜>")
	find(&s.EOS, "<|end_of_text|> </s> <eos> [SEP] <|endoftext|> <｜end▁of▁sentence｜>")
	find(&s.Separator, "[SEP] </s>")
	find(&s.Padding, "[PAD] <pad>")
	find(&s.Mask, "[MASK] <mask>")
	findSpecial(r.v, s, false)
	r.t.ends = findEnds(r.v, s, false)
}
