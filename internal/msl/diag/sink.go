package diag

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/budget"
)

// DefaultLimit is how many errors a Sink takes before it gives up.
const DefaultLimit = 100

// maxWarnings is how many warnings and remarks a Sink takes.
const maxWarnings = 1000

// Sink collects the diagnostics of one compilation: at most one of each code at each place, and
// errors up to a limit, behind which it says that there are too many and takes no more. Of warnings
// it takes a thousand. A nil Sink swallows everything. A Sink belongs to one goroutine. Work that
// may fail without anybody hearing of it reports to a Sink of its own.
type Sink struct {
	files   *FileSet
	limit   int
	list    []Diagnostic
	seen    map[seen]struct{}
	errors  int
	others  int // warnings and remarks
	full    bool
	ignored map[Code]bool // warnings and remarks that are not taken
	silent  bool          // none is

	warnings Warnings
	drops    func(*Diagnostic) bool // nil drops nothing

	budget   *budget.Budget
	ended    error // why nothing more may be spent of it
	reported bool  // Stopped has said so
	perByte  budget.Limits
}

// seen identifies a diagnostic: by where a reader finds it, and where it is written, which for an
// argument that a macro uses twice are the same both times.
type seen struct {
	resolved, spelled Pos
	code              Code
}

// NewSink returns a Sink that gives up after DefaultLimit errors.
func NewSink() *Sink { return NewSinkLimit(DefaultLimit) }

// NewSinkLimit returns a Sink that gives up after a number of errors; with 0, never.
func NewSinkLimit(limit int) *Sink { return &Sink{limit: limit} }

// SetFiles gives the Sink the set that the positions belong to. Without it, each token that a macro
// brings is a place of its own.
func (s *Sink) SetFiles(fs *FileSet) {
	if s != nil {
		s.files = fs
	}
}

// Ignore makes the Sink take no warnings and remarks of some codes; without codes, none at all.
// Errors cannot be ignored.
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

// SetWarnings says which warnings the Sink takes.
func (s *Sink) SetWarnings(w Warnings) { s.warnings = w }

// Drop makes the Sink leave out what a function is true for, from now on. Such errors do not count.
func (s *Sink) Drop(drops func(*Diagnostic) bool) {
	if s != nil {
		s.drops = drops
	}
}

// Held returns a Sink for reports that s is to get later: it takes the same warnings, and any
// number of errors.
func (s *Sink) Held() *Sink {
	held := NewSinkLimit(0)
	if s != nil {
		held.warnings = s.warnings
	}
	return held
}

// Wants reports whether the Sink takes a warning, for those that cost time to look for.
func (s *Sink) Wants(c Code) bool {
	return s != nil && !s.full && !s.silent && !s.ignored[c] && s.warnings.On(c)
}

// SetBudget gives the compilation a budget, and how much more it gets for each byte of source that
// it includes. Every stage of it has the Sink at hand, and spends what its work costs there.
func (s *Sink) SetBudget(b *budget.Budget, perByte budget.Limits) { s.budget, s.perByte = b, perByte }

// Grow raises the budget for so many bytes of source that have been included.
func (s *Sink) Grow(bytes int) {
	if s != nil && s.budget != nil {
		s.budget.Raise(budget.Limits{Steps: s.perByte.Steps * int64(bytes), Bytes: s.perByte.Bytes * int64(bytes)})
	}
}

// Spend takes steps and bytes from the budget of the compilation. It is false when that is to stop:
// the budget is spent, which Stopped then reports, or its context is done, which whoever started
// the compilation knows, or the Sink has given up, which it has said. A step is about what a token
// costs to read, or a node of the tree to look at: whatever is not done once for each of those has
// to spend a step each time.
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

// Stopped reports that the budget is spent, once, at the place where the compilation stands. When
// that was stopped from outside it says nothing.
func (s *Sink) Stopped(pos, end Pos) {
	var over *budget.Exceeded
	if s == nil || !errors.As(s.ended, &over) || s.reported {
		return
	}
	s.reported = true
	s.Errorf(CompileBudget, pos, end, "compiling takes too much: %v", over)
}

// Report takes a diagnostic.
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
				Message: fmt.Sprintf("too many warnings: those behind the first %d are left out", maxWarnings-1)}
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

// Errors returns how many errors were taken.
func (s *Sink) Errors() int {
	if s == nil {
		return 0
	}
	return s.errors
}

// Full reports whether the Sink has given up: whoever reports to it may stop working.
func (s *Sink) Full() bool { return s != nil && s.full }

// Diagnostics returns what was taken, in that order.
func (s *Sink) Diagnostics() []Diagnostic {
	if s == nil {
		return nil
	}
	return s.list
}
