package computetest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// seedVariable sets the seed of all tests.
const seedVariable = "PUREMETAL_TEST_SEED"

// Rand is a source of random test data. Only [NewRand] makes one: without the test that it belongs
// to, there is nothing to report an error to, and the functions that use it panic.
type Rand struct {
	*rand.Rand
	t testing.TB
}

// NewRand returns the source of a test. Its seed is derived from the name of the top-level test, so
// each run has the same numbers, on both drivers; PUREMETAL_TEST_SEED sets another. A test that
// fails logs the seed. Call NewRand once in a test: a second source would repeat the numbers of the
// first.
func NewRand(t testing.TB) *Rand {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // never fails
	seed := uint64(hash.Sum32())
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("computetest: %s=%q: want a number from 0 to %d", seedVariable, text, uint64(math.MaxUint64))
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("computetest: the random data has the seed %d; %s=%d repeats it", seed, seedVariable, seed)
		}
	})
	return &Rand{rand.New(rand.NewPCG(seed, 0)), t}
}

// test returns the test that a source belongs to.
func (r *Rand) test() testing.TB {
	if r == nil || r.t == nil {
		panic("computetest: this Rand is not of NewRand")
	}
	return r.t
}

// Uniform returns n elements whose values are distributed uniformly from low to high, rounded to
// their type. The values must be floating-point numbers.
func Uniform[T any](r *Rand, n int, low, high float64) []T {
	r.test().Helper()
	return floats[T](r, n, "Uniform", func() float64 { return low + (high-low)*r.Float64() })
}

// Normal returns n elements whose values are normally distributed, rounded to their type. The
// values must be floating-point numbers.
func Normal[T any](r *Rand, n int, mean, deviation float64) []T {
	r.test().Helper()
	return floats[T](r, n, "Normal", func() float64 { return mean + deviation*r.NormFloat64() })
}

// floats makes elements of floating-point numbers.
func floats[T any](r *Rand, n int, function string, next func() float64) []T {
	r.test().Helper()
	return fill[T](r, n, function, func(v reflect.Value) error {
		if formatOf(v.Type()) == nil {
			return fmt.Errorf("%v is not a floating-point type; use Integers", v.Type())
		}
		setNumber(v, next())
		return nil
	})
}

// Integers returns n elements whose values are whole numbers from low to high, both included.
// Values may be of any type of numbers that represents these exactly: sums of small whole numbers
// are exact in floating point too.
func Integers[T any](r *Rand, n int, low, high int64) []T {
	r.test().Helper()
	if low > high {
		r.t.Fatalf("computetest: Integers[%v]: from %d to %d there are no numbers", reflect.TypeFor[T](), low, high)
	}
	return fill[T](r, n, "Integers", func(v reflect.Value) error {
		for _, end := range []int64{low, high} {
			if !setInteger(v, end) {
				return fmt.Errorf("%d is not a number of type %v", end, v.Type())
			}
		}
		i := int64(r.Uint64())
		if span := uint64(high) - uint64(low) + 1; span != 0 {
			i = int64(uint64(low) + r.Uint64N(span))
		}
		setInteger(v, i)
		return nil
	})
}

// setInteger sets a number, and reports whether its type represents the integer, and those nearer
// to 0, exactly.
func setInteger(v reflect.Value, i int64) bool {
	switch f := formatOf(v.Type()); {
	case f != nil && -1<<f.precision <= i && i <= 1<<f.precision:
		setNumber(v, float64(i))
	case f != nil:
		return false
	case v.CanInt() && !v.OverflowInt(i):
		v.SetInt(i)
	case v.CanUint() && i >= 0 && !v.OverflowUint(uint64(i)):
		v.SetUint(uint64(i))
	default:
		return false
	}
	return true
}

// Special returns n elements whose values are those at which kernels tend to fail, in random order:
// of floating-point numbers zeros, ones, the smallest and largest subnormal and normal numbers and
// infinities of both signs and NaN; of integers 0, 1, -1 and both ends of the range; of bools both.
func Special[T any](r *Rand, n int) []T {
	r.test().Helper()
	bags := map[reflect.Type][]reflect.Value{} // values that are not used yet, by type
	return fill[T](r, n, "Special", func(v reflect.Value) error {
		bag := bags[v.Type()]
		if len(bag) == 0 {
			bag = specials(v.Type())
			r.Shuffle(len(bag), func(i, j int) { bag[i], bag[j] = bag[j], bag[i] })
		}
		v.Set(bag[0])
		bags[v.Type()] = bag[1:]
		return nil
	})
}

// specials returns the special values of a type.
func specials(t reflect.Type) (values []reflect.Value) {
	value := func() reflect.Value {
		values = append(values, reflect.New(t).Elem())
		return values[len(values)-1]
	}
	f := formatOf(t)
	switch {
	case f != nil:
		step, normal := math.Ldexp(1, f.least-f.precision+1), math.Ldexp(1, f.least)
		largest := math.Ldexp(2-math.Ldexp(1, 1-f.precision), 1-f.least)
		for _, x := range []float64{0, step, normal - step, normal, 1, largest, math.Inf(1)} {
			setNumber(value(), x)
			setNumber(value(), math.Copysign(x, -1))
		}
		setNumber(value(), math.NaN())
	case t.Kind() == reflect.Bool:
		value()
		value().SetBool(true)
	case value().CanInt(): // 0
		least := int64(math.MinInt64) >> (64 - t.Bits())
		for _, i := range []int64{1, -1, least, -(least + 1)} {
			value().SetInt(i)
		}
	default:
		value().SetUint(1)
		value().SetUint(math.MaxUint64 >> (64 - t.Bits()))
	}
	return values
}

// fill makes elements and has set called with each of their values.
func fill[T any](r *Rand, n int, function string, set func(reflect.Value) error) []T {
	r.t.Helper()
	if n < 0 {
		r.t.Fatalf("computetest: %s[%v]: %d elements, want at least 0", function, reflect.TypeFor[T](), n)
	}
	list, err := scalarsOf(reflect.TypeFor[T]())
	elements := make([]T, n)
	all := reflect.ValueOf(elements)
	for i := 0; i < n && err == nil; i++ {
		element := all.Index(i)
		for _, s := range list {
			v := s.in(element)
			if !v.CanSet() {
				err = fmt.Errorf("the field %s is not exported", s.path)
			} else {
				err = set(v)
			}
			if err != nil {
				break
			}
		}
	}
	if err != nil {
		r.t.Fatalf("computetest: %s[%v]: %v", function, reflect.TypeFor[T](), err)
	}
	return elements
}
