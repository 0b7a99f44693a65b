package objcsoft

import (
	"encoding/binary"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// fuzzer sends any message of Foundation with arguments out of the fuzzer's
// bytes. Addresses are nil, unmapped, or of memory larger than anything that is
// written: an address that is mapped but wrong looks like a right
// one, here as on a Mac.
type fuzzer struct {
	rt      *Runtime
	methods []MethodInfo
	memory  *pinned
	input   []byte
	ids     []ID
}

func (f *fuzzer) byte() byte {
	if len(f.input) == 0 {
		return 0
	}
	b := f.input[0]
	f.input = f.input[1:]
	return b
}

func (f *fuzzer) word() uintptr {
	var b [8]byte
	f.input = f.input[copy(b[:], f.input):]
	return uintptr(binary.LittleEndian.Uint64(b[:]))
}

func (f *fuzzer) object() uintptr {
	switch b := f.byte(); {
	case b < 20:
		return 0
	case b < 30:
		return f.word()
	default:
		return uintptr(f.ids[int(b)%len(f.ids)])
	}
}

func (f *fuzzer) argument(typ typeenc.Type) []uintptr {
	args := make([]uintptr, typeenc.Words(typ))
	for i := range args {
		switch typ.Kind {
		case typeenc.Object, typeenc.Class, typeenc.Block:
			args[i] = f.object()
		case typeenc.Pointer, typeenc.CString:
			args[i] = [...]uintptr{0, 0x10, 1 << 62, f.memory.address()}[f.byte()%4]
		case typeenc.Selector:
			args[i] = uintptr(f.byte())
		default:
			if b := f.byte(); b < 200 {
				args[i] = uintptr(b % 8)
			} else {
				args[i] = f.word()
			}
		}
	}
	return args
}

func (f *fuzzer) reset() {
	rt := f.rt
	f.ids = f.ids[:0]
	for _, name := range rt.Classes() {
		f.ids = append(f.ids, rt.Class(name).ID())
	}
	s := rt.NewString("string")
	n := rt.NewInt(3)
	list, err := rt.NewArray([]ID{s, n})
	if err != nil {
		panic(err)
	}
	dict, err := rt.NewDictionary(map[string]ID{"a": list})
	if err != nil {
		panic(err)
	}
	block, err := rt.NewBlock("v@?@Q^B", func([]uintptr) uintptr { return 0 })
	if err != nil {
		panic(err)
	}
	gone := rt.NewString("gone")
	if err := rt.Release(gone); err != nil {
		panic(err)
	}
	f.ids = append(f.ids, s, n, list, dict, block, gone, rt.NewData([]byte("data")), rt.NewFileURL("/a/b"),
		rt.NewError("D", 1, "d", 0))
	for _, name := range []string{"NSMutableArray", "NSMutableDictionary", "NSValue", "NSString"} {
		id, err := rt.Message(rt.Class(name).ID(), "alloc", "@@:")
		if err != nil {
			panic(err)
		}
		if id2, err := rt.Message(ID(id), "init", "@@:"); err == nil {
			id = id2
		}
		f.ids = append(f.ids, ID(id))
	}
}

// methodsOf lists what an object answers, or for no object any method.
func (f *fuzzer) methodsOf(recv ID) []MethodInfo {
	class := f.rt.ClassOf(recv)
	if class == nil {
		return f.methods
	}
	var list []MethodInfo
	for k := class; k != nil; k = k.Super {
		for _, m := range f.methods {
			if m.Class == k.Name && m.ClassMethod == k.Meta {
				list = append(list, m)
			}
		}
	}
	return list
}

func allMethods(rt *Runtime) []MethodInfo {
	var methods []MethodInfo
	for _, name := range rt.Classes() {
		own := rt.Class(name).OwnMethods()
		sort.Slice(own, func(i, j int) bool { // of a map, whose order changes
			if own[i].ClassMethod != own[j].ClassMethod {
				return own[j].ClassMethod
			}
			return own[i].Selector < own[j].Selector
		})
		methods = append(methods, own...)
	}
	return methods
}

// run sends messages until the bytes are used up.
func (f *fuzzer) run(t *testing.T) (sent, failed int) {
	f.reset()
	token := f.rt.PushPool()
	for len(f.input) > 0 && len(f.ids) < 200 {
		recv := ID(f.object())
		list := f.methodsOf(recv)
		m := list[(int(f.byte())<<8|int(f.byte()))%len(list)]
		enc, err := f.rt.Encoding(m.Encoding)
		require.NoError(t, err)
		sig, err := typeenc.ParseMethod(m.Encoding)
		require.NoError(t, err)
		var args []uintptr
		for _, a := range sig.Args[2:] {
			args = append(args, f.argument(a)...)
		}
		ret := make([]uintptr, 8)
		sent++
		if err := f.rt.Send(recv, f.rt.Sel(m.Selector), enc, args, ret); err != nil {
			failed++
			require.NotEmpty(t, err.Error())
			require.NotErrorIs(t, err, ErrPanic, "%+v %v", m, args)
			require.Equal(t, make([]uintptr, 8), ret)
		} else if sig.Ret.IsObject() && ret[0] != 0 {
			f.ids = append(f.ids, ID(ret[0]))
		}
	}
	if err := f.rt.PopPool(token); err != nil {
		require.ErrorIs(t, err, ErrReleased) // over-released by the messages
	}
	return sent, failed
}

func TestRandomMessages(t *testing.T) {
	rt := New()
	methods := allMethods(rt)
	memory := pinBytes(make([]byte, 1<<16))
	defer memory.unpin()
	sent, failed := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		input := make([]byte, 3000)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f := &fuzzer{rt: New(), methods: methods, memory: memory, input: input}
		n, bad := f.run(t)
		sent, failed = sent+n, failed+bad
	}
	t.Logf("%d messages, %d of them errors", sent, failed)
	require.Greater(t, sent, 1000)
	require.Greater(t, sent-failed, 300, "enough of them do something")
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03 some bytes to choose by, long enough for a few messages"))
	f.Add([]byte{40, 0, 50, 200, 255, 255, 255, 255, 255, 255, 255, 255, 3, 3, 3, 90, 91, 92, 93, 94, 95})
	methods := allMethods(New())
	memory := pinBytes(make([]byte, 1<<16))
	f.Fuzz(func(t *testing.T, input []byte) {
		f := &fuzzer{rt: New(), methods: methods, memory: memory, input: input}
		f.run(t)
	})
}
