package diag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/budget"
)

// DefaultLimit is the number of errors after which a Sink gives up.
const DefaultLimit = 100

// maxWarnings is the maximum number of warnings and remarks a Sink accepts.
const maxWarnings = 1000

// Sink collects the diagnostics of one compilation. It keeps at most one diagnostic of each code at
// each place. When errors reach the limit, it reports that there are too many and accepts nothing
// more. It accepts up to a thousand warnings and remarks. A nil Sink discards everything. A Sink
// must be used by one goroutine only. Speculative work whose failure must not be reported uses its
// own Sink.
type Sink struct {
	files   *FileSet
	limit   int
	list    []Diagnostic
	seen    map[seen]struct{}
	errors  int
	others  int // number of warnings and remarks
	full    bool
	ignored map[Code]bool // codes of warnings and remarks to discard
	silent  bool          // discard all warnings and remarks

	warnings Warnings
	drops    func(*Diagnostic) bool // nil drops nothing

	budget   *budget.Budget
	ended    error // why no more budget may be spent
	reported bool  // Stopped has reported it
	perByte  budget.Limits
}

// seen identifies a diagnostic by the place where a reader finds it and the place where it is
// written. For an argument that a macro uses twice, both are the same each time.
type seen struct {
	resolved, spelled Pos
	code              Code
}

// NewSink returns a Sink that gives up after DefaultLimit errors.
func NewSink() *Sink { return NewSinkLimit(DefaultLimit) }

// NewSinkLimit returns a Sink that gives up after limit errors, or never if limit is 0.
func NewSinkLimit(limit int) *Sink { return &Sink{limit: limit} }

// SetFiles sets the FileSet that the positions belong to. Without it, each token from a macro is a
// separate place.
func (s *Sink) SetFiles(fs *FileSet) {
	if s != nil {
		s.files = fs
	}
}

// Ignore makes the Sink discard warnings and remarks with the given codes, or all of them if no
// codes are given. Errors cannot be ignored.
func (s *Sink) Ignore(codes ...Code) {
	if s == nil {
		return
	}
	s.silent = s.silent || len(codes) == 0
	if s.ignored == nil {
		s.ignored = make(map[Code]bool)
	}
	for _, c := range codes {
		s.ignored[c] = true
	}
}

// SetWarnings selects the warnings that the Sink accepts.
func (s *Sink) SetWarnings(w Warnings) { s.warnings = w }

// Drop makes the Sink discard, from now on, every diagnostic for which drops returns true. Dropped
// errors do not count.
func (s *Sink) Drop(drops func(*Diagnostic) bool) {
	if s != nil {
		s.drops = drops
	}
}

// Held returns a Sink for diagnostics to be passed to s later. It accepts the same warnings as s,
// and any number of errors.
func (s *Sink) Held() *Sink {
	held := NewSinkLimit(0)
	if s != nil {
		held.warnings = s.warnings
	}
	return held
}

// Wants reports whether the Sink accepts a warning, so that expensive checks can be skipped.
func (s *Sink) Wants(c Code) bool {
	return s != nil && !s.full && !s.silent && !s.ignored[c] && s.warnings.On(c)
}

// SetBudget sets the budget of the compilation and how much it grows per byte of included source.
// All stages of the compilation have access to the Sink and spend their costs through it.
func (s *Sink) SetBudget(b *budget.Budget, perByte budget.Limits) { s.budget, s.perByte = b, perByte }

// Grow raises the budget for included source of the given size.
func (s *Sink) Grow(bytes int) {
	if s != nil && s.budget != nil {
		s.budget.Raise(budget.Limits{Steps: s.perByte.Steps * int64(bytes), Bytes: s.perByte.Bytes * int64(bytes)})
	}
}

// Spend spends steps and bytes of the compilation's budget. It returns false if the compilation
// must stop: the budget is used up, which Stopped then reports; its context is done, which the
// caller knows; or the Sink is full, which it has reported. A step is roughly the cost of reading a
// token or visiting a node. Any work done more than once per token or node must spend a step each
// time.
func (s *Sink) Spend(steps, bytes int64) bool {
	if s == nil || s.budget == nil {
		return true
	}
	if s.full {
		return false
	}
	if err := s.budget.Spend(steps, bytes); err != nil {
		s.ended = err
		return false
	}
	return true
}

// Stopped reports, once, that the budget is used up, at the current place of the compilation. It
// reports nothing if the context is done.
func (s *Sink) Stopped(pos, end Pos) {
	var over *budget.Exceeded
	if s == nil || !errors.As(s.ended, &over) || s.reported {
		return
	}
	s.reported = true
	s.Errorf(CompileBudget, pos, end, "compiling takes too much: %v", over)
}

// Report adds a diagnostic.
func (s *Sink) Report(d Diagnostic) {
	if s == nil || s.full || d.Severity != Error && (s.silent || s.ignored[d.Code]) ||
		d.Severity == Warning && !s.warnings.On(d.Code) || s.drops != nil && s.drops(&d) {
		return
	}
	key := seen{d.Pos, d.Pos, d.Code}
	if s.files != nil {
		key.resolved, key.spelled = s.files.Resolve(d.Pos), s.files.Spelled(d.Pos)
	}
	if _, ok := s.seen[key]; ok {
		return
	}
	if s.seen == nil {
		s.seen = make(map[seen]struct{})
	}
	s.seen[key] = struct{}{}
	if d.Severity != Error {
		if s.others++; s.others > maxWarnings {
			return
		}
		if s.others == maxWarnings {
			d = Diagnostic{Code: TooManyErrors, Severity: Warning, Pos: d.Pos,
				Message: fmt.Sprintf("too many warnings: those after the first %d are left out", maxWarnings-1)}
		}
	}
	if d.Severity == Error {
		if s.limit > 0 && s.errors == s.limit {
			s.full = true
			d = Diagnostic{Code: TooManyErrors, Pos: d.Pos, Message: fmt.Sprintf("too many errors: stopped after %d", s.limit)}
		}
		s.errors++
	}
	s.list = append(s.list, d)
}

// Errorf reports an error.
func (s *Sink) Errorf(code Code, pos, end Pos, format string, args ...any) {
	if s != nil && !s.full {
		s.Report(Errorf(code, pos, end, format, args...))
	}
}

// Warnf reports a warning.
func (s *Sink) Warnf(code Code, pos, end Pos, format string, args ...any) {
	if s != nil && !s.full {
		s.Report(Warnf(code, pos, end, format, args...))
	}
}

// Errors returns the number of accepted errors.
func (s *Sink) Errors() int {
	if s == nil {
		return 0
	}
	return s.errors
}

// Full reports whether the Sink has given up, so that work that reports to it may stop.
func (s *Sink) Full() bool { return s != nil && s.full }

// Sort orders the accepted diagnostics by their places in the source. The word that there were too
// many stays last.
func (s *Sink) Sort() {
	if s == nil || s.files == nil {
		return
	}
	slices.SortStableFunc(s.list, func(a, b Diagnostic) int {
		if last := boolInt(a.Code == TooManyErrors) - boolInt(b.Code == TooManyErrors); last != 0 {
			return last
		}
		return cmp.Compare(s.files.Resolve(a.Pos), s.files.Resolve(b.Pos))
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Diagnostics returns the accepted diagnostics, in order.
func (s *Sink) Diagnostics() []Diagnostic {
	if s == nil {
		return nil
	}
	return s.list
}
