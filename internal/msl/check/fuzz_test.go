package check

import (
	"io"
	"testing"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// doubling are programs whose types, lookups, conversions and initializers double with every line.
var doubling = []string{
	"template<class A, class B> struct Q{}; template<int N> struct G{typedef Q<typename G<N-1>::t,typename G<N-1>::t> " +
		"t;}; template<> struct G<0>{typedef int t;}; void k() { G<9>::t x; f(x); x + x; }",
	"namespace n { struct A { int x; }; A f(A a) { return a; } } void k() { n::A a; a = f(f(f(f(f(f(f(a))))))); }",
	"typedef int (*F0)(int); typedef int (*F1)(F0, F0); typedef int (*F2)(F1, F1); void k() { F2 x; int y = x; }",
	"struct A {}; struct L: A {}; struct R: A {}; struct B: L, R {}; struct M: B {}; struct S: B {}; " +
		"struct C: M, S {}; void k() { C c; c.x = 1; f(c); }",
	"namespace a { } namespace b { using namespace a; } namespace c { using namespace a; using namespace b; } " +
		"using namespace b; using namespace c; int k() { return x; }",
	"struct A { int x = 1; }; struct B { A a, b; }; struct C { B a, b; }; void f(C c); " +
		"void k() { f({1}); C c; C d = {}; }",
	"struct A { A(int x) {} A(A a, A b) {} A(A a, float b) {} }; void f(A a); void k() { f({{{1, 1}, 1}, 1}); }",
	"template<class A, class B> struct P {}; template<class T> using X = P<T, T>; template<class T> using Y = " +
		"P<X<T>, X<T>>; template<class T> void f(Y<T> y) {} void k() { Y<int> y; f(y); }",
	"int f(int x = 1) { return x; } int g(int x = f() + f()) { return x; } int h(int x = g() + g()) { return x; } " +
		"void k() { h(); int a[] = {[0 ... 9] = 1, [99] = 2}; }",
}

// FuzzCheck checks any text that parses: nothing takes long or causes an internal error, and an
// accepted program is complete and can be printed.
func FuzzCheck(f *testing.F) {
	for _, text := range fuzztest.Seeds(f, "../../../testdata/msl") {
		f.Add(text, []byte(nil))
	}
	for _, text := range doubling {
		f.Add(text, []byte(nil))
	}
	f.Add("", []byte("a program of these bytes"))
	f.Fuzz(func(t *testing.T, text string, changes []byte) {
		if text = fuzztest.Mix(text, changes); len(text) <= fuzztest.MaxText {
			fuzztest.BoundSteps(t, func() int64 { return fuzzCheck(t, text) })
		}
	})
}

// fuzzCheck returns the number of steps.
func fuzzCheck(t *testing.T, text string) int64 {
	fs, sink, steps := diag.NewFileSet(), diag.NewSink(), fuzztest.Budget()
	sink.SetBudget(steps, budget.Limits{})
	toks := pp.Process(fs, fs.AddFile("fuzz.metal", text), pp.Options{}, sink)
	tree := parse.File(fs, toks, sink)
	if sink.Errors() > 0 {
		return steps.Spent().Steps
	}
	p := Program(fs, tree, Options{}, sink)
	if sink.Errors() == 0 {
		checkComplete(t, p)
		if err := typed.Print(io.Discard, p); err != nil {
			t.Fatal(err)
		}
	}
	return steps.Spent().Steps
}
