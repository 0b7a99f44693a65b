package objcsoft

// ID is a handle of an object, 0 for nil. From the top bit down it holds a 12-bit tag, a 28-bit
// generation and a 24-bit index.
//
// The tag makes the value useless as an address on every supported machine: bits 63 to 56 differ,
// so it is not canonical even with 57-bit addresses, and bit 52 is set, so it is outside user space
// where arm64 ignores the top byte.
type ID uintptr

const (
	indexBits      = 24
	generationBits = 28

	handleTag     = 0x5b1
	handleTagBits = indexBits + generationBits

	maxIndex      = 1<<indexBits - 1
	maxGeneration = 1<<generationBits - 1
)

func makeID(index, generation uint32) ID {
	return ID(handleTag<<handleTagBits | uintptr(generation)<<indexBits | uintptr(index))
}

// IsHandle reports whether id carries the tag of a handle. It says nothing
// about whether the object exists.
func (id ID) IsHandle() bool { return id>>handleTagBits == handleTag }

func (id ID) index() uint32      { return uint32(id & maxIndex) }
func (id ID) generation() uint32 { return uint32(id >> indexBits & maxGeneration) }
