#pragma once
#include <metal_stdlib>
#include <puremetal/launch>

// Groups of threads that work together, with the names of CUDA's cooperative groups. Every member
// of a group must call its functions, except that threads which have returned count as arrived at
// grid_group::sync.
namespace puremetal {

namespace detail {

inline uint lane() { return __puremetal_thread_index_in_simdgroup(); }
inline uint index() { return __puremetal_thread_index_in_threadgroup(); }
inline uint simdgroup() { return __puremetal_simdgroup_index_in_threadgroup(); }
inline uint product(uint3 v) { return v.x * v.y * v.z; }
inline uint number(uint3 at, uint3 n) { return (at.z * n.y + at.y) * n.x + at.x; }
inline uint threads() { return product(__puremetal_threads_per_threadgroup()); }
inline uint voted(bool predicate) { return uint(metal::simd_vote::vote_t(metal::simd_ballot(predicate))); }
inline uint active() { return uint(metal::simd_vote::vote_t(metal::simd_active_threads_mask())); }

template <class T> inline T least() {
  return metal::numeric_limits<T>::has_infinity ? -metal::numeric_limits<T>::infinity() : metal::numeric_limits<T>::lowest();
}
template <class T> inline T greatest() {
  return metal::numeric_limits<T>::has_infinity ? metal::numeric_limits<T>::infinity() : metal::numeric_limits<T>::max();
}

// Whether Metal's functions among the threads of a simdgroup take a type. They lack 64-bit
// numbers, bool, bfloat and structures.
template <class T> struct native {
  static constant constexpr bool value = metal::is_arithmetic_v<T> && sizeof(T) <= 4;
};
template <> struct native<bool> { static constant constexpr bool value = false; };
#if __HAVE_BFLOAT__
template <> struct native<bfloat> { static constant constexpr bool value = false; };
#endif
template <class T, int N> struct native<metal::vec<T, N>> { static constant constexpr bool value = native<T>::value; };

// The bytes of a value that is not native, in words that are.
template <class T> struct image {
  using word = metal::conditional_t<alignof(T) % 4 == 0, uint, metal::conditional_t<alignof(T) % 2 == 0, ushort, uchar>>;
  static constant constexpr uint length = sizeof(T) / sizeof(word);
  alignas(T) word words[length];
};
template <class T> inline image<T> packed(T v) {
  image<T> out;
  for (uint i = 0; i < image<T>::length; i++) {
    out.words[i] = 0; // T may have gaps, which a copy leaves as they are
  }
  *(thread T *)out.words = v;
  return out;
}
template <class T> inline T unpacked(image<T> v) { return *(thread T *)v.words; }

// What threadgroup memory keeps of a value: structures may have constructors, and their images
// have none.
template <class T> using kept = metal::conditional_t<native<T>::value, T, image<T>>;
template <class T> inline kept<T> keep(T v) {
  if constexpr (native<T>::value) {
    return v;
  } else {
    return packed(v);
  }
}
template <class T> inline T given(kept<T> v) {
  if constexpr (native<T>::value) {
    return v;
  } else {
    return unpacked<T>(v);
  }
}

// How a native value comes from another thread.
struct from_lane {
  ushort lane;
  template <class T> T operator()(T v) const { return metal::simd_shuffle(v, lane); }
};
struct from_up {
  ushort delta;
  template <class T> T operator()(T v) const { return metal::simd_shuffle_up(v, delta); }
};
struct from_down {
  ushort delta;
  template <class T> T operator()(T v) const { return metal::simd_shuffle_down(v, delta); }
};
struct from_xor {
  ushort mask;
  template <class T> T operator()(T v) const { return metal::simd_shuffle_xor(v, mask); }
};

template <class T, class Move> inline T moved_words(T v, Move move) {
  image<T> bytes = packed(v);
  for (uint i = 0; i < image<T>::length; i++) {
    bytes.words[i] = move(bytes.words[i]);
  }
  return unpacked<T>(bytes);
}
// Moves a value of any type, word by word unless it is native.
template <class T, class Move> inline T moved(T v, Move move) {
  if constexpr (native<T>::value) {
    return move(v);
  } else {
    return moved_words(v, move);
  }
}

} // namespace detail

// Operations of reduce, inclusive_scan and exclusive_scan. An operation of one's own is a functor
// or a lambda that takes two values and gives one of the same type. It must be associative; it need
// not be commutative. Its static function identity, if it has one, gives exclusive_scan's first
// value.
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
template <class G> ulong wide_ballot(G group, bool predicate);

// Refusals by name.
template <class T> struct no_clusters {
  static_assert(metal::is_same_v<T, bool>, "Metal has no clusters of threadgroups: use a larger threadgroup, or "
                                           "this_grid(); see docs/cooperative-groups.md");
};
template <class T> struct no_multi_grids {
  static_assert(metal::is_same_v<T, bool>, "Metal has no grids over several devices: use a launch for each device; "
                                           "see docs/cooperative-groups.md");
};
} // namespace detail

using cluster_group = detail::no_clusters<void>;
cluster_group this_cluster();
using multi_grid_group = detail::no_multi_grids<void>;
multi_grid_group this_multi_grid();

// All threads of the launch, those of partial threadgroups included.
struct grid_group {
  struct arrival_token {};
  // Waits for all threads of the grid that have not returned. Orders their accesses to device and
  // threadgroup memory and to textures, plain and atomic, across the whole grid.
  static void sync() { __puremetal_grid_barrier(); }
  // A barrier in two steps: barrier_wait is sync.
  static arrival_token barrier_arrive() { return arrival_token(); }
  static void barrier_wait(arrival_token) { sync(); }
  // Whether sync works: a kernel that calls it cannot be launched where it would not.
  static bool is_valid() { return true; }
  static ulong num_threads() {
    uint3 n = __puremetal_threads_per_grid();
    return ulong(n.x) * n.y * n.z;
  }
  static ulong size() { return num_threads(); }
  // The number of the thread, x first.
  static ulong thread_rank() {
    uint3 p = __puremetal_thread_position_in_grid(), n = __puremetal_threads_per_grid();
    return (ulong(p.z) * n.y + p.y) * n.x + p.x;
  }
  static uint3 dim_blocks() { return __puremetal_threadgroups_per_grid(); }
  static uint3 group_dim() { return dim_blocks(); }
  static uint num_blocks() { return detail::product(dim_blocks()); }
  static uint3 block_index() { return __puremetal_threadgroup_position_in_grid(); }
  static uint block_rank() { return detail::number(block_index(), dim_blocks()); }

  template <class T = void> static uint num_clusters() { return sizeof(detail::no_clusters<T>); }
  template <class T = void> static uint3 dim_clusters() { return sizeof(detail::no_clusters<T>); }
  template <class T = void> static uint cluster_rank() { return sizeof(detail::no_clusters<T>); }
  template <class T = void> static uint3 cluster_index() { return sizeof(detail::no_clusters<T>); }
};
inline grid_group this_grid() { return grid_group(); }

// A threadgroup. Its functions wait for all of its threads. Besides sync, they order threadgroup
// memory.
struct thread_block {
  struct arrival_token {};
  // Waits for all threads of the threadgroup and orders their accesses to device and threadgroup
  // memory and to textures.
  static void sync() {
    metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup |
                               metal::mem_flags::mem_texture);
  }
  // A barrier in two steps: barrier_wait is sync.
  static arrival_token barrier_arrive() { return arrival_token(); }
  static void barrier_wait(arrival_token) { sync(); }
  static uint num_threads() { return detail::threads(); }
  static uint size() { return num_threads(); }
  static uint thread_rank() { return detail::index(); }
  // The threadgroup's size; at the end of the grid it may be smaller than elsewhere.
  static uint3 dim_threads() { return __puremetal_threads_per_threadgroup(); }
  static uint3 group_dim() { return dim_threads(); }
  static uint3 thread_index() { return __puremetal_thread_position_in_threadgroup(); }
  static uint3 group_index() { return __puremetal_threadgroup_position_in_grid(); }
  template <class T> T shfl(T v, uint rank) const { return detail::wide_shuffle(*this, v, rank % size()); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, delta < size() - rank ? rank + delta : rank);
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
template <uint N, class Parent = void, bool Wide = (N > 32)> struct thread_block_tile {
  static_assert(N > 0 && (N & (N - 1)) == 0, "the size of a tile must be a power of two up to 32");
  uint rank_among, tiles; // of those that the parent was divided into

  thread_block_tile() : rank_among(detail::index() / N), tiles((detail::threads() + N - 1) / N) {}
  thread_block_tile(uint rank, uint n) : rank_among(rank), tiles(n) {}
  template <class P> thread_block_tile(thread_block_tile<N, P> tile) : rank_among(tile.rank_among), tiles(tile.tiles) {}

  // Waits for the tile's threads and orders their accesses to device and threadgroup memory and to
  // textures.
  void sync() const { __puremetal_active_barrier(); }
  uint thread_rank() const { return detail::lane() & (N - 1); }
  uint num_threads() const { return metal::min(N, detail::threads() - (detail::index() - thread_rank())); }
  uint size() const { return num_threads(); }
  // The tile's number among those that its parent was divided into, and how many they are.
  uint meta_group_rank() const { return rank_among; }
  uint meta_group_size() const { return tiles; }

  // The value of another thread. They order no memory. Ranks and masks count modulo N. up and down
  // give the thread's own value where there is no such rank. The value of a thread that does not
  // exist or does not take part is unspecified.
  template <class T> T shfl(T v, uint rank) const {
    return detail::moved(v, detail::from_lane{ushort(first() | (rank & (N - 1)))});
  }
  template <class T> T shfl_up(T v, uint delta) const {
    if (N == 32) {
      return detail::moved(v, detail::from_up{ushort(metal::min(delta, 32u))});
    }
    return detail::moved(v, detail::from_lane{ushort(detail::lane() - (thread_rank() >= delta ? delta : 0))});
  }
  template <class T> T shfl_down(T v, uint delta) const {
    if (N == 32 && full()) {
      return detail::moved(v, detail::from_down{ushort(metal::min(delta, 32u))});
    }
    bool there = delta < (full() ? N : size()) - thread_rank();
    return detail::moved(v, detail::from_lane{ushort(detail::lane() + (there ? delta : 0))});
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    return detail::moved(v, detail::from_xor{ushort(mask & (N - 1))});
  }

  // The threads whose predicate is true, the one of rank 0 in the lowest bit. Votes order no memory.
  uint ballot(bool predicate) const {
    uint votes = detail::voted(predicate);
    return N == 32 ? votes : votes >> first() & ((1u << (N & 31)) - 1);
  }
  bool any(bool predicate) const { return N == 32 ? metal::simd_any(predicate) : ballot(predicate) != 0; }
  bool all(bool predicate) const { return N == 32 ? metal::simd_all(predicate) : ballot(!predicate) == 0; }
  // The threads with the same value, as ballot gives them.
  template <class T> uint match_any(T v) const {
    uint same = 0;
    for (uint rank = 0, n = full() ? N : size(); rank < n; rank++) {
      same |= uint(detail::moved(v, detail::from_lane{ushort(first() | rank)}) == v) << rank;
    }
    return same;
  }
  // If all threads have the same value, all of them, as ballot gives them; else 0. The second
  // argument gets whether they have.
  template <class T, class P> uint match_all(T v, thread P &same) const {
    uint members = ballot(shfl(v, 0) == v);
    same = members == lanes() >> first();
    return same ? members : 0;
  }

  // Whether all tiles of the threadgroup have N threads.
  static bool full() { return detail::threads() % N == 0; }
  static uint first() { return N == 32 ? 0 : detail::lane() & ~(N - 1); }
  // The tile's lanes.
  uint lanes() const { return (~0u >> (32 - (full() ? N : size()))) << first(); }
};

// A tile of several simdgroups.
template <uint N, class Parent> struct thread_block_tile<N, Parent, true> {
  static_assert((N & (N - 1)) == 0 && N <= 1024, "the size of a tile must be a power of two up to 1024");
  uint rank_among, tiles;

  thread_block_tile() : rank_among(detail::index() / N), tiles((detail::threads() + N - 1) / N) {}
  thread_block_tile(uint rank, uint n) : rank_among(rank), tiles(n) {}
  template <class P> thread_block_tile(thread_block_tile<N, P> tile) : rank_among(tile.rank_among), tiles(tile.tiles) {}

  void sync() const { __puremetal_tile_barrier(N); }
  uint thread_rank() const { return detail::index() & (N - 1); }
  uint num_threads() const { return metal::min(N, detail::threads() - (detail::index() & ~(N - 1))); }
  uint size() const { return num_threads(); }
  uint meta_group_rank() const { return rank_among; }
  uint meta_group_size() const { return tiles; }
  template <class T> T shfl(T v, uint rank) const { return detail::wide_shuffle(*this, v, rank % size()); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return detail::wide_shuffle(*this, v, delta < size() - rank ? rank + delta : rank);
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    uint rank = thread_rank(), other = rank ^ mask;
    return detail::wide_shuffle(*this, v, other < size() ? other : rank);
  }
  bool any(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_or<uint>()) != 0; }
  bool all(bool predicate) const { return detail::wide_reduce(*this, uint(predicate), bit_and<uint>()) != 0; }
  template <class T = void> ulong ballot(bool predicate) const {
    static_assert(N == 64 && metal::is_same_v<T, void>,
                  "a ballot has at most 64 bits: use any, all or reduce, or tiles of up to 64 threads");
    return detail::wide_ballot(*this, predicate);
  }
};

// Threads of a simdgroup: those that reach coalesced_threads together, or a part of a group. Ranks
// count them in the order of their lanes. All of them call the group's functions together; threads
// of other groups may do so at the same time.
struct coalesced_group {
  uint mask; // by lane
  uint rank_among, groups; // of those that the parent was divided into

  void sync() const { __puremetal_active_barrier(); }
  uint num_threads() const { return metal::popcount(mask); }
  uint size() const { return num_threads(); }
  uint thread_rank() const { return metal::popcount(mask & ((1u << detail::lane()) - 1)); }
  uint meta_group_rank() const { return rank_among; }
  uint meta_group_size() const { return groups; }
  template <class T> T shfl(T v, uint rank) const { return detail::moved(v, detail::from_lane{lane_of(rank % size())}); }
  template <class T> T shfl_up(T v, uint delta) const {
    uint rank = thread_rank();
    return shfl(v, rank >= delta ? rank - delta : rank);
  }
  template <class T> T shfl_down(T v, uint delta) const {
    uint rank = thread_rank();
    return shfl(v, delta < size() - rank ? rank + delta : rank);
  }
  template <class T> T shfl_xor(T v, uint mask) const {
    uint rank = thread_rank(), other = rank ^ mask;
    return shfl(v, other < size() ? other : rank);
  }
  uint ballot(bool predicate) const { return ranks(detail::voted(predicate)); }
  bool any(bool predicate) const { return (detail::voted(predicate) & mask) != 0; }
  bool all(bool predicate) const { return (detail::voted(!predicate) & mask) == 0; }
  template <class T> uint match_any(T v) const { return ranks(matching(v)); }
  template <class T, class P> uint match_all(T v, thread P &same) const {
    same = all(shfl(v, 0) == v);
    return same ? ~0u >> (32 - size()) : 0;
  }
  // The lanes of the group with the same value.
  template <class T> uint matching(T v) const {
    uint same = 0;
    for (uint lanes = mask; lanes != 0; lanes &= lanes - 1) {
      uint lane = metal::ctz(lanes);
      same |= uint(detail::moved(v, detail::from_lane{ushort(lane)}) == v) << lane;
    }
    return same;
  }
  // Whether exactly the group's threads are here, so that functions of the simdgroup serve it.
  bool alone() const { return detail::active() == mask; }
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

private:
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

namespace detail {
inline coalesced_group group_of(uint lanes, uint rank, uint n) {
  coalesced_group g;
  g.mask = lanes;
  g.rank_among = rank;
  g.groups = n;
  return g;
}
inline coalesced_group members(coalesced_group group) { return group; }
template <uint N, class P> inline coalesced_group members(thread_block_tile<N, P, false> tile) {
  return group_of(tile.lanes(), 0, 1);
}
template <uint N, class P> inline coalesced_group members(thread_block_tile<N, P, true>) {
  static_assert(N <= 32, "only a coalesced group or a tile of up to 32 threads can be divided by labels or predicates");
  return group_of(0, 0, 0);
}
template <class T = void> inline coalesced_group members(thread_block) {
  static_assert(metal::is_same_v<T, bool>, "a threadgroup cannot be divided by labels or predicates: divide its tiles of 32");
  return group_of(0, 0, 0);
}
inline bool tile_size(uint n) { return n != 0 && n <= 32 && (n & (n - 1)) == 0; }
// A tile of n threads of a group whose thread of rank 0 is at an index divisible by n.
template <class G> inline coalesced_group aligned_tile(G group, uint n) {
  uint rank = group.thread_rank(), size = group.num_threads(), number = rank / n;
  return group_of((~0u >> (32 - metal::min(n, size - number * n))) << (lane() & ~(n - 1)), number, (size + n - 1) / n);
}
} // namespace detail

inline coalesced_group coalesced_threads() { return detail::group_of(detail::active(), 0, 1); }

// tiled_partition divides a group into tiles of as many threads; the last may have fewer. The
// parent is the threadgroup, a tile, or, for sizes up to 32, a coalesced group.
template <uint N> inline thread_block_tile<N, thread_block> tiled_partition(thread_block) {
  return thread_block_tile<N, thread_block>();
}
template <uint N, uint M, class P, bool Wide>
inline thread_block_tile<N, thread_block_tile<M, P, Wide>> tiled_partition(thread_block_tile<M, P, Wide> tile) {
  static_assert(N <= M, "a tile has no larger tiles");
  return thread_block_tile<N, thread_block_tile<M, P, Wide>>(tile.thread_rank() / N, (tile.num_threads() + N - 1) / N);
}
// With a size that is not a constant: 1, 2, 4, 8, 16 or 32. The group has no threads if the size
// is another. It is the parent itself if that has no more threads than the size.
inline coalesced_group tiled_partition(thread_block block, uint n) {
  return detail::tile_size(n) ? detail::aligned_tile(block, n) : detail::group_of(0, 0, 0);
}
template <uint N, class P, bool Wide>
inline coalesced_group tiled_partition(thread_block_tile<N, P, Wide> tile, uint n) {
  return detail::tile_size(n) ? detail::aligned_tile(tile, metal::min(n, N)) : detail::group_of(0, 0, 0);
}
inline coalesced_group tiled_partition(coalesced_group group, uint n) {
  if (!detail::tile_size(n)) {
    return detail::group_of(0, 0, 0);
  }
  uint size = group.num_threads(), number = group.thread_rank() / n, first = number * n;
  uint from = group.lane_of(first), to = group.lane_of(metal::min(first + n, size) - 1);
  return detail::group_of(group.mask & (~0u << from) & (~0u >> (31 - to)), number, (size + n - 1) / n);
}
template <uint N> inline coalesced_group tiled_partition(coalesced_group group) {
  static_assert(N > 0 && N <= 32 && (N & (N - 1)) == 0, "the size of a tile must be a power of two up to 32");
  return tiled_partition(group, N);
}

// labeled_partition divides a coalesced group or a tile of up to 32 threads into groups of the
// threads with the same label, an integer. They are numbered in the order of their first threads.
template <class G, class T> inline coalesced_group labeled_partition(G group, T label) {
  static_assert(metal::is_integral_v<T> && metal::is_scalar_v<T>, "a label must be an integer");
  coalesced_group parent = detail::members(group);
  uint lanes = parent.matching(label), first = metal::ctz(lanes);
  uint firsts = detail::voted(detail::lane() == first) & parent.mask;
  return detail::group_of(lanes, metal::popcount(firsts & ((1u << first) - 1)), metal::popcount(firsts));
}
// binary_partition divides such a group into the threads whose predicate is false, group 0, and
// the others, group 1. If one of them would be empty there is only group 0.
template <class G> inline coalesced_group binary_partition(G group, bool predicate) {
  uint mask = detail::members(group).mask, yes = detail::voted(predicate) & mask;
  if (yes == 0 || yes == mask) {
    return detail::group_of(mask, 0, 1);
  }
  return detail::group_of(predicate ? yes : mask & ~yes, uint(predicate), 2);
}

namespace detail {

// Whether Metal has a function of the simdgroup for an operation.
template <class T, class Op> struct known { static constant constexpr bool value = false; };
template <class T> struct known<T, plus<T>> : native<T> {};
template <class T> struct known<T, less<T>> : native<T> {};
template <class T> struct known<T, greater<T>> : native<T> {};
template <class T> struct known<T, bit_and<T>> : native<T> {};
template <class T> struct known<T, bit_or<T>> : native<T> {};
template <class T> struct known<T, bit_xor<T>> : native<T> {};

// Over the active threads of a simdgroup.
template <class T> inline T simd_reduce(T v, plus<T>) { return metal::simd_sum(v); }
template <class T> inline T simd_reduce(T v, less<T>) { return metal::simd_min(v); }
template <class T> inline T simd_reduce(T v, greater<T>) { return metal::simd_max(v); }
template <class T> inline T simd_reduce(T v, bit_and<T>) { return metal::simd_and(v); }
template <class T> inline T simd_reduce(T v, bit_or<T>) { return metal::simd_or(v); }
template <class T> inline T simd_reduce(T v, bit_xor<T>) { return metal::simd_xor(v); }

// Refuses operations whose results would be converted.
template <class T, class Op> inline void check_op(Op op) {
  using R = metal::remove_cv_t<metal::remove_reference_t<decltype(op(metal::declval<T>(), metal::declval<T>()))>>;
  static_assert(metal::is_same_v<R, T> || metal::is_integral_v<T> && sizeof(T) < 4 && metal::is_same_v<R, int>,
                "the operation's result does not have the type of the values");
}

// The value before the first.
template <class T, class Op> inline auto initial(Op, int) -> decltype(T(Op::identity())) { return T(Op::identity()); }
template <class T, class Op> inline T initial(Op, long) { return T(); }

// Groups within a simdgroup, by their shuffles and in the order of ranks.
template <class G, class T, class Op> inline T fold(G group, T v, Op op, uint n) {
  uint rank = group.thread_rank(), size = group.num_threads();
  for (uint d = 1; d < n; d *= 2) {
    T other = group.shfl_down(v, d);
    if (d < size - rank) {
      v = T(op(v, other));
    }
  }
  return group.shfl(v, 0);
}
template <class G, class T, class Op> inline T ladder(G group, T v, Op op, uint n) {
  uint rank = group.thread_rank();
  for (uint d = 1; d < n; d *= 2) {
    T other = group.shfl_up(v, d);
    if (rank >= d) {
      v = T(op(other, v));
    }
  }
  return v;
}
template <class G, class T, class Op> inline T shifted(G group, T inclusive, Op op) {
  T below = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? initial<T>(op, 0) : below;
}

// Over a whole simdgroup.
template <class T, class Op> inline T simd_fold(T v, Op op) {
  if constexpr (known<T, Op>::value) {
    return simd_reduce(v, op);
  } else {
    return fold(thread_block_tile<32>(), v, op, 32);
  }
}
template <class T, class Op> inline T simd_inclusive(T v, Op op) {
  if constexpr (metal::is_same_v<Op, plus<T>> && native<T>::value) {
    return metal::simd_prefix_inclusive_sum(v);
  } else {
    return ladder(thread_block_tile<32>(), v, op, 32);
  }
}
template <class T, class Op> inline T simd_exclusive(T v, Op op) {
  if constexpr (metal::is_same_v<Op, plus<T>> && native<T>::value) {
    return metal::simd_prefix_exclusive_sum(v);
  } else {
    return shifted(thread_block_tile<32>(), simd_inclusive(v, op), op);
  }
}

// A group of whole simdgroups: a threadgroup or a large tile.
inline void meet(thread_block) { metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup); }
template <uint N, class P> inline void meet(thread_block_tile<N, P, true> tile) { tile.sync(); }
inline uint base(thread_block) { return 0; }
template <uint N, class P> inline uint base(thread_block_tile<N, P, true>) { return index() & ~(N - 1); }

template <class G, class T, class Op> inline T wide_reduce(G group, T v, Op op) {
  threadgroup kept<T> parts[32];
  v = simd_fold(v, op);
  if (lane() == 0) {
    parts[simdgroup()] = keep(v);
  }
  meet(group);
  uint first = base(group) / 32, n = (group.num_threads() + 31) / 32;
  if constexpr (known<T, Op>::value) {
    if (threads() % 32 == 0) {
      v = simd_reduce(lane() < n ? parts[first + lane()] : Op::identity(), op);
      meet(group);
      return v;
    } // else a simdgroup may have fewer lanes than there are parts
  }
  v = given<T>(parts[first]);
  for (uint i = 1; i < n; i++) {
    v = T(op(v, given<T>(parts[first + i])));
  }
  meet(group);
  return v;
}

// The scan of a thread, given its scans within the simdgroup. alone reports that scan is nothing, so
// that only what is below the simdgroup counts.
template <class G, class T, class Op> inline T wide_scan(G group, T scan, T inclusive, Op op, bool alone) {
  threadgroup kept<T> parts[32];
  if (lane() == 31) {
    parts[simdgroup()] = keep(inclusive);
  }
  meet(group);
  uint first = base(group) / 32, rank = group.thread_rank() / 32;
  if constexpr (known<T, Op>::value) {
    if (threads() % 32 == 0) {
      T below = simd_reduce(lane() < rank ? parts[first + lane()] : Op::identity(), op);
      meet(group);
      return op(below, scan);
    }
  }
  if (rank != 0) {
    T below = given<T>(parts[first]);
    for (uint i = 1; i < rank; i++) {
      below = T(op(below, given<T>(parts[first + i])));
    }
    scan = alone ? below : T(op(below, scan));
  }
  meet(group);
  return scan;
}
template <class G, class T, class Op> inline T wide_inclusive(G group, T v, Op op) {
  T inclusive = simd_inclusive(v, op);
  return wide_scan(group, inclusive, inclusive, op, false);
}
template <class G, class T, class Op> inline T wide_exclusive(G group, T v, Op op) {
  T inclusive = simd_inclusive(v, op), exclusive = simd_exclusive(v, op);
  return wide_scan(group, exclusive, inclusive, op, lane() == 0);
}

template <class G> inline ulong wide_ballot(G group, bool predicate) {
  threadgroup uint votes[32];
  uint mine = voted(predicate), first = base(group) / 32;
  if (lane() == 0) {
    votes[simdgroup()] = mine;
  }
  meet(group);
  ulong all = votes[first];
  if (group.num_threads() > 32) {
    all |= ulong(votes[first + 1]) << 32;
  }
  meet(group);
  return all;
}

// Words go through one array, whatever the type.
template <class G> inline uint wide_word(G group, uint v, uint rank) {
  threadgroup uint words[1024];
  words[index()] = v;
  meet(group);
  uint other = words[base(group) + rank];
  meet(group);
  return other;
}
template <class G> struct from_rank {
  G group;
  uint rank;
  template <class W> W operator()(W v) const { return W(wide_word(group, uint(v), rank)); }
};
template <class G, class T> inline T wide_shuffle(G group, T v, uint rank) {
  from_rank<G> move = {group, rank};
  if constexpr (metal::is_arithmetic_v<T> && metal::is_scalar_v<T> && sizeof(T) == 4) {
    return as_type<T>(move(as_type<uint>(v)));
  } else {
    return moved_words(v, move);
  }
}
} // namespace detail

// reduce combines the values of a group's threads and gives all of them the result. The order of
// the operations depends only on the group's shape. It orders no memory within a simdgroup, and
// threadgroup memory in larger groups; so do the scans.
template <uint N, class P, class T, class Op> inline T reduce(thread_block_tile<N, P, false> tile, T v, Op op) {
  detail::check_op<T>(op);
  if constexpr (detail::known<T, Op>::value) {
    if (N == 32) {
      return detail::simd_reduce(v, op);
    }
    if (tile.full()) {
      v = N > 8 ? op(v, metal::simd_shuffle_xor(v, 8)) : v;
      v = N > 4 ? op(v, metal::simd_shuffle_xor(v, 4)) : v;
      v = N > 2 ? op(v, metal::simd_shuffle_xor(v, 2)) : v;
      return N > 1 ? op(v, metal::simd_shuffle_xor(v, 1)) : v;
    }
  }
  return detail::fold(tile, v, op, N);
}
template <uint N, class P, class T, class Op> inline T reduce(thread_block_tile<N, P, true> tile, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_reduce(tile, v, op);
}
template <class T, class Op> inline T reduce(thread_block block, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_reduce(block, v, op);
}
template <class T, class Op> inline T reduce(coalesced_group group, T v, Op op) {
  detail::check_op<T>(op);
  if constexpr (detail::known<T, Op>::value) {
    if (group.alone()) {
      return detail::simd_reduce(v, op);
    }
  }
  return detail::fold(group, v, op, 32);
}

// inclusive_scan combines the values up to the thread's own, in the order of ranks. Without an
// operation it adds them.
template <uint N, class P, class T, class Op> inline T inclusive_scan(thread_block_tile<N, P, false> tile, T v, Op op) {
  detail::check_op<T>(op);
  return N == 32 ? detail::simd_inclusive(v, op) : detail::ladder(tile, v, op, N);
}
template <uint N, class P, class T, class Op> inline T inclusive_scan(thread_block_tile<N, P, true> tile, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_inclusive(tile, v, op);
}
template <class T, class Op> inline T inclusive_scan(thread_block block, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_inclusive(block, v, op);
}
template <class T, class Op> inline T inclusive_scan(coalesced_group group, T v, Op op) {
  detail::check_op<T>(op);
  return detail::ladder(group, v, op, 32);
}
template <class G, class T> inline T inclusive_scan(G group, T v) { return inclusive_scan(group, v, plus<T>()); }

// exclusive_scan combines the values below the thread's own. The thread of rank 0 gets Op's
// identity, or T() if Op has none.
template <uint N, class P, class T, class Op> inline T exclusive_scan(thread_block_tile<N, P, false> tile, T v, Op op) {
  detail::check_op<T>(op);
  return N == 32 ? detail::simd_exclusive(v, op) : detail::shifted(tile, detail::ladder(tile, v, op, N), op);
}
template <uint N, class P, class T, class Op> inline T exclusive_scan(thread_block_tile<N, P, true> tile, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_exclusive(tile, v, op);
}
template <class T, class Op> inline T exclusive_scan(thread_block block, T v, Op op) {
  detail::check_op<T>(op);
  return detail::wide_exclusive(block, v, op);
}
template <class T, class Op> inline T exclusive_scan(coalesced_group group, T v, Op op) {
  detail::check_op<T>(op);
  return detail::shifted(group, detail::ladder(group, v, op, 32), op);
}
template <class G, class T> inline T exclusive_scan(G group, T v) { return exclusive_scan(group, v, plus<T>()); }

// elect is true in one thread of the group.
template <class G> inline bool elect(G group) { return group.thread_rank() == 0; }
inline bool elect(coalesced_group group) {
  return group.alone() ? metal::simd_is_first() : group.thread_rank() == 0;
}

// invoke_one calls a function in one thread of the group. invoke_one_broadcast also gives all
// threads its result. Arguments are constant: what the function changes it captures.
template <class G, class F, class... Args> inline void invoke_one(G group, thread const F &f, thread const Args &...args) {
  if (elect(group)) {
    f(args...);
  }
}
template <class G, class F, class... Args>
inline auto invoke_one_broadcast(G group, thread const F &f, thread const Args &...args) {
  metal::remove_cv_t<metal::remove_reference_t<decltype(f(args...))>> result = {};
  if (elect(group)) {
    result = f(args...);
  }
  return group.shfl(result, 0);
}

template <class G> inline void sync(G group) { group.sync(); }

// memcpy_async copies n elements with the threads of a group. The copy is complete, and visible to
// the group, after wait. It orders nothing by itself.
template <class G, class To, class From> inline void memcpy_async(G group, To to, From from, uint n) {
  for (uint i = uint(group.thread_rank()); i < n; i += uint(group.num_threads())) {
    to[i] = from[i];
  }
}
// Of at most as many elements as each side has.
template <class G, class To, class From> inline void memcpy_async(G group, To to, uint to_n, From from, uint from_n) {
  memcpy_async(group, to, from, metal::min(to_n, from_n));
}
// wait waits for all copies, and is group.sync(); so is wait_prior, though it need only wait for
// those before the last N.
template <class G> inline void wait(G group) { group.sync(); }
template <uint N, class G> inline void wait_prior(G group) { group.sync(); }

} // namespace puremetal
