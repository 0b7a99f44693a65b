package tokenizer

import (
	"fmt"
	"slices"
	"strings"
)

// Parts of the patterns below.
const (
	contraction        = `'s|'t|'re|'ve|'m|'ll|'d`
	contractionAnyCase = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`
	word               = `[^\r\n\p{L}\p{N}]?\p{L}+`
	other              = ` ?[^\s\p{L}\p{N}]+`
	blank              = `\s+(?!\S)|\s+`
	blankLines         = `\s*[\r\n]+|` + blank
	cjk                = "[一-龥぀-ゟ゠-ヿ]+"
	deepseekCJK        = `[一-龥ࠀ-一가-퟿&&[\S]]+` // the second range has blanks in it

	gpt2Pattern   = contraction + `| ?\p{L}+| ?\p{N}+|` + other + `|` + blank
	llama3Pattern = contractionAnyCase + `|` + word + `|\p{N}{1,3}|` + other + `[\r\n]*|` + blankLines
	qwen2Pattern  = contractionAnyCase + `|` + word + `|\p{N}|` + other + `[\r\n]*|` + blankLines
	marksPattern  = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|" +
		`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|` + blankLines
	bloomPattern = ` ?[^(\s|.,!?…。，、।۔،)]+`
	linesPattern = `[^\n]+|[\n]+`
	// Words in which case changes once: upper, then lower. Letters without case are both. llama.cpp
	// has only letters of ASCII in its cases.
	upperLower = `[^\r\n\p{L}\p{N}]?[\p{L}&&[^a-z]]*[\p{L}&&[^A-Z]]+`
	upperOnly  = `[^\r\n\p{L}\p{N}]?[\p{L}&&[^a-z]]+[\p{L}&&[^A-Z]]*`
	// The same with marks.
	upperLowerMarks = `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}&&[^a-z]]*[\p{L}\p{M}&&[^A-Z]]+`
	upperOnlyMarks  = `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}&&[^a-z]]+[\p{L}\p{M}&&[^A-Z]]*`
	// A word with marks and without case.
	wordMarks = `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+`
	// Of the ideographs that kimi-k2 keeps apart.
	ideographs = "㐀-\u4dbf一-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f" +
		"\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\U0002ceb0-\U0002ebef\U0002f800-\U0002fa1f"

	// These are no patterns. The first ends a word after every third digit from the right; the others
	// stand for the patterns (?=(\d{3})+(?!\d)) and \s+$, for which backtracking takes quadratic time.
	digitGroups    = "\x00groups"
	digitTriples   = "\x00triples"
	trailingBlanks = "\x00trailing"
)

// preTokenizer is how a kind of byte-level vocabulary splits text before it merges. The patterns
// apply one after another, each to the parts that the one before it left.
type preTokenizer struct {
	names    string
	patterns []string
	// raw vocabularies have the text's own characters instead of bytes by other characters.
	raw          bool
	escape       bool // a space is U+2581
	ignoreMerges bool // a word that is a token is not merged
	addBOS       bool
	addSEP       bool
	noBOS        bool // none unless the file has one
	joinLines    bool // a run of line feeds that is a token is not merged
}

// preTokenizers are those that tokenizer.ggml.pre names, with the patterns that llama.cpp has for
// them.
var preTokenizers = [...]preTokenizer{
	{names: "default", patterns: []string{`[\p{P}\$\+<=>\^~\|]+`, gpt2Pattern, `\p{N}+`, `[0-9][0-9][0-9]`}},
	{names: "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert exaone4 mpt olmo" +
		" jais trillion granite-docling", patterns: []string{gpt2Pattern}},
	{names: "jina-v1-en jina-v2-code roberta-bpe", patterns: []string{gpt2Pattern}, addSEP: true},
	{names: "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
		patterns: []string{llama3Pattern}, ignoreMerges: true, addBOS: true},
	{names: "dbrx smaug-bpe", patterns: []string{llama3Pattern}},
	{names: "glm4 chatglm-bpe", patterns: []string{llama3Pattern}, noBOS: true},
	{names: "jais-2", patterns: []string{contractionAnyCase + `|` + word + `|\p{N}{1,3}|` + other + `[\r\n]*|\s*[\r\n]+|` +
		`\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|` +
		`\s{1,2}(?!\S)|\s{1}`}},
	{names: "minicpm5", patterns: []string{`\p{N}{1,3}`, contractionAnyCase + `|` + word + `|\p{N}+|` + other +
		`[\r\n]*|` + blankLines}, ignoreMerges: true},
	{names: "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2",
		patterns: []string{qwen2Pattern}},
	{names: "qwen35", patterns: []string{contractionAnyCase + `|` + wordMarks +
		`|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|` + blankLines}},
	{names: "laguna", patterns: []string{linesPattern, qwen2Pattern}},
	{names: "bailingmoe bailingmoe2 llada-moe", patterns: []string{`'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|` +
		word + `|\p{N}|` + other + `[\r\n]*|\s*[\r\n]|` + blank}},
	{names: "seed-coder", patterns: []string{contractionAnyCase + `|` + word +
		`|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|` + blankLines}},
	{names: "exaone-moe", patterns: []string{contractionAnyCase +
		`|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|` + other + `[\r\n/]?|\s*[\r\n]|` + blank}},
	{names: "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
		patterns: []string{`\p{N}`, gpt2Pattern}},
	{names: "falcon", patterns: []string{"[\\p{P}\\$\\+<=>\\^~\\|`]+", gpt2Pattern, `[0-9][0-9][0-9]`}},
	{names: "deepseek-llm", patterns: []string{`[\r\n]`, `\s?[` + deepseekLetters + `]+`,
		`\s?[!-/:-~！-／：-～‘-‟　-。&&[\S]]+`, trailingBlanks, deepseekCJK, `\p{N}+`}},
	{names: "deepseek-coder", patterns: []string{`[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, deepseekCJK, `\p{N}`}},
	{names: "deepseek-v3 hunyuan-dense joyai-llm", patterns: []string{`\p{N}{1,3}`, cjk, marksPattern}},
	{names: "youtu", patterns: []string{`[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|` + cjk,
		wordMarks + contractionAnyCase + `?|\p{N}|` + other + `[\r\n/]*|` + blankLines}, ignoreMerges: true},
	{names: "poro-chat bloom gpt3-finnish", patterns: []string{bloomPattern}},
	{names: "viking", patterns: []string{bloomPattern, `\p{N}`}},
	{names: "tekken", patterns: []string{upperLower + `|` + upperOnly + `|\p{N}|` + other + `[\r\n/]*|` + blankLines},
		ignoreMerges: true, addBOS: true},
	{names: "gpt-4o llama4 kanana2 talkie minimax-m2", patterns: []string{upperLower + contractionAnyCase + `?|` +
		upperOnly + contractionAnyCase + `?|\p{N}{1,3}|` + other + `[\r\n/]*|` + blankLines}},
	{names: "granite-embed-multi-97m", patterns: []string{upperLowerMarks + contractionAnyCase + `?|` + upperOnlyMarks +
		contractionAnyCase + `?|\p{N}{1,3}|` + other + `[\r\n/]*|` + blankLines}, ignoreMerges: true},
	{names: "tiny_aya cohere2moe", patterns: []string{digitGroups, wordMarks + contractionAnyCase + `?|\p{N}{1,3}|` +
		other + `[\r\n/]*|` + blankLines}},
	{names: "kimi-k2", patterns: []string{`[` + ideographs + `]+|[^\r\n\p{L}\p{N}]?[\p{L}&&[^` + ideographs + `]]+` +
		contractionAnyCase + `?|\p{N}{1,3}|` + other + `[\r\n]*|` + blankLines}},
	{names: "superbpe", patterns: []string{`\p{N}+`, digitTriples}},
	{names: "afmoe", patterns: []string{digitGroups,
		`[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+`, marksPattern}},
	{names: "chameleon", patterns: []string{`<sentinel:[0-9]+>`, `(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z`,
		`([\t\n]|    |  )`, `\p{N}`, "[\\p{P}!-/:-@\\[-`{-~]", gpt2Pattern}, addBOS: true},
	{names: "gemma4 granite-embed-multi-311m", patterns: []string{linesPattern}, raw: true, escape: true, joinLines: true},
	{names: "sarvam-moe", patterns: []string{linesPattern}, raw: true, escape: true},
}

// deepseekLetters are the letters that the pattern of deepseek-llm names.
const deepseekLetters = "A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6" +
	"\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF\u0370-\u0373" +
	"\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5\u03F7-\u0481\u048A-" +
	"\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-" +
	"\u1D77\u1D79-\u1D9A\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D" +
	"\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB\u1FE0-" +
	"\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126\u2128\u212A-" +
	"\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-" +
	"\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-" +
	"\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-" +
	"\U000104FB\U00010C80-\U00010CB2\U00010CC0-\U00010CF2\U000118A0-\U000118DF\U0001E900-\U0001E943"

// findPreTokenizer returns the pre-tokenizer of a name.
func findPreTokenizer(name string) (*preTokenizer, error) {
	var known []string
	for i := range preTokenizers {
		names := strings.Fields(preTokenizers[i].names)
		if slices.Contains(names, name) {
			return &preTokenizers[i], nil
		}
		known = append(known, names...)
	}
	slices.Sort(known)
	return nil, fmt.Errorf("%w pre-tokenizer %q; known are %s", ErrUnknown, name, strings.Join(known, ", "))
}

// behavior is what becomes of a pattern's matches.
type behavior uint8

const (
	isolated behavior = iota // each is a part, and so is what is between them
	removed
	mergedWithPrevious
	mergedWithNext
	contiguous // matches that follow each other are one part
)

// step divides the parts of a text further.
type step struct {
	pattern  *pattern // or one of the functions
	classify func(r rune) runKind
	divide   func(s *splitter, part span)
	behavior behavior
	invert   bool // what is between the matches takes their place
}

// steps compiles patterns.
func steps(patterns []string) (list []step, err error) {
	for _, p := range patterns {
		s := step{}
		switch p {
		case digitGroups:
			s.divide = (*splitter).groupDigits
		case digitTriples:
			s.divide = (*splitter).tripleDigits
		case trailingBlanks:
			s.divide = (*splitter).cutBlanks
		default:
			if s.pattern, err = compile(p, false); err != nil {
				return nil, err
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// splitter divides texts. It is for one text at a time.
type splitter struct {
	runes   runes
	matcher matcher
	parts   []span
	next    []span
}

// split divides a text into parts, which are valid until the next call.
func (s *splitter) split(text string, steps []step) []span {
	s.runes.set(text)
	s.matcher.table, s.matcher.text = classes(), s.runes.all
	s.parts = append(s.parts[:0], span{0, int32(len(s.runes.all))})
	for i := range steps {
		s.next = s.next[:0]
		if steps[i].pattern != nil {
			s.matcher.allow(steps[i].pattern)
		}
		for _, p := range s.parts {
			if steps[i].classify != nil {
				s.runs(p, steps[i].classify)
			} else if steps[i].divide != nil {
				steps[i].divide(s, p)
			} else {
				s.apply(&steps[i], p)
			}
		}
		s.parts, s.next = s.next, s.parts
	}
	return s.parts
}

func (s *splitter) emit(low, high int32) {
	if low < high {
		s.next = append(s.next, span{low, high})
	}
}

// apply divides a part.
func (s *splitter) apply(x *step, part span) {
	m := &s.matcher
	m.low, m.high = part.low, part.high
	if m.steps <= 0 {
		s.emit(part.low, part.high)
		return
	}
	from := part.low
	first, joined := len(s.next), false // joined: the last part is of matches
	put := func(low, high int32, matched bool) {
		if low == high {
			return
		}
		last := len(s.next) - 1
		switch {
		case matched && x.behavior == removed:
		case matched && x.behavior == mergedWithPrevious && last >= first && !joined,
			matched && x.behavior == contiguous && last >= first && joined,
			!matched && x.behavior == mergedWithNext && last >= first && joined:
			s.next[last].high = high
		default:
			s.next = append(s.next, span{low, high})
		}
		joined = matched
	}
	for at := part.low; at < part.high; {
		end := m.match(x.pattern.code, 0, at)
		switch {
		case end < 0:
			at++
			continue
		case end == at: // an empty match ends a part, and takes nothing
			put(from, at, x.invert)
			from = at
			at++
			continue
		}
		put(from, at, x.invert)
		put(at, end, !x.invert)
		from, at = end, end
	}
	put(from, part.high, x.invert)
}

// runKind says what a character is a part of: characters of the same positive kind in sequence are
// a part, one of kind alone is one by itself, and dropped ones are none.
type runKind int

const (
	alone   runKind = -1
	dropped runKind = 0
)

// runs divides a part by kinds of characters.
func (s *splitter) runs(part span, classify func(r rune) runKind) {
	for at := part.low; at < part.high; {
		kind := classify(s.runes.all[at])
		end := at + 1
		for kind != alone && end < part.high && classify(s.runes.all[end]) == kind {
			end++
		}
		if kind != dropped {
			s.emit(at, end)
		}
		at = end
	}
}

// groupDigits ends a part after every third digit, counted from the right end of each number.
func (s *splitter) groupDigits(part span) {
	table := s.matcher.table
	from := part.low
	for at := part.low; at < part.high; {
		if table[s.runes.all[at]]&number == 0 {
			at++
			continue
		}
		begin := at
		for at < part.high && table[s.runes.all[at]]&number != 0 {
			at++
		}
		end := begin + (at-begin)%3
		if end == begin { // whatever is before the digits stays with the first group
			end += 3
		}
		for ; end <= at; end += 3 {
			s.emit(from, end)
			from = end
		}
	}
	s.emit(from, part.high)
}

// tripleDigits ends a part before every third digit, counted from the right end of each number of
// ASCII's digits.
func (s *splitter) tripleDigits(part span) {
	digit := func(at int32) bool { return s.runes.all[at] >= '0' && s.runes.all[at] <= '9' }
	from := part.low
	for at := part.low; at < part.high; {
		begin := at
		for at < part.high && digit(at) {
			at++
		}
		for cut := begin + (at-begin)%3; cut < at; cut += 3 {
			s.emit(from, cut)
			from = cut
		}
		at = max(at, begin+1)
	}
	s.emit(from, part.high)
}

// cutBlanks makes a part of the blanks at the end.
func (s *splitter) cutBlanks(part span) {
	cut := part.high
	for cut > part.low && s.matcher.table[s.runes.all[cut-1]]&space != 0 {
		cut--
	}
	s.emit(part.low, cut)
	s.emit(cut, part.high)
}
