#pragma once
#include <metal_stdlib>

// Launches from kernels. What a kernel launches runs after all threads of the kernel's level have
// ended, as the next level. The launcher, at buffer index 30, is an argument that the compiler adds,
// and that package compute/tree binds. A kernel may also have it as a parameter,
//   device puremetal::launcher &launcher [[buffer(30)]]
// and pass it to the functions below.
namespace puremetal {

// Arguments of a launch: pointers to device or constant memory and values of up to 32 bytes; after
// them one threadgroup_memory for each parameter of the launched kernel that points to such memory;
// then textures, then samplers, which kernels pass on from their own parameters or from argument
// buffers.
constant constexpr uint max_launch_arguments = 8;
// Launches that wait for each other, by launch_after.
constant constexpr uint max_launch_stages = 8;

// The length of threadgroup memory in bytes, a multiple of 16.
struct threadgroup_memory {
  uint length;
  explicit threadgroup_memory(uint length) : length(length) {}
};

namespace detail {

// Package compute reads these two structures: launch_tree.metal and launch_tree.go there.
struct launch_record {
  uint id, arguments;
  uint stage, rank;   // among the launches of the stage
  uint grid[3], group[3];
  uint sizes[2];      // of the arguments in bytes, 8 bits each; 0 for a pointer, 255 for threadgroup
                      // memory, 254 for a texture, 253 for a sampler
  uint unused[4];
  ulong cells[4 * max_launch_arguments];
};
struct launch_queue {
  metal::atomic_uint wanted;
  uint capacity;
  device launch_record *records;
  ulong launched, threads; // of all earlier steps of the run
  metal::atomic_uint wrong, value;
  metal::atomic_uint stages[max_launch_stages]; // how many launches each has
  device launch_record *others; // for continuations of continuations
  uint unused[12];
};

template <class T> inline uint cell(device ulong *at, T value) {
  static_assert(sizeof(T) <= 32, "a value that a launch passes has at most 32 bytes; pass a pointer");
  *(device T *)at = value;
  return sizeof(T);
}
template <class T> inline uint cell(device ulong *at, device T *pointer) {
  *(device T *device *)at = pointer;
  return 0;
}
template <class T> inline uint cell(device ulong *at, constant T *pointer) {
  *(constant T *device *)at = pointer;
  return 0;
}
inline uint cell(device ulong *at, threadgroup_memory value) {
  *(device uint *)at = value.length;
  return 255;
}
inline uint cell(device ulong *at, metal::sampler value) {
  *(device metal::sampler *)at = value;
  return 253;
}
// A texture's second word describes it: its shape, 256 times its component, 65536 times its access.
// Package bindless of the compiler describes the parameters of launched kernels so.
template <class X> inline uint texture_cell(device ulong *at, X value, uint shape, uint component, metal::access a) {
  *(device X *)at = value;
  at[1] = shape | component << 8 | uint(a) << 16;
  return 254;
}
template <class T> inline uint component() {
  return metal::is_same<T, float>::value ? 1 : metal::is_same<T, half>::value ? 2 : metal::is_same<T, int>::value ? 3
    : metal::is_same<T, uint>::value ? 4 : metal::is_same<T, short>::value ? 5 : metal::is_same<T, ushort>::value ? 6 : 0;
}
#define PUREMETAL_TEXTURE_CELL(name, shape) \
  template <class T, metal::access A> inline uint cell(device ulong *at, metal::name<T, A> value) { \
    return texture_cell(at, value, shape, component<T>(), A); \
  }
PUREMETAL_TEXTURE_CELL(texture1d, 1)
PUREMETAL_TEXTURE_CELL(texture1d_array, 2)
PUREMETAL_TEXTURE_CELL(texture2d, 3)
PUREMETAL_TEXTURE_CELL(texture2d_array, 4)
PUREMETAL_TEXTURE_CELL(texture3d, 7)
PUREMETAL_TEXTURE_CELL(texturecube, 8)
PUREMETAL_TEXTURE_CELL(texturecube_array, 9)
PUREMETAL_TEXTURE_CELL(texture2d_ms, 5)
PUREMETAL_TEXTURE_CELL(depth2d, 11)
PUREMETAL_TEXTURE_CELL(depth2d_array, 12)
PUREMETAL_TEXTURE_CELL(depthcube, 15)
PUREMETAL_TEXTURE_CELL(depthcube_array, 16)
PUREMETAL_TEXTURE_CELL(depth2d_ms, 13)
#if __METAL_VERSION__ >= 200
PUREMETAL_TEXTURE_CELL(texture2d_ms_array, 6)
PUREMETAL_TEXTURE_CELL(depth2d_ms_array, 14)
#endif
#if __METAL_VERSION__ >= 210
PUREMETAL_TEXTURE_CELL(texture_buffer, 10)
#endif
#undef PUREMETAL_TEXTURE_CELL
inline ulong put_all(device launch_record *, uint) { return 0; }
template <class T, class... Rest> inline ulong put_all(device launch_record *r, uint i, T value, Rest... rest) {
  ulong size = ulong(cell(&r->cells[4 * i], value)) << (8 * i);
  return size | put_all(r, i + 1, rest...);
}
} // namespace detail

// The size of a grid in threads, or of a threadgroup.
struct extent {
  uint x, y, z;
  extent(uint x) : x(x), y(1), z(1) {}
  extent(uint2 size) : x(size.x), y(size.y), z(1) {}
  extent(uint3 size) : x(size.x), y(size.y), z(size.z) {}
};

// A launch, for launch_after.
struct child {
  uint stage;
};

struct launcher {
  detail::launch_queue children, continuations;
};

namespace detail {
inline device launcher &here() { return *(device launcher *)__puremetal_launcher(); }

template <class... A> inline void append(device launch_queue &q, uint stage, uint id, extent grid, extent group,
                                         A... args) {
  static_assert(sizeof...(A) <= max_launch_arguments, "a launch passes at most 8 arguments");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
    return;
  }
  uint i = metal::atomic_fetch_add_explicit(&q.wanted, 1u, metal::memory_order_relaxed);
  if (i >= q.capacity) {
    return; // package compute reports it
  }
  device launch_record *r = &q.records[i];
  r->id = id;
  r->arguments = sizeof...(A);
  r->stage = stage;
  r->rank = metal::atomic_fetch_add_explicit(&q.stages[metal::min(stage, max_launch_stages - 1)], 1u,
                                             metal::memory_order_relaxed);
  r->grid[0] = grid.x;
  r->grid[1] = grid.y;
  r->grid[2] = grid.z;
  r->group[0] = group.x;
  r->group[1] = group.y;
  r->group[2] = group.z;
  ulong sizes = put_all(r, 0, args...);
  r->sizes[0] = uint(sizes);
  r->sizes[1] = uint(sizes >> 32);
}
} // namespace detail

// launch launches a kernel of the tree, by its number. Every thread that calls it launches once.
// Arguments fill the buffer indices of the kernel in order. Launches of one level may run
// concurrently. They see all memory that the kernels of earlier levels wrote.
template <class... A> inline child launch(device launcher &l, uint id, extent grid, extent group, A... args) {
  detail::append(l.children, 0, id, grid, group, args...);
  child c;
  c.stage = 0;
  return c;
}

template <class... A> inline child launch(uint id, extent grid, extent group, A... args) {
  return launch(detail::here(), id, grid, group, args...);
}

// launch_after is launch, of a kernel that begins when the threads of an earlier launch have ended;
// not what those launch.
template <class... A> inline child launch_after(device launcher &l, child earlier, uint id, extent grid,
                                                extent group, A... args) {
  detail::append(l.children, earlier.stage + 1, id, grid, group, args...);
  child c;
  c.stage = earlier.stage + 1;
  return c;
}

template <class... A> inline child launch_after(child earlier, uint id, extent grid, extent group, A... args) {
  return launch_after(detail::here(), earlier, id, grid, group, args...);
}

// continue_with launches a kernel that begins when everything that the kernels of this level
// launch has ended, with all that those launch and continue with. It belongs to the level of the
// kernels that it continues: what it launches is the next level, and it may be continued itself.
template <class... A> inline void continue_with(device launcher &l, uint id, extent grid, extent group, A... args) {
  detail::append(l.continuations, 0, id, grid, group, args...);
}
template <class... A> inline void continue_with(uint id, extent grid, extent group, A... args) {
  continue_with(detail::here(), id, grid, group, args...);
}

} // namespace puremetal
