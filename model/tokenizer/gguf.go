package tokenizer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/model/gguf"
)

// prefix is what all keys of tokenizers begin with, but for that of chat templates.
const prefix = "tokenizer.ggml."

// FromGGUF returns the tokenizer of a model's file. Errors name the file, the key, its value and
// the limit. They wrap [ErrUnknown] if the file names a tokenizer that this package does not have,
// and [ErrVocabulary], [gguf.ErrNoKey] or [gguf.ErrFormat] if its keys are missing or make no
// sense. The file may be closed afterwards.
func FromGGUF(f *gguf.File) (*Tokenizer, error) {
	model, err := f.Text(prefix + "model")
	if err != nil {
		return nil, err
	}
	r := &ggufReader{file: f, model: model}
	t, err := r.read()
	if err != nil && !strings.HasPrefix(err.Error(), f.Name+":") { // package gguf names the file
		err = fmt.Errorf("%s: %w", f.Name, err)
	}
	return t, err
}

// ggufReader makes a tokenizer of keys.
type ggufReader struct {
	file  *gguf.File
	model string
	pre   *preTokenizer
	v     *vocabulary
	t     *Tokenizer
}

func (r *ggufReader) read() (*Tokenizer, error) {
	r.t = &Tokenizer{special: noSpecial()}
	s := &r.t.special
	switch r.model {
	case "gpt2", "gemma4":
		if err := r.readPre(); err != nil {
			return nil, err
		}
		if r.model == "gpt2" && !r.pre.noBOS {
			s.BOS = 11
		}
		if r.model == "gpt2" {
			s.EOS = 11
		}
		s.AddBOS, s.AddSeparator = r.pre.addBOS, r.pre.addSEP
	case "llama":
		s.BOS, s.EOS, s.Unknown, s.AddBOS = 1, 2, 0, true
	case "t5":
		s.EOS, s.Unknown, s.Padding, s.AddEOS = 1, 2, 0, true
	case "bert":
		s.BOS, s.Unknown, s.Separator, s.Padding, s.Mask = 101, 100, 102, 0, 103
		s.AddBOS, s.AddSeparator = true, true
	default:
		return nil, fmt.Errorf("%smodel: %w tokenizer %.40q; known are bert, gemma4, gpt2, llama, t5", prefix, ErrUnknown,
			r.model)
	}
	tokens, err := r.readTokens()
	if err != nil {
		return nil, err
	}
	name := func(i int) string { return fmt.Sprintf("%stokens[%d]", prefix, i) }
	if r.v, err = newVocabulary(tokens, name); err != nil {
		return nil, err
	}
	r.t.vocabulary = r.v
	if err := r.readSpecial(); err != nil {
		return nil, err
	}
	findSpecial(r.v, s, true)
	r.t.ends = findEnds(r.v, s, true)
	if err := r.readPipeline(); err != nil {
		return nil, err
	}
	if err := r.around(); err != nil {
		return nil, err
	}
	if err := r.setTrims(); err != nil {
		return nil, err
	}
	r.t.parser = newSpecialParser(r.v.tokens, false, func(t *Token) bool {
		return t.Kind&(Control|UserDefined|Unknown) != 0
	})
	return r.t, nil
}

func (r *ggufReader) readPre() (err error) {
	name := "default"
	if r.model == "gemma4" {
		name = "gemma4"
	} else if name, err = r.text("pre", name); err != nil {
		return err
	}
	if name == "" {
		name = "default"
	}
	if r.pre, err = findPreTokenizer(name); err != nil {
		return fmt.Errorf("%spre: %w", prefix, err)
	}
	return nil
}

// text returns a string, or another if the key is missing.
func (r *ggufReader) text(key, otherwise string) (string, error) {
	x, err := r.file.Text(prefix + key)
	if errors.Is(err, gguf.ErrNoKey) {
		return otherwise, nil
	}
	return x, err
}

// boolean is text for a bool.
func (r *ggufReader) boolean(key string, otherwise bool) (bool, error) {
	x, err := r.file.Bool(prefix + key)
	if errors.Is(err, gguf.ErrNoKey) {
		return otherwise, nil
	}
	return x, err
}

// array returns an array of at most some elements, or nil.
func (r *ggufReader) array(key string, most int, kinds ...gguf.Kind) (*gguf.Value, error) {
	v, ok := r.file.Value(prefix + key)
	if !ok {
		return nil, nil
	}
	if v.Kind() != gguf.Array || !slices.Contains(kinds, v.Elem()) {
		what := v.Kind().String()
		if v.Kind() == gguf.Array {
			what = "an array of " + v.Elem().String()
		}
		return nil, fmt.Errorf("%s%s is %s, want an array of %v: %w", prefix, key, what, kinds, ErrVocabulary)
	}
	if v.Len() > most {
		return nil, fmt.Errorf("%s%s has %d elements, at most %d: %w", prefix, key, v.Len(), most, ErrVocabulary)
	}
	return &v, nil
}

func (r *ggufReader) readTokens() ([]Token, error) {
	list, err := r.array("tokens", maxTokens, gguf.String)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("%stokens: %w", prefix, gguf.ErrNoKey)
	}
	if err := checkCount(list.Len(), prefix+"tokens"); err != nil {
		return nil, err
	}
	tokens := make([]Token, list.Len())
	total := 0
	for i, v := range list.Elements() {
		text, _ := v.Text()
		if total += len(text); total > maxTexts {
			return nil, fmt.Errorf("%stokens has more than %d bytes: %w", prefix, maxTexts, ErrVocabulary)
		}
		if text == "" {
			text = fmt.Sprintf("[EMPTY_%d]", i) // as llama.cpp names it
		}
		tokens[i] = Token{Text: text, Kind: Normal}
	}
	if err := r.readScores(tokens); err != nil {
		return nil, err
	}
	kinds, err := r.numbers("token_type", len(tokens), gguf.Int32)
	if err != nil || kinds == nil {
		return tokens, err
	}
	for i, v := range kinds.Elements() {
		if i == len(tokens) {
			break
		}
		n, _ := v.Int()
		tokens[i].Kind = kindOf(n)
	}
	return tokens, nil
}

// kindOf returns the kind of a number of tokenizer.ggml.token_type; unknown numbers are no kind.
func kindOf(n int64) Kind {
	list := [...]Kind{0, Normal, Unknown, Control, UserDefined, Unused, Byte}
	if n < 0 || n >= int64(len(list)) {
		return 0
	}
	return list[n]
}

// numbers returns an array with at least an element for each token.
func (r *ggufReader) numbers(key string, tokens int, kinds ...gguf.Kind) (*gguf.Value, error) {
	list, err := r.array(key, maxTokens, kinds...)
	if err == nil && list != nil && list.Len() < tokens {
		return nil, fmt.Errorf("%s%s has %d elements for %d tokens: %w", prefix, key, list.Len(), tokens, ErrVocabulary)
	}
	return list, err
}

func (r *ggufReader) readScores(tokens []Token) error {
	scores, err := r.numbers("scores", len(tokens), gguf.Float32, gguf.Int32)
	if err != nil || scores == nil {
		return err
	}
	for i, v := range scores.Elements() {
		if i == len(tokens) {
			break
		}
		if x, ok := v.Float(); ok {
			tokens[i].Score = x
		} else if n, ok := v.Int(); ok {
			tokens[i].Score = float64(n)
		}
	}
	return nil
}

// readSpecial reads the ids of special tokens, and whether a text gets them. An id that is not one
// of the vocabulary does not count, as in llama.cpp.
func (r *ggufReader) readSpecial() (err error) {
	s := &r.t.special
	for _, x := range [...]struct {
		key string
		id  *int32
	}{
		{"bos_token_id", &s.BOS}, {"eos_token_id", &s.EOS}, {"eot_token_id", &s.EOT}, {"eom_token_id", &s.EOM},
		{"unknown_token_id", &s.Unknown}, {"seperator_token_id", &s.Separator}, {"padding_token_id", &s.Padding},
		{"mask_token_id", &s.Mask}, {"fim_pre_token_id", &s.FIMPrefix}, {"fim_suf_token_id", &s.FIMSuffix},
		{"fim_mid_token_id", &s.FIMMiddle}, {"fim_pad_token_id", &s.FIMPadding},
		{"fim_rep_token_id", &s.FIMRepository}, {"fim_sep_token_id", &s.FIMSeparator},
		{"prefix_token_id", &s.FIMPrefix}, {"suffix_token_id", &s.FIMSuffix}, {"middle_token_id", &s.FIMMiddle},
	} {
		if int(*x.id) >= len(r.v.tokens) {
			*x.id = -1
		}
		id, err := r.file.Uint(prefix + x.key)
		switch {
		case errors.Is(err, gguf.ErrNoKey):
		case err != nil:
			return err
		case id < uint64(len(r.v.tokens)):
			*x.id = int32(id)
		}
	}
	if s.AddBOS, err = r.boolean("add_bos_token", s.AddBOS); err != nil {
		return err
	}
	if s.AddEOS, err = r.boolean("add_eos_token", s.AddEOS); err != nil {
		return err
	}
	if s.AddSeparator, err = r.boolean("add_sep_token", s.AddSeparator); err != nil {
		return err
	}
	if r.pre != nil && r.pre.joinLines {
		s.AddBOS = true
	}
	return nil
}

// around sets the tokens around a text.
func (r *ggufReader) around() error {
	s := &r.t.special
	add := func(list *[]int32, what bool, id int32, key, idKey string) error {
		if !what {
			return nil
		}
		if id < 0 {
			return fmt.Errorf("%s%s is true, but %s%s names no token: %w", prefix, key, prefix, idKey, ErrVocabulary)
		}
		*list = append(*list, id)
		return nil
	}
	// BERT has both whatever the flags say.
	bert := r.model == "bert"
	if err := add(&r.t.before, s.AddBOS || bert, s.BOS, "add_bos_token", "bos_token_id"); err != nil {
		return err
	}
	if bert {
		return add(&r.t.after, true, s.Separator, "add_sep_token", "seperator_token_id")
	}
	return add(&r.t.after, s.AddEOS, s.EOS, "add_eos_token", "eos_token_id")
}

// readPipeline makes what divides texts.
func (r *ggufReader) readPipeline() error {
	space, err := r.boolean("add_space_prefix", r.model == "llama")
	if err != nil {
		return err
	}
	r.t.decoding = decoding{writing: asSpaces, trim: space}
	switch r.model {
	case "llama":
		for b := range r.v.bytes {
			if r.v.bytes[b] < 0 {
				r.v.bytes[b] = r.v.id(string([]byte{byte(b)}))
			}
		}
		r.t.pipeline = &spacePipeline{space, &sentencePiece{r.v, r.t.special.Unknown}}
	case "t5":
		return r.readUnigram(space)
	case "bert":
		lower, err := r.boolean("normalizer.lowercase", true)
		if err != nil {
			return err
		}
		strip, err := r.boolean("normalizer.strip_accents", lower)
		if err != nil {
			return err
		}
		r.t.decoding.trim = true
		r.t.pipeline = &wordPipeline{lower, strip, newWordPiece(r.v, r.t.special.Unknown, "")}
	default:
		return r.readBPE()
	}
	return nil
}

func (r *ggufReader) readBPE() error {
	list, err := r.array("merges", maxMerges, gguf.String)
	if err != nil {
		return err
	}
	var merges []string
	if list != nil {
		total := 0
		for _, v := range list.Elements() {
			text, _ := v.Text()
			if total += len(text); total > maxTexts {
				return fmt.Errorf("%smerges has more than %d bytes: %w", prefix, maxTexts, ErrVocabulary)
			}
			merges = append(merges, text)
		}
	} else if !slices.Contains(strings.Fields(r.pre.names), "kimi-k2") {
		return fmt.Errorf("%smerges: %w", prefix, gguf.ErrNoKey)
	}
	b, err := newBPE(r.v, len(merges), func(i int) (string, string, error) {
		left, right, err := splitMerge(merges[i])
		if err != nil {
			err = fmt.Errorf("%smerges[%d]: %w: %w", prefix, i, err, ErrVocabulary)
		}
		return left, right, err
	}, "", true)
	if err != nil {
		return err
	}
	b.byteLevel, b.ignoreMerges, b.joinLines = !r.pre.raw, r.pre.ignoreMerges, r.pre.joinLines
	b.fallback = r.pre.raw
	p := &bytePipeline{escape: r.pre.escape, model: b}
	if p.steps, err = steps(r.pre.patterns); err != nil {
		return err
	}
	r.t.pipeline, r.t.replacesInvalid = p, true
	r.t.decoding = decoding{writing: asBytes}
	if r.pre.raw {
		r.t.decoding.writing = asSpaces
	}
	return nil
}

func (r *ggufReader) readUnigram(space bool) error {
	merge, err := r.boolean("remove_extra_whitespaces", false)
	if err != nil {
		return err
	}
	list, err := r.array("precompiled_charsmap", maxTexts, gguf.Uint8, gguf.Int8)
	if err != nil {
		return err
	}
	p := &unigramPipeline{text: unigramText{prefix: space, merge: merge, charsMap: &charsMap{}}}
	if list != nil {
		data := make([]byte, list.Len())
		for i, v := range list.Elements() {
			n, _ := v.Int()
			data[i] = byte(n)
		}
		var ok bool
		if p.text.charsMap, ok = newCharsMap(data); !ok {
			return fmt.Errorf("%sprecompiled_charsmap of %d bytes is no table of SentencePiece: %w", prefix, len(data),
				ErrVocabulary)
		}
	}
	var user []int32
	for i := range r.v.tokens {
		if r.v.tokens[i].Kind&UserDefined != 0 {
			user = append(user, int32(i))
		}
	}
	p.text.user = newLexicon(r.v.tokens, user)
	p.model = newUnigram(r.v, r.t.special.Unknown)
	r.t.pipeline = p
	return nil
}

// setTrims gives the blanks around some tokens to them, which files do not say.
func (r *ggufReader) setTrims() error {
	pre, err := r.text("pre", "")
	if err != nil {
		return err
	}
	var name, architecture string
	for key, text := range map[string]*string{"general.name": &name, "general.architecture": &architecture} {
		if v, ok := r.file.Value(key); ok {
			*text, _ = v.Text()
		}
	}
	name = strings.ToLower(name)
	contains := func(text string, parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
	set := func(text string, trim trim, on bool) {
		if id := r.v.id(text); id >= 0 && on {
			r.v.tokens[id].trim |= trim
		} else if id >= 0 {
			r.v.tokens[id].trim &^= trim
		}
	}
	switch {
	case contains(pre, "jina-v2-de", "jina-v2-es", "jina-v2-code"),
		contains(architecture, "nomic-bert-moe", "jina-bert-v3"):
		set("<mask>", trimLeft, true)
	case contains(name, "phi-3", "phi3"):
		for i := range r.v.tokens {
			if r.v.tokens[i].Kind&(Control|UserDefined|Unknown) != 0 {
				r.v.tokens[i].trim |= trimRight
			}
		}
		set("</s>", trimRight, true)
		for _, text := range []string{"<unk>", "<s>", "<|endoftext|>"} {
			set(text, trimRight, false)
		}
	case contains(name, "modern-bert"):
		set("[MASK]", trimLeft, true)
	}
	return nil
}
