package simd

// Scalar is a Go type with the size and meaning of an MSL scalar.
type Scalar interface {
	bool | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | Half | BFloat16
}

// Vec2 is a vector of two elements. Metal aligns it to twice the size of its scalar.
type Vec2[T Scalar] struct{ X, Y T }

// Vec3 is a vector of three elements. It has the size and alignment of a vector of four.
type Vec3[T Scalar] struct {
	X, Y, Z T
	_       T
}

// Vec4 is a vector of four elements. Metal aligns it to four times the size of its scalar.
type Vec4[T Scalar] struct{ X, Y, Z, W T }

// Packed2 is a packed vector of two elements, aligned like its scalar.
type Packed2[T Scalar] struct{ X, Y T }

// Packed3 is a packed vector of three elements: three scalars without padding, aligned like one.
type Packed3[T Scalar] struct{ X, Y, Z T }

// Packed4 is a packed vector of four elements, aligned like its scalar.
type Packed4[T Scalar] struct{ X, Y, Z, W T }

// The vectors under their names in Metal.
type (
	Bool2   = Vec2[bool]
	Bool3   = Vec3[bool]
	Bool4   = Vec4[bool]
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
	Float2  = Vec2[float32]
	Float3  = Vec3[float32]
	Float4  = Vec4[float32]
	Half2   = Vec2[Half]
	Half3   = Vec3[Half]
	Half4   = Vec4[Half]
	BFloat2 = Vec2[BFloat16]
	BFloat3 = Vec3[BFloat16]
	BFloat4 = Vec4[BFloat16]

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
