package irtest

import (
	"encoding/binary"
	"hash/crc32"
)

// EncodedHeader is the number of bytes in an encoded module before those covered by its checksum.
// The checksum is the last four of them.
const EncodedHeader = 17

// Sealed recomputes the checksum of an encoded module whose bytes were changed, as anyone who
// writes an archive could.
func Sealed(data []byte) []byte {
	sum := crc32.Checksum(data[EncodedHeader:], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(data[EncodedHeader-4:], sum)
	return data
}
