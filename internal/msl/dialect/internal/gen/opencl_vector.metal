// Vectors. A comparison gives the signed integers as wide as the components: -1 is true, 0 is false.

template <class T>
using lane_type = conditional_t<sizeof(T) == 1, char,
                                conditional_t<sizeof(T) == 2, short, conditional_t<sizeof(T) == 4, int, long>>>;

template <class T, int N> inline vec<lane_type<T>, N> lane_mask(vec<bool, N> x) {
  return metal::select(vec<lane_type<T>, N>(0), vec<lane_type<T>, N>(-1), x);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_equal(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a == b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_not_equal(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a != b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_less(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a < b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_less_equal(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a <= b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_greater(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a > b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_greater_equal(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a >= b);
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_and(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a != vec<T, N>(0) && b != vec<T, N>(0));
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_or(vec<T, N> a, vec<T, N> b) {
  return lane_mask<T, N>(a != vec<T, N>(0) || b != vec<T, N>(0));
}

template <class T, int N> inline vec<lane_type<T>, N> lanes_not(vec<T, N> a) {
  return lane_mask<T, N>(a == vec<T, N>(0));
}

// The upper half and the odd components of a vector of three. The last component is undefined.

template <class T> inline vec<T, 2> upper_half(vec<T, 3> v) { return vec<T, 2>(v.z, 0); }

template <class T> inline vec<T, 2> odd_half(vec<T, 3> v) { return vec<T, 2>(v.y, 0); }

// A vector is selected by the top bits of a vector, a scalar by all bits.

template <class T, class C>
inline enable_if_t<is_integral_v<C> && sizeof(C) == sizeof(T), T> select(T a, T b, C c) {
  return c != 0 ? b : a;
}

template <class T, int N, class C>
inline enable_if_t<is_integral_v<C> && sizeof(C) == sizeof(T), vec<T, N>> select(vec<T, N> a, vec<T, N> b, vec<C, N> c) {
  return metal::select(a, b, as_type<vec<lane_type<C>, N>>(c) < 0);
}

template <class T, int N, class C> inline vec<T, N> lanes_choose(vec<C, N> c, vec<T, N> a, vec<T, N> b) {
  return select(b, a, c);
}

template <class T> inline int any(T x) { return x < 0; }

template <class T, int N> inline int any(vec<T, N> x) { return metal::any(x < vec<T, N>(0)); }

template <class T> inline int all(T x) { return x < 0; }

template <class T, int N> inline int all(vec<T, N> x) { return metal::all(x < vec<T, N>(0)); }

template <class T> inline T bitselect(T a, T b, T c) {
  lane_type<T> x = as_type<lane_type<T>>(a), y = as_type<lane_type<T>>(b), z = as_type<lane_type<T>>(c);
  return as_type<T>(lane_type<T>((x & ~z) | (y & z)));
}

template <class T, int N> inline vec<T, N> bitselect(vec<T, N> a, vec<T, N> b, vec<T, N> c) {
  vec<lane_type<T>, N> x = as_type<vec<lane_type<T>, N>>(a), y = as_type<vec<lane_type<T>, N>>(b);
  vec<lane_type<T>, N> z = as_type<vec<lane_type<T>, N>>(c);
  return as_type<vec<T, N>>((x & ~z) | (y & z));
}

template <class T, int N, class U, int M> inline vec<T, M> shuffle(vec<T, N> x, vec<U, M> mask) {
  vec<T, M> r;
  for (int i = 0; i < M; i++)
    r[i] = x[mask[i] & (N - 1)];
  return r;
}

template <class T, int N, class U, int M> inline vec<T, M> shuffle2(vec<T, N> x, vec<T, N> y, vec<U, M> mask) {
  vec<T, M> r;
  for (int i = 0; i < M; i++) {
    uint k = mask[i] & (2 * N - 1);
    r[i] = k < N ? x[k] : y[k - N];
  }
  return r;
}

// Relations of numbers: 1 is true; of vectors: -1 is true.

template <class T> inline int isequal(T x, T y) { return x == y; }

template <class T, int N> inline vec<lane_type<T>, N> isequal(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x == y);
}

template <class T> inline int isnotequal(T x, T y) { return x != y; }

template <class T, int N> inline vec<lane_type<T>, N> isnotequal(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x != y);
}

template <class T> inline int isgreater(T x, T y) { return x > y; }

template <class T, int N> inline vec<lane_type<T>, N> isgreater(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x > y);
}

template <class T> inline int isgreaterequal(T x, T y) { return x >= y; }

template <class T, int N> inline vec<lane_type<T>, N> isgreaterequal(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x >= y);
}

template <class T> inline int isless(T x, T y) { return x < y; }

template <class T, int N> inline vec<lane_type<T>, N> isless(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x < y);
}

template <class T> inline int islessequal(T x, T y) { return x <= y; }

template <class T, int N> inline vec<lane_type<T>, N> islessequal(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x <= y);
}

template <class T> inline int islessgreater(T x, T y) { return x < y || x > y; }

template <class T, int N> inline vec<lane_type<T>, N> islessgreater(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x < y || x > y);
}

template <class T> inline int isordered(T x, T y) { return x == x && y == y; }

template <class T, int N> inline vec<lane_type<T>, N> isordered(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x == x && y == y);
}

template <class T> inline int isunordered(T x, T y) { return x != x || y != y; }

template <class T, int N> inline vec<lane_type<T>, N> isunordered(vec<T, N> x, vec<T, N> y) {
  return lane_mask<T, N>(x != x || y != y);
}

template <class T> inline int isfinite(T x) { return metal::isfinite(x); }

template <class T, int N> inline vec<lane_type<T>, N> isfinite(vec<T, N> x) {
  return lane_mask<T, N>(metal::isfinite(x));
}

template <class T> inline int isinf(T x) { return metal::isinf(x); }

template <class T, int N> inline vec<lane_type<T>, N> isinf(vec<T, N> x) {
  return lane_mask<T, N>(metal::isinf(x));
}

template <class T> inline int isnan(T x) { return metal::isnan(x); }

template <class T, int N> inline vec<lane_type<T>, N> isnan(vec<T, N> x) {
  return lane_mask<T, N>(metal::isnan(x));
}

template <class T> inline int isnormal(T x) { return metal::isnormal(x); }

template <class T, int N> inline vec<lane_type<T>, N> isnormal(vec<T, N> x) {
  return lane_mask<T, N>(metal::isnormal(x));
}

template <class T> inline int signbit(T x) { return metal::signbit(x); }

template <class T, int N> inline vec<lane_type<T>, N> signbit(vec<T, N> x) {
  return lane_mask<T, N>(metal::signbit(x));
}
