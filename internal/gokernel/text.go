package gokernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The members of Thread, in the order of the structure in the text: their types and Metal's
// attributes of a kernel's parameters for them.
var threadMembers = []struct{ name, typ, attribute string }{
	{"Global", "uint3", "thread_position_in_grid"},
	{"Local", "uint3", "thread_position_in_threadgroup"},
	{"Group", "uint3", "threadgroup_position_in_grid"},
	{"GridSize", "uint3", "threads_per_grid"},
	{"GroupSize", "uint3", "threads_per_threadgroup"},
	{"Groups", "uint3", "threadgroups_per_grid"},
	{"Lane", "uint", "thread_index_in_simdgroup"},
	{"Simdgroup", "uint", "simdgroup_index_in_threadgroup"},
	{"Lanes", "uint", "threads_per_simdgroup"},
	{"Simdgroups", "uint", "simdgroups_per_threadgroup"},
}

// These marks are where the text gets a kernel's parameters for its Thread, and the statement that
// makes it: which members are in use is known only after all functions are written.
const (
	threadParamsMark = "\x00thread parameters\x00"
	threadValueMark  = "\x00thread value\x00"
)

// sharedMark is where a barrier says that it is for textures, too: whether kernels read what other
// threads write to one is known later.
const sharedMark = "\x00textures\x00"

func (in *instance) threadParams() []string {
	list := slices.Clone(in.shared)
	if in.zeroes {
		list = append(list, "uint _index [[thread_index_in_threadgroup]]", "uint3 _size [[threads_per_threadgroup]]")
	}
	return append(list, threadParamsMark)
}

func (in *instance) threadValue() {
	in.b.WriteString(threadValueMark + in.threadName + "\n")
	if in.zeroes {
		in.line("const uint _count = _size.x * _size.y * _size.z;")
	}
}

// threadText replaces the marks of a kernel.
func (t *translation) threadText(text string) string {
	var params, values []string
	for _, m := range threadMembers {
		if t.thread[m.name] {
			params = append(params, fmt.Sprintf("%s %s_ [[%s]]", m.typ, m.name, m.attribute))
			values = append(values, m.name+"_")
		}
	}
	before, after, _ := strings.Cut(text, threadParamsMark)
	if len(params) == 0 {
		before = strings.TrimSuffix(before, ", ")
	}
	text = before + strings.Join(params, ", ") + after
	before, after, _ = strings.Cut(text, threadValueMark)
	name, after, _ := strings.Cut(after, "\n")
	if len(params) > 0 {
		after = fmt.Sprintf("  const Thread %s = {%s};\n", name, strings.Join(values, ", ")) + after
	}
	return before + after
}

// text returns the program.
func (t *translation) text() string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\n")
	if t.logs {
		b.WriteString("#include <metal_logging>\n")
	}
	if t.cooperative {
		b.WriteString("#include <puremetal/cooperative>\n")
	}
	b.WriteString("#pragma METAL fp math_mode(safe)\n#pragma METAL fp contract(off)\n\n")
	t.prelude(&b)
	takesThread := func(in *instance) bool { return in.used && strings.Contains(in.text, "Thread&") }
	if len(t.thread) > 0 || slices.ContainsFunc(t.order, takesThread) {
		b.WriteString("struct Thread {\n")
		for _, m := range threadMembers {
			if t.thread[m.name] {
				fmt.Fprintf(&b, "  %s %s;\n", m.typ, m.name)
			}
		}
		b.WriteString("};\n\n")
	}
	for _, s := range t.types {
		if !s.wanted {
			continue
		}
		fmt.Fprintf(&b, "struct %s {\n", s.name)
		for _, f := range s.fields {
			b.WriteString("  " + f + "\n")
		}
		b.WriteString("};\n\n")
	}
	after := ""
	for _, v := range t.tables {
		if v.used {
			b.WriteString(v.text + "\n")
			after = "\n"
		}
	}
	b.WriteString(after)
	textures := ""
	if t.shares {
		textures = " | metal::mem_flags::mem_texture"
	}
	for _, in := range t.order {
		if !in.used {
			continue
		}
		text := strings.ReplaceAll(in.text, sharedMark, textures)
		if in.kernel != nil {
			text = t.threadText(text)
		}
		b.WriteString(text + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// helpers are what Go's operations need beyond Metal's, by name, in an order in which they can be
// read, and what each needs of the others.
var helpers = []struct{ name, needs, text string }{
	{"fault", "", `// A message to this log ends a launch of the software device with an error.
constant metal::os_log fault("puremetal", "assert");
`},
	{"slice", "", `template <typename P>
struct slice {
  P data;
  uint len;
};
`},
	{"part", "slice", `// s[low:high]; an index out of range gives an empty slice.
template <typename S>
inline S part(S s, long low, long high) {
  if (ulong(high) > s.len || ulong(low) > ulong(high)) {
    return S{s.data, 0};
  }
  return S{s.data + low, uint(high - low)};
}
`},
	{"div", "", `// x / y: 0 if y is 0; the least number divided by -1 is itself.
template <typename T>
inline T div(T x, T y) {
  return y == T(0) ? T(0) : y == T(-1) && T(-1) < T(0) ? T(0 - metal::make_unsigned_t<T>(x)) : T(x / y);
}
`},
	{"rem", "", `// x % y: 0 if y is 0.
template <typename T>
inline T rem(T x, T y) {
  return y == T(0) || y == T(-1) && T(-1) < T(0) ? T(0) : T(x % y);
}
`},
	{"shl", "", `// x << n: beyond the width, 0.
template <typename T>
inline T shl(T x, ulong n) {
  return n < sizeof(T) * 8 ? T(metal::make_unsigned_t<T>(x) << n) : T(0);
}
`},
	{"shr", "", `// x >> n: beyond the width, 0 or copies of the sign.
template <typename T>
inline T shr(T x, ulong n) {
  return n < sizeof(T) * 8 ? T(x >> n) : x < T(0) ? T(-1) : T(0);
}
`},
	{"rotl", "", `template <typename T>
inline T rotl(T x, long k) {
  const uint n = uint(k) & (sizeof(T) * 8 - 1);
  return T(x << n) | T(x >> ((sizeof(T) * 8 - n) & (sizeof(T) * 8 - 1)));
}
`},
	{"bytes", "", `// The bytes in reverse order.
template <typename T>
inline T bytes(T x) {
  T r = 0;
  for (uint i = 0; i < sizeof(T); i++) {
    r = T(r << 8) | T((x >> (8 * i)) & 0xff);
  }
  return r;
}
`},
	{"min", "", `// NaN if x or y is, and -0 is below 0.
inline float min(float x, float y) {
  if (metal::isnan(x) || metal::isnan(y)) {
    return NAN;
  }
  return x < y || x == y && metal::signbit(x) ? x : y;
}
`},
	{"max", "", `// NaN if x or y is, and 0 is above -0.
inline float max(float x, float y) {
  if (metal::isnan(x) || metal::isnan(y)) {
    return NAN;
  }
  return x > y || x == y && !metal::signbit(x) ? x : y;
}
`},
	{"fmin", "min", `// math.Min: -Inf if x or y is, even if the other is NaN.
inline float fmin(float x, float y) {
  return x == -INFINITY || y == -INFINITY ? -INFINITY : min(x, y);
}
`},
	{"fmax", "max", `// math.Max: Inf if x or y is, even if the other is NaN.
inline float fmax(float x, float y) {
  return x == INFINITY || y == INFINITY ? INFINITY : max(x, y);
}
`},
	{"lesser", "", `// The lesser of each two components, or the one that is not NaN; -0 is below 0.
template <typename V>
inline V lesser(V x, V y) {
  return metal::select(y, x, metal::isnan(y) | (x < y) | ((x == y) & metal::signbit(x)));
}
`},
	{"greater", "", `// The greater of each two components, or the one that is not NaN; 0 is above -0.
template <typename V>
inline V greater(V x, V y) {
  return metal::select(y, x, metal::isnan(y) | (x > y) | ((x == y) & metal::signbit(y)));
}
`},
	{"divide", "div", `template <typename T>
inline metal::vec<T, 2> divide(metal::vec<T, 2> x, metal::vec<T, 2> y) {
  return {div(x.x, y.x), div(x.y, y.y)};
}

template <typename T>
inline metal::vec<T, 3> divide(metal::vec<T, 3> x, metal::vec<T, 3> y) {
  return {div(x.x, y.x), div(x.y, y.y), div(x.z, y.z)};
}

template <typename T>
inline metal::vec<T, 4> divide(metal::vec<T, 4> x, metal::vec<T, 4> y) {
  return {div(x.x, y.x), div(x.y, y.y), div(x.z, y.z), div(x.w, y.w)};
}
`},
	{"abs", "", `// The absolute values; that of the least number is itself.
template <typename V, typename U>
inline V abs(V x) {
  return metal::select(x, V(-U(x)), x < V(0));
}
`},
	{"dot", "", `// The sum of the products, from the first component on.
template <typename T>
inline T dot(metal::vec<T, 2> x, metal::vec<T, 2> y) {
  return x.x * y.x + x.y * y.y;
}

template <typename T>
inline T dot(metal::vec<T, 3> x, metal::vec<T, 3> y) {
  return x.x * y.x + x.y * y.y + x.z * y.z;
}

template <typename T>
inline T dot(metal::vec<T, 4> x, metal::vec<T, 4> y) {
  return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}
`},
	{"length", "dot", `template <typename T, typename V>
inline T length(V v) {
  return T(metal::precise::sqrt(float(dot(v, v))));
}
`},
	{"normalize", "dot", `template <typename T, typename V>
inline V normalize(V v) {
  return v * T(metal::precise::rsqrt(float(dot(v, v))));
}
`},
	{"cross", "", `template <typename V>
inline V cross(V x, V y) {
  return x.yzx * y.zxy - x.zxy * y.yzx;
}
`},
	{"isinf", "", `inline bool isinf(float x, long sign) {
  return sign >= 0 && x == INFINITY || sign <= 0 && x == -INFINITY;
}
`},
	{"swap", "", `template <typename P, typename T>
inline bool swap(P object, T old, T value) {
  T was = old;
  while (!metal::atomic_compare_exchange_weak_explicit(object, &was, value, metal::memory_order_relaxed,
                                                       metal::memory_order_relaxed)) {
    if (was != old) {
      return false;
    }
  }
  return true;
}
`},
	{"zero", "", `// Memory of a threadgroup begins as zeros.
template <typename T>
inline void zero(threadgroup T* p, uint size, uint index, uint count) {
  for (uint i = index; i < size; i += count) {
    p[i] = 0;
  }
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
}
`},
	{"copy", "slice", `template <typename D, typename S>
inline long copy(slice<D> to, slice<S> from) {
  const uint n = metal::min(to.len, from.len);
  for (uint i = 0; i < n; i++) {
    to.data[i] = from.data[i];
  }
  return n;
}
`},
	{"move", "slice", `template <typename D, typename S>
inline long move(slice<D> to, slice<S> from) {
  const uint n = metal::min(to.len, from.len);
  const bool up = to.data <= from.data; // they may overlap
  for (uint i = 0; i < n; i++) {
    const uint k = up ? i : n - 1 - i;
    to.data[k] = from.data[k];
  }
  return n;
}
`},
	{"clear", "slice", `template <typename D>
inline void clear(slice<D> s) {
  for (uint i = 0; i < s.len; i++) {
    s.data[i] = {};
  }
}
`},
}

// prelude writes the helpers that are in use.
func (t *translation) prelude(b *strings.Builder) {
	wanted := maps.Clone(t.helpers)
	for _, h := range slices.Backward(helpers) {
		if wanted[h.name] && h.needs != "" {
			wanted[h.needs] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	if t.options.Lines {
		b.WriteString("#line 1 \"go\"\n") // no file of the package
	}
	b.WriteString("// What Go means by its operations.\nnamespace go {\n")
	for _, h := range helpers {
		if wanted[h.name] {
			b.WriteString(h.text + "\n")
		}
	}
	s := strings.TrimRight(b.String(), "\n")
	b.Reset()
	b.WriteString(s + "\n}\n\n")
}
