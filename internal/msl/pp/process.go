package pp

import (
	"cmp"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Process preprocesses a file of the set. The tokens end with an EOF, and names that are keywords
// have become keyword tokens. Errors are reported to sink; the tokens are then a best effort.
func Process(fs *diag.FileSet, main *diag.File, opts Options, sink *diag.Sink) []token.Token {
	sink.SetFiles(fs)
	p := &preprocessor{
		fs: fs, main: main, opts: opts, sink: sink,
		macros:    make(map[string]*macro, 256),
		once:      make(map[string]bool),
		innermost: -1,
		budget:    cmp.Or(opts.MaxTokens, 1_000_000),
		depth:     cmp.Or(opts.MaxDepth, 10_000),
		includes:  cmp.Or(opts.MaxIncludeDepth, 200),
		maxRoom:   cmp.Or(opts.MaxIncludeBytes, 64<<20),
	}
	p.room = p.maxRoom
	p.predefine()
	p.open(main, mainDir(main, opts), "")
	if main.Cut {
		p.stop(diag.SourceTooLarge, main.Pos(0), diag.NoPos, "source is larger than %d bytes", diag.MaxText)
	}
	p.run()
	if p.operator > 0 {
		p.pragmaOperator(token.EOF)
	}
	end := token.Token{Kind: token.EOF, Flags: token.AtLineStart, Pos: main.End()}
	if p.mistake || p.stopped {
		end.Flags |= token.AfterMistake
	}
	if p.stopped { // half a program has many errors that its author did not make
		p.out = nil
	}
	return append(p.out, end)
}

// preprocessor is the state of one run of Process.
type preprocessor struct {
	fs   *diag.FileSet
	main *diag.File
	opts Options
	sink *diag.Sink
	out  []token.Token

	mistake  bool // something was omitted, which the flags of the next output token must record
	operator int  // end in out of the last _Pragma while it is incomplete, or 0

	unroll []token.Token // the attribute that a pragma gives to the loop after it

	math       token.Flags // of the tokens to come: SafeMath or FastMath, by a pragma
	mathAround []mathScope // what is around each brace that is open

	macros      map[string]*macro
	pushed      map[string][]*macro // by #pragma push_macro
	predefining bool                // suppress warnings: the text is built in or from the command line
	counter     int                 // __COUNTER__

	files   []*source       // open files, the innermost last
	once    map[string]bool // files not to be included again
	room    int             // bytes that may still be included, out of maxRoom
	maxRoom int

	contexts  []context   // what precedes the rest of the files: macro expansions, arguments
	innermost int         // index of the innermost context that is an argument, or -1
	condition bool        // the tokens belong to an #if
	elided    bool        // the last call passed nothing for "..."
	carry     token.Flags // of macros that expanded to nothing, for the next token
	arena     []token.Token

	budget   int // tokens that macros may still produce
	depth    int
	includes int
	stopped  bool // a limit was exceeded: nothing more is read
}

// tokenBytes is the memory size of a token.
const tokenBytes = 48

// context is a list of tokens that precede those of the file.
type context struct {
	toks  []token.Token
	i     int
	macro *macro // the macro they come from, which is disabled in them

	// A macro argument or an #if expression is expanded separately: nothing after it is visible,
	// and the result is collected here.
	argument bool
	call     *call // the call it is an argument of; nil for an #if
	index    int   // which argument
	outer    int   // the next enclosing argument context, or -1
	out      []token.Token
}

// stop ends the run because a limit was exceeded.
func (p *preprocessor) stop(code diag.Code, pos, end diag.Pos, format string, args ...any) {
	if !p.stopped {
		p.sink.Errorf(code, pos, end, format, args...)
		p.stopped = true
	}
}

// spend charges tokens to the budget for a macro used at a place.
func (p *preprocessor) spend(n int, at token.Token) bool {
	if n > p.budget {
		p.stop(diag.ExpansionTooLarge, at.Pos, at.End(), "macro expansion produces more than %d tokens",
			cmp.Or(p.opts.MaxTokens, 1_000_000))
		return false
	}
	p.budget -= n
	return true
}

// work spends steps of the compilation's budget. It returns false if the budget is used up.
func (p *preprocessor) work(steps int) bool {
	if p.predefining {
		return true
	}
	if !p.sink.Spend(int64(steps), 0) {
		at := p.main.End()
		if n := len(p.files); n > 0 {
			s := p.files[n-1].scanner
			at = s.File().Pos(s.Offset())
		}
		p.sink.Stopped(at, diag.NoPos)
		p.stopped = true
	}
	return !p.stopped
}

// next returns the next token without expanding it. It returns false at the end of an argument and
// at the end of the input.
func (p *preprocessor) next() (token.Token, bool) {
	for n := len(p.contexts); n > 0; n = len(p.contexts) {
		c := &p.contexts[n-1]
		if c.i < len(c.toks) {
			c.i++
			return c.toks[c.i-1], true
		}
		if c.argument {
			return token.Token{}, false
		}
		p.pop()
	}
	return p.read()
}

// push puts a context in front of all others.
func (p *preprocessor) push(c context, at token.Token) {
	if len(p.contexts) >= p.depth {
		p.stop(diag.ExpansionDepth, at.Pos, at.End(), "macro expansion is nested more than %d deep", p.depth)
		return
	}
	if c.macro != nil {
		c.macro.active++
	}
	if c.argument {
		c.outer = p.innermost
		p.innermost = len(p.contexts)
	}
	p.contexts = append(p.contexts, c)
}

// pop ends the innermost context.
func (p *preprocessor) pop() {
	n := len(p.contexts) - 1
	c := &p.contexts[n]
	if c.macro != nil {
		c.macro.active--
	}
	if c.argument {
		p.innermost = c.outer
	}
	*c = context{}
	p.contexts = p.contexts[:n]
}

// run expands everything up to the end of the main file or of an #if expression, and returns the
// result for the latter.
func (p *preprocessor) run() []token.Token {
	for !p.stopped {
		if !p.work(1) {
			break
		}
		t, ok := p.next()
		if !ok {
			n := len(p.contexts)
			if n == 0 || p.stopped {
				return nil
			}
			c := p.contexts[n-1]
			p.pop()
			p.carry = 0
			if c.call == nil {
				return c.out
			}
			c.call.expanded[c.index] = c.out
			p.advance(c.call)
			continue
		}
		t.Flags |= p.carry
		p.carry = 0
		if t.Kind == token.Ident && t.Flags&token.NoExpand == 0 {
			if m := p.macros[t.Text]; m != nil {
				if m.active > 0 {
					t.Flags |= token.NoExpand
				} else if p.use(m, t) {
					continue
				}
			} else if p.condition && t.Text == "defined" {
				t = p.defined(t)
			}
		}
		if p.innermost >= 0 {
			c := &p.contexts[p.innermost]
			c.out = append(c.out, t)
		} else {
			p.emit(t)
		}
	}
	return nil
}

// expandLine expands the tokens of a directive separately.
func (p *preprocessor) expandLine(toks []token.Token) []token.Token {
	if len(toks) == 0 {
		return nil
	}
	base := len(p.contexts)
	p.push(context{toks: toks, argument: true}, toks[0])
	out := p.run()
	if p.stopped { // the contexts were left as they were
		for len(p.contexts) > base {
			p.pop()
		}
	}
	return out
}

// alloc allocates n tokens. If that exceeds the memory budget, the next step fails.
func (p *preprocessor) alloc(n int) []token.Token {
	p.sink.Spend(0, tokenBytes*int64(n))
	if n > len(p.arena) {
		p.arena = make([]token.Token, max(n, 1024))
	}
	toks := p.arena[:0:n]
	p.arena = p.arena[n:]
	return toks
}
