package check

import (
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// preludeText is the part of the library best written in MSL itself. Names that begin with __trait_
// and __limit_ are implemented by the checker (see specialName).
const preludeText = `
template <class T, T v> struct integral_constant {
  static constexpr constant T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class... T> struct __make_void { using type = void; };
template <class... T> using void_t = typename __make_void<T...>::type;
template <class...> struct conjunction : true_type {};
template <class A> struct conjunction<A> : A {};
template <class A, class... B> struct conjunction<A, B...> : conditional_t<A::value, conjunction<B...>, A> {};
template <class...> struct disjunction : false_type {};
template <class A> struct disjunction<A> : A {};
template <class A, class... B> struct disjunction<A, B...> : conditional_t<A::value, A, disjunction<B...>> {};
template <class A> struct negation : bool_constant<!A::value> {};
template <class... B> constexpr constant bool conjunction_v = conjunction<B...>::value;
template <class... B> constexpr constant bool disjunction_v = disjunction<B...>::value;
template <class A> constexpr constant bool negation_v = negation<A>::value;
template <class... T> using _disjunction = disjunction<T...>;
template <class... T> using _conjunction = conjunction<T...>;
template <class T> using _atomic = atomic<T>;
template <class T> struct initializer_list {
  const thread T *__elems;
  size_t __size;
  constexpr size_t size() const thread { return __size; }
  constexpr const thread T *begin() const thread { return __elems; }
  constexpr const thread T *end() const thread { return __elems + __size; }
};
template <class T> struct numeric_limits {
  static constexpr constant bool is_specialized = __trait_is_arithmetic<T>;
  static constexpr constant float_round_style round_style = __trait_is_floating_point<T> ? round_to_nearest : round_toward_zero;
`

var limitMembers = []string{"min", "max", "lowest", "epsilon", "round_error", "infinity", "quiet_NaN", "signaling_NaN",
	"denorm_min"}
var limitBools = []string{"is_signed", "is_integer", "is_exact", "has_infinity", "has_quiet_NaN", "has_signaling_NaN",
	"is_iec559", "is_bounded", "is_modulo",
	"has_denorm", "has_denorm_loss", "traps", "tinyness_before"}
var limitInts = []string{"digits", "digits10", "max_digits10", "radix", "min_exponent", "min_exponent10",
	"max_exponent", "max_exponent10"}

var preludeSource = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("namespace metal {\n")
	b.WriteString(hostStructs)
	b.WriteString(preludeText)
	for _, m := range limitMembers {
		b.WriteString("static constexpr T " + m + "() { return __limit_" + m + "<T>; }\n")
	}
	for _, m := range limitBools {
		b.WriteString("static constexpr constant bool " + m + " = __limit_" + m + "<T>;\n")
	}
	for _, m := range limitInts {
		b.WriteString("static constexpr constant int " + m + " = __limit_" + m + "<T>;\n")
	}
	b.WriteString("};\n")
	own := map[string]bool{"conjunction": true, "disjunction": true, "negation": true, "enable_if": true,
		"conditional":       true,
		"integral_constant": true, "bool_constant": true, "void_t": true, "make_void": true, "numeric_limits": true,
		"true_type": true, "false_type": true}
	for _, k := range builtin.Classes() {
		if own[k.Name] {
			continue
		}
		switch k.Kind {
		case builtin.TraitClass:
			switch k.Name {
			case "rank", "extent", "alignment_of", "vec_size", "vec_elements":
				b.WriteString("template <class T> struct " + k.Name + " : integral_constant<int, __trait_" + k.Name + "<T>> {};\n")
				b.WriteString("template <class T> constexpr constant int " + k.Name + "_v = __trait_" + k.Name + "<T>;\n")
				continue
			}
			b.WriteString("template <class... T> struct " + k.Name + " : bool_constant<__trait_" + k.Name + "<T...>> {};\n")
			b.WriteString("template <class... T> constexpr constant bool " + k.Name + "_v = __trait_" + k.Name + "<T...>;\n")
		case builtin.TypeTraitClass:
			b.WriteString("template <class T> struct " + k.Name + " { using type = " + k.Name + "_t<T>; };\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
})

// preludeTree is the parsed prelude, shared by all programs: checking does not modify it.
var preludeTree = sync.OnceValue(func() *ast.File {
	fs, sink := diag.NewLibrarySet(), diag.NewSink()
	f := fs.AddFile("<metal_stdlib>", preludeSource())
	toks := pp.Process(fs, f, pp.Options{}, sink)
	tree := parse.Options{Known: func(name string) ast.NameKind {
		if strings.HasPrefix(name, "__trait_") || strings.HasPrefix(name, "__limit_") {
			return ast.NameValueTemplate
		}
		return ast.NameUnknown
	}}.File(fs, toks, sink)
	if d := sink.Diagnostics(); len(d) > 0 {
		panic("prelude: " + d[0].Message)
	}
	return tree
})

// prelude declares the library's templates.
func (c *checker) prelude() {
	saved := c.sink
	c.sink = diag.NewSink()
	c.inPrelude = true
	c.decls(preludeTree().Decls)
	c.inPrelude = false
	if d := c.sink.Diagnostics(); len(d) > 0 {
		panic("prelude: " + d[0].Message)
	}
	c.sink = saved
}
