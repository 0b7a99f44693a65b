package main

import (
	"fmt"
	"strings"
)

const (
	openclTypes = "char uchar short ushort int uint long ulong half float"
	openclModes = "rte rtz rtp rtn"
)

// rounding returns Metal's function that rounds to an integer in a mode. Without one, a conversion
// to an integer truncates.
func rounding(mode string) string {
	switch mode {
	case "rte":
		return "rint"
	case "rtp":
		return "ceil"
	case "rtn":
		return "floor"
	}
	return "trunc"
}

// openclConversions returns the conversions convert_T, the reinterpretations as_T, and vloadN and
// vstoreN.
func openclConversions() string {
	var b strings.Builder
	b.WriteString(openclRounding)
	conversions(&b, "bool", "", false)
	for _, t := range words(openclTypes) {
		integer := t != "half" && t != "float"
		conversions(&b, t, "", false)
		for _, m := range words(openclModes) {
			conversions(&b, t, m, false)
		}
		if integer {
			conversions(&b, t, "", true)
			for _, m := range words(openclModes) {
				conversions(&b, t, m, true)
			}
		}
		reinterpretations(&b, t)
	}
	memory(&b)
	return b.String()
}

// conversions writes the conversions to a type and its vectors in one mode.
func conversions(b *strings.Builder, t, mode string, saturate bool) {
	name := "convert_" + t
	suffix := ""
	if saturate {
		suffix += "_sat"
	}
	if mode != "" {
		suffix += "_" + mode
	}
	var call string
	switch {
	case t == "half" || t == "float":
		if call = "%s(x)"; mode != "" && mode != "rte" {
			call = "round_to<%s>(x, rounding_" + mode + "())"
		}
	case t == "bool":
		call = "%s(x)"
	case saturate:
		call = "saturate_to<%s>(" + rounding(mode) + "_number(x))"
	case mode == "" || mode == "rtz":
		call = "%s(x)"
	default:
		call = "%s(" + rounding(mode) + "_number(x))"
	}
	fmt.Fprintf(b, "template <class U> inline %s %s%s(U x) { return %s; }\n\n", t, name, suffix, fmt.Sprintf(call, t))
	for n := 2; n <= 4; n++ {
		to := fmt.Sprintf("%s%d", t, n)
		one := fmt.Sprintf(call, to)
		if strings.Contains(call, "_to<") { // these take one number at a time
			fmt.Fprintf(b, "template <class U> inline %s %s%d%s(vec<U, %d> x) {\n  return %s(", to, name, n, suffix, n,
				to)
			for i := range n {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(b, "%s%s(x.%c)", name, suffix, "xyzw"[i])
			}
			b.WriteString(");\n}\n\n")
			continue
		}
		fmt.Fprintf(b, "template <class U> inline %s %s%d%s(vec<U, %d> x) { return %s; }\n\n", to, name, n, suffix, n,
			one)
	}
}

// reinterpretations writes as_T for a type and its vectors.
func reinterpretations(b *strings.Builder, t string) {
	fmt.Fprintf(b, "template <class U> inline %s as_%s(U x) { return as_type<%s>(x); }\n\n", t, t, t)
	for n := 2; n <= 4; n++ {
		fmt.Fprintf(b, "template <class U> inline %s%d as_%s%d(U x) { return as_type<%s%d>(x); }\n\n", t, n, t, n, t, n)
	}
}

// memory writes vloadN and vstoreN, whose vectors are aligned as their components are.
func memory(b *strings.Builder) {
	for _, space := range words("device threadgroup constant thread") {
		for n := 2; n <= 4; n++ {
			var load, store strings.Builder
			for i := range n {
				if i > 0 {
					load.WriteString(", ")
				}
				fmt.Fprintf(&load, "p[%d]", i)
				fmt.Fprintf(&store, "  p[%d] = v.%c;\n", i, "xyzw"[i])
			}
			fmt.Fprintf(b, "template <class T> inline vec<T, %d> vload%d(size_t offset, const %s T *p) {\n"+
				"  p += offset * %d;\n"+
				"  return vec<T, %d>(%s);\n}\n\n", n, n, space, n, n, load.String())
			if space != "constant" {
				fmt.Fprintf(b, "template <class T> inline void vstore%d(vec<T, %d> v, size_t offset, %s T *p) {\n"+
					"  p += offset * %d;\n%s}\n\n", n, n, space, n, store.String())
			}
			for _, a := range []string{"", "a"} {
				stride := n
				if a != "" && n == 3 {
					stride = 4 // vload_halfa3 skips the padding
				}
				fmt.Fprintf(b, "inline float%d vload%s_half%d(size_t offset, const %s half *p) {\n"+
					"  p += offset * %d;\n"+
					"  return float%d(%s);\n}\n\n", n, a, n, space, stride, n, load.String())
				if space == "constant" {
					continue
				}
				for _, m := range append([]string{""}, words(openclModes)...) {
					fmt.Fprintf(b, "inline void vstore%s_half%d%s(float%d v, size_t offset, %s half *p) {\n"+
						"  p += offset * %d;\n",
						a, n, under(m), n, space, stride)
					for i := range n {
						fmt.Fprintf(b, "  p[%d] = convert_half%s(v.%c);\n", i, under(m), "xyzw"[i])
					}
					b.WriteString("}\n\n")
				}
			}
		}
		for _, a := range []string{"", "a"} {
			fmt.Fprintf(b, "inline float vload%s_half(size_t offset, const %s half *p) { return p[offset]; }\n\n",
				a, space)
			if space == "constant" {
				continue
			}
			for _, m := range append([]string{""}, words(openclModes)...) {
				fmt.Fprintf(b, "inline void vstore%s_half%s(float v, size_t offset, %s half *p) {\n"+
					"  p[offset] = convert_half%s(v);\n}\n\n", a, under(m), space, under(m))
			}
		}
	}
}

func under(mode string) string {
	if mode != "" {
		mode = "_" + mode
	}
	return mode
}

const openclRounding = `// Conversions.

// The number rounded to an integer; an integer is one.
template <class T> inline T rint_number(T x) { return x; }

inline float rint_number(float x) { return rint(x); }

inline half rint_number(half x) { return rint(x); }

template <int N> inline vec<float, N> rint_number(vec<float, N> x) { return rint(x); }

template <int N> inline vec<half, N> rint_number(vec<half, N> x) { return rint(x); }

template <class T> inline T ceil_number(T x) { return x; }

inline float ceil_number(float x) { return ceil(x); }

inline half ceil_number(half x) { return ceil(x); }

template <int N> inline vec<float, N> ceil_number(vec<float, N> x) { return ceil(x); }

template <int N> inline vec<half, N> ceil_number(vec<half, N> x) { return ceil(x); }

template <class T> inline T floor_number(T x) { return x; }

inline float floor_number(float x) { return floor(x); }

inline half floor_number(half x) { return floor(x); }

template <int N> inline vec<float, N> floor_number(vec<float, N> x) { return floor(x); }

template <int N> inline vec<half, N> floor_number(vec<half, N> x) { return floor(x); }

template <class T> inline T trunc_number(T x) { return x; }

inline float trunc_number(float x) { return trunc(x); }

inline half trunc_number(half x) { return trunc(x); }

// The nearest number of an integer type. A NaN becomes 0.

template <class T> inline T saturate_to(float x) {
  return x != x                                ? T(0)
         : x >= float(numeric_limits<T>::max()) ? numeric_limits<T>::max()
         : x <= float(numeric_limits<T>::min()) ? numeric_limits<T>::min()
                                                : T(x);
}

template <class T> inline T saturate_to(half x) { return saturate_to<T>(float(x)); }

template <class T> inline T saturate_to(long x) {
  if (is_same_v<T, ulong>)
    return T(metal::max(x, 0L));
  return T(metal::clamp(x, long(numeric_limits<T>::min()), long(ulong(numeric_limits<T>::max()))));
}

template <class T> inline T saturate_to(ulong x) { return T(metal::min(x, ulong(numeric_limits<T>::max()))); }

template <class T> inline T saturate_to(char x) { return saturate_to<T>(long(x)); }

template <class T> inline T saturate_to(uchar x) { return saturate_to<T>(ulong(x)); }

template <class T> inline T saturate_to(short x) { return saturate_to<T>(long(x)); }

template <class T> inline T saturate_to(ushort x) { return saturate_to<T>(ulong(x)); }

template <class T> inline T saturate_to(int x) { return saturate_to<T>(long(x)); }

template <class T> inline T saturate_to(uint x) { return saturate_to<T>(ulong(x)); }

// Roundings toward zero, upward and downward: does a number that lies between two others become the
// one farther from zero?

struct rounding_rtz {
  bool away(bool negative) { return false; }
};

struct rounding_rtp {
  bool away(bool negative) { return !negative; }
};

struct rounding_rtn {
  bool away(bool negative) { return negative; }
};

// The float for the magnitude of an integer, whose first 24 bits are those of a float.
inline float float_of_magnitude(ulong m, bool away) {
  uint more = m >> 24 != 0 ? 40 - uint(clz(m)) : 0;
  ulong kept = m >> more << more;
  return float(kept) + (away && kept != m ? float(1UL << more) : 0.0f);
}

template <class T, class R> inline T round_to(float x, R mode) {
  if (is_same_v<T, float>)
    return T(x);
  half h = half(x);
  ushort bits = as_type<ushort>(h);
  float back = float(h);
  bool negative = as_type<int>(x) < 0;
  if (mode.away(negative)) {
    if (fabs(back) < fabs(x))
      bits++;
  } else if (fabs(back) > fabs(x)) {
    bits--;
  }
  return T(as_type<half>(bits));
}

template <class T, class R> inline T round_to(half x, R mode) { return T(x); }

template <class T, class R> inline T round_to(ulong x, R mode) {
  return round_to<T>(float_of_magnitude(x, mode.away(false)), mode);
}

template <class T, class R> inline T round_to(long x, R mode) {
  float f = float_of_magnitude(x < 0 ? 0 - ulong(x) : ulong(x), mode.away(x < 0));
  return round_to<T>(x < 0 ? -f : f, mode);
}

template <class T, class R> inline T round_to(char x, R mode) { return round_to<T>(long(x), mode); }

template <class T, class R> inline T round_to(uchar x, R mode) { return round_to<T>(ulong(x), mode); }

template <class T, class R> inline T round_to(short x, R mode) { return round_to<T>(long(x), mode); }

template <class T, class R> inline T round_to(ushort x, R mode) { return round_to<T>(ulong(x), mode); }

template <class T, class R> inline T round_to(int x, R mode) { return round_to<T>(long(x), mode); }

template <class T, class R> inline T round_to(uint x, R mode) { return round_to<T>(ulong(x), mode); }

`
