// Integers of 8 to 64 bits.

template <class T> inline make_unsigned_t<T> abs(T x) {
  return make_unsigned_t<T>(x < 0 ? 0 - make_unsigned_t<T>(x) : make_unsigned_t<T>(x));
}

template <class T, int N> inline vec<make_unsigned_t<T>, N> abs(vec<T, N> x) {
  vec<make_unsigned_t<T>, N> u = vec<make_unsigned_t<T>, N>(x);
  return metal::select(u, 0 - u, x < vec<T, N>(0));
}

template <class T> inline make_unsigned_t<T> abs_diff(T x, T y) { return absdiff(x, y); }

template <class T, int N> inline vec<make_unsigned_t<T>, N> abs_diff(vec<T, N> x, vec<T, N> y) {
  return absdiff(x, y);
}

template <class T> inline T add_sat(T x, T y) { return addsat(x, y); }

template <class T> inline T sub_sat(T x, T y) { return subsat(x, y); }

template <class T> inline T mul_hi(T x, T y) { return mulhi(x, y); }

template <class T> inline T mad_hi(T a, T b, T c) { return madhi(a, b, c); }

template <class T> inline T mad_sat(T a, T b, T c) { return madsat(a, b, c); }

inline short upsample(char hi, uchar lo) { return short(hi << 8 | lo); }

inline ushort upsample(uchar hi, uchar lo) { return ushort(hi << 8 | lo); }

inline int upsample(short hi, ushort lo) { return int(uint(hi) << 16 | lo); }

inline uint upsample(ushort hi, ushort lo) { return uint(hi) << 16 | lo; }

inline long upsample(int hi, uint lo) { return long(ulong(hi) << 32 | lo); }

inline ulong upsample(uint hi, uint lo) { return ulong(hi) << 32 | lo; }

template <int N> inline vec<short, N> upsample(vec<char, N> hi, vec<uchar, N> lo) {
  return vec<short, N>(hi) << 8 | vec<short, N>(lo);
}

template <int N> inline vec<ushort, N> upsample(vec<uchar, N> hi, vec<uchar, N> lo) {
  return vec<ushort, N>(hi) << 8 | vec<ushort, N>(lo);
}

template <int N> inline vec<int, N> upsample(vec<short, N> hi, vec<ushort, N> lo) {
  return vec<int, N>(hi) << 16 | vec<int, N>(lo);
}

template <int N> inline vec<uint, N> upsample(vec<ushort, N> hi, vec<ushort, N> lo) {
  return vec<uint, N>(hi) << 16 | vec<uint, N>(lo);
}

template <int N> inline vec<long, N> upsample(vec<int, N> hi, vec<uint, N> lo) {
  return vec<long, N>(hi) << 32 | vec<long, N>(lo);
}

template <int N> inline vec<ulong, N> upsample(vec<uint, N> hi, vec<uint, N> lo) {
  return vec<ulong, N>(hi) << 32 | vec<ulong, N>(lo);
}
