package translate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// source writes the files of a program with the edits of their tokens. A token that a macro makes
// is edited in the macro's definition if every use wants that; the other uses are expanded.
type source struct {
	*tokens
	main     *diag.File
	lines    bool
	aliases  string            // in the head: macros that say where the library's types are
	expanded map[diag.Pos]bool // the uses of macros to expand, by the macro's name in a file
	parts    map[*diag.File][]part
	cuts     []cut
	cut      []bool // tokens in cuts
	// functions are the predefined macros that take arguments.
	functions map[string]bool
	groups    string // the header of cooperative groups, once its line is there
	host      bool   // the program has code for the host, whose headers Metal does not have
}

// cut is what a part of the source is replaced by as a whole.
type cut struct {
	from, to diag.Pos
	text     string
}

// part is a replacement in a file, by offsets.
type part struct {
	from, to int
	text     string
}

// compare orders parts; what is put between two of them comes before the second.
func (a part) compare(b part) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}

// use returns the index of the outermost use of a macro that made a token: the position of the
// macro's name in a file.
func (s *source) use(i int) (diag.Pos, bool) {
	e, at := s.files.Use(s.list[i].Pos)
	return at, e != nil
}

// write returns the text of the program after a head. The preprocessor must make the edited tokens
// of it: where it does not, a macro is expanded, and the text written again.
func (s *source) write(head string, options pp.Options) (string, error) {
	s.expanded = map[diag.Pos]bool{}
	for round := 0; ; round++ {
		s.place()
		s.groups = ""
		body := s.file(s.main)
		wrong := s.differs(head, body, options)
		if wrong < 0 {
			return head + body, nil
		}
		at, ok := s.use(wrong)
		if !ok || s.expanded[at] {
			p := s.files.Position(s.list[wrong].Pos)
			return "", fmt.Errorf("the text does not have the meaning of %s at %v", s.list[wrong], p)
		}
		s.expanded[at] = true
		if round >= maxRounds { // enough of the search
			s.expandAll()
		}
		if round >= 2*maxRounds {
			return "", fmt.Errorf("the macros around %s at %v have no text", s.list[wrong],
				s.files.Position(s.list[wrong].Pos))
		}
	}
}

// maxRounds is how often a text is written again to find the macros that must be expanded.
const maxRounds = 8

// expandAll expands every use of a macro that has an edit.
func (s *source) expandAll() {
	for i := range s.edits {
		if at, ok := s.use(i); ok && s.changed(i) {
			s.expanded[at] = true
		}
	}
}

// place puts the edits into the files.
func (s *source) place() {
	edited := map[diag.Pos]bool{}
	for i := range s.edits {
		if s.changed(i) && !s.cut[i] {
			edited[s.files.Spelled(s.list[i].Pos)] = true
		}
	}
	groups := map[diag.Pos][]int{}
	for i, k := range s.list {
		if p := s.files.Spelled(k.Pos); edited[p] && !s.cut[i] {
			groups[p] = append(groups[p], i)
		}
	}
	again := true
	for round := 0; again; round++ { // expanding one use changes what the others of its macro want
		again = false
		for _, list := range groups {
			again = s.agree(list) || again
		}
		if round == maxRounds {
			s.expandAll()
		}
	}
	s.parts = map[*diag.File][]part{}
	for p, list := range groups {
		for _, i := range list {
			if at, ok := s.use(i); ok && s.expanded[at] {
				continue
			}
			if !s.changed(i) { // the uses that want an edit are expanded
				break
			}
			f := s.files.File(p)
			from := f.Offset(p)
			to := from + len(s.list[i].Text)
			for s.edits[i].eats && to < len(f.Text) && (f.Text[to] == ' ' || f.Text[to] == '\t') && s.inner(i) == "" {
				to++
			}
			for s.edits[i].tight && from > 0 && (f.Text[from-1] == ' ' || f.Text[from-1] == '\t') {
				from--
			}
			s.parts[f] = append(s.parts[f], part{from, to, s.inner(i)})
			break
		}
	}
	s.outsides()
	s.expand()
	for _, c := range s.cuts {
		f := s.files.File(c.from)
		from, to := f.Offset(c.from), f.Offset(c.to)
		if c.text == "" {
			from, to = wholeLines(f.Text, from, to)
		}
		s.parts[f] = append(slices.DeleteFunc(s.parts[f], func(p part) bool { return p.from >= from && p.to <= to }),
			part{from, to, c.text})
	}
	for f := range s.parts {
		slices.SortStableFunc(s.parts[f], part.compare)
	}
}

// wholeLines extends a part to the ends of its lines if nothing else is on them, and over the blank
// line after it if there is one before.
func wholeLines(text string, from, to int) (int, int) {
	start, end := from, to
	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	for end < len(text) && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r') {
		end++
	}
	if start > 0 && text[start-1] != '\n' || end < len(text) && text[end] != '\n' {
		if start < from { // one blank is enough
			return from, end
		}
		return from, to
	}
	end = min(end+1, len(text))
	if (start < 2 || text[start-2] == '\n') && end < len(text) && text[end] == '\n' {
		end++
	}
	return start, end
}

// drops makes cuts of the tokens that are dropped: those of the host's program, from and to, and
// those that edits drop.
func (s *source) drops(host [][2]int) {
	for i := 0; i < len(s.list); i++ {
		e := s.edits[i]
		if e == nil || !e.dropped || s.cut[i] {
			continue
		}
		end := i
		for end < len(s.list) && s.edits[end] != nil && s.edits[end].dropped && (end == i || s.want(end) == "") {
			end++
		}
		s.cutTokens(i, end, s.want(i))
		i = end - 1
	}
	for _, r := range host {
		s.cutTokens(r[0], min(r[1], len(s.list)), "")
	}
}

// cutTokens cuts tokens with what is between them, but for lines that are for the preprocessor.
func (s *source) cutTokens(from, to int, text string) {
	for i := from; i < to; {
		f, a, b := s.extent(i)
		s.cut[i] = true
		i++
		if f == nil {
			continue
		}
		for i < to {
			g, c, d := s.extent(i)
			if g != f || c < b || strings.Contains(f.Text[b:c], "#") {
				if g == f && c >= a && d <= b { // the same macro
					s.cut[i] = true
					i++
					continue
				}
				break
			}
			s.cut[i] = true
			b = d
			i++
		}
		s.cuts = append(s.cuts, cut{f.Pos(a), f.Pos(b), text})
		text = ""
	}
}

// extent returns where a token, or the use of the macro that made it, is in a file.
func (s *source) extent(i int) (f *diag.File, from, to int) {
	at, ok := s.use(i)
	if !ok {
		f = s.files.File(s.list[i].Pos)
		if f == nil || strings.HasPrefix(f.Name, "<") {
			return nil, 0, 0
		}
		from = f.Offset(s.list[i].Pos)
		return f, from, f.Offset(s.list[i].End())
	}
	f = s.files.File(at)
	if f == nil || strings.HasPrefix(f.Name, "<") {
		return nil, 0, 0
	}
	from = f.Offset(at)
	return f, from, endOfUse(f.Text, from, s.parameters(i))
}

// flat returns the text after a head without directives: every macro is expanded. It is for
// programs whose macros have no text.
func (s *source) flat(head string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, f := range s.files.Files() {
		if s.host && isCooperative(f) {
			b.WriteString(cooperative + "\n")
			break
		}
	}
	at := diag.Position{File: s.main.Name, Line: 1}
	fresh := true // at the beginning of a line
	for i, t := range s.list {
		if t.Kind == token.EOF {
			break
		}
		if e := s.edits[i]; s.cut[i] && (e == nil || !e.dropped || s.want(i) == "") {
			continue
		}
		text := s.want(i)
		if text == "" {
			continue
		}
		p := s.files.Position(t.Pos)
		if f := s.files.File(s.files.Resolve(t.Pos)); f != nil && strings.HasPrefix(f.Name, "<") {
			p = at
		}
		switch {
		case p.File == at.File && p.Line == at.Line:
		case p.File == at.File && p.Line > at.Line && p.Line < at.Line+4:
			b.WriteString(strings.Repeat("\n", p.Line-at.Line))
			fresh = true
		case s.lines:
			if !fresh {
				b.WriteByte('\n')
			}
			b.WriteString(lineDirective(p.Line, p.File))
			fresh = true
		default:
			b.WriteString("\n\n")
			fresh = true
		}
		if fresh {
			b.WriteString(s.indent(i))
		} else {
			b.WriteString(s.gap(i))
		}
		b.WriteString(text)
		fresh = false
		at = diag.Position{File: p.File, Line: p.Line + strings.Count(text, "\n")}
	}
	b.WriteByte('\n')
	return b.String()
}

// indent returns the blanks before a token that begins a line.
func (s *source) indent(i int) string {
	f, at, _ := s.extent(i)
	if f == nil {
		return ""
	}
	from := at
	for from > 0 && (f.Text[from-1] == ' ' || f.Text[from-1] == '\t') {
		from--
	}
	return f.Text[from:at]
}

// agree expands the uses that want an edit at a place where others want none, or where the text is
// not the token's. It reports whether there were any.
func (s *source) agree(list []int) (found bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(i int) bool {
		at, ok := s.use(i)
		return ok && s.expanded[at]
	})
	if len(list) == 0 {
		return false
	}
	same := s.written(list[0])
	for _, i := range list[1:] {
		same = same && s.inner(i) == s.inner(list[0])
	}
	if same {
		return false
	}
	for _, i := range list {
		if at, ok := s.use(i); ok && s.changed(i) {
			s.expanded[at], found = true, true
		}
	}
	return found
}

// written reports whether the text at a token's place is the token.
func (s *source) written(i int) bool {
	p := s.files.Spelled(s.list[i].Pos)
	f := s.files.File(p)
	return f != nil && !strings.HasPrefix(f.Name, "<") && strings.HasPrefix(f.Text[f.Offset(p):], s.list[i].Text)
}

// outsides puts text around the uses of macros.
func (s *source) outsides() {
	for i, e := range s.edits {
		at, ok := s.use(i)
		if !ok || s.expanded[at] || s.cut[i] || e.lead+e.trail == "" {
			continue
		}
		f := s.files.File(at)
		from := f.Offset(at)
		if e.lead != "" {
			s.parts[f] = append(s.parts[f], part{from, from, e.lead})
		}
		if e.trail != "" {
			to := endOfUse(f.Text, from, s.parameters(i))
			s.parts[f] = append(s.parts[f], part{to, to, e.trail})
		}
	}
}

// expand replaces uses of macros by the tokens that they make.
func (s *source) expand() {
	for i := 0; i < len(s.list); {
		at, ok := s.use(i)
		if !ok || !s.expanded[at] {
			i++
			continue
		}
		var b strings.Builder
		for start := i; i < len(s.list); i++ {
			if now, ok := s.use(i); !ok || now != at {
				break
			}
			if i > start {
				b.WriteString(s.gap(i))
			}
			b.WriteString(s.want(i))
		}
		f := s.files.File(at)
		from := f.Offset(at)
		to := endOfUse(f.Text, from, s.parameters(i-1))
		s.parts[f] = append(slices.DeleteFunc(s.parts[f], func(p part) bool { return p.from >= from && p.to <= to }),
			part{from, to, b.String()})
	}
}

// parameters reports whether the macro that made a token takes arguments.
func (s *source) parameters(i int) bool {
	e, _ := s.files.Use(s.list[i].Pos)
	f := s.files.File(e.Def)
	if f == nil {
		return s.functions[e.Macro]
	}
	return strings.HasPrefix(f.Text[f.Offset(e.Def)+len(e.Macro):], "(")
}

// endOfUse returns where the use of a macro at an offset ends.
func endOfUse(text string, i int, parameters bool) int {
	for i < len(text) && word(text[i]) {
		i++
	}
	if !parameters {
		return i
	}
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '"' || c == '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "//"):
			i += len(text[i:]) - len(strings.TrimLeft(text[i:], "/"))
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return len(text)
			}
			i += n + 4
			continue
		}
		i++
	}
	return len(text)
}

// file returns the text of a file, with the files that it includes.
func (s *source) file(f *diag.File) string {
	parts := s.parts[f]
	for _, d := range s.directives(f) {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.from < d.to && d.from < p.to }) {
			parts = append(parts, d)
		}
	}
	slices.SortStableFunc(parts, part.compare)
	var b strings.Builder
	at := 0
	for _, p := range parts {
		if p.from < at {
			continue
		}
		b.WriteString(f.Text[at:p.from])
		b.WriteString(p.text)
		at = p.to
	}
	b.WriteString(f.Text[at:])
	return b.String()
}

// directives returns what becomes of the lines of a file that are for its own preprocessor:
// included files take the place of their line, and a pragma of the language stays as a comment.
func (s *source) directives(f *diag.File) (parts []part) {
	included := map[int]*diag.File{}
	for _, g := range s.files.Files() {
		if f.Contains(g.Included) && g.Name != "<_Pragma>" {
			included[f.LineAt(f.Offset(g.Included))] = g
		}
	}
	for n := 1; n <= f.LineCount(); n++ {
		line := f.Line(n)
		from := f.LineStart(n)
		text := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(text, "#") {
			continue
		}
		rest := strings.TrimLeft(text[1:], " \t")
		end := 0
		for end < len(rest) && word(rest[end]) {
			end++
		}
		word, rest := rest[:end], rest[end:]
		g := included[n]
		switch {
		case word == "include" && (g == nil || strings.HasPrefix(g.Name, "<")) && s.host:
			t := "// " + text
			if g != nil && isCooperative(g) && s.groups == "" {
				s.groups = g.Name
				t = cooperative
			}
			parts = append(parts, part{from, from + len(line), t})
		case g != nil && strings.HasPrefix(g.Name, "<"):
		case g != nil:
			inner := strings.TrimSuffix(s.file(g), "\n")
			t := "// " + text + "\n"
			if s.lines {
				t += lineDirective(1, g.Name)
			}
			t += inner + "\n"
			if s.lines {
				t += strings.TrimSuffix(lineDirective(f.Position(from).Line+1, f.Position(from).File), "\n")
			} else {
				t += "// end of " + g.Name
			}
			parts = append(parts, part{from, from + len(line), t})
		case word == "pragma" && (strings.HasPrefix(strings.TrimSpace(rest), "OPENCL") ||
			strings.TrimSpace(rest) == "once"):
			parts = append(parts, part{from, from + len(line), "// " + text})
		}
	}
	return parts
}

// isCooperative reports whether a file is CUDA's header for cooperative groups.
func isCooperative(f *diag.File) bool { return strings.HasPrefix(f.Name, "<cuda/cooperative_groups") }

// cooperative is what becomes of CUDA's headers for cooperative groups.
const cooperative = "#include <puremetal/cooperative>\nnamespace cooperative_groups = puremetal;"

// lineDirective says which line of which file follows.
func lineDirective(line int, name string) string {
	return fmt.Sprintf("#line %d \"%s\"\n", line, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(name))
}

// differs preprocesses a text and returns the index of the first token whose edit it lacks; -1 if
// it has all.
func (s *source) differs(head, body string, options pp.Options) int {
	files := diag.NewFileSet()
	head = strings.Replace(head, s.aliases, "", 1)
	main := files.AddFile("translated", head+body)
	start := main.Pos(len(head))
	made := pp.Process(files, main, options, diag.NewSinkLimit(1))
	made = slices.DeleteFunc(made, func(t token.Token) bool { // the head, and headers
		at := files.Resolve(t.Pos)
		f := files.File(at)
		return f == main && at < start || f != nil && strings.HasPrefix(f.Name, "<")
	})
	k := 0
	if s.groups != "" { // after the namespace of its own
		for k+5 < len(made) && !made[k].Is("cooperative_groups") {
			k++
		}
		if k > 0 && k+5 < len(made) {
			made = slices.Delete(made, k-1, k+4)
		}
		k = 0
	}
	for i := range s.list {
		if s.list[i].Kind == token.EOF {
			break
		}
		if e := s.edits[i]; s.cut[i] && (e == nil || !e.dropped) {
			continue
		}
		for _, text := range s.pieces(i) {
			if k >= len(made) || made[k].Text != text {
				return i
			}
			k++
		}
	}
	if k < len(made) && made[k].Kind != token.EOF {
		return len(s.list) - 1
	}
	return -1
}

// pieces returns the tokens in the text that takes the place of a token.
func (s *source) pieces(i int) []string {
	if s.want(i) == s.list[i].Text {
		return []string{s.list[i].Text}
	}
	files := diag.NewFileSet()
	sc := token.NewScanner(files.AddFile("edit", s.want(i)), diag.NewSink())
	var list []string
	for t := sc.Next(); t.Kind != token.EOF; t = sc.Next() {
		list = append(list, t.Text)
	}
	return list
}
