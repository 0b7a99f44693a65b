package parse

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Options configures the parser. The zero value suits most uses.
type Options struct {
	// Known returns the kind of a name that the file does not declare, in addition to the built-in
	// list of Metal's own names. It may be nil.
	Known func(name string) ast.NameKind
	// Dialect is the program's language; nil is Metal.
	Dialect *dialect.Dialect
	// Skipped, if set, is told which tokens are left out because they belong to the host's program:
	// from an index to before another.
	Skipped func(from, to int)
	// Instances are instances of kernels that are templates, which the program need not launch:
	// k<float, 4>.
	Instances []string
}

// The limits of the parser. Exceeding one is reported as an error.
const (
	// MaxNesting is how deep brackets, statements, declarators and operators may nest.
	MaxNesting = 256
	// MaxChain is how many operators of one expression, else-ifs of one statement or parts of one
	// name may be chained.
	MaxChain = 8192
)

// File parses a translation unit. It always returns a tree, and reports what it could not parse to
// sink.
func File(fs *diag.FileSet, toks []token.Token, sink *diag.Sink) *ast.File {
	return Options{}.File(fs, toks, sink)
}

// stopped is the panic value that ends a parse whose budget is spent or whose context is canceled.
type stopped struct{}

// spend takes steps from the budget of the compilation.
func (p *parser) spend(steps int) {
	if !p.sink.Spend(int64(steps), 0) {
		p.sink.Stopped(p.cur.Pos, p.cur.End())
		panic(stopped{})
	}
}

// File parses a translation unit with options.
func (o Options) File(fs *diag.FileSet, toks []token.Token, sink *diag.Sink) (tree *ast.File) {
	if n := len(toks); n == 0 || toks[n-1].Kind != token.EOF {
		end := token.Token{Kind: token.EOF}
		if n > 0 {
			end.Pos = toks[n-1].End()
		}
		toks = append(toks[:n:n], end)
	}
	if o.Dialect.Host() {
		toks = o.instances(fs, skipHost(toks, sink, o.Skipped))
	}
	p := &parser{fs: fs, sink: sink, opts: o, toks: toks, match: matchBrackets(toks), memo: make(map[memoKey]memoValue),
		tree: &ast.File{}}
	p.cur = toks[0]
	p.file = &scope{kind: fileScope}
	p.scope = p.file
	p.openLibrary()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stopped); !ok {
				panic(r)
			}
			tree = &ast.File{Partial: true}
		}
	}()
	return p.translationUnit()
}

type parser struct {
	fs    *diag.FileSet
	sink  *diag.Sink
	opts  Options
	toks  []token.Token // ends with an EOF
	match []int32       // for each bracket, the index of its partner, or -1
	tree  *ast.File

	marked int // number of errors already covered by markBroken

	i       int         // index of the current token
	cur     token.Token // toks[i], or the rest of it after a split
	prevEnd diag.Pos    // where the previous token ended

	quiet      int               // depth of attempts under way; an error ends the innermost
	pending    []diag.Diagnostic // diagnostics to report if the attempts succeed
	failed     bool              // the innermost attempt has failed, and the parser is at EOF
	recovering bool              // an error has been reported: stay silent until resynchronized
	aborted    bool              // a limit was hit: the parser stays at EOF
	depth      int

	noGreater bool // > closes a template argument list
	scope     *scope
	file      *scope
	late      *[]lateBody // bodies of member functions, deferred until their outermost class ends
	memo      map[memoKey]memoValue
	search    int // number of the last search for a name
	version   int // of the scopes: memoized attempts are valid for one version only
}

// matchBrackets pairs ( [ {. An unpaired bracket has -1; an unclosed one is dropped at the closing
// brace of the braces around it.
func matchBrackets(toks []token.Token) []int32 {
	match := make([]int32, len(toks))
	var open []int32
	var counts []bracketCounts // brackets open within each open brace
	var here bracketCounts
	for i := range toks {
		match[i] = -1
		var want token.Kind
		switch toks[i].Kind {
		case token.LParen, token.LBrack:
			open = append(open, int32(i))
			here.add(toks[i].Kind, 1)
			continue
		case token.LBrace:
			open = append(open, int32(i))
			counts, here = append(counts, here), bracketCounts{}
			continue
		case token.RParen:
			want = token.LParen
		case token.RBrack:
			want = token.LBrack
		case token.RBrace:
			want = token.LBrace
		default:
			continue
		}
		if want == token.LBrace && len(counts) == 0 || want != token.LBrace && here.of(want) == 0 {
			continue // nothing open to match
		}
		for j := len(open) - 1; j >= 0; j-- {
			k := toks[open[j]].Kind
			if k != want { // dropped
				here.add(k, -1)
				continue
			}
			match[i], match[open[j]] = open[j], int32(i)
			open = open[:j]
			break
		}
		if want == token.LBrace {
			here, counts = counts[len(counts)-1], counts[:len(counts)-1]
		} else {
			here.add(want, -1)
		}
	}
	return match
}

// bracketCounts counts the open ( and [.
type bracketCounts struct{ parens, bracks int }

func (c *bracketCounts) add(k token.Kind, n int) {
	if k == token.LParen {
		c.parens += n
	} else {
		c.bracks += n
	}
}

func (c *bracketCounts) of(k token.Kind) int {
	if k == token.LParen {
		return c.parens
	}
	return c.bracks
}

// next advances to the next token.
func (p *parser) next() {
	p.spend(1)
	p.prevEnd = p.cur.End()
	if p.i < len(p.toks)-1 {
		p.i++
	}
	p.cur = p.toks[p.i]
}

// peek returns the kind of the token n places after the current one.
func (p *parser) peek(n int) token.Kind { return p.toks[min(p.i+n, len(p.toks)-1)].Kind }

func (p *parser) at(k token.Kind) bool { return p.cur.Kind == k }

// got consumes the current token if it is of kind k, and reports whether it did.
func (p *parser) got(k token.Kind) bool {
	if p.cur.Kind != k {
		return false
	}
	p.next()
	return true
}

// span returns the extent from a position to the end of the last consumed token.
func (p *parser) span(from diag.Pos) ast.Span { return ast.Span{From: from, To: p.prevEnd} }

// mark is a saved position.
type mark struct {
	i       int
	cur     token.Token
	prevEnd diag.Pos
}

func (p *parser) mark() mark { return mark{p.i, p.cur, p.prevEnd} }

func (p *parser) reset(m mark) { p.i, p.cur, p.prevEnd = m.i, m.cur, m.prevEnd }

// jump moves to the token at index i.
func (p *parser) jump(i int) {
	if i > 0 && i != p.i {
		p.prevEnd = p.toks[i-1].End()
	}
	p.i, p.cur = i, p.toks[i]
}

func (p *parser) toEOF() {
	p.i = len(p.toks) - 1
	p.cur = p.toks[p.i]
}

// enter counts a level of nesting; the caller defers leave, or calls it when enter returned true.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= MaxNesting {
		return true
	}
	p.abort(diag.NestingTooDeep, fmt.Sprintf("nesting level exceeded maximum of %d", MaxNesting))
	return false
}

func (p *parser) leave() { p.depth-- }

// chain reports whether a chain of n links is within the limit.
func (p *parser) chain(n int) bool {
	if n <= MaxChain {
		return true
	}
	p.abort(diag.ChainTooLong, fmt.Sprintf("too many operators or parts in a row: the limit is %d", MaxChain))
	return false
}

// abort reports that a limit was hit and ends the parse.
func (p *parser) abort(code diag.Code, message string) {
	if p.quiet == 0 && !p.aborted {
		p.sink.Errorf(code, p.cur.Pos, p.cur.End(), "%s", message)
		p.aborted, p.recovering = true, true
	}
	p.failed = true
	p.toEOF()
}

// errorf reports an error and puts the parser into recovery, unless it is recovering already. In an
// attempt it ends the attempt.
func (p *parser) errorf(code diag.Code, from, to diag.Pos, format string, args ...any) {
	if p.quiet > 0 {
		p.failed = true
		p.toEOF()
		return
	}
	if p.recovering {
		return
	}
	p.recovering = true
	if !p.known() {
		p.sink.Errorf(code, from, to, format, args...)
	}
}

// known reports whether the error at the current token is a consequence of an earlier mistake that
// has been reported.
func (p *parser) known() bool { return p.cur.Flags&token.AfterMistake != 0 }

// complain reports an error that needs no recovery.
func (p *parser) complain(code diag.Code, from, to diag.Pos, format string, args ...any) {
	if (p.recovering || p.known()) && p.quiet == 0 {
		return
	}
	d := diag.Errorf(code, from, to, format, args...)
	if p.quiet > 0 {
		p.pending = append(p.pending, d)
	} else {
		p.sink.Report(d)
	}
}

// here returns the extent of the current token or, at the end of the file, the end of the last one.
func (p *parser) here() (diag.Pos, diag.Pos) {
	if p.at(token.EOF) && p.prevEnd != 0 {
		return p.prevEnd, p.prevEnd
	}
	return p.cur.Pos, p.cur.End()
}

// unexpected reports that the current token is not what was expected.
func (p *parser) unexpected(code diag.Code, what string) {
	from, to := p.here()
	p.errorf(code, from, to, "expected %s, found %s", what, p.cur)
}

// expect consumes a token of a kind or reports that it is missing.
func (p *parser) expect(k token.Kind, where string) bool {
	if p.got(k) {
		return true
	}
	if p.quiet == 0 && !p.recovering {
		from, to := p.here()
		p.errorf(diag.ExpectedToken, from, to, "expected '%s' %s, found %s", k, where, p.cur)
	} else {
		p.errorf(diag.ExpectedToken, p.cur.Pos, p.cur.End(), "")
	}
	return false
}

// semi consumes the semicolon after something. A missing one is reported where it belongs.
func (p *parser) semi(after string) {
	if p.got(token.Semi) {
		p.recovered()
		return
	}
	if p.quiet == 0 && (p.cur.Flags&token.AtLineStart != 0 || p.at(token.RBrace) || p.at(token.EOF)) {
		before := p.sink.Errors()
		p.complain(diag.ExpectedToken, p.prevEnd, p.prevEnd, "expected ';' after %s", after)
		p.marked += p.sink.Errors() - before // nothing is broken:
		return                               // go on as if it were there
	}
	p.errorf(diag.ExpectedToken, p.prevEnd, p.prevEnd, "expected ';' after %s", after)
}

// recovered ends error recovery.
func (p *parser) recovered() {
	if p.quiet == 0 && !p.aborted {
		p.recovering = false
	}
}

// closeBracket consumes the bracket that closes the one at index open. If another token is there,
// it reports it and skips past the bracket if there is one.
func (p *parser) closeBracket(open int, where string) {
	want := token.RParen
	switch p.toks[open].Kind {
	case token.LBrack:
		want = token.RBrack
	case token.LBrace:
		want = token.RBrace
	}
	if p.got(want) {
		p.recovered()
		return
	}
	if p.quiet > 0 {
		p.errorf(diag.ExpectedToken, 0, 0, "")
		return
	}
	if !p.recovering {
		p.recovering = true
		code := diag.ExpectedToken
		if p.at(token.EOF) {
			code = diag.UnmatchedBracket
			p.tree.Partial = true
		}
		o := p.toks[open]
		from, to := p.here()
		if !p.known() {
			p.sink.Report(diag.Errorf(code, from, to, "expected '%s' %s, found %s", want, where, p.cur).WithNote(o.Pos, o.End(),
				"to match this '%s'", o.Kind))
		}
	}
	if m := int(p.match[open]); m >= p.i && !p.aborted {
		p.jump(m)
		p.next()
		p.recovering = false
	}
}

// markBroken marks the statement or declaration that begins at index from as broken if it contains
// an error that is not in a nested statement or declaration.
func (p *parser) markBroken(from int) {
	if p.sink.Errors() == p.marked {
		return
	}
	p.marked = p.sink.Errors()
	p.tree.Broken = append(p.tree.Broken, ast.Span{From: p.toks[from].Pos, To: p.prevEnd})
	for _, t := range p.toks[from:p.i] {
		if t.Kind == token.Ident {
			if p.tree.Lost == nil {
				p.tree.Lost = make(map[string]bool)
			}
			p.tree.Lost[t.Text] = true
		}
	}
}

// notInMSL reports a C++ construct that Metal does not support. The parser continues as if it did.
func (p *parser) notInMSL(from, to diag.Pos, what string) {
	code := diag.NotInMSL
	if p.opts.Dialect.Host() {
		code = diag.DialectFeature
	}
	p.complain(code, from, to, "%s not supported in Metal", what)
}
