package computetest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Tolerance is how far a value may be from the one expected: a value is close if it is within any
// of the limits. The zero Tolerance accepts equal values only.
type Tolerance struct {
	// Abs limits the difference.
	Abs float64
	// Rel limits the difference divided by the expected value.
	Rel float64
	// ULP limits the difference in units in the last place, of the result's type at the expected
	// value, as the accuracy tables of the Metal Shading Language Specification do. 0.5 is a correctly
	// rounded result. For integers it counts nothing.
	ULP float64
}

// String lists the limits that are set, as in "ULP 2 or Abs 1e-06".
func (tol Tolerance) String() string {
	var limits []string
	for _, l := range []struct {
		name  string
		limit float64
	}{{"ULP", tol.ULP}, {"Rel", tol.Rel}, {"Abs", tol.Abs}} {
		if l.limit != 0 {
			limits = append(limits, fmt.Sprintf("%s %g", l.name, l.limit))
		}
	}
	if limits == nil {
		return "want equal values"
	}
	return strings.Join(limits, " or ")
}

// maxListed is how many differences a failure lists.
const maxListed = 10

// AllClose checks that got and want have the same length and that each value of got is close to the
// one in want. If not, the test fails with the number of values that differ, the first ten, and the
// one that differs most. AllClose returns whether all are close.
//
// Elements are numbers, bools, or vectors, structures and arrays of them, which are compared value
// by value. Those of want have the same type as those of got, or wherever got has a number, a
// floating-point number, so that a reference can be computed in float64. A NaN is close only to a
// NaN, an infinity only to itself; zeros of both signs are equal.
//
// With a shape, positions have an index for each dimension, the last one of which varies fastest.
func AllClose[G, W any](t testing.TB, got []G, want []W, tol Tolerance, shape ...int) bool {
	t.Helper()
	c, err := newComparison[G, W](tol, shape)
	if err != nil {
		t.Errorf("computetest: %v", err)
		return false
	}
	if len(got) != len(want) {
		t.Errorf("computetest: got %d elements, want %d", len(got), len(want))
		return false
	}
	if n := product(shape); len(shape) > 0 && n != len(got) {
		t.Errorf("computetest: the shape %v has %d elements, got and want have %d", shape, n, len(got))
		return false
	}
	gots, wants := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range got {
		c.element(i, gots.Index(i), wants.Index(i))
	}
	if c.count > 0 {
		t.Errorf("computetest: %s", c.report(len(got)))
	}
	return c.count == 0
}

// comparison compares the elements of two types.
type comparison struct {
	tol       Tolerance
	shape     []int
	got, want []scalar

	count   int      // of values that differ
	listed  []string // the first of them
	worst   string   // the one that differs most
	largest float64  // its difference
}

func newComparison[G, W any](tol Tolerance, shape []int) (*comparison, error) {
	for _, limit := range []float64{tol.Abs, tol.Rel, tol.ULP} {
		if !(limit >= 0) {
			return nil, fmt.Errorf("the tolerance %v has a limit that is not at least 0", tol)
		}
	}
	g, w := reflect.TypeFor[G](), reflect.TypeFor[W]()
	c := &comparison{tol: tol, shape: shape}
	var err error
	if c.got, err = scalarsOf(g); err != nil {
		return nil, err
	}
	if c.want, err = scalarsOf(w); err != nil {
		return nil, err
	}
	if !slices.EqualFunc(c.got, c.want, func(g, w scalar) bool {
		return g.typ == w.typ || isNumber(g.typ) && formatOf(w.typ) != nil
	}) {
		return nil, fmt.Errorf("elements of type %v cannot be compared with %v: want the same type, "+
			"or floating-point numbers", g, w)
	}
	return c, nil
}

// element compares two elements.
func (c *comparison) element(i int, got, want reflect.Value) {
	for k, s := range c.got {
		g, w := s.in(got), c.want[k].in(want)
		d, ulps := difference(g, w)
		if c.tol.accepts(d, ulps, w) {
			continue
		}
		c.count++
		worst := c.count == 1 || d > c.largest || math.IsNaN(d) && !math.IsNaN(c.largest)
		if !worst && c.count > maxListed {
			continue
		}
		text := fmt.Sprintf("%s%s: got %s, want %s", c.position(i), s.path, textOf(g), textOf(w))
		if finite(d) {
			text += fmt.Sprintf(", difference %.4g", d)
			if finite(ulps) {
				text += fmt.Sprintf(" (%.4g ULP)", ulps)
			}
		}
		if worst {
			c.worst, c.largest = text, d
		}
		if c.count <= maxListed {
			c.listed = append(c.listed, text)
		}
	}
}

// accepts reports whether a value is close to want.
func (tol Tolerance) accepts(d, ulps float64, want reflect.Value) bool {
	switch {
	case d == 0, d <= tol.Abs, tol.ULP > 0 && ulps <= tol.ULP:
		return true
	}
	return tol.Rel > 0 && d <= tol.Rel*math.Abs(number(want))
}

// difference returns how far two values are apart, also in units in the last place of the first
// one's type; NaN if there is no such number.
func difference(got, want reflect.Value) (d, ulps float64) {
	switch {
	case got.Kind() == reflect.Bool:
		if got.Bool() != want.Bool() {
			d = math.NaN()
		}
		return d, math.NaN()
	case got.Type() == want.Type() && formatOf(got.Type()) == nil:
		if got.CanInt() {
			x, y := got.Int(), want.Int()
			return float64(uint64(max(x, y)) - uint64(min(x, y))), math.NaN()
		}
		x, y := got.Uint(), want.Uint()
		return float64(max(x, y) - min(x, y)), math.NaN()
	}
	x, y := number(got), number(want)
	switch {
	case x == y, math.IsNaN(x) && math.IsNaN(y):
		return 0, 0
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(y, 0):
		return math.NaN(), math.NaN()
	}
	return math.Abs(x - y), formatOf(got.Type()).ulps(x, y)
}

// position returns the indices of an element.
func (c *comparison) position(i int) (text string) {
	for k := len(c.shape) - 1; k >= 0; k-- {
		text = fmt.Sprintf("[%d]", i%c.shape[k]) + text
		i /= c.shape[k]
	}
	if len(c.shape) == 0 {
		text = fmt.Sprintf("[%d]", i)
	}
	return text
}

// report describes what differs.
func (c *comparison) report(elements int) string {
	are := "are"
	if c.count == 1 {
		are = "is"
	}
	lines := []string{fmt.Sprintf("%d of %d values %s not close (%v):", c.count, elements*len(c.got), are, c.tol)}
	lines = append(lines, c.listed...)
	if more := c.count - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more; the largest difference is", more), c.worst)
	}
	return strings.Join(lines, "\n    ")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}
