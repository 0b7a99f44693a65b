package main

import (
	"fmt"
	"strings"
)

// openclWide returns the vectors of 8 and 16 numbers, which Metal does not have: structures of
// vectors of four, aligned as in OpenCL C.
func openclWide() string {
	var b strings.Builder
	b.WriteString("// Vectors of 8 and 16.\n\n")
	for _, w := range []struct {
		name, half string
		n          int
	}{{"vec8", "vec<T, 4>", 8}, {"vec16", "vec8<T>", 16}} {
		r := strings.NewReplacer("V", w.name, "H", w.half, "N", fmt.Sprint(w.n), "M", fmt.Sprint(w.n/2))
		b.WriteString(r.Replace(`template <class T> struct alignas(N * sizeof(T)) V {
  H lo, hi;
  V() thread = default;
  V(T x) thread : lo(x), hi(x) {}
  V(H a, H b) thread : lo(a), hi(b) {}
  T operator[](int i) const constant { return ((const constant T *)this)[i]; }
`))
		for _, space := range words("thread device threadgroup") {
			b.WriteString(strings.ReplaceAll(`  S T &operator[](int i) S { return ((S T *)this)[i]; }
  T operator[](int i) const S { return ((const S T *)this)[i]; }
`, "S", space))
		}
		b.WriteString("};\n\n")
		for _, op := range words("++ --") {
			for _, space := range words("thread device threadgroup") {
				b.WriteString(r.Replace(fmt.Sprintf(`template <class T> inline V<T> operator%[1]s(%[2]s V<T> &a, int) {
  V<T> old = a;
  a = old %[3]s V<T>(T(1));
  return old;
}

template <class T> inline V<T> operator%[1]s(%[2]s V<T> &a) {
  a = a %[3]s V<T>(T(1));
  return a;
}

`, op, space, op[:1])))
			}
		}
		for _, op := range words("+ - * / % & | ^ << >>") {
			b.WriteString(r.Replace(fmt.Sprintf(`template <class T> inline V<T> operator%[1]s(V<T> a, V<T> b) {
  return V<T>(a.lo %[1]s b.lo, a.hi %[1]s b.hi);
}

template <class T, class S> inline V<T> operator%[1]s(V<T> a, S b) { return a %[1]s V<T>(T(b)); }

template <class T, class S> inline V<T> operator%[1]s(S a, V<T> b) { return V<T>(T(a)) %[1]s b; }

`, op)))
		}
		for _, c := range [][2]string{{"==", "lanes_equal"}, {"!=", "lanes_not_equal"}, {"<", "lanes_less"},
			{"<=", "lanes_less_equal"},
			{">", "lanes_greater"}, {">=", "lanes_greater_equal"}, {"&&", "lanes_and"}, {"||", "lanes_or"}} {
			b.WriteString(r.Replace(fmt.Sprintf(`template <class T> inline V<lane_type<T>> %[2]s(V<T> a, V<T> b) {
  return V<lane_type<T>>(%[2]s(a.lo, b.lo), %[2]s(a.hi, b.hi));
}

template <class T> inline V<lane_type<T>> operator%[1]s(V<T> a, V<T> b) { return %[2]s(a, b); }

template <class T, class S> inline V<lane_type<T>> operator%[1]s(V<T> a, S b) {
  return %[2]s(a, V<T>(T(b)));
}

template <class T, class S> inline V<lane_type<T>> operator%[1]s(S a, V<T> b) {
  return %[2]s(V<T>(T(a)), b);
}

`, c[0], c[1])))
		}
		b.WriteString(r.Replace(`template <class T> inline V<T> operator-(V<T> a) { return V<T>(-a.lo, -a.hi); }

template <class T> inline V<T> operator~(V<T> a) { return V<T>(~a.lo, ~a.hi); }

template <class T> inline V<lane_type<T>> lanes_not(V<T> a) {
  return V<lane_type<T>>(lanes_not(a.lo), lanes_not(a.hi));
}

template <class T> inline V<lane_type<T>> operator!(V<T> a) { return lanes_not(a); }

template <class T, class C> inline V<T> select(V<T> a, V<T> b, V<C> c) {
  return V<T>(select(a.lo, b.lo, c.lo), select(a.hi, b.hi, c.hi));
}

template <class T, class C> inline V<T> lanes_choose(V<C> c, V<T> a, V<T> b) { return select(b, a, c); }

template <class T> inline int any(V<T> x) { return any(x.lo) | any(x.hi); }

template <class T> inline int all(V<T> x) { return all(x.lo) & all(x.hi); }

`))
		one := func(result, name string) {
			b.WriteString(r.Replace(fmt.Sprintf("template <class T> inline V<%s> %s(V<T> x) { return "+
				"V<%[1]s>(%[2]s(x.lo), %[2]s(x.hi)); }\n\n",
				result, name)))
		}
		for _, f := range words(`acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1
fabs floor lgamma log
log2 log10 log1p logb rint round rsqrt sign sin sinh sinpi sqrt tan tanh tgamma trunc degrees radians clz ctz popcount
native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin
native_sqrt native_tan half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt
half_sin half_sqrt half_tan acospi asinpi atanpi tanpi`) {
			one("T", f)
		}
		one("make_unsigned_t<T>", "abs")
		b.WriteString(r.Replace(`template <class T> inline V<make_unsigned_t<T>> abs_diff(V<T> x, V<T> y) {
  return V<make_unsigned_t<T>>(abs_diff(x.lo, y.lo), abs_diff(x.hi, y.hi));
}

`))
		for _, u := range [][2]string{{"char", "short"}, {"uchar", "ushort"}, {"short", "int"}, {"ushort", "uint"},
			{"int", "long"}, {"uint", "ulong"}} {
			b.WriteString(r.Replace(fmt.Sprintf("inline V<%[1]s> upsample(V<%[2]s> hi, V<u%[3]s> lo) {\n"+
				"  return V<%[1]s>(upsample(hi.lo, lo.lo), upsample(hi.hi, lo.hi));\n}\n\n", u[1], u[0],
				strings.TrimPrefix(u[0], "u"))))
		}
		for _, f := range words(`isequal isnotequal isgreater isgreaterequal isless islessequal
islessgreater isordered isunordered`) {
			b.WriteString(r.Replace(fmt.Sprintf("template <class T> inline V<lane_type<T>> %[1]s(V<T> x, V<T> y) {\n"+
				"  return V<lane_type<T>>(%[1]s(x.lo, y.lo), %[1]s(x.hi, y.hi));\n}\n\n", f)))
		}
		for _, f := range words("isfinite isinf isnan isnormal signbit") {
			one("lane_type<T>", f)
		}
		one("int", "ilogb")
		for _, f := range words("ldexp pown rootn") {
			b.WriteString(r.Replace(fmt.Sprintf("template <class T> inline V<T> %[1]s(V<T> x, V<int> n) {\n"+
				"  return V<T>(%[1]s(x.lo, n.lo), %[1]s(x.hi, n.hi));\n}\n\n", f)))
		}
		for _, f := range words(`add_sat atan2 bitselect/3 clamp/3 copysign fdim fma/3 fmax fmin fmod hadd hypot mad/3 max
min mix/3
mul24 mul_hi native_divide nextafter pow powr rhadd rotate step sub_sat mad_hi/3 mad_sat/3 mad24/3 remainder
maxmag minmag half_divide half_powr native_powr atan2pi smoothstep/3`) {
			name, three, _ := strings.Cut(f, "/")
			params, lo, hi := "V<T> x, V<T> y", "x.lo, y.lo", "x.hi, y.hi"
			scalars := "V<T> x, S y"
			wide := "x, V<T>(T(y))"
			if three != "" {
				params, lo, hi = params+", V<T> z", lo+", z.lo", hi+", z.hi"
				scalars, wide = scalars+", S z", wide+", V<T>(T(z))"
			}
			b.WriteString(r.Replace(fmt.Sprintf("template <class T> inline V<T> %[1]s(%[2]s) { return V<T>(%[1]s(%[3]s), "+
				"%[1]s(%[4]s)); }\n\n",
				name, params, lo, hi)))
			switch name {
			case "max", "min", "fmax", "fmin", "clamp":
				b.WriteString(r.Replace(fmt.Sprintf("template <class T, class S> inline V<T> %[1]s(%[2]s) { return "+
					"%[1]s(%[3]s); }\n\n", name, scalars, wide)))
			}
		}
		for _, t := range words(openclTypes) {
			fmt.Fprintf(&b, "typedef %s<%s> %[2]s%[3]d;\n\n", w.name, t, w.n)
			for _, sat := range []string{"", "_sat"} {
				for _, m := range append([]string{""}, words(openclModes)...) {
					if sat != "" && (t == "half" || t == "float") {
						continue
					}
					fmt.Fprintf(&b, "template <class U> inline %[2]s<%[1]s> convert_%[1]s%[3]d%[5]s(%[2]s<U> x) {\n"+
						"  return %[2]s<%[1]s>(convert_%[1]s%[4]d%[5]s(x.lo), convert_%[1]s%[4]d%[5]s(x.hi));\n}\n\n",
						t, w.name, w.n, w.n/2,
						sat+under(m))
				}
			}
			fmt.Fprintf(&b, "template <class U> inline %[2]s<%[1]s> as_%[1]s%[3]d(%[2]s<U> x) {\n"+
				"  return %[2]s<%[1]s>(as_%[1]s%[4]d(x.lo), as_%[1]s%[4]d(x.hi));\n}\n\n", t, w.name, w.n, w.n/2)
		}
		for _, space := range words("device threadgroup constant thread") {
			fmt.Fprintf(&b, "template <class T> inline %[1]s<T> vload%[2]d(size_t offset, const %[3]s T *p) {\n"+
				"  p += offset * %[2]d;\n"+
				"  return %[1]s<T>(vload%[4]d(0, p), vload%[4]d(1, p));\n}\n\n", w.name, w.n, space, w.n/2)
			if space != "constant" {
				fmt.Fprintf(&b, "template <class T> inline void vstore%[2]d(%[1]s<T> v, size_t offset, %[3]s T *p) {\n"+
					"  p += offset * %[2]d;\n"+
					"  vstore%[4]d(v.lo, 0, p);\n  vstore%[4]d(v.hi, 1, p);\n}\n\n", w.name, w.n, space, w.n/2)
			}
		}
	}
	openclShuffles(&b)
	b.WriteString(`template <class T> inline vec<T, 4> even_lanes(vec8<T> v) { return vec<T, 4>(v.lo.xz, v.hi.xz); }

template <class T> inline vec<T, 4> odd_lanes(vec8<T> v) { return vec<T, 4>(v.lo.yw, v.hi.yw); }

template <class T> inline vec8<T> even_lanes(vec16<T> v) { return vec8<T>(even_lanes(v.lo), even_lanes(v.hi)); }

template <class T> inline vec8<T> odd_lanes(vec16<T> v) { return vec8<T>(odd_lanes(v.lo), odd_lanes(v.hi)); }
`)
	for _, byte := range words("char uchar") {
		for _, word := range words("int uint float") {
			fmt.Fprintf(&b, `
inline vec8<%[1]s> as_%[1]s8(%[2]s2 x) { return vec8<%[1]s>(as_type<%[1]s4>(x.x), as_type<%[1]s4>(x.y)); }

inline vec16<%[1]s> as_%[1]s16(%[2]s4 x) { return vec16<%[1]s>(as_%[1]s8(x.lo), as_%[1]s8(x.hi)); }

inline %[2]s2 as_%[2]s2(vec8<%[1]s> x) { return %[2]s2(as_type<%[2]s>(x.lo), as_type<%[2]s>(x.hi)); }

inline %[2]s4 as_%[2]s4(vec16<%[1]s> x) { return %[2]s4(as_%[2]s2(x.lo), as_%[2]s2(x.hi)); }
`, byte, word)
		}
	}
	return b.String()
}

// openclShuffles writes shuffle and shuffle2 where a vector of 8 or 16 is the source or the mask. A
// mask of 8 or 16 goes by halves.
func openclShuffles(b *strings.Builder) {
	b.WriteString(`template <class T, int N> inline T lane_at(vec<T, N> v, uint i) { return v[i]; }

template <class T> inline T lane_at(vec8<T> v, uint i) { return i < 4 ? v.lo[i & 3] : v.hi[i & 3]; }

template <class T> inline T lane_at(vec16<T> v, uint i) { return lane_at(i < 8 ? v.lo : v.hi, i & 7); }

`)
	vector := func(n int, elem string) string {
		if n > 4 {
			return fmt.Sprintf("vec%d<%s>", n, elem)
		}
		return fmt.Sprintf("vec<%s, %d>", elem, n)
	}
	for _, n := range []int{2, 4, 8, 16} {
		for _, m := range []int{2, 4, 8, 16} {
			if n <= 4 && m <= 4 {
				continue
			}
			x, r, mask := vector(n, "T"), vector(m, "T"), vector(m, "U")
			for _, two := range []bool{false, true} {
				head, args := fmt.Sprintf("shuffle(%s x, %s mask)", x, mask), "x"
				if two {
					head, args = fmt.Sprintf("shuffle2(%s x, %[1]s y, %s mask)", x, mask), "x, y"
				}
				name, _, _ := strings.Cut(head, "(")
				fmt.Fprintf(b, "template <class T, class U> inline %s %s {\n", r, head)
				switch {
				case m > 4:
					fmt.Fprintf(b, "  return %s(%s(%s, mask.lo), %[2]s(%[3]s, mask.hi));\n}\n\n", r, name, args)
					continue
				case two:
					fmt.Fprintf(b, "  %s v;\n  for (uint i = 0; i < %d; i++) {\n    uint k = uint(mask[i]) & %d;\n"+
						"    v[i] = k < %d ? lane_at(x, k) : lane_at(y, k - %[4]d);\n  }\n", r, m, 2*n-1, n)
				default:
					fmt.Fprintf(b, "  %s v;\n  for (uint i = 0; i < %d; i++)\n"+
						"    v[i] = lane_at(x, uint(mask[i]) & %d);\n", r, m, n-1)
				}
				b.WriteString("  return v;\n}\n\n")
			}
		}
	}
}
