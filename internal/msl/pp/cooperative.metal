#pragma once
#include <metal_stdlib>
#include <puremetal/launch>

// Groups of threads that work together. Every member of a group must call its functions, except
// that threads which have returned count as arrived at grid_group::sync.
namespace puremetal {

namespace detail {

inline uint lane() { return __puremetal_thread_index_in_simdgroup(); }
inline uint index() { return __puremetal_thread_index_in_threadgroup(); }
inline uint simdgroup() { return __puremetal_simdgroup_index_in_threadgroup(); }
inline uint product(uint3 v) { return v.x * v.y * v.z; }
inline uint threads() { return product(__puremetal_threads_per_threadgroup()); }

template <class T> inline T least() {
  return metal::numeric_limits<T>::has_infinity ? -metal::numeric_limits<T>::infinity() : metal::numeric_limits<T>::lowest();
}
template <class T> inline T greatest() {
  return metal::numeric_limits<T>::has_infinity ? metal::numeric_limits<T>::infinity() : metal::numeric_limits<T>::max();
}

} // namespace detail

// Operations of reduce, inclusive_scan and exclusive_scan.
template <class T> struct plus {
  T operator()(T a, T b) const { return T(a + b); }
  static T identity() { return T(0); }
};
template <class T> struct less { // the least
  T operator()(T a, T b) const { return metal::min(a, b); }
  static T identity() { return detail::greatest<T>(); }
};
template <class T> struct greater { // the greatest
  T operator()(T a, T b) const { return metal::max(a, b); }
  static T identity() { return detail::least<T>(); }
};
template <class T> struct bit_and {
  T operator()(T a, T b) const { return T(a & b); }
  static T identity() { return T(~T(0)); }
};
template <class T> struct bit_or {
  T operator()(T a, T b) const { return T(a | b); }
  static T identity() { return T(0); }
};
template <class T> struct bit_xor {
  T operator()(T a, T b) const { return T(a ^ b); }
  static T identity() { return T(0); }
};

namespace detail {
template <class G, class T> T wide_shuffle(G group, T v, uint rank);
template <class G, class T, class Op> T wide_reduce(G group, T v, Op op);
} // namespace detail

// All threads of the launch, those of partial threadgroups included.
struct grid_group {
  // Waits for all threads of the grid that have not returned. Orders their accesses to device and
  // threadgroup memory and to textures, plain and atomic, across the whole grid.
  void sync() const { __puremetal_grid_barrier(); }
  ulong size() const {
    uint3 n = __puremetal_threads_per_grid();
    return ulong(n.x) * n.y * n.z;
  }
  // The number of the thread, x first.
  ulong thread_rank() const {
    uint3 p = __puremetal_thread_position_in_grid(), n = __puremetal_threads_per_grid();
    return (ulong(p.z) * n.y + p.y) * n.x + p.x;
  }
  uint num_blocks() const { return detail::product(__puremetal_threadgroups_per_grid()); }
  uint block_rank() const {
    uint3 p = __puremetal_threadgroup_position_in_grid(), n = __puremetal_threadgroups_per_grid();
    return (p.z * n.y + p.y) * n.x + p.x;
  }
};
inline grid_group this_grid() { return grid_group(); }

// A threadgroup. Its functions wait for all of its threads. Besides sync, they order threadgroup
// memory.
struct thread_block {
  // Waits for all threads of the threadgroup and orders their accesses to device and threadgroup
  // memory and to textures.
  void sync() const {
    metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup |
                               metal::mem_flags::mem_texture);
  }
  uint size() const { return detail::threads(); }
  uint thread_rank() const { return detail::index(); }
  template <class T> T shfl(T v, uint rank) const { return detail::wide_shuffle(*this, v, rank % size()); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank + delta < size() ? rank + delta : rank);
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    uint rank = thread_rank(), other = rank ^ mask;
    return detail::wide_shuffle(*this, v, other < size() ? other : rank);
  }
  bool any(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_or<uint>()) != 0; }
  bool all(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_and<uint>()) != 0; }
};
inline thread_block this_thread_block() { return thread_block(); }

// A part of a threadgroup: N consecutive threads, or fewer at its end. A tile within a simdgroup,
// with N up to 32, may be used in any branch that the whole tile takes. A larger one needs all
// threads of the threadgroup, because it waits at a barrier of the threadgroup; the compiler refuses
// it elsewhere.
template <uint N, bool Wide = (N > 32)> struct thread_block_tile {
  static_assert(N > 0 && (N & (N - 1)) == 0, "the size of a tile must be a power of two up to 32");
  // Waits for the tile's threads and orders their accesses to device and threadgroup memory and to
  // textures.
  void sync() const {
    metal::simdgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup |
                             metal::mem_flags::mem_texture);
  }
  uint thread_rank() const { return detail::lane() & (N - 1); }
  uint size() const { return metal::min(N, detail::threads() - (detail::index() - thread_rank())); }
  uint meta_group_rank() const { return detail::index() / N; }
  uint meta_group_size() const { return (detail::threads() + N - 1) / N; }

  // The value of another thread. They order no memory. A rank counts modulo N. up and down give the
  // thread's own value where there is no such rank. The value of a thread that does not exist or does
  // not take part is unspecified.
  template <class T> T shfl(T v, uint rank) const {
    uint first = N == 32 ? 0 : detail::lane() & ~(N - 1);
    return metal::simd_shuffle(v, ushort(first | (rank & (N - 1))));
  }
  template <class T> T shfl_up(T v, uint delta) const {
    T other = metal::simd_shuffle_up(v, ushort(delta));
    return N == 32 || thread_rank() >= delta ? other : v;
  }
  template <class T> T shfl_down(T v, uint delta) const {
    T other = metal::simd_shuffle_down(v, ushort(delta));
    return N == 32 || thread_rank() + delta < N ? other : v;
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    return metal::simd_shuffle_xor(v, ushort(mask & (N - 1)));
  }

  // The threads whose predicate is true, the one of rank 0 in the lowest bit. Votes order no memory.
  uint ballot(bool predicate) const {
    uint votes = uint(metal::simd_vote::vote_t(metal::simd_ballot(predicate)));
    return N == 32 ? votes : votes >> (detail::lane() & ~(N - 1)) & ((1u << (N & 31)) - 1);
  }
  bool any(bool predicate) const { return N == 32 ? metal::simd_any(predicate) : ballot(predicate) != 0; }
  bool all(bool predicate) const { return N == 32 ? metal::simd_all(predicate) : ballot(!predicate) == 0; }
  // The threads with the same value, as ballot gives them.
  template <class T> uint match_any(T v) const {
    uint same = 0;
    for (uint rank = 0; rank < N; rank++) {
      same |= uint(shfl(v, rank) == v) << rank;
    }
    return same & ballot(true);
  }
};

// A tile of several simdgroups.
template <uint N> struct thread_block_tile<N, true> {
  static_assert((N & (N - 1)) == 0 && N <= 1024, "the size of a tile must be a power of two up to 1024");
  void sync() const { __puremetal_tile_barrier(N); }
  uint thread_rank() const { return detail::index() & (N - 1); }
  uint size() const { return metal::min(N, detail::threads() - (detail::index() & ~(N - 1))); }
  uint meta_group_rank() const { return detail::index() / N; }
  uint meta_group_size() const { return (detail::threads() + N - 1) / N; }
  template <class T> T shfl(T v, uint rank) const { return detail::wide_shuffle(*this, v, rank % size()); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank + delta < size() ? rank + delta : rank);
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    uint rank = thread_rank(), other = rank ^ mask;
    return detail::wide_shuffle(*this, v, other < size() ? other : rank);
  }
  bool any(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_or<uint>()) != 0; }
  bool all(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_and<uint>()) != 0; }
};

template <uint N> inline thread_block_tile<N> tiled_partition(thread_block) { return thread_block_tile<N>(); }
template <uint N, uint M> inline thread_block_tile<N> tiled_partition(thread_block_tile<M>) {
  static_assert(N <= M, "a tile has no larger tiles");
  return thread_block_tile<N>();
}

// The threads of a simdgroup that reach coalesced_threads together. Ranks count them in ascending
// order. All of them, and no others, call the group's functions together.
struct coalesced_group {
  uint mask; // by lane

  void sync() const {
    metal::simdgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup |
                             metal::mem_flags::mem_texture);
  }
  uint size() const { return metal::popcount(mask); }
  uint thread_rank() const { return metal::popcount(mask & ((1u << detail::lane()) - 1)); }
  template <class T> T shfl(T v, uint rank) const { return metal::simd_shuffle(v, lane_of(rank % size())); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return shfl(v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return shfl(v, rank + delta < size() ? rank + delta : rank);
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    uint rank = thread_rank(), other = rank ^ mask;
    return shfl(v, other < size() ? other : rank);
  }
  uint ballot(bool predicate) const { return ranks(uint(metal::simd_vote::vote_t(metal::simd_ballot(predicate)))); }
  bool any(bool predicate) const { return ballot(predicate) != 0; }
  bool all(bool predicate) const { return ballot(!predicate) == 0; }
  template <class T> uint match_any(T v) const {
    uint same = 0;
    for (uint lanes = mask, rank = 0; lanes != 0; lanes &= lanes - 1, rank++) {
      same |= uint(metal::simd_shuffle(v, ushort(metal::ctz(lanes))) == v) << rank;
    }
    return same;
  }
  // Whether exactly the group's threads are here, so that functions of the simdgroup serve it.
  bool alone() const { return uint(metal::simd_vote::vote_t(metal::simd_active_threads_mask())) == mask; }

private:
  // The lane of a rank.
  ushort lane_of(uint rank) const {
    uint lane = 0;
    for (uint step = 16; step != 0; step /= 2) {
      uint below = metal::popcount(mask >> lane & ((1u << step) - 1));
      bool above = rank >= below;
      rank -= above ? below : 0;
      lane += above ? step : 0;
    }
    return ushort(lane);
  }
  // The bits of the group's lanes, by rank.
  uint ranks(uint votes) const {
    if (mask == ~0u) {
      return votes;
    }
    uint out = 0;
    for (uint lanes = mask, rank = 0; lanes != 0; lanes &= lanes - 1, rank++) {
      out |= (votes >> metal::ctz(lanes) & 1) << rank;
    }
    return out;
  }
};
inline coalesced_group coalesced_threads() {
  coalesced_group g;
  g.mask = uint(metal::simd_vote::vote_t(metal::simd_active_threads_mask()));
  return g;
}

namespace detail {

// Over the active threads of a simdgroup.
template <class T> inline T simd_reduce(T v, plus<T>) { return metal::simd_sum(v); }
template <class T> inline T simd_reduce(T v, less<T>) { return metal::simd_min(v); }
template <class T> inline T simd_reduce(T v, greater<T>) { return metal::simd_max(v); }
template <class T> inline T simd_reduce(T v, bit_and<T>) { return metal::simd_and(v); }
template <class T> inline T simd_reduce(T v, bit_or<T>) { return metal::simd_or(v); }
template <class T> inline T simd_reduce(T v, bit_xor<T>) { return metal::simd_xor(v); }

// Scans by the group's shuffles.
template <class G, class T, class Op> inline T ladder(G group, T v, Op op, uint n) {
  uint rank = group.thread_rank();
  for (uint d = 1; d < n; d *= 2) {
    T other = group.shfl_up(v, d);
    v = rank >= d ? op(other, v) : v;
  }
  return v;
}
template <class G, class T, class Op> inline T shifted(G group, T inclusive, Op op) {
  T below = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? Op::identity() : below;
}

// Over a whole simdgroup.
template <class T, class Op> inline T simd_inclusive(T v, Op op) { return ladder(thread_block_tile<32>(), v, op, 32); }
template <class T> inline T simd_inclusive(T v, plus<T>) { return metal::simd_prefix_inclusive_sum(v); }
template <class T, class Op> inline T simd_exclusive(T v, Op op) {
  return shifted(thread_block_tile<32>(), simd_inclusive(v, op), op);
}
template <class T> inline T simd_exclusive(T v, plus<T>) { return metal::simd_prefix_exclusive_sum(v); }

// A group of whole simdgroups: a threadgroup or a large tile.
inline void meet(thread_block) { metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup); }
template <uint N> inline void meet(thread_block_tile<N, true> tile) { tile.sync(); }
inline uint base(thread_block) { return 0; }
template <uint N> inline uint base(thread_block_tile<N, true>) { return index() & ~(N - 1); }

template <class G, class T, class Op> inline T wide_reduce(G group, T v, Op op) {
  threadgroup T parts[32];
  v = simd_reduce(v, op);
  if (lane() == 0) {
    parts[simdgroup()] = v;
  }
  meet(group);
  uint first = base(group) / 32, n = (group.size() + 31) / 32;
  if (threads() % 32 == 0) {
    v = simd_reduce(lane() < n ? parts[first + lane()] : Op::identity(), op);
  } else { // a simdgroup may have fewer lanes than there are parts
    v = parts[first];
    for (uint i = 1; i < n; i++) {
      v = op(v, parts[first + i]);
    }
  }
  meet(group);
  return v;
}

// The result of the threads below those of the thread's simdgroup.
template <class G, class T, class Op> inline T wide_below(G group, T inclusive, Op op) {
  threadgroup T parts[32];
  if (lane() == 31) {
    parts[simdgroup()] = inclusive;
  }
  meet(group);
  uint first = base(group) / 32, rank = group.thread_rank() / 32;
  T below = Op::identity();
  if (threads() % 32 == 0) {
    T part = lane() < rank ? parts[first + lane()] : Op::identity();
    below = simd_reduce(part, op);
  } else {
    for (uint i = 0; i < rank; i++) {
      below = op(below, parts[first + i]);
    }
  }
  meet(group);
  return below;
}
template <class G, class T, class Op> inline T wide_inclusive(G group, T v, Op op) {
  T inclusive = simd_inclusive(v, op);
  return op(wide_below(group, inclusive, op), inclusive);
}
template <class G, class T, class Op> inline T wide_exclusive(G group, T v, Op op) {
  T inclusive = simd_inclusive(v, op), exclusive = simd_exclusive(v, op);
  return op(wide_below(group, inclusive, op), exclusive);
}

template <class G, class T> inline T wide_shuffle(G group, T v, uint rank) {
  threadgroup T values[1024];
  values[index()] = v;
  meet(group);
  T other = values[base(group) + rank];
  meet(group);
  return other;
}
} // namespace detail

// reduce combines the values of a group's threads and gives all of them the result. The order of
// the operations depends only on the group's shape. It orders no memory within a simdgroup, and
// threadgroup memory in larger groups; so do the scans.
template <uint N, class T, class Op> inline T reduce(thread_block_tile<N, false> tile, T v, Op op) {
  if (N == 32) {
    return detail::simd_reduce(v, op);
  }
  if (detail::threads() % N == 0) {
    v = N > 8 ? op(v, metal::simd_shuffle_xor(v, 8)) : v;
    v = N > 4 ? op(v, metal::simd_shuffle_xor(v, 4)) : v;
    v = N > 2 ? op(v, metal::simd_shuffle_xor(v, 2)) : v;
    return N > 1 ? op(v, metal::simd_shuffle_xor(v, 1)) : v;
  }
  uint rank = tile.thread_rank(), size = tile.size();
  for (uint d = N / 2; d != 0; d /= 2) {
    T other = metal::simd_shuffle_down(v, ushort(d));
    v = rank + d < size ? op(v, other) : v;
  }
  return tile.shfl(v, 0);
}
template <uint N, class T, class Op> inline T reduce(thread_block_tile<N, true> tile, T v, Op op) {
  return detail::wide_reduce(tile, v, op);
}
template <class T, class Op> inline T reduce(thread_block block, T v, Op op) { return detail::wide_reduce(block, v, op); }
template <class T, class Op> inline T reduce(coalesced_group group, T v, Op op) {
  if (group.alone()) {
    return detail::simd_reduce(v, op);
  }
  uint rank = group.thread_rank(), size = group.size();
  for (uint d = 16; d != 0; d /= 2) {
    T other = group.shfl_down(v, d);
    v = rank + d < size ? op(v, other) : v;
  }
  return group.shfl(v, 0);
}

// inclusive_scan combines the values up to the thread's own, in the order of ranks.
template <uint N, class T, class Op> inline T inclusive_scan(thread_block_tile<N, false> tile, T v, Op op) {
  return N == 32 ? detail::simd_inclusive(v, op) : detail::ladder(tile, v, op, N);
}
template <uint N, class T, class Op> inline T inclusive_scan(thread_block_tile<N, true> tile, T v, Op op) {
  return detail::wide_inclusive(tile, v, op);
}
template <class T, class Op> inline T inclusive_scan(thread_block block, T v, Op op) {
  return detail::wide_inclusive(block, v, op);
}
template <class T, class Op> inline T inclusive_scan(coalesced_group group, T v, Op op) {
  return detail::ladder(group, v, op, 32);
}

// exclusive_scan combines the values below the thread's own; the thread of rank 0 gets Op's
// identity.
template <uint N, class T, class Op> inline T exclusive_scan(thread_block_tile<N, false> tile, T v, Op op) {
  return N == 32 ? detail::simd_exclusive(v, op) : detail::shifted(tile, detail::ladder(tile, v, op, N), op);
}
template <uint N, class T, class Op> inline T exclusive_scan(thread_block_tile<N, true> tile, T v, Op op) {
  return detail::wide_exclusive(tile, v, op);
}
template <class T, class Op> inline T exclusive_scan(thread_block block, T v, Op op) {
  return detail::wide_exclusive(block, v, op);
}
template <class T, class Op> inline T exclusive_scan(coalesced_group group, T v, Op op) {
  return detail::shifted(group, detail::ladder(group, v, op, 32), op);
}

// elect is true in one thread of the group.
template <class G> inline bool elect(G group) { return group.thread_rank() == 0; }
inline bool elect(coalesced_group group) {
  return group.alone() ? metal::simd_is_first() : group.thread_rank() == 0;
}

// memcpy_async copies n elements with the threads of a group. The copy is complete, and visible to
// the group, after wait. It orders nothing by itself.
template <class G, class To, class From> inline void memcpy_async(G group, To to, From from, uint n) {
  for (uint i = uint(group.thread_rank()); i < n; i += uint(group.size())) {
    to[i] = from[i];
  }
}
// wait is group.sync().
template <class G> inline void wait(G group) { group.sync(); }

} // namespace puremetal
