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

// programKey is the SHA-256 of everything a compiled program depends on: source, options, device,
// system, this module.
type programKey [sha256.Size]byte

// kernelKey is a kernel of a program with its constants, "" for none.
type kernelKey struct{ name, constants string }

// hasher writes fields into a hash, so that different fields never give equal bytes.
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

// machineKey identifies the device, the system and this module. It does not have the device's
// registry ID: that changes with each start of the machine, and the memory's cache belongs to one
// device anyway.
func machineKey(i Info) (programKey, error) {
	system, err := objc.ReadProcessInfo()
	if err != nil {
		return programKey{}, err
	}
	h := hasher{sha256.New()}
	h.number(cacheFormat)
	// the string has the system's build
	h.text(i.Name, fmt.Sprint(i.Software), fmt.Sprint(i.Families), system.VersionString, version.Build())
	return h.sum(), nil
}

// key returns what a program is found by. The source has its includes.
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
	h.text(fmt.Sprint(o.PreciseFunctions))
	h.number(uint64(len(o.Macros)))
	for _, m := range slices.Sorted(maps.Keys(o.Macros)) {
		h.text(m, o.Macros[m])
	}
	return h.sum()
}

// pipeline returns what the disk finds a kernel of a program by.
func (k programKey) pipeline(kernel kernelKey) programKey {
	h := hasher{sha256.New()}
	h.Write(k[:])
	h.text(kernel.name, kernel.constants)
	return h.sum()
}

// keyOf returns what a program finds a kernel by: names, indices, types and bits of the constants,
// in their order, since of two for one constant the last counts.
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
		b = fmt.Appendf(b, "%#v\n", c.Value) // no type that Metal takes: making the kernel says so
	}
	return kernelKey{name, string(b)}
}
