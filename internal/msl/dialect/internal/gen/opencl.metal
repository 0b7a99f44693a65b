// Work items. Past the last dimension an identifier is 0 and a size is 1.

inline uint get_work_dim() {
  uint3 size = __puremetal_threads_per_grid();
  return size.z > 1 ? 3 : size.y > 1 ? 2 : 1;
}

inline size_t get_global_id(uint d) { return d < 3 ? __puremetal_thread_position_in_grid()[d] : 0; }

inline size_t get_global_size(uint d) { return d < 3 ? __puremetal_threads_per_grid()[d] : 1; }

inline size_t get_global_offset(uint d) { return 0; }

inline size_t get_group_id(uint d) { return d < 3 ? __puremetal_threadgroup_position_in_grid()[d] : 0; }

inline size_t get_num_groups(uint d) { return d < 3 ? __puremetal_threadgroups_per_grid()[d] : 1; }

inline size_t get_local_id(uint d) { return d < 3 ? __puremetal_thread_position_in_threadgroup()[d] : 0; }

inline size_t get_local_size(uint d) { return d < 3 ? __puremetal_threads_per_threadgroup()[d] : 1; }

// The first group of several has the nominal size, and tells it by where it ends.
inline size_t get_enqueued_local_size(uint d) {
  size_t group = get_group_id(d);
  return group > 0 ? (get_global_id(d) - get_local_id(d)) / group : get_local_size(d);
}

inline size_t get_global_linear_id() {
  uint3 at = __puremetal_thread_position_in_grid(), size = __puremetal_threads_per_grid();
  return (size_t(at.z) * size.y + at.y) * size.x + at.x;
}

inline size_t get_local_linear_id() { return __puremetal_thread_index_in_threadgroup(); }

// Barriers.

inline void barrier(uint flags) {
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device | mem_flags::mem_texture);
}

// Functions of Metal that mean the same.

using metal::acos;
using metal::acosh;
using metal::asin;
using metal::asinh;
using metal::atan;
using metal::atan2;
using metal::atanh;
using metal::ceil;
using metal::clamp;
using metal::copysign;
using metal::cos;
using metal::cosh;
using metal::cospi;
using metal::cross;
using metal::dot;
using metal::exp;
using metal::exp10;
using metal::exp2;
using metal::fabs;
using metal::fdim;
using metal::floor;
using metal::fma;
using metal::fmax;
using metal::fmin;
using metal::ldexp;
using metal::log;
using metal::log10;
using metal::log2;
using metal::max;
using metal::min;
using metal::mix;
using metal::pow;
using metal::powr;
using metal::rint;
using metal::round;
using metal::rsqrt;
using metal::sign;
using metal::sin;
using metal::sinh;
using metal::sinpi;
using metal::smoothstep;
using metal::sqrt;
using metal::step;
using metal::tan;
using metal::tanh;
using metal::tanpi;
using metal::trunc;

using metal::clz;
using metal::ctz;
using metal::hadd;
using metal::mad24;
using metal::mul24;
using metal::popcount;
using metal::rhadd;
using metal::rotate;
