package shader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/document"
)

// A library in a file is its source after two lines: libraryMagic, and a JSON object with the
// settings of its compilation (Options) and the source's SHA-256 in hexadecimal as "sha256". A line
// may be written by hand or by a build's tools; the hash may be omitted.

const libraryMagic = "PureMetal library 1\n"

type libraryHeader struct {
	Options
	Sum string `json:"sha256,omitempty"`
}

// Encode returns the library as a file holds it.
func (l *Library) Encode() []byte {
	sum := sha256.Sum256([]byte(l.Source))
	settings, _ := json.Marshal(libraryHeader{l.Options, hex.EncodeToString(sum[:])})
	return append(append(append([]byte(libraryMagic), settings...), '\n'), l.Source...)
}

// Decode reads what Encode wrote and compiles it.
func Decode(ctx context.Context, data []byte) (*Library, *Error) {
	rest, ok := bytes.CutPrefix(data, []byte(libraryMagic))
	if !ok {
		if bytes.HasPrefix(data, []byte("MTLB")) {
			return nil, failf(Unsupported,
				"the file is a metallib: it holds Apple's intermediate code, and the software device compiles source")
		}
		return nil, failf(Internal, "Invalid library file")
	}
	line, source, ok := bytes.Cut(rest, []byte("\n"))
	var h libraryHeader
	if !ok || document.Library.JSON(line, &h) != nil || !utf8.Valid(source) {
		return nil, failf(Internal, "Invalid library file: no settings behind its first line")
	}
	if sum := sha256.Sum256(source); h.Sum != "" && h.Sum != hex.EncodeToString(sum[:]) {
		return nil, failf(Internal, "Invalid library file: the source does not have the hash that the file states")
	}
	return Compile(ctx, string(source), h.Options)
}
