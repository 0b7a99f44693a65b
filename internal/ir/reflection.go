package ir

// ArgKind is what an argument is bound to.
type ArgKind string

// The kinds of arguments.
const (
	ArgBuffer      ArgKind = "buffer"      // OpArg is a pointer in Space
	ArgThreadgroup ArgKind = "threadgroup" // OpArg is a pointer in the threadgroup space; the host sets the length
	ArgTexture     ArgKind = "texture"
	ArgSampler     ArgKind = "sampler"
	// ArgFunctionTable is a visible function table, bound to a buffer slot. OpArg is a pointer in
	// the constant space.
	ArgFunctionTable ArgKind = "visible_function_table"
)

// VisibleFunction is a function that the host may put into visible function tables.
type VisibleFunction struct {
	Name string `json:"name"` // with namespaces
	Type string `json:"type"` // "float(float, int)"
}

// Arg is an argument that the host binds to a numbered slot. Sizes, alignments and offsets are in
// bytes.
type Arg struct {
	Kind  ArgKind `json:"kind"`
	Index int     `json:"index"` // the slot: buffers, textures, samplers and threadgroup memory are numbered separately
	Name  string  `json:"name,omitempty"`
	Count int     `json:"count,omitempty"` // number of slots of an array of textures or samplers, otherwise 0

	Type   string   `json:"type,omitempty"`   // the pointee of a buffer or threadgroup memory, in Metal's syntax
	Data   DataType `json:"data,omitempty"`   // the same, as a DataType
	Space  string   `json:"space,omitempty"`  // device or constant, of a buffer
	Access string   `json:"access,omitempty"` // read, write, read_write or sample
	Size   int      `json:"size,omitempty"`   // of one object in the buffer; 0 for void
	Align  int      `json:"align,omitempty"`
	Struct *Struct  `json:"struct,omitempty"` // its layout, if it is a struct
	Array  *Array   `json:"array,omitempty"`  // its layout, if it is an array
	// ArgumentBuffer says that the struct, or the structs in the array, contain pointers, textures,
	// samplers or members with [[id(n)]].
	ArgumentBuffer bool `json:"argumentBuffer,omitempty"`

	// type of a texture in this package's text form: tex.2d.f32.read
	Texture     string      `json:"texture,omitempty"`
	TextureInfo *TextureRef `json:"textureInfo,omitempty"` // the same, as a TextureRef

	// name of the function constant that must be true for the argument to exist; "" if none
	Condition string `json:"condition,omitempty"`
	// Computed is the name of a constant computed from function constants, if the argument exists
	// only when that is true.
	Computed  string `json:"computed,omitempty"`
	When      string `json:"when,omitempty"`      // the expression of Computed, for EvalCondition
	Active    bool   `json:"active,omitempty"`    // the function's effects depend on it; see Func.ActiveArgs
	Reference bool   `json:"reference,omitempty"` // declared as a reference: one object, never null
}

// TextureRef describes a texture for reflection.
type TextureRef struct {
	Dim    TextureDim `json:"dim"`
	Data   DataType   `json:"data"` // of a component
	Access string     `json:"access"`
}

// Struct is the layout of a struct. Its members include those of base classes and of anonymous
// structs and unions, since their names are used like the struct's own.
type Struct struct {
	Name    string   `json:"name,omitempty"`
	Size    int      `json:"size,omitempty"`
	Align   int      `json:"align,omitempty"`
	Members []Member `json:"members,omitempty"`
}

// Member is a member of a struct.
type Member struct {
	Name   string   `json:"name"`
	Offset int      `json:"offset"` // bytes from the struct's start; for a bit-field, those of its storage unit
	Type   string   `json:"type,omitempty"`
	Data   DataType `json:"data,omitempty"`
	Size   int      `json:"size,omitempty"`
	Align  int      `json:"align,omitempty"`
	Array  *Array   `json:"array,omitempty"`
	// Struct is the layout of a struct. It is nil if the struct contains itself through a pointer,
	// and beyond the depth or size that reflection describes.
	Struct *Struct `json:"struct,omitempty"`
	// Pointer describes the target of a pointer in an argument buffer.
	Pointer *Arg        `json:"pointer,omitempty"`
	Texture *TextureRef `json:"texture,omitempty"`
	// argument index relative to the struct: [[id(n)]], or the one after the previous member
	Index int `json:"index,omitempty"`
}

// Array is the layout of an array.
type Array struct {
	Len    int      `json:"len"`
	Stride int      `json:"stride"` // bytes between the starts of consecutive elements
	Type   string   `json:"type,omitempty"`
	Data   DataType `json:"data,omitempty"`
	Array  *Array   `json:"array,omitempty"`
	Struct *Struct  `json:"struct,omitempty"`
	// Pointer and Texture describe elements that are pointers or textures.
	Pointer *Arg        `json:"pointer,omitempty"`
	Texture *TextureRef `json:"texture,omitempty"`
	// IndexStride is the number of argument indices an element takes.
	IndexStride int `json:"indexStride,omitempty"`
}

// FunctionConstant is a constant that the host may set when creating a pipeline.
type FunctionConstant struct {
	Name     string   `json:"name"`
	Index    int      `json:"index"`
	Type     string   `json:"type"` // in this package's text form: i1, i32, f32x4
	Data     DataType `json:"data,omitempty"`
	Required bool     `json:"required,omitempty"` // used without a check of is_function_constant_defined
}

// Memory is a variable in the threadgroup space.
type Memory struct {
	Name  string `json:"name,omitempty"`
	Size  int    `json:"size"`
	Align int    `json:"align,omitempty"`
}

// Attributes are a program's requirements for launches.
type Attributes struct {
	MaxTotalThreads int    `json:"maxTotalThreads,omitempty"` // [[max_total_threads_per_threadgroup]]
	RequiredThreads [3]int `json:"requiredThreads,omitzero"`  // [[required_threads_per_threadgroup]]
	// Native is the name of a Go implementation that may replace the kernel, such as "matmul"; see
	// NativeArgs.
	Native            string `json:"native,omitempty"`
	MathMode          string `json:"mathMode,omitempty"`          // safe, relaxed or fast
	LanguageVersion   string `json:"languageVersion,omitempty"`   // "3.2"
	ThreadgroupStatic int    `json:"threadgroupStatic,omitempty"` // bytes of Func.Threadgroup as laid out
}

// SamplerState is a sampler declared by the program or bound by the host. The zero value is Metal's
// default: normalized coordinates, clamp to edge, nearest filter.
type SamplerState struct {
	Unnormalized bool `json:"unnormalized,omitempty"` // coord::pixel
	// s, t, r: clamp_to_edge (or ""), clamp_to_zero, clamp_to_border, repeat, mirrored_repeat
	Address   [3]string `json:"address,omitzero"`
	MagLinear bool      `json:"magLinear,omitempty"`
	MinLinear bool      `json:"minLinear,omitempty"`
	Mip       string    `json:"mip,omitempty"` // none (or ""), nearest, linear
	Border    string    `json:"border,omitempty"`
	// never (or ""), less, less_equal, greater, greater_equal, equal, not_equal, always
	Compare    string     `json:"compare,omitempty"`
	LODClamp   [2]float32 `json:"lodClamp,omitzero"` // both zero: no clamp
	LODBias    float32    `json:"lodBias,omitempty"`
	Anisotropy int        `json:"anisotropy,omitempty"`
	Reduction  string     `json:"reduction,omitempty"` // weighted_average (or ""), minimum, maximum
}
