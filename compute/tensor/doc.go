// Package tensor provides arrays of up to 16 dimensions in device memory and the operations of
// numerical programs on them: element types from bool to bfloat16, views that share memory,
// broadcasting, and results in memory that is recycled.
//
//	engine, err := tensor.New(acc)
//	defer engine.Close(ctx)
//
//	s := engine.Scope(ctx)
//	defer s.Close()
//	x := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
//	y := s.Tanh(s.Add(s.Mul(x, tensor.Scalar(0.5)), x.Slice(0, 0, 1)))
//	values, err := tensor.Data[float32](ctx, y) // waits; returns the first error of all above
//
// # Why operations belong to a scope, and return no error
//
// Formulas are nested calls, which a second result would forbid, and each intermediate result would
// need a Close. So a [Scope] owns the results of its operations and closes them together, and keeps
// the first error, as [bufio.Writer] does: later operations do nothing, and [Scope.Err],
// [Scope.Keep], [Data] and [Engine.Sync] report. The error names the operation, its operands and
// the line of the program. A scope has one context, because it is one piece of work.
//
// A result that must outlive its scope is kept with [Scope.Keep]; weights of a model belong to a
// scope that lives as long as the model.
//
// # Order
//
// Operations are enqueued on one stream, in the order of the calls, and run one after another or
// concurrently where their memory allows it. Only what returns elements waits, such as [Data],
// [ToNPY] and [ToMatrix32], and [Engine.Sync], [Engine.MeasurePeak] and [Engine.Calibrate]; with
// backend mpsgraph, operations that it computes wait too.
//
// # Overview
//
//	make        Of, FromFloat64, Adopt, Scope.Full, Range, Uniform, Normal, Scalar
//	read        Data, Item, ToFloat64
//	gonum       OfMatrix32, OfMatrix64, AdoptMatrix32, ToMatrix32, ToMatrix64, ShareMatrix32
//	NumPy       FromNPY, ToNPY, LoadNPY, LoadNPZ, SaveNPY, SaveNPZ
//	view        Tensor.Slice, Step, Index, Flip, Split, Transpose, T, Broadcast, Reshape, Squeeze,
//	            Unsqueeze
//	copy        Scope.Copy, Contiguous, Reshape, Cast, Assign
//	arithmetic  Add, Sub, Mul, Div, FloorDiv, Mod, FloorMod, Pow, Atan2, CopySign, Min, Max,
//	            FMA, Clamp
//	functions   Neg, Abs, Sign, Square, Reciprocal, Sqrt, Rsqrt, Exp, Log, Sin, Tanh, Erf, Round, ...
//	activations ReLU, GELU, SiLU, Sigmoid, Softplus, Mish, LeakyReLU, ELU, SELU, ...
//	tests       Equal, Less, ..., IsNaN, And, Or, Xor, Not, Where
//	bits        BitAnd, BitOr, BitXor, BitNot, ShiftLeft, ShiftRight, PopCount
//	reductions  Sum, Mean, Prod, MinOf, MaxOf, All, Any, ArgMin, ArgMax, Var, Norm, LogSumExp
//	matrices    MatMul, MatMulInt8, Attention
//	networks    Conv, ConvTranspose, MaxPool, AvgPool, Softmax, LogSoftmax, LayerNorm, RMSNorm,
//	            BatchNorm, GroupNorm, LocalResponseNorm, Resize, SpaceToDepth, DepthToSpace,
//	            RNN, LSTM, GRU, Quantize, Dequantize
//	language    MatMulPacked, MatMulTernary, Embed, Unpack, Rope, GroupedAttention, AppendCache,
//	            CachedAttention, AddRMSNorm, SwiGLU, GeGLU, Sample, PenalizeRepetition
//	signals     FFT, IFFT, RFFT, IRFFT
//	join        Concat, Stack, Pad, Tile
//	indices     Gather, GatherND, TakeAlong, Scatter, ScatterND, PutAlong, OneHot, BandPart
//	order       Sort, ArgSort, TopK, CumSum, CumProd, CumMin, CumMax
//
// # Backends
//
// Operations are computed by this library's own kernels, unless the program adds MPS and MPSGraph
// with package mpsbackend. Then [WithBackend] or the variable PUREMETAL_TENSOR_BACKEND forces one
// of them, and without force the times of [Engine.Calibrate] decide, or a rule where nothing was
// measured. [Engine.Explain] returns what was chosen and why. On the software device MPS and
// MPSGraph have the engine's own kernels, which always compute there.
//
// # Numbers
//
// 16-bit floating-point numbers are converted to float32 for computing, and each operation rounds
// its result once. Integers wrap around. Kernels are compiled with safe math and precise functions.
// Operands of one operation have equal element types: nothing is converted but a [Scalar] unless
// the program calls [Scope.Cast].
package tensor
