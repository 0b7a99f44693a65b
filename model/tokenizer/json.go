package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/puremetal/puremetal/internal/document"
)

// part is a part of a tokenizer.json: a normalizer, a pre-tokenizer, a post-processor or a decoder.
// Each uses some of the fields.
type part struct {
	Type           string           `json:"type"`
	Normalizers    []part           `json:"normalizers"`
	Pretokenizers  []part           `json:"pretokenizers"`
	Processors     []part           `json:"processors"`
	Decoders       []part           `json:"decoders"`
	Pattern        *jsonPattern     `json:"pattern"`
	Behavior       string           `json:"behavior"`
	Invert         bool             `json:"invert"`
	Content        string           `json:"content"`
	Prepend        string           `json:"prepend"`
	Prefix         string           `json:"prefix"`
	Suffix         string           `json:"suffix"`
	Cleanup        bool             `json:"cleanup"`
	Start          int              `json:"start"`
	Individual     bool             `json:"individual_digits"`
	AddPrefixSpace *bool            `json:"add_prefix_space"`
	UseRegex       *bool            `json:"use_regex"`
	Replacement    string           `json:"replacement"`
	PrependScheme  string           `json:"prepend_scheme"`
	Split          *bool            `json:"split"`
	StripLeft      *bool            `json:"strip_left"`
	StripRight     *bool            `json:"strip_right"`
	CleanText      *bool            `json:"clean_text"`
	Chinese        *bool            `json:"handle_chinese_chars"`
	StripAccents   *bool            `json:"strip_accents"`
	Lowercase      *bool            `json:"lowercase"`
	CharsMap       []byte           `json:"precompiled_charsmap"`
	Single         []templatePiece  `json:"single"`
	SpecialTokens  map[string]names `json:"special_tokens"`
	Separator      *nameAndID       `json:"sep"`
	Class          *nameAndID       `json:"cls"`
}

type jsonPattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

type templatePiece struct {
	SpecialToken *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID string `json:"id"`
	} `json:"Sequence"`
}

type names struct {
	IDs []int32 `json:"ids"`
}

// nameAndID is ["[SEP]", 102].
type nameAndID struct{ id int32 }

func (n *nameAndID) UnmarshalJSON(data []byte) error {
	var name string
	pair := [2]any{&name, &n.id}
	return json.Unmarshal(data, &pair)
}

// jsonFile is a tokenizer.json.
type jsonFile struct {
	AddedTokens []struct {
		ID         int    `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Left       bool   `json:"lstrip"`
		Right      bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
		Special    bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer    *part `json:"normalizer"`
	PreTokenizer  *part `json:"pre_tokenizer"`
	PostProcessor *part `json:"post_processor"`
	Decoder       *part `json:"decoder"`
	Model         struct {
		Type           string          `json:"type"`
		Vocab          json.RawMessage `json:"vocab"`
		Merges         json.RawMessage `json:"merges"`
		UnknownToken   *string         `json:"unk_token"`
		UnknownID      *int            `json:"unk_id"`
		Prefix         *string         `json:"continuing_subword_prefix"`
		Suffix         *string         `json:"end_of_word_suffix"`
		FuseUnknown    bool            `json:"fuse_unk"`
		ByteFallback   bool            `json:"byte_fallback"`
		IgnoreMerges   bool            `json:"ignore_merges"`
		Dropout        *float64        `json:"dropout"`
		MostCharacters *int            `json:"max_input_chars_per_word"`
	} `json:"model"`
}

// FromJSON returns the tokenizer of a tokenizer.json, as Hugging Face's library writes it. Errors
// wrap [ErrUnknown] if the file has a part that this package does not know, and [ErrVocabulary] if
// it makes no sense.
//
// Encode differs from that library's only where [EncodeOptions] says so: special tokens in a text
// are text by default.
func FromJSON(data []byte) (*Tokenizer, error) {
	r := &jsonReader{}
	if err := document.Vocabulary.JSON(data, &r.file); err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrVocabulary)
	}
	return r.read()
}

// jsonReader makes a tokenizer of a file.
type jsonReader struct {
	file jsonFile
	v    *vocabulary
	t    *Tokenizer
	p    jsonPipeline
}

func (r *jsonReader) read() (*Tokenizer, error) {
	r.t = &Tokenizer{special: noSpecial()}
	r.t.decoding = decoding{writing: asWords, plain: true}
	if err := r.readVocabulary(); err != nil {
		return nil, err
	}
	r.t.vocabulary = r.v
	if err := r.readAround(r.file.PostProcessor); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	r.nameSpecial()
	if err := r.readModel(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := r.readNormalizer(r.file.Normalizer); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if err := r.readPreTokenizer(r.file.PreTokenizer); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if err := r.readDecoder(r.file.Decoder); err != nil {
		return nil, fmt.Errorf("decoder: %w", err)
	}
	special := func(t *Token) bool { return t.Kind&(Control|UserDefined|Unknown) != 0 }
	r.t.parser = newSpecialParser(r.v.tokens, true, func(t *Token) bool { return special(t) && t.trim&normalized == 0 })
	changed := slices.Clone(r.v.tokens)
	for i := range changed {
		if special(&changed[i]) && changed[i].trim&normalized != 0 {
			changed[i].Text = r.p.normalizeToken(changed[i].Text)
		}
	}
	r.p.parser = newSpecialParser(changed, true, func(t *Token) bool { return special(t) && t.trim&normalized != 0 })
	if len(r.p.parser.ids) == 0 {
		r.p.parser = nil
	}
	r.t.pipeline = &r.p
	r.file = jsonFile{} // the tokenizer keeps the reader
	return r.t, nil
}

// unknown returns an error about a part that the package does not know.
func unknown(p *part, known string) error {
	return fmt.Errorf("%w type %.40q; known are %s", ErrUnknown, p.Type, known)
}

func isFalse(b *bool) bool { return b != nil && !*b }

func (r *jsonReader) readNormalizer(p *part) error {
	if p == nil {
		return nil
	}
	add := func(list ...normalizer) { r.p.normalizers = append(r.p.normalizers, list...) }
	switch p.Type {
	case "Sequence":
		for i := range p.Normalizers {
			if err := r.readNormalizer(&p.Normalizers[i]); err != nil {
				return err
			}
		}
	case "NFC":
		add(norm.NFC.String)
	case "NFD":
		add(norm.NFD.String)
	case "NFKC":
		add(norm.NFKC.String)
	case "NFKD":
		add(norm.NFKD.String)
	case "Nmt":
		add(nmt)
	case "Lowercase":
		add(lowercase)
	case "StripAccents":
		add(stripAccents)
	case "Strip":
		add(func(text string) string {
			if !isFalse(p.StripLeft) {
				text = strings.TrimLeftFunc(text, unicode.IsSpace)
			}
			if !isFalse(p.StripRight) {
				text = strings.TrimRightFunc(text, unicode.IsSpace)
			}
			return text
		})
	case "Prepend":
		add(func(text string) string {
			if text == "" {
				return text
			}
			return p.Prepend + text
		})
	case "Replace":
		pattern, err := p.Pattern.compile()
		if err != nil {
			return err
		}
		if p.Pattern.String != nil {
			from := *p.Pattern.String
			add(func(text string) string { return strings.ReplaceAll(text, from, p.Content) })
		} else {
			add(replace(pattern, p.Content))
		}
	case "BertNormalizer":
		if !isFalse(p.CleanText) {
			add(bertClean)
		}
		if !isFalse(p.Chinese) {
			add(bertChinese)
		}
		if p.StripAccents != nil && *p.StripAccents || p.StripAccents == nil && !isFalse(p.Lowercase) {
			add(bertAccents)
		}
		if !isFalse(p.Lowercase) {
			add(lowercase)
		}
	case "Precompiled":
		m, ok := newCharsMap(p.CharsMap)
		if !ok {
			return fmt.Errorf("precompiled_charsmap of %d bytes is no table of SentencePiece: %w", len(p.CharsMap),
				ErrVocabulary)
		}
		add(precompiled(m))
	default:
		return unknown(p, "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, Sequence, "+
			"Strip, StripAccents")
	}
	return nil
}

func (p *jsonPattern) compile() (*pattern, error) {
	switch {
	case p == nil:
	case p.Regex != nil:
		return compile(*p.Regex, true)
	case p.String != nil && *p.String != "":
		return literal(*p.String), nil
	}
	return nil, fmt.Errorf("pattern has neither String nor Regex: %w", ErrVocabulary)
}

func (r *jsonReader) readPreTokenizer(p *part) (err error) {
	if p == nil {
		return nil
	}
	add := func(s step) {
		if n := len(r.p.stages); n == 0 || r.p.stages[n-1].change != nil {
			r.p.stages = append(r.p.stages, stage{})
		}
		last := &r.p.stages[len(r.p.stages)-1]
		last.steps = append(last.steps, s)
	}
	change := func(f func(text string, start bool) string) { r.p.stages = append(r.p.stages, stage{change: f}) }
	switch p.Type {
	case "Sequence":
		for i := range p.Pretokenizers {
			if err := r.readPreTokenizer(&p.Pretokenizers[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
		r.p.byteLevel = true
		if !isFalse(p.AddPrefixSpace) {
			change(func(text string, _ bool) string {
				if strings.HasPrefix(text, " ") {
					return text
				}
				return " " + text
			})
		}
		if !isFalse(p.UseRegex) {
			list, err := steps([]string{gpt2Pattern})
			if err != nil {
				return err
			}
			add(list[0])
		}
	case "Split":
		s := step{invert: p.Invert}
		if s.pattern, err = p.Pattern.compile(); err != nil {
			return err
		}
		if s.behavior, err = p.behavior("Isolated"); err != nil {
			return err
		}
		add(s)
	case "Metaspace":
		r.readMetaspace(p, change, add)
	case "Whitespace":
		add(step{classify: wordsAndOthers})
	case "WhitespaceSplit":
		add(step{classify: blanks})
	case "BertPreTokenizer":
		add(step{classify: bertParts})
	case "Punctuation":
		if p.Behavior != "" && p.Behavior != "Isolated" {
			return fmt.Errorf("%w behavior %.40q of Punctuation; known is Isolated", ErrUnknown, p.Behavior)
		}
		add(step{classify: punctuationAlone})
	case "Digits":
		if p.Individual {
			add(step{classify: digitsAlone})
		} else {
			add(step{classify: digits})
		}
	default:
		return unknown(p, "BertPreTokenizer, ByteLevel, Digits, Metaspace, Punctuation, Sequence, Split, Whitespace, "+
			"WhitespaceSplit")
	}
	return nil
}

func (p *part) behavior(otherwise string) (behavior, error) {
	name := p.Behavior
	if name == "" {
		name = otherwise
	}
	i := slices.Index([]string{"Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"}, name)
	if i < 0 {
		return 0, fmt.Errorf("%w behavior %.40q; known are Contiguous, Isolated, MergedWithNext, MergedWithPrevious, "+
			"Removed", ErrUnknown, p.Behavior)
	}
	return behavior(i), nil
}

// prepends returns whether a Metaspace puts its character before a text: always, never or first.
func (p *part) prepends() string {
	if p.PrependScheme != "" {
		return p.PrependScheme
	}
	if isFalse(p.AddPrefixSpace) {
		return "never"
	}
	return "always"
}

func (r *jsonReader) readMetaspace(p *part, change func(func(string, bool) string), add func(step)) {
	char, scheme := p.Replacement, p.prepends()
	if char == "" {
		char = escapedSpace
	}
	change(func(text string, start bool) string {
		text = strings.ReplaceAll(text, " ", char)
		if (scheme == "always" || scheme == "first" && start) && !strings.HasPrefix(text, char) {
			text = char + text
		}
		return text
	})
	if !isFalse(p.Split) {
		add(step{pattern: literal(char), behavior: mergedWithNext})
	}
}

func (r *jsonReader) readDecoder(p *part) error {
	d := &r.t.decoding
	if p == nil {
		return nil
	}
	switch p.Type {
	case "ByteLevel":
		d.writing = asBytes
	case "Metaspace":
		d.writing, d.trim = asSpaces, p.prepends() != "never"
	case "WordPiece":
		d.writing, d.prefix, d.tidy = asWords, p.Prefix, p.Cleanup
	case "BPEDecoder":
		d.writing, d.prefix = asSuffix, p.Suffix
	case "Replace", "ByteFallback", "Fuse":
		d.writing = asSpaces
	case "Strip":
		d.trim = d.trim || p.Content == " " && p.Start > 0
	case "Sequence":
		for i := range p.Decoders {
			if err := r.readDecoder(&p.Decoders[i]); err != nil {
				return err
			}
		}
	default:
		return unknown(p, "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip, WordPiece")
	}
	return nil
}
