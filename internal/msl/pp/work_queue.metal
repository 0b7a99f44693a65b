#pragma once
#include <puremetal/cooperative>

// A queue of work for kernels whose threads take items and add new ones, until none is left. No
// thread ever waits for another: pop finds nothing if the queue is empty or the next item is still
// being written, and the kernel then ends. WorkQueue.Drain of package compute launches it again
// while items are left. It needs version 3.2 of the language, for device-wide fences.
namespace puremetal {

namespace detail {
// A slot is free for item number n of the queue if its turn is n, and has it if its turn is n + 1.
// Items are atomic words because other threadgroups read them during the same launch.
template <class T> struct work_slot {
  metal::atomic_uint turn;
  metal::atomic_uint words[sizeof(T) / 4];
};
inline uint relaxed(device metal::atomic_uint &a) {
  return metal::atomic_load_explicit(&a, metal::memory_order_relaxed);
}
inline bool claim(device metal::atomic_uint &end, thread uint &at) {
  return metal::atomic_compare_exchange_weak_explicit(&end, &at, at + 1, metal::memory_order_relaxed,
                                                      metal::memory_order_relaxed);
}
inline void order() {
  metal::atomic_thread_fence(metal::mem_flags::mem_device, metal::memory_order_acq_rel, metal::thread_scope_device);
}
} // namespace detail

// Package compute knows this structure: work_items.go. Slots and counters follow it.
template <class T> struct work_queue {
  static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 64, "an item has at most 64 bytes, in multiples of 4");
  metal::atomic_uint head, tail; // numbers of the next items to pop and to push
  uint capacity;                 // a power of two
  metal::atomic_uint refused;    // pushes
  uint counters, groups;         // where the numbers of items that each threadgroup popped begin, in bytes
  uint unused[2];

  device detail::work_slot<T> &slot(uint at) device {
    return ((device detail::work_slot<T> *)(this + 1))[at & (capacity - 1)];
  }
};

// try_push adds an item. It returns false if there is no room, and the caller keeps the item.
template <class T> inline bool try_push(device work_queue<T> &q, T item) {
  uint at = detail::relaxed(q.tail);
  for (;;) {
    int ahead = int(detail::relaxed(q.slot(at).turn) - at);
    if (ahead < 0) {
      return false;
    }
    if (ahead > 0) { // another thread was faster
      at = detail::relaxed(q.tail);
    } else if (detail::claim(q.tail, at)) {
      break;
    }
  }
  device detail::work_slot<T> &s = q.slot(at);
  thread uint *words = (thread uint *)&item;
  for (uint i = 0; i < sizeof(T) / 4; i++) {
    metal::atomic_store_explicit(&s.words[i], words[i], metal::memory_order_relaxed);
  }
  detail::order();
  metal::atomic_store_explicit(&s.turn, at + 1, metal::memory_order_relaxed);
  return true;
}

// push is try_push for a caller that cannot keep the item: if there is no room, the item is lost
// and WorkQueue.Drain returns an error that says how many.
template <class T> inline bool push(device work_queue<T> &q, T item) {
  if (try_push(q, item)) {
    return true;
  }
  metal::atomic_fetch_add_explicit(&q.refused, 1u, metal::memory_order_relaxed);
  return false;
}

// pop takes the oldest item. It returns false if it finds none.
template <class T> inline bool pop(device work_queue<T> &q, thread T &item) {
  uint at = detail::relaxed(q.head);
  for (;;) {
    int ahead = int(detail::relaxed(q.slot(at).turn) - (at + 1));
    if (ahead < 0) {
      return false;
    }
    if (ahead > 0) {
      at = detail::relaxed(q.head);
    } else if (detail::claim(q.head, at)) {
      break;
    }
  }
  detail::order();
  device detail::work_slot<T> &s = q.slot(at);
  thread uint *words = (thread uint *)&item;
  for (uint i = 0; i < sizeof(T) / 4; i++) {
    words[i] = detail::relaxed(s.words[i]);
  }
  detail::order();
  metal::atomic_store_explicit(&s.turn, at + q.capacity, metal::memory_order_relaxed);
  device metal::atomic_uint *counters = (device metal::atomic_uint *)((device uchar *)&q + q.counters);
  metal::atomic_fetch_add_explicit(&counters[metal::min(this_grid().block_rank(), q.groups - 1)], 1u,
                                   metal::memory_order_relaxed);
  return true;
}

// pop takes one item for a threadgroup; all of its threads get it. It is a barrier.
template <class T> inline bool pop(thread_block block, device work_queue<T> &q, thread T &item) {
  threadgroup uint found;
  threadgroup T shared;
  if (block.thread_rank() == 0) {
    T first;
    found = pop(q, first);
    if (found != 0) {
      shared = first;
    }
  }
  block.sync();
  bool any = found != 0;
  if (any) {
    item = shared;
  }
  block.sync();
  return any;
}

} // namespace puremetal
