package check

import (
	"runtime/debug"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// Options configures a check.
type Options struct {
	// Version is the language version in the form of __METAL_VERSION__; 0 is 320.
	Version int
	// Dialect is the program's language; nil is Metal.
	Dialect *dialect.Dialect
	// Record, if set, takes down what became of a program in a dialect.
	Record *Record
	// MaxDepth limits the nesting of template instantiations; 0 is 512.
	MaxDepth int
	// MaxInstances limits the number of instantiations; 0 is 8192 plus one for every four bytes of
	// the program.
	MaxInstances int
	// MaxSteps limits the steps of each constant evaluation; all together may take eight times as
	// many. 0 is 1<<20.
	MaxSteps int
}

// withDefaults fills in the default limits for a program of size bytes.
func (o Options) withDefaults(size int) Options {
	if o.Version == 0 {
		o.Version = 320
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 512
	}
	if o.MaxInstances == 0 {
		o.MaxInstances = 1<<13 + size/4
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 1 << 20
	}
	return o
}

// internalHook receives internal errors; tests set it to fail.
var internalHook func(value any, stack []byte)

// Program checks a translation unit and reports errors and warnings to the sink. The program is
// never nil; it is complete only if no error was reported.
func Program(fs *diag.FileSet, file *ast.File, opts Options, sink *diag.Sink) (prog *typed.Program) {
	c := newChecker(fs, opts.withDefaults(fs.Size()), sink)
	prog = c.prog
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(giveUp); ok {
				return
			}
			if internalHook != nil {
				internalHook(r, debug.Stack())
			}
			sink.Errorf(diag.Internal, c.at, diag.NoPos, "internal error: %v", r)
		}
	}()
	if sink.Errors() > 0 {
		sink.Drop(follows(file))
		defer sink.Sort() // the parser reported first
	}
	c.prelude()
	c.openDialect()
	c.refuseInC(file)
	c.refuseThrust(file)
	c.syntaxWarnings(file)
	c.decls(file.Decls)
	c.drain()
	c.finish()
	if sink.Errors() == 0 {
		c.uninitialized()
		c.unsequenced()
	}
	return prog
}

// giveUp is the panic value that ends a check whose sink accepts no more.
type giveUp struct{}

// failed makes the substitution in progress, if any, fail because of an error that has been
// reported elsewhere.
func (c *checker) failed() {
	if c.trap != nil {
		c.trap.failed++
	}
}

// errorf reports an error, or makes the substitution in progress fail.
func (c *checker) errorf(code diag.Code, n ast.Node, format string, args ...any) {
	c.errorAt(code, n.Pos(), n.End(), format, args...)
}

func (c *checker) errorAt(code diag.Code, pos, end diag.Pos, format string, args ...any) {
	if c.trap != nil {
		c.trap.failed++
		c.because(format, args...)
		return
	}
	c.report(diag.Errorf(code, pos, end, format, args...))
}

// report sends a diagnostic to the sink, with notes for the instantiation stack.
func (c *checker) report(d diag.Diagnostic) {
	if c.trap != nil {
		if d.Severity == diag.Error {
			c.trap.failed++
			c.because("%s", d.Message)
		}
		return
	}
	if c.library != nil {
		d.Message = c.opts.Dialect.Speak(d.Message)
	}
	if d.Pos.InLibrary() { // report it at the place in the program that led there
		for i := len(c.backtrace) - 1; i >= 0 && d.Pos.InLibrary(); i-- {
			d.Pos, d.End = c.backtrace[i].Pos, diag.NoPos
		}
		if d.Pos.InLibrary() {
			d.Pos, d.End = c.at, diag.NoPos
		}
	}
	for i := range d.Notes {
		if d.Notes[i].Pos.InLibrary() {
			d.Notes[i].Pos, d.Notes[i].End = diag.NoPos, diag.NoPos
		}
	}
	const inner, outer = 5, 3
	for i := len(c.backtrace) - 1; i >= 0; i-- {
		if left := i + 1 - outer; i == len(c.backtrace)-1-inner && left > 0 {
			d = d.WithNote(diag.NoPos, diag.NoPos, "skipping %d instantiations in backtrace", left)
			i -= left
		}
		at := c.backtrace[i].Pos
		if at.InLibrary() {
			at = diag.NoPos
		}
		d = d.WithNote(at, diag.NoPos, "%s", c.backtrace[i].Message)
	}
	c.sink.Report(d)
	if c.sink.Full() {
		panic(giveUp{})
	}
}

func (c *checker) warnf(code diag.Code, n ast.Node, format string, args ...any) {
	if c.trap == nil && !c.inPrelude {
		c.report(diag.Warnf(code, n.Pos(), n.End(), format, args...))
	}
}

// try runs f with errors trapped, and reports whether there were none.
func (c *checker) try(f func()) bool {
	saved := c.trap
	t := &trap{}
	if saved != nil {
		t.reason = saved.reason
	}
	c.trap = t
	defer func() { c.trap = saved }()
	f()
	return t.failed == 0
}

// hard runs f with errors reported as usual: an error inside an entity being completed is not a
// substitution failure.
func (c *checker) hard(f func()) {
	saved := c.trap
	c.trap = nil
	defer func() { c.trap = saved }()
	f()
}

// in runs f in another scope.
func (c *checker) in(s *scope, f func()) {
	saved := c.sc
	c.sc = s
	defer func() { c.sc = saved }()
	f()
}

// limit reports that a limit was hit, even inside a substitution, and ends the check, since any
// further errors would be mere consequences.
func (c *checker) limit(code diag.Code, pos diag.Pos, format string, args ...any) {
	c.hard(func() { c.errorAt(code, pos, diag.NoPos, format, args...) })
	panic(giveUp{})
}

// enter goes one level deeper into instantiation. The caller restores the context.
func (c *checker) enter(pos diag.Pos, what string) {
	c.spend(8, 4<<10)
	c.instances++
	if c.depth >= c.opts.MaxDepth {
		c.limit(diag.InstantiationDepth, pos,
			"recursive template instantiation exceeded maximum depth of %d", c.opts.MaxDepth)
	}
	if c.instances > c.opts.MaxInstances {
		c.limit(diag.InstantiationCount, pos, "more than %d template instantiations", c.opts.MaxInstances)
	}
	c.depth++
	c.horizon = everything
	c.backtrace = append(c.backtrace, typed.Note{Pos: pos, Message: "in instantiation of '" + what + "' requested here"})
}

// step spends one step of the compilation's budget.
func (c *checker) step() { c.spend(1, 0) }

// spend spends steps and bytes of the compilation's budget. It ends the check when the budget is
// used up or the compilation is canceled. Every walk that can reach a node, type or scope more than
// once must spend.
func (c *checker) spend(steps, bytes int) {
	if c.caller.Spend(int64(steps), int64(bytes)) {
		return
	}
	c.caller.Stopped(c.place(), diag.NoPos)
	panic(giveUp{})
}

// place is the current position in the program, as opposed to the library.
func (c *checker) place() diag.Pos {
	for i := len(c.backtrace) - 1; i >= 0; i-- {
		if p := c.backtrace[i].Pos; c.at.InLibrary() && !p.InLibrary() {
			return p
		}
	}
	return c.at
}

// drain checks the queued function bodies, which may queue more.
func (c *checker) drain() {
	for len(c.queue) > 0 {
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.body(f)
	}
}
