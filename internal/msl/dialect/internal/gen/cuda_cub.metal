// Reductions and scans of blocks and warps, in the order of NVIDIA's library: warps as trees, and
// their results one after the other. Their constructors know the thread, so that only they need its
// position.

typedef int BlockReduceAlgorithm;
typedef int BlockScanAlgorithm;
constexpr constant int BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY = 0;
constexpr constant int BLOCK_REDUCE_RAKING = 1;
constexpr constant int BLOCK_REDUCE_WARP_REDUCTIONS = 2;
constexpr constant int BLOCK_SCAN_RAKING = 0;
constexpr constant int BLOCK_SCAN_RAKING_MEMOIZE = 1;
constexpr constant int BLOCK_SCAN_WARP_SCANS = 2;

struct Sum {
  template <class T> T operator()(T a, T b) const thread { return a + b; }
};
struct Max {
  template <class T> T operator()(T a, T b) const thread { return b > a ? b : a; }
};
struct Min {
  template <class T> T operator()(T a, T b) const thread { return b < a ? b : a; }
};
template <class T = void> struct plus {
  template <class U> U operator()(U a, U b) const thread { return a + b; }
};
template <class T = void> struct maximum {
  template <class U> U operator()(U a, U b) const thread { return b > a ? b : a; }
};
template <class T = void> struct minimum {
  template <class U> U operator()(U a, U b) const thread { return b < a ? b : a; }
};

inline uint __rank() { return __puremetal_thread_index_in_threadgroup(); }

template <class T, int N = 32> struct WarpReduce {
  struct TempStorage {
    T v[N];
  };
  threadgroup TempStorage *s;
  int l;
  WarpReduce(threadgroup TempStorage &storage) : s(&storage), l(int(__lane()) % N) {}
  template <class F> T Reduce(T x, F f, int valid = N) {
    for (int d = 1; d < N; d *= 2) {
      s->v[l] = x;
      __syncwarp();
      T other = s->v[l + d < N ? l + d : l];
      __syncwarp();
      if (l + d < valid)
        x = f(x, other);
    }
    return x;
  }
  T Sum(T x) { return Reduce(x, cuda::Sum()); }
  T Sum(T x, int valid) { return Reduce(x, cuda::Sum(), valid); }
};

template <class T, int N = 32> struct WarpScan {
  struct TempStorage {
    T v[N];
  };
  threadgroup TempStorage *s;
  int l;
  WarpScan(threadgroup TempStorage &storage) : s(&storage), l(int(__lane()) % N) {}
  template <class F> void InclusiveScan(T x, thread T &out, F f) {
    for (int d = 1; d < N; d *= 2) {
      s->v[l] = x;
      __syncwarp();
      T other = s->v[l >= d ? l - d : l];
      __syncwarp();
      if (l >= d)
        x = f(other, x);
    }
    out = x;
  }
  template <class F> void ExclusiveScan(T x, thread T &out, T first, F f) {
    T all;
    InclusiveScan(x, all, f);
    s->v[l] = all;
    __syncwarp();
    T before = s->v[l > 0 ? l - 1 : 0];
    __syncwarp();
    out = l == 0 ? first : f(first, before);
  }
  void InclusiveSum(T x, thread T &out) { InclusiveScan(x, out, cuda::Sum()); }
  void ExclusiveSum(T x, thread T &out) { ExclusiveScan(x, out, T(0), cuda::Sum()); }
  T Broadcast(T x, uint from) {
    s->v[l] = x;
    __syncwarp();
    T r = s->v[from];
    __syncwarp();
    return r;
  }
};

template <class T, int X, int A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
struct BlockReduce {
  struct TempStorage {
    T v[X * Y * Z];
  };
  threadgroup TempStorage *s;
  int t;
  BlockReduce(threadgroup TempStorage &storage) : s(&storage), t(int(__rank())) {}
  template <class F> T Reduce(T x, F f, int valid = X * Y * Z) {
    int l = t % 32;
    for (int d = 1; d < 32; d *= 2) {
      s->v[t] = x;
      __syncthreads();
      T other = s->v[t + d < X * Y * Z ? t + d : t];
      __syncthreads();
      if (l + d < 32 && t + d < valid)
        x = f(x, other);
    }
    s->v[t] = x;
    __syncthreads();
    if (t == 0)
      for (int w = 32; w < valid; w += 32)
        x = f(x, s->v[w]);
    __syncthreads();
    return x;
  }
  T Sum(T x) { return Reduce(x, cuda::Sum()); }
  T Sum(T x, int valid) { return Reduce(x, cuda::Sum(), valid); }
  template <int M, class F> T Reduce(thread T (&x)[M], F f) {
    T r = x[0];
    for (int i = 1; i < M; i++)
      r = f(r, x[i]);
    return Reduce(r, f);
  }
  template <int M> T Sum(thread T (&x)[M]) { return Reduce(x, cuda::Sum()); }
};

template <class T, int X, int A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> struct BlockScan {
  struct TempStorage {
    T v[X * Y * Z];
  };
  threadgroup TempStorage *s;
  int t;
  BlockScan(threadgroup TempStorage &storage) : s(&storage), t(int(__rank())) {}
  template <class F> void InclusiveScan(T x, thread T &out, F f, thread T &all) {
    int l = t % 32;
    for (int d = 1; d < 32; d *= 2) {
      s->v[t] = x;
      __syncthreads();
      T other = s->v[l >= d ? t - d : t];
      __syncthreads();
      if (l >= d)
        x = f(other, x);
    }
    s->v[t] = x;
    __syncthreads();
    T sum = s->v[31 < X * Y * Z ? 31 : X * Y * Z - 1], before = sum;
    for (int w = 1; w * 32 < X * Y * Z; w++) {
      if (w == t / 32)
        before = sum;
      int last = w * 32 + 31;
      sum = f(sum, s->v[last < X * Y * Z ? last : X * Y * Z - 1]);
    }
    __syncthreads();
    out = t < 32 ? x : f(before, x);
    all = sum;
  }
  template <class F> void InclusiveScan(T x, thread T &out, F f) {
    T all;
    InclusiveScan(x, out, f, all);
  }
  template <class F> void ExclusiveScan(T x, thread T &out, T first, F f, thread T &all) {
    T inclusive;
    InclusiveScan(x, inclusive, f, all);
    s->v[t] = inclusive;
    __syncthreads();
    T before = s->v[t > 0 ? t - 1 : 0];
    __syncthreads();
    out = t == 0 ? first : f(first, before);
  }
  template <class F> void ExclusiveScan(T x, thread T &out, T first, F f) {
    T all;
    ExclusiveScan(x, out, first, f, all);
  }
  void InclusiveSum(T x, thread T &out) { InclusiveScan(x, out, cuda::Sum()); }
  void InclusiveSum(T x, thread T &out, thread T &all) { InclusiveScan(x, out, cuda::Sum(), all); }
  void ExclusiveSum(T x, thread T &out) { ExclusiveScan(x, out, T(0), cuda::Sum()); }
  void ExclusiveSum(T x, thread T &out, thread T &all) { ExclusiveScan(x, out, T(0), cuda::Sum(), all); }
};
