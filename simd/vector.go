package simd

import "math"

// Scalar is a Go type with the size and meaning of an MSL scalar.
type Scalar interface {
	bool | Integer | float32 | SmallFloat
}

// Integer is a Go type with the size and meaning of an MSL integer.
type Integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// SmallFloat is a number of 16 bits.
type SmallFloat interface{ Half | BFloat16 }

// Float2 is Metal's float2, which it aligns to 8 bytes.
type Float2 struct{ X, Y float32 }

// Float3 is Metal's float3. It has the size and alignment of a Float4.
type Float3 struct {
	X, Y, Z float32
	_       float32
}

// Float4 is Metal's float4, which it aligns to 16 bytes.
type Float4 struct{ X, Y, Z, W float32 }

// Vec2 is a vector of two integers. Metal aligns it to twice the size of its scalar.
type Vec2[T Integer] struct{ X, Y T }

// Vec3 is a vector of three integers. It has the size and alignment of a vector of four.
type Vec3[T Integer] struct {
	X, Y, Z T
	_       T
}

// Vec4 is a vector of four integers. Metal aligns it to four times the size of its scalar.
type Vec4[T Integer] struct{ X, Y, Z, W T }

// Small2 is a vector of two numbers of 16 bits. It computes in float32 and rounds each result.
type Small2[T SmallFloat] struct{ X, Y T }

// Small3 is a vector of three numbers of 16 bits, with the size and alignment of a vector of four.
type Small3[T SmallFloat] struct {
	X, Y, Z T
	_       T
}

// Small4 is a vector of four numbers of 16 bits.
type Small4[T SmallFloat] struct{ X, Y, Z, W T }

// Bool2 is Metal's bool2.
type Bool2 struct{ X, Y bool }

// Bool3 is Metal's bool3, which has the size of a Bool4.
type Bool3 struct {
	X, Y, Z bool
	_       bool
}

// Bool4 is Metal's bool4.
type Bool4 struct{ X, Y, Z, W bool }

// Packed2 is a packed vector of two elements, aligned like its scalar.
type Packed2[T Scalar] struct{ X, Y T }

// Packed3 is a packed vector of three elements: three scalars without padding, aligned like one.
type Packed3[T Scalar] struct{ X, Y, Z T }

// Packed4 is a packed vector of four elements, aligned like its scalar.
type Packed4[T Scalar] struct{ X, Y, Z, W T }

// The vectors under their names in Metal.
type (
	Char2   = Vec2[int8]
	Char3   = Vec3[int8]
	Char4   = Vec4[int8]
	UChar2  = Vec2[uint8]
	UChar3  = Vec3[uint8]
	UChar4  = Vec4[uint8]
	Short2  = Vec2[int16]
	Short3  = Vec3[int16]
	Short4  = Vec4[int16]
	UShort2 = Vec2[uint16]
	UShort3 = Vec3[uint16]
	UShort4 = Vec4[uint16]
	Int2    = Vec2[int32]
	Int3    = Vec3[int32]
	Int4    = Vec4[int32]
	UInt2   = Vec2[uint32]
	UInt3   = Vec3[uint32]
	UInt4   = Vec4[uint32]
	Long2   = Vec2[int64]
	Long3   = Vec3[int64]
	Long4   = Vec4[int64]
	ULong2  = Vec2[uint64]
	ULong3  = Vec3[uint64]
	ULong4  = Vec4[uint64]
	Half2   = Small2[Half]
	Half3   = Small3[Half]
	Half4   = Small4[Half]
	BFloat2 = Small2[BFloat16]
	BFloat3 = Small3[BFloat16]
	BFloat4 = Small4[BFloat16]

	PackedChar2   = Packed2[int8]
	PackedChar3   = Packed3[int8]
	PackedChar4   = Packed4[int8]
	PackedUChar2  = Packed2[uint8]
	PackedUChar3  = Packed3[uint8]
	PackedUChar4  = Packed4[uint8]
	PackedShort2  = Packed2[int16]
	PackedShort3  = Packed3[int16]
	PackedShort4  = Packed4[int16]
	PackedUShort2 = Packed2[uint16]
	PackedUShort3 = Packed3[uint16]
	PackedUShort4 = Packed4[uint16]
	PackedInt2    = Packed2[int32]
	PackedInt3    = Packed3[int32]
	PackedInt4    = Packed4[int32]
	PackedUInt2   = Packed2[uint32]
	PackedUInt3   = Packed3[uint32]
	PackedUInt4   = Packed4[uint32]
	PackedLong2   = Packed2[int64]
	PackedLong3   = Packed3[int64]
	PackedLong4   = Packed4[int64]
	PackedFloat2  = Packed2[float32]
	PackedFloat3  = Packed3[float32]
	PackedFloat4  = Packed4[float32]
	PackedHalf2   = Packed2[Half]
	PackedHalf3   = Packed3[Half]
	PackedHalf4   = Packed4[Half]
)

// lesser returns the lesser number, or the one that is not a NaN. -0 is less than 0.
func lesser(x, y float32) float32 {
	if y != y || x < y || x == y && math.Signbit(float64(x)) {
		return x
	}
	return y
}

// greater returns the greater number, or the one that is not a NaN. 0 is greater than -0.
func greater(x, y float32) float32 {
	if y != y || x > y || x == y && math.Signbit(float64(y)) {
		return x
	}
	return y
}

func absolute(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// inverseRoot returns 1/√x.
func inverseRoot(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

func absoluteInteger[T Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// rounded returns the number that is nearest to f.
func rounded[T SmallFloat](f float32) T {
	var t T
	if _, half := any(t).(Half); half {
		return T(HalfOf(f))
	}
	return T(BFloat16Of(f))
}

// value returns a number as a float32.
func value[T SmallFloat](x T) float32 {
	switch x := any(x).(type) {
	case Half:
		return x.Float32()
	case BFloat16:
		return x.Float32()
	}
	return 0
}
