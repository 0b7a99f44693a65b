package consteval

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Reasons why an expression has no constant value. Other errors of Eval state their own reason.
var (
	ErrNotConstant      = errors.New("not a constant expression")
	ErrFunctionConstant = errors.New("it depends on a function constant")
	ErrSteps            = errors.New("evaluation exceeds the step limit")
	ErrDepth            = errors.New("calls are nested too deeply")
)

// maxDepth limits how deeply calls nest: each level uses several frames of the Go stack.
const maxDepth = 256

// maxParts limits the elements of one array, each of which is an object during evaluation.
const maxParts = 1 << 16

// Mode says how an evaluation treats integer arithmetic whose result the language leaves undefined.
type Mode uint8

// The modes.
const (
	// Wrapping yields the result that the operation has at run time: overflow wraps, and shift
	// counts are masked.
	Wrapping Mode = iota
	// Strict rejects it, as the language requires for constant expressions.
	Strict
)

// Host provides what only the checker knows.
type Host interface {
	// Body returns the checked body of a function, nil if it has none yet. constexpr reports
	// whether constant expressions may call the function.
	Body(f *typed.Func) (body *typed.Block, constexpr bool)
	// Spend is called for every step. It may end the compilation by a panic, which passes through
	// Eval.
	Spend(steps int)
}

// Evaluator evaluates the expressions of one program. It is not safe for concurrent use.
type Evaluator struct {
	u        *types.Universe
	host     Host
	maxSteps int
	steps    int                    // of all evaluations
	objects  map[*typed.Var]*object // of constants that have been read or had their address taken
}

// New returns an evaluator for the program of a universe. Each evaluation may take maxSteps steps,
// and all together eight times as many.
func New(u *types.Universe, host Host, maxSteps int) *Evaluator {
	return &Evaluator{u: u, host: host, maxSteps: maxSteps, objects: make(map[*typed.Var]*object)}
}

// Eval returns the value of an expression, or an error that explains why it is not constant.
func (ev *Evaluator) Eval(e typed.Expr, mode Mode) (v types.Value, err error) {
	if k, ok := e.(*typed.Const); ok {
		return k.Value, nil
	}
	m := &machine{Evaluator: ev, mode: mode}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			v, err = types.Value{}, s.err
		}
	}()
	if v = m.rvalue(e); !v.IsValid() {
		return v, ErrNotConstant
	}
	return v, nil
}

// Reason returns a suffix for a diagnostic about a non-constant expression: ": division by zero",
// or "" if there is nothing to add.
func Reason(err error) string {
	if err == nil || errors.Is(err, ErrNotConstant) {
		return ""
	}
	return ": " + err.Error()
}

// machine runs one evaluation.
type machine struct {
	*Evaluator
	mode  Mode
	steps int
	depth int
	frame map[*typed.Var]*object // of the running function; nil outside functions
	ret   types.Value
}

// stop is the panic that ends an evaluation.
type stop struct{ err error }

func (m *machine) fail(err error) { panic(stop{err}) }

// refuse ends an evaluation without a constant value, giving a reason.
func (m *machine) refuse(format string, args ...any) { panic(stop{fmt.Errorf(format, args...)}) }

func (m *machine) step() { m.spend(1) }

// spend charges the evaluation for n steps, before they take time and memory.
func (m *machine) spend(n int) {
	m.steps += n
	m.Evaluator.steps += n
	if m.steps > m.maxSteps || m.Evaluator.steps > 8*m.maxSteps {
		m.fail(ErrSteps)
	}
	m.host.Spend(n)
}
