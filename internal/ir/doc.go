// Package ir is the high-level intermediate representation (HIR) of compute kernels: what one
// thread does, in typed static single assignment form over structured regions, with every call
// inlined. The compiler produces it, passes rewrite it, engines lower it further. This comment
// defines the semantics; an engine that computes anything else is wrong.
//
// # Programs
//
// A Module has entry points (Func) and data in the constant space (Global). The body of a Func is a
// Region: a list of instructions; the last one, and no other, is a terminator. An instruction has
// an operation, operands and results; If, Loop and Block also have regions. A value may be used
// after the instruction that defines it, in the same region and in the regions nested in it; a
// region's parameters may be used in the whole region. There is no other control flow:
//
//   - If runs one of two regions. yield ends a region and gives the results.
//   - Loop runs its region with its operands as parameters. continue runs it again with new ones; break ends the loop and gives the results.
//     Its region never yields.
//   - Block runs its region once; yield, or break from anywhere inside, gives the results.
//   - break and continue name the enclosing Loop or Block they refer to, at any depth. return ends the thread from anywhere.
//   - unreachable marks a place that a valid program never reaches; the thread ends there.
//
// The operations are rows of a table (Op.Info): name, operands and results, properties, and a
// one-line description. The terms used there are defined below.
//
// # Numbers
//
// Lanewise operations on vectors apply the scalar operation to each lane. Every instruction is
// executed as written: nothing is contracted, reassociated or kept in higher precision, under any
// math mode. The Fast flag only allows more error in the operations marked Approx, and in fdiv
// and sqrt up to 2.5 units in the last place.
//
// Integers are bit patterns in two's complement. Arithmetic wraps. A shift or rotation counts
// modulo the width. Division by zero gives quotient 0 and the dividend as remainder, so that x =
// q*0 + r holds. The least number divided by -1 gives itself, with remainder 0. A truth value is 0
// or 1; a byte loaded as one is true if it is not 0.
//
// f16, bf16 and f32 are IEEE formats with denormals, infinities, signed zeros and NaNs. Every
// operation that is not Approx rounds its exact result once, to nearest, ties to even, in its own
// type: half and bfloat operations round each time. Denormals are not flushed to zero, on input or
// output. An operation whose result is a NaN gives a quiet NaN; its sign and payload are not
// specified (engines are compared with all NaNs equal), except that neg, abs, copysign, select,
// bitcast, memory and lane operations preserve bits.
//
//   - fmin and fmax return the other operand if one is a NaN, and order -0 below +0. feq, flt and fle are false with a NaN, fne is true.
//   - float to integer rounds toward zero and clamps to the range; a NaN gives 0. Integer to float,
//     and float to float, round once.
//   - fmod is exact and has the sign of x. It is a NaN if x is an infinity or y is zero, and x if y
//     is an infinity.
//   - rint rounds ties to even, round away from zero; both keep the sign of a zero.
//   - fract of a small negative number is the greatest number below 1, never 1.
//   - Approx operations follow C's Annex F at infinities, zeros, NaNs and poles. Elsewhere an f32
//     result is within 4 units in the last place (16 for pow, powr, tan, sinh, cosh and tanpi); for
//     sin, cos and tan this holds for |x| up to 2^20, and beyond that the absolute error is within
//     2^-11; an f16 or bf16 result is within one unit. With Fast, f32 results may have a relative
//     error of 2^-11, and special operands and angles above 2^20 give anything; package
//     exec/num/fast says what they do give. powr of a negative x is a NaN. All engines of a build
//     use the same definition, so they agree bit for bit.
//   - Sums of a dot product or matrix product that lowering writes out are rounded in the order written.
//
// # Memory
//
// An address is 64 bits: the upper 24 name an object, the lower 40 are a byte offset. 0 is null.
// The arithmetic of field and offset is modulo 2^40 in the lower part and never changes the object,
// so no address that a program computes from another leads into another object. Objects are: each
// buffer that is bound or reachable through an argument buffer, each global, each variable or
// argument in the threadgroup space, each alloca of each thread. The names of objects are
// unspecified, but do not change within a launch.
//
// A load or store of a vector loads or stores each lane, with the lanes next to each other without
// padding (three floats are 12 bytes). Memory is little-endian; no alignment is needed. A pointer
// or handle is 8 bytes. **Out of bounds** means that a lane's bytes are not all within the object,
// that the address is null or names no object, or that the object is in a different space from the
// one in the pointer's type (a device pointer may name an object bound as constant, and vice versa,
// but a store to an object that is bound read-only is out of bounds). An out-of-bounds read gives 0
// and an out-of-bounds write is dropped, lane by lane; copy and clear go byte by byte, and copy
// reads everything before it writes. Sanitizers report it; it is never an error of the launch.
//
// Metal says that the constant space does not change during a launch, so an engine may read it at
// any time. If the same launch writes those bytes through another pointer, a read through a
// constant pointer gives, for each byte, either its value before the launch or one of the values
// written, even if the writer is the same thread. The next launch sees what was written.
//
// Memory in the thread and threadgroup spaces is zero when the thread or threadgroup starts. An
// alloca has one address, however often it is executed, and keeps its contents.
//
// Atomics act on one object, indivisibly. An address that is not a multiple of the size is out of
// bounds: the old value is 0 and nothing is written (a compare-exchange fails). Compare-exchange
// compares bits and never fails spuriously. Float atomics round like fadd. Atomics of different
// threads are executed in any order; all threads see those on one object in the same order;
// ordinary accesses are ordered by acquire and release (as in C++), by fences, and by barriers for
// the memory they name. Engines may give stronger guarantees. When two threads access the same
// bytes, at least one of them writes, and nothing orders the accesses, a read gives for each byte
// one of the values that were written; nothing else goes wrong.
//
// A function constant that the host does not set is zero; fconst.defined is false for it. An
// argument to which nothing is bound is a null address or no handle.
//
// # Threads
//
// A grid is divided into threadgroups. A threadgroup's threads are numbered x first, then y, then
// z; every 32 consecutive threads form a simdgroup, every 4 a quad. A last simdgroup may have fewer
// than 32 lanes. Threadgroups run in any order.
//
// An *instance* of an instruction is one execution of it, identified by the number of times each
// enclosing loop has begun its region since the loop was entered (and so on outward). Lanes of a
// simdgroup that reach the same instance of a Convergent instruction meet there: they are its
// *active lanes*. The instruction waits for every lane that will reach it: lanes diverge only at
// If, Loop and Block, and reconverge after them, whatever path they took (including an early break
// or continue). Lanes that have returned are never active.
//
//   - barrier waits until every simdgroup of the threadgroup with threads that have not returned is
//     at the same instance of it. A simdgroup's position is that of its threads that are furthest
//     back: an iteration of a loop is behind the next, an If's first region behind its second, and
//     both behind the code that follows. Its other remaining threads have diverged and are passed
//     over: the barrier does not order what they do. When they reconverge with the others they are
//     waited for as usual, but they must not reach a barrier again. If simdgroups wait at different
//     instances, or a thread that was passed over reaches a barrier, the launch fails: the barrier
//     is in divergent control flow.
//   - grid.barrier waits until every thread of the grid that has not returned is at the same
//     instance of it, and orders all their accesses to memory and textures, plain and atomic. It is
//     a barrier of the threadgroup too. A thread that has returned counts as arrived, in loops too.
//     No thread is passed over: control flow must be the same for the whole grid, as
//     VerifyGridBarriers checks before a launch. If it is not, since threads race for a value that
//     decides it, the launch fails. Such a program runs only if the host asks for it, because
//     threadgroups otherwise run in any order.
//   - simd.barrier orders memory among the active lanes; it does nothing else.
//   - A reduction combines the active lanes' values in this order: for d = 16, 8, 4, 2, 1 (quad: 2,
//     1), lane l below d takes x[l] op x[l+d]; where one of them is missing, it takes the other.
//     Each step rounds. All active lanes get x[0]. A scan goes up lane by lane.
//   - A shuffle takes the lane's number modulo 2^32 as unsigned. up, down and their relatives treat a
//     lane number outside 0 to 31 (quad: 0 to 3) as their rows say. broadcast with different lane
//     numbers gives each lane what it asks for. A lane that does not exist gives 0. A lane that is
//     not active gives what it holds, see below.
//   - Each lane has registers that other lanes can read, 0 at first. simd.hold sets register Imm of
//     the active lanes to its operand. If a shuffle's operand is the result of a simd.hold, a lane
//     that is not active gives what its register of that number holds: the value it had at its last
//     simd.hold of that number, even in an earlier iteration, and even if it has left the loop or
//     returned since. Otherwise it gives 0. Between a simd.hold and the shuffles of its result, the
//     active lanes reach no other of the same number. HoldLanes puts these instructions where the
//     operands of a program's shuffles are computed, so that a lane that a branch switched off still
//     gives its value from before the branch, 0 if it never computed one. A function with a grid
//     barrier has none.
//   - Matrices are values of all 32 lanes. Lane l holds two elements of row ((l>>2)&4)+((l>>1)&3):
//     column ((l>>2)&2)*2+(l&1)*2 and the next. Elements that inactive lanes hold count as zero.
//     mat.load and mat.store are ordinary accesses of each lane to its own two elements.
//
// Instructions cost fuel if the engine counts it, and a launch that runs out of fuel fails. Nothing
// else makes a launch fail.
//
// # Visible functions
//
// A visible function table is an object in the constant space: an i64 with the number of entries,
// then the entries, an i64 each. An entry is 1 + index into Module.Visible, or 0 for none. A
// program calls through a table by comparing the entry with the functions of that type, which are
// inlined. A call through an entry of 0 gives zero.
//
// # Textures
//
// A texture's handle is 64 bits, 0 for none. Coordinates are unsigned for a read or write. If any
// of them, or the layer, level or sample, is out of bounds, a read gives 0 in all components and a
// write is dropped. A component missing from the format reads as 0, a missing alpha as 1.
// Normalized formats convert as Metal says: unorm c/(2^n-1), snorm max(c/(2^(n-1)-1), -1), and the
// reverse rounds to nearest even after clamping, NaN as 0. Integer formats clamp. A sample's array
// index is clamped to the existing layers. A linear filter never crosses the edge of a cube face. A
// direction into a cube is never in pixel coordinates. Filter weights are exact, so hardware with
// 8-bit weights may differ from this in the last bits.
//
// The level of detail of two derivatives is log2 of the longer of the distances, in texels of level
// 0, by which they move the position; in a cube they move it on the face that the direction meets.
// An operation with an explicit level uses it. The sampler adds its bias to the level and clamps
// it; then tex.sample_grad takes the greater of the level and its operand. If the level is at most
// 0 or a NaN, the magnification filter is used. With anisotropy n above 1, tex.sample_grad takes k
// = min(n, ceil(longer/shorter)) samples of equal weight at the level log2(longer/k), evenly spread
// along the longer derivative around the position; other operations ignore anisotropy. In a sampler
// that reduces by minimum or maximum, all filters use that instead of the weighted average, over
// the texels whose weight is above 0.
//
// Atomics operate on texels that hold one number: R32Uint and R32Sint in a texture of i32, RG32Uint
// (low word first) in one of i64, which reads give as component 0. In any other format they behave
// as out of bounds. A read or write of such a texel is indivisible too.
//
// # Commands
//
// A command buffer, its commands and pipelines are handles of 64 bits, 0 for none; what they mean
// beyond that is the host's. A kernel writes commands as it writes memory: if two threads write one
// command, each setting comes from one of them. CommandOp lists the settings.
//
// # Messages
//
// A log message has a level, the handle of its log (an i32: 1 + index into Module.Logs; any other
// number is the log without a name) and a format with a conversion for each operand after the
// handle; LogPieces parses it. %c and the integer conversions take i32 and i64, the float
// conversions f32, and %p i64, all with as many lanes as the conversion specifies. Messages of one
// thread appear in program order, those of different threads in any order. Whether they are read is
// up to the host; a program cannot tell.
//
// # Text
//
// Func.String and Module.String print a program and Parse reads it back; printing the result gives
// the same text. See Parse for the grammar. Verify checks everything that this comment and the
// table require of a program before it runs.
package ir
