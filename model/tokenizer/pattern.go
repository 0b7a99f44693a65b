package tokenizer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// pattern is a compiled regular expression: what the splitters of language models need, which
// package regexp lacks (lookahead), on code points, with leftmost-first alternatives.
//
// Matching backtracks. The package's own patterns backtrack over a run of characters at most once;
// those that files bring have a budget of steps.
type pattern struct {
	code    []instruction
	foreign bool
}

// Limits of patterns.
const (
	maxPattern = 4096 // bytes
	maxGroups  = 32   // in each other
	maxRepeats = 1024
	maxCode    = 1 << 14
)

type operation uint8

const (
	opMatch  operation = iota
	opSet              // a character of a set
	opLoop             // between low and high of them, as many as possible
	opSplit            // try the next instruction, then the one at to
	opJump             // to to
	opAhead            // the instructions until to match here, and consume nothing
	opNot              // they do not match
	opEnd              // end of the text
	opBorder           // between a word's character and another
)

type instruction struct {
	op        operation
	set       *charset
	low, high int32 // of opLoop; high is -1 without a limit
	to        int32
}

// charset is a set of code points.
type charset struct {
	ascii   [2]uint64 // the answers below 128
	classes class
	not     class // classes whose complement is in the set, one at most: \S, \P{L}
	ranges  []rune
	negated bool
	within  *charset // the intersection with another set
}

func (s *charset) has(r rune, table *[unicode.MaxRune + 1]class) bool {
	if r < 128 {
		return s.ascii[r>>6]>>(r&63)&1 != 0
	}
	return s.find(r, table)
}

func (s *charset) find(r rune, table *[unicode.MaxRune + 1]class) bool {
	in := table[r]&s.classes != 0 || s.not != 0 && table[r]&s.not == 0
	for i := 0; i < len(s.ranges) && !in; i += 2 {
		in = s.ranges[i] <= r && r <= s.ranges[i+1]
	}
	return in != s.negated && (s.within == nil || s.within.find(r, table))
}

// finish fills the table of answers.
func (s *charset) finish() *charset {
	table := classes()
	for r := range rune(128) {
		if s.find(r, table) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

// parser compiles a pattern. Its methods return the least number of characters that what they
// parsed matches.
type parser struct {
	text  string
	code  []instruction
	depth int
	fold  bool // (?i:
	// foreign is for patterns of files: \d is every decimal digit there, and of ASCII in the
	// package's.
	foreign bool
}

// compile compiles a pattern. Errors wrap [ErrUnknown] and name what the package does not know.
func compile(text string, foreign bool) (*pattern, error) {
	p := &parser{text: text, foreign: foreign}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("%w pattern of %d bytes, at most %d", ErrUnknown, len(text), maxPattern)
	}
	_, err := p.alternatives()
	if err == nil && p.text != "" {
		err = fmt.Errorf("unexpected %.20q", p.text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w pattern %q: %w", ErrUnknown, text, err)
	}
	p.emit(instruction{op: opMatch})
	return &pattern{code: p.code, foreign: foreign}, nil
}

func (p *parser) emit(i instruction) int {
	p.code = append(p.code, i)
	return len(p.code) - 1
}

// insert puts an instruction before those from at on. It moves jumps that leave them along.
func (p *parser) insert(at int, i instruction) {
	p.code = append(p.code, instruction{})
	copy(p.code[at+1:], p.code[at:])
	for j := at + 1; j < len(p.code); j++ {
		if p.code[j].to >= int32(at) && p.code[j].jumps() {
			p.code[j].to++
		}
	}
	p.code[at] = i
}

func (i *instruction) jumps() bool {
	return i.op == opSplit || i.op == opJump || i.op == opAhead || i.op == opNot
}

func (p *parser) alternatives() (least int, err error) {
	if p.depth++; p.depth > maxGroups {
		return 0, fmt.Errorf("groups and alternatives are more than %d deep", maxGroups)
	}
	defer func() { p.depth-- }()
	begin := len(p.code)
	var jumps []int
	for first := true; ; first = false {
		n, err := p.sequence()
		if err != nil {
			return 0, err
		}
		if least = min(least, n); first {
			least = n
		}
		if len(p.code) > maxCode {
			return 0, fmt.Errorf("more than %d steps", maxCode)
		}
		if !p.take("|") {
			break
		}
		p.insert(begin, instruction{op: opSplit})
		for i := range jumps {
			if jumps[i] >= begin {
				jumps[i]++
			}
		}
		jumps = append(jumps, p.emit(instruction{op: opJump}))
		p.code[begin].to = int32(len(p.code))
		begin = len(p.code)
	}
	for _, j := range jumps {
		p.code[j].to = int32(len(p.code))
	}
	return least, nil
}

func (p *parser) sequence() (least int, err error) {
	for p.text != "" && p.text[0] != '|' && p.text[0] != ')' {
		begin := len(p.code)
		n, err := p.atom()
		if err == nil {
			n, err = p.repeat(begin, n)
		}
		if err != nil {
			return 0, err
		}
		least += n
	}
	return least, nil
}

// atom parses what a quantifier can follow.
func (p *parser) atom() (least int, err error) {
	switch {
	case p.take("(?="):
		return 0, p.look(opAhead)
	case p.take("(?!"):
		return 0, p.look(opNot)
	case p.take("(?i:"):
		fold := p.fold
		p.fold = true
		least, err = p.group()
		p.fold = fold
		return least, err
	case p.take("(?:"):
		return p.group()
	case strings.HasPrefix(p.text, "(?"):
		return 0, fmt.Errorf("unknown group %.4q", p.text)
	case p.take("("):
		return p.group()
	case p.take("$"):
		p.emit(instruction{op: opEnd})
		return 0, nil
	case p.take(`\b`):
		p.emit(instruction{op: opBorder})
		return 0, nil
	case p.take("["):
		s, err := p.bracket(0)
		p.emit(instruction{op: opSet, set: s})
		return 1, err
	case strings.ContainsRune(".^?*+{", rune(p.text[0])):
		return 0, fmt.Errorf("unknown operator %.1q", p.text)
	}
	s := &charset{}
	if err := p.element(s, false); err != nil {
		return 0, err
	}
	p.emit(instruction{op: opSet, set: s.finish()})
	return 1, nil
}

func (p *parser) take(prefix string) (ok bool) {
	p.text, ok = strings.CutPrefix(p.text, prefix)
	return ok
}

func (p *parser) group() (least int, err error) {
	least, err = p.alternatives()
	if err == nil && !p.take(")") {
		err = fmt.Errorf("want ) before %.20q", p.text)
	}
	return least, err
}

func (p *parser) look(op operation) error {
	at := p.emit(instruction{op: op})
	if _, err := p.group(); err != nil {
		return err
	}
	p.emit(instruction{op: opMatch})
	p.code[at].to = int32(len(p.code))
	return nil
}

// bracket parses a set after its bracket.
func (p *parser) bracket(depth int) (*charset, error) {
	s := &charset{negated: p.take("^")}
	for first := true; ; first = false {
		switch {
		case p.text == "" || depth > maxGroups:
			return nil, fmt.Errorf("a set does not end, or is more than %d deep", maxGroups)
		case p.take("&&["):
			within, err := p.bracket(depth + 1)
			if err != nil {
				return nil, err
			}
			s.within = within
			if !p.take("]") {
				return nil, fmt.Errorf("want ] after an intersection, before %q", p.text)
			}
			return s.finish(), nil
		case !first && p.take("]"):
			return s.finish(), nil
		}
		if err := p.element(s, true); err != nil {
			return nil, err
		}
	}
}

// element adds a character, a range or a class to a set. Ranges are only in brackets.
func (p *parser) element(s *charset, brackets bool) error {
	for _, x := range classNames {
		if !p.take(x.text) {
			continue
		}
		if !x.not {
			s.classes |= x.class
			return nil
		}
		if s.not != 0 {
			return fmt.Errorf("two negated classes in a set")
		}
		s.not = x.class
		return nil
	}
	switch {
	case p.take(`\d`):
		if p.foreign {
			addTable(s, unicode.Nd)
		} else {
			s.ranges = append(s.ranges, '0', '9')
		}
		return nil
	case p.take(`\p{Han}`):
		addTable(s, unicode.Han)
		return nil
	case len(p.text) > 1 && p.text[0] == '\\' && p.text[1] != 'n' && p.text[1] != 'r' && p.text[1] != 't' &&
		p.text[1] < 128 && (unicode.IsLetter(rune(p.text[1])) || unicode.IsDigit(rune(p.text[1]))):
		return fmt.Errorf("unknown class %.8q", p.text)
	case brackets && (p.text[0] == '[' || strings.HasPrefix(p.text, "&&")):
		return fmt.Errorf("unknown set in a set, at %.8q", p.text)
	}
	low := p.character()
	high := low
	if brackets && len(p.text) > 1 && p.text[0] == '-' && p.text[1] != ']' {
		p.text = p.text[1:]
		high = p.character()
	}
	s.ranges = append(s.ranges, low, high)
	if p.fold && low == high && low < 128 && unicode.IsLetter(low) {
		for r := unicode.SimpleFold(low); r != low; r = unicode.SimpleFold(r) {
			s.ranges = append(s.ranges, r, r)
		}
	}
	return nil
}

// addTable adds a table without gaps in its ranges.
func addTable(s *charset, t *unicode.RangeTable) {
	for _, r := range t.R16 {
		s.ranges = append(s.ranges, rune(r.Lo), rune(r.Hi))
	}
	for _, r := range t.R32 {
		s.ranges = append(s.ranges, rune(r.Lo), rune(r.Hi))
	}
}

// classNames are the classes that a table answers.
var classNames = [...]struct {
	text  string
	class class
	not   bool
}{
	{`\p{L}`, letter, false}, {`\p{Lu}`, upper, false}, {`\p{Lt}`, upper, false}, {`\p{Ll}`, lower, false},
	{`\p{Lm}`, caseless, false}, {`\p{Lo}`, caseless, false}, {`\p{N}`, number, false}, {`\p{M}`, mark, false},
	{`\p{P}`, punctuation, false}, {`\p{S}`, symbol, false}, {`\s`, space, false}, {`\S`, space, true},
}

func (p *parser) character() rune {
	escaped := len(p.text) > 1 && p.take(`\`)
	r, n := decodeRune(p.text)
	p.text = p.text[n:]
	if escaped {
		switch r {
		case 'n':
			return '\n'
		case 'r':
			return '\r'
		case 't':
			return '\t'
		}
	}
	return r
}

// repeat parses a quantifier of the instructions from begin on.
func (p *parser) repeat(begin, least int) (int, error) {
	low, high := 1, 1
	switch {
	case p.take("?"):
		low = 0
	case p.take("*"):
		low, high = 0, -1
	case p.take("+"):
		high = -1
	case p.take("{"):
		bounds, rest, ok := strings.Cut(p.text, "}")
		if !ok {
			return 0, fmt.Errorf("want } in %q", p.text)
		}
		p.text = rest
		from, to, two := strings.Cut(bounds, ",")
		var err error
		if low, err = strconv.Atoi(from); err != nil {
			return 0, err
		}
		high = low
		if two && to == "" {
			high = -1
		} else if two {
			if high, err = strconv.Atoi(to); err != nil {
				return 0, err
			}
		}
		if low < 0 || high >= 0 && high < low || max(low, high) > maxRepeats {
			return 0, fmt.Errorf("bounds {%s}, want at most %d", bounds, maxRepeats)
		}
	default:
		return least, nil
	}
	if strings.HasPrefix(p.text, "?") {
		return 0, fmt.Errorf("unknown operator: a lazy quantifier")
	}
	// A possessive quantifier: what the patterns have after one never starts with what it took, so
	// that giving back would not help.
	p.take("+")
	atom := p.code[begin:]
	if len(atom) == 1 && atom[0].op == opSet {
		p.code[begin] = instruction{op: opLoop, set: atom[0].set, low: int32(low), high: int32(high)}
		return low, nil
	}
	if least == 0 {
		return 0, fmt.Errorf("a quantifier of what may be empty")
	}
	if (len(p.code)-begin)*max(low, high, 1) > maxCode {
		return 0, fmt.Errorf("more than %d steps", maxCode)
	}
	p.repeatGroup(begin, low, high)
	return least * low, nil
}

// repeatGroup unrolls a quantifier of a group.
func (p *parser) repeatGroup(begin, low, high int) {
	group := append([]instruction(nil), p.code[begin:]...)
	p.code = p.code[:begin]
	body := func() int {
		at := len(p.code)
		for _, i := range group {
			if i.jumps() {
				i.to += int32(at - begin)
			}
			p.emit(i)
		}
		return at
	}
	for range low {
		body()
	}
	if high < 0 {
		split := p.emit(instruction{op: opSplit})
		body()
		p.emit(instruction{op: opJump, to: int32(split)})
		p.code[split].to = int32(len(p.code))
		return
	}
	var splits []int
	for range high - low {
		splits = append(splits, p.emit(instruction{op: opSplit}))
		body()
	}
	for _, s := range splits {
		p.code[s].to = int32(len(p.code))
	}
}

// literal returns the pattern of a text.
func literal(text string) *pattern {
	p := &parser{}
	for text != "" {
		r, n := decodeRune(text)
		text = text[n:]
		p.emit(instruction{op: opSet, set: (&charset{ranges: []rune{r, r}}).finish()})
	}
	p.emit(instruction{op: opMatch})
	return &pattern{code: p.code}
}

// Limits of matching with a pattern of a file, for one text: beyond them nothing matches any more.
const (
	freeSteps    = 1 << 24
	stepsOfRune  = 256
	maxBacktrack = 1 << 22
)

// choice is a place to go back to: an instruction, at a position that may still move down to low.
type choice struct{ pc, low, at int32 }

// matcher runs patterns on a part of a text.
type matcher struct {
	table   *[unicode.MaxRune + 1]class
	text    []rune
	low     int32
	high    int32
	choices []choice
	steps   int // left
	limit   int // of choices
}

// allow sets what a pattern may use for a text.
func (m *matcher) allow(p *pattern) {
	m.steps, m.limit = math.MaxInt, math.MaxInt
	if p.foreign {
		m.steps, m.limit = freeSteps+stepsOfRune*len(m.text), maxBacktrack
	}
}

// match returns where a match that begins at a position ends, or -1.
func (m *matcher) match(code []instruction, pc, at int32) int32 {
	base := len(m.choices)
	for {
		if m.steps--; m.steps < 0 || len(m.choices) > m.limit {
			m.steps, m.choices = 0, m.choices[:base]
			return -1
		}
		ok := true
		switch i := &code[pc]; i.op {
		case opMatch:
			m.choices = m.choices[:base]
			return at
		case opSet:
			if ok = at < m.high && i.set.has(m.text[at], m.table); ok {
				at++
				pc++
			}
		case opLoop:
			end := m.high
			if i.high >= 0 && int(at)+int(i.high) < int(end) {
				end = at + i.high
			}
			from := at
			for at < end && i.set.has(m.text[at], m.table) {
				at++
			}
			pc++
			m.steps -= int(at - from)
			if ok = at-from >= i.low; ok && at-from > i.low {
				m.choices = append(m.choices, choice{pc, from + i.low, at})
			}
		case opSplit:
			m.choices = append(m.choices, choice{i.to, at, at + 1})
			pc++
		case opJump:
			pc = i.to
		case opAhead, opNot:
			if ok = (m.match(code, pc+1, at) >= 0) == (i.op == opAhead); ok {
				pc = i.to
			}
		case opEnd:
			ok = at == m.high
			pc++
		case opBorder:
			ok = m.word(at-1) != m.word(at)
			pc++
		}
		if ok {
			continue
		}
		if len(m.choices) == base {
			return -1
		}
		c := &m.choices[len(m.choices)-1]
		c.at--
		pc, at = c.pc, c.at
		if c.at <= c.low {
			m.choices = m.choices[:len(m.choices)-1]
		}
	}
}

// word reports whether a position has a character of a word, as \b sees it.
func (m *matcher) word(at int32) bool {
	return at >= m.low && at < m.high && (m.table[m.text[at]]&(letter|number|mark) != 0 || m.text[at] == '_')
}
