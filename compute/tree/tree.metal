// Turns the launches that kernels have asked for into indirect commands. The first two structures
// are those of launch.metal among the headers of the compiler, the third is treeKernel of
// launch_tree.go.
#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;

struct Record {
  uint id, arguments;
  uint stage, rank;
  uint grid[3], group[3];
  uint sizes[2];
  uint unused[4];
  ulong cells[32];
};
struct Queue {
  atomic_uint wanted;
  uint capacity;
  device Record *records;
  ulong launched, threads;
  atomic_uint wrong, value;
  atomic_uint stages[8];
  device Record *others;
  uint unused[12];
};
// What the kernels of a level launch.
struct Launcher {
  Queue children, continuations;
};
// How far a run is: treeState of launch_tree.go.
struct State {
  uint level;    // of the kernels that ran last
  uint more;     // whether another step may find something to run
  uint failed;   // whether something was wrong
  uint unused;
  uint range[2]; // of the commands to execute
  uint rest[26];
};
struct Kernel {
  compute_pipeline_state state;
  uint parameters, launches; // launches: it has a launcher
  uint most;                 // threads in a threadgroup
  uint pointers;             // a bit for each parameter that a value cannot fill
  uint slots[8];
  uint sizes[8];             // in bytes; 0 if unknown
  uint memory;               // a bit for each parameter that is threadgroup memory
  uint room;                 // bytes of threadgroup memory that the kernel does not have already
  uint kinds[8];             // the types of textures; samplerKind for samplers, 0 for other parameters
  uint group[4];             // the threadgroup that the kernel requires; 0 for any
};
struct Into {
  command_buffer commands;
};

// What is wrong with a launch, by severity: bits 24 to 31. The kernel's number is in bits 8 to 23,
// the argument's in the others.
enum : uint { noKernel = 1u << 24, badCount = 2u << 24, badSize = 3u << 24, notPointer = 4u << 24, badGroup = 5u << 24,
  badStage = 6u << 24, notMemory = 7u << 24, memory = 8u << 24, badMemory = 9u << 24, notTexture = 10u << 24,
  badTexture = 11u << 24, notSampler = 12u << 24, handle = 13u << 24, otherGroup = 14u << 24 };

// The size of an argument that is threadgroup memory.
constant constexpr uint memorySize = 255;
// Those of textures and samplers.
constant constexpr uint textureSize = 254, samplerSize = 253;
// The kind of a parameter that is a sampler.
constant constexpr uint samplerKind = ~0u;

static uint sizeOf(device const Record &r, uint i) { return r.sizes[i / 4] >> (i % 4 * 8) & 0xff; }

static void clear(device Queue &q) {
  atomic_store_explicit(&q.wanted, 0u, memory_order_relaxed);
  for (uint s = 0; s < 8; s++) atomic_store_explicit(&q.stages[s], 0u, memory_order_relaxed);
}

kernel void tree_reset(device State &state [[buffer(0)]], device Queue *queues [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
  device Queue &q = queues[i];
  clear(q);
  atomic_store_explicit(&q.wrong, 0u, memory_order_relaxed);
  atomic_store_explicit(&q.value, 0u, memory_order_relaxed);
  q.launched = q.threads = 0;
  if (i == 0) state.level = state.more = state.failed = state.range[0] = state.range[1] = 0;
}

// Reports whether a texture parameter takes a texture. Both are a shape, 256 times the component,
// 65536 times the access: 2 to write, 3 to read and write, less to read. Every texture can be read.
static bool takes(uint parameter, uint texture) {
  uint want = parameter >> 16, have = texture >> 16;
  return ((parameter ^ texture) & 0xffff) == 0 && (want < 2 || want == have || (want == 2 && have == 3));
}

// Returns what is wrong with a launch, and the number that is.
static uint2 mistake(device const Record &r, device const Kernel *kernels, uint n) {
  uint id = min(r.id, 0xffffu) << 8;
  if (r.id >= n) return uint2(noKernel | id, r.id);
  if (r.stage >= 8) return uint2(badStage | id, r.stage);
  device const Kernel &k = kernels[r.id];
  if (r.arguments != k.parameters) return uint2(badCount | id, r.arguments);
  uint room = k.room;
  for (uint i = 0; i < r.arguments; i++) {
    uint size = sizeOf(r, i), kind = k.kinds[i];
    if (kind == samplerKind) {
      if (size != samplerSize) return uint2(notSampler | id | i, size);
      continue;
    }
    if (kind != 0) {
      uint texture = uint(r.cells[4 * i + 1]);
      if (size != textureSize) return uint2(notTexture | id | i, size);
      if (!takes(kind, texture)) return uint2(badTexture | id | i, texture);
      continue;
    }
    if (size == textureSize || size == samplerSize) return uint2(handle | id | i, size);
    if ((k.memory >> i & 1) != 0) {
      uint length = uint(r.cells[4 * i]);
      if (size != memorySize) return uint2(notMemory | id | i, size);
      if (length == 0 || length % 16 != 0 || length > room) return uint2(badMemory | id | i, length);
      room -= length;
      continue;
    }
    if (size == memorySize) return uint2(memory | id | i, size);
    if (size != 0 && (k.pointers >> i & 1) != 0) return uint2(notPointer | id | i, size);
    if (size != 0 && k.sizes[i] != 0 && size != k.sizes[i]) return uint2(badSize | id | i, size);
  }
  ulong threads = ulong(r.group[0]) * r.group[1];
  threads = threads > k.most ? threads : threads * r.group[2];
  if (threads == 0 || threads > k.most) return uint2(badGroup | id, uint(min(threads, ulong(~0u))));
  bool same = r.group[0] == k.group[0] && r.group[1] == k.group[1] && r.group[2] == k.group[2];
  if (k.group[0] != 0 && !same) return uint2(otherGroup | id, uint(threads));
  return uint2(0);
}

static void encode(device Record &r, device const Kernel &k, device Queue &q, device Launcher *next,
                   command_buffer commands) {
  uint at = r.rank;
  for (uint s = 0; s < r.stage; s++) at += atomic_load_explicit(&q.stages[s], memory_order_relaxed);
  compute_command c(commands, at);
  c.reset();
  c.set_compute_pipeline_state(k.state);
  for (uint i = 0; i < r.arguments; i++) {
    device ulong *cell = r.cells + 4 * i;
    if ((k.memory >> i & 1) != 0) {
      c.set_threadgroup_memory_length(uint(*cell), k.slots[i]);
      continue;
    }
    device const uchar *from = sizeOf(r, i) != 0 ? (device const uchar *)cell : *(device const uchar *device *)cell;
    c.set_kernel_buffer(from, k.slots[i]);
  }
  if (k.launches != 0) c.set_kernel_buffer(next, 30);
  if (r.stage != 0 && r.rank == 0) c.set_barrier();
  c.concurrent_dispatch_threads(uint3(r.grid[0], r.grid[1], r.grid[2]), uint3(r.group[0], r.group[1], r.group[2]));
}

constant constexpr uint nothing = ~0u;

// Returns the queue to run next, 2 * level + 1 for continuations: what the kernels that ran last
// have launched, and once there is nothing, the continuations of their level and then of those
// above. The state's level becomes that of the queue.
static uint choose(device State &state, device Launcher *levels) {
  if (state.failed != 0) return nothing;
  for (uint level = state.level;; level--) {
    if (atomic_load_explicit(&levels[level].children.wanted, memory_order_relaxed) != 0) return 2 * level;
    if (atomic_load_explicit(&levels[level].continuations.wanted, memory_order_relaxed) != 0) return 2 * level + 1;
    if (level == 0) return nothing;
  }
}

// One threadgroup encodes the launches of the next queue, and the range of commands to execute: none
// if there are too many or one is wrong.
kernel void tree_step(device State &state [[buffer(0)]], device Launcher *levels [[buffer(1)]],
                      device const Kernel *kernels [[buffer(2)]], device const Into &into [[buffer(3)]],
                      constant uint &n [[buffer(4)]], device uint &trace [[buffer(5)]],
                      uint i [[thread_index_in_threadgroup]], uint group [[threads_per_threadgroup]]) {
  threadgroup ulong sums[256];
  threadgroup uint chosen;
  if (i == 0) {
    chosen = choose(state, levels);
    trace = chosen;
    state.more = chosen != nothing;
    state.range[0] = state.range[1] = 0;
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  if (chosen == nothing) return;
  device Launcher *level = levels + chosen / 2;
  bool continues = chosen % 2 != 0;
  device Queue &q = *(continues ? &level->continuations : &level->children);
  device Launcher *next = continues ? level : level + 1;
  uint wanted = atomic_load_explicit(&q.wanted, memory_order_relaxed);
  uint count = wanted <= q.capacity ? wanted : 0;
  uint2 wrong = uint2(0);
  ulong threads = 0;
  for (uint at = i; at < count; at += group) {
    device Record &r = q.records[at];
    uint2 m = mistake(r, kernels, n);
    if (m.x == 0) {
      encode(r, kernels[r.id], q, next, into.commands);
      threads += ulong(r.grid[0]) * r.grid[1] * r.grid[2];
    } else if (m.x > wrong.x) {
      wrong = m;
    }
  }
  if (wrong.x != 0) atomic_fetch_max_explicit(&q.wrong, wrong.x, memory_order_relaxed);
  sums[i] = threads;
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  uint worst = atomic_load_explicit(&q.wrong, memory_order_relaxed);
  if (wrong.x != 0 && wrong.x == worst) atomic_fetch_max_explicit(&q.value, wrong.y, memory_order_relaxed);
  if (i != 0) return;
  state.level = uint(next - levels);
  if (worst != 0 || count != wanted) {
    state.failed = 1;
    state.more = 0;
    return; // the queue keeps what is wrong
  }
  for (uint s = 1; s < group; s++) threads += sums[s];
  state.range[1] = count;
  q.launched += count;
  q.threads += threads;
  clear(q);
  if (continues) { // the records are in use while the kernels run that may continue
    device Record *records = q.records;
    q.records = q.others;
    q.others = records;
  }
}
