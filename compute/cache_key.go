package compute

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"

	"github.com/puremetal/puremetal/internal/version"
	"github.com/puremetal/puremetal/objc"
)

// cacheFormat is incremented when the format or meaning of the disk cache changes.
const cacheFormat = 3

// programKey is the SHA-256 of everything that a compiled program depends on: source, options,
// device, system, and the version of this module.
type programKey [sha256.Size]byte

// kernelKey identifies a kernel within a program: its name and its encoded constants, "" for none.
type kernelKey struct{ name, constants string }

// hasher writes fields into a hash unambiguously: different fields never produce the same bytes.
type hasher struct{ hash.Hash }

func (h hasher) text(fields ...string) {
	for _, f := range fields {
		h.number(uint64(len(f)))
		h.Write([]byte(f))
	}
}

func (h hasher) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func (h hasher) sum() (k programKey) {
	h.Sum(k[:0])
	return k
}

// machineKey identifies the device, the system and the version of this module. It does not contain
// the device's registry ID, which changes at each boot; the cache in memory belongs to one device
// anyway.
func machineKey(i Info) (programKey, error) {
	system, err := objc.ReadProcessInfo()
	if err != nil {
		return programKey{}, err
	}
	h := hasher{sha256.New()}
	h.number(cacheFormat)
	// VersionString contains the system's build
	h.text(i.Name, fmt.Sprint(i.Software), fmt.Sprint(i.Families), system.VersionString, version.Build())
	return h.sum(), nil
}

// key returns the key of a program whose includes have been expanded.
func (o CompileOptions) key(machine programKey, source string) programKey {
	h := hasher{sha256.New()}
	h.Write(machine[:])
	h.text(source)
	h.number(uint64(o.Language))
	if o.Math != nil {
		h.number(1)
		h.number(uint64(*o.Math))
	} else {
		h.number(0)
	}
	h.text(fmt.Sprint(o.PreciseFunctions, o.Logging))
	h.number(uint64(len(o.Macros)))
	for _, m := range slices.Sorted(maps.Keys(o.Macros)) {
		h.text(m, o.Macros[m])
	}
	return h.sum()
}

// pipeline returns the disk cache's key for a kernel of the program.
func (k programKey) pipeline(kernel kernelKey) programKey {
	h := hasher{sha256.New()}
	h.Write(k[:])
	h.text(kernel.name, kernel.constants)
	return h.sum()
}

// keyOf returns the key of a kernel within its program. It contains name, index, type and bits of
// each constant, in order: if a constant is set twice, the last value counts.
func keyOf(name string, constants []Constant) kernelKey {
	var b []byte
	for _, c := range constants {
		b = fmt.Appendf(b, "%q %d %T ", c.Name, c.Index, c.Value)
		switch reflect.ValueOf(c.Value).Kind() {
		case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
			reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Array:
			if with, err := binary.Append(b, binary.LittleEndian, c.Value); err == nil {
				b = append(with, '\n')
				continue
			}
		}
		b = fmt.Appendf(b, "%#v\n", c.Value) // not a type that Metal supports: making the kernel reports it
	}
	return kernelKey{name, string(b)}
}
