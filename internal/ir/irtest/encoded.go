package irtest

import (
	"encoding/binary"
	"hash/crc32"
)

// EncodedHeader is how many bytes of an encoded module stand before those that its checksum is of.
// The checksum is the last four.
const EncodedHeader = 17

// Sealed gives the bytes of an encoded module that were changed the checksum that they should have,
// as anyone can who writes an archive.
func Sealed(data []byte) []byte {
	sum := crc32.Checksum(data[EncodedHeader:], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(data[EncodedHeader-4:], sum)
	return data
}
