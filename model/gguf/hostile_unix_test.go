//go:build unix

package gguf_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
)

// TestPipe: a pipe that nobody writes to is refused at once.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.gguf")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	_, err := gguf.Open(name)
	require.ErrorContains(t, err, "not a regular file")
	require.ErrorContains(t, err, name)
}

// full makes TestHostile use files as large as the limits allow.
var full = flag.Bool("hostile.full", false, "files as large as the limits allow")

// hostileFile tells a child process of TestHostile what to open.
const hostileFile = "PUREMETAL_TEST_HOSTILE"

// TestHostile: whatever a file says, reading all of it takes at most 10 s of processor time and
// 600 MiB, with the pages of the mapping. Each file is read in a process of its own.
func TestHostile(t *testing.T) {
	if name := os.Getenv(hostileFile); name != "" {
		if f, err := gguf.Open(name); err != nil {
			fmt.Println(err)
		} else {
			for _, p := range f.Metadata {
				p.Value.Any()
			}
			fmt.Println(len(f.Metadata), "keys,", len(f.Tensors), "tensors")
		}
		status, _ := os.ReadFile("/proc/self/status") // on Linux; the parent's peak is in what wait returns
		if _, peak, ok := strings.Cut(string(status), "VmHWM:"); ok {
			fmt.Println("peak", strings.Fields(peak)[0])
		}
		return
	}
	const large = 10_000_000_000 // bytes of sparse files
	most, width := 1<<17, 8      // elements of arrays, characters of keys
	if *full {
		most, width = 4<<20-1, 900
	}
	header := func(tensors, keys uint64) []byte {
		return slices.Concat([]byte("GGUF"), u32(3), u64(tensors), u64(keys))
	}
	key := func(name string, kind uint32) []byte { return slices.Concat(text(name), u32(kind)) }
	array := func(elem uint32, n uint64) []byte { return slices.Concat(u32(elem), u64(n)) }
	const str, arr = 8, 9
	manyTensors := header(1<<17, 0)
	for i := range uint64(1 << 17) {
		manyTensors = append(manyTensors, text(fmt.Sprintf("blk.%060d", i))...)
		manyTensors = append(manyTensors, slices.Concat(u32(1), u64(32), u32(24), u64(32*i))...)
	}
	manyKeys := header(0, 1<<16)
	for i := range 1 << 16 {
		manyKeys = append(manyKeys, slices.Concat(key(fmt.Sprintf("key%0*d", width, i), str), text("x"))...)
	}
	list := func(n int, s string) []byte {
		return slices.Concat(header(0, 1), key("a", arr), array(str, uint64(n)), bytes.Repeat(text(s), n))
	}
	nested := slices.Concat(header(0, 1), key("a", arr), array(arr, uint64(most)), bytes.Repeat(array(0, 0), most))
	for _, c := range []struct {
		name string
		data []byte
		size int64
		want string
	}{
		{"strings that are empty", slices.Concat(header(0, 1), key("a", arr), array(str, 1<<26)), large,
			"length of an array 67108864"},
		{"bytes", slices.Concat(header(0, 1), key("a", arr), array(0, 1<<26)), large, "length of an array 67108864"},
		{"a string", slices.Concat(header(0, 1), key("a", str), u64(60<<20)), large, "1 keys, 0 tensors"},
		{"a larger string", slices.Concat(header(0, 1), key("a", str), u64(64<<20)), large,
			"length of a string 67108864, but"},
		{"arrays", slices.Concat(header(0, 1), key("a", arr), array(arr, 1<<22+1)), large, "at most 4194304 elements"},
		{"tensors without names", header(1<<17, 0), large, "a tensor's name is empty"},
		{"keys without names", header(0, 1<<16), large, "a key is empty"},
		{"a tensor of 10 GB", slices.Concat(header(1, 0), text("a"), u32(1), u64(large-4096), u32(24), u64(0)), large,
			"0 keys, 1 tensors"},
		{"131,072 tensors", manyTensors, int64(len(manyTensors)) + 33<<17, "0 keys, 131072 tensors"},
		{"65,536 keys", manyKeys, 0, "65536 keys"},
		{"empty strings", list(most, ""), 0, "1 keys"},
		{"strings", list(most/64, string(make([]byte, 1000))), 0, "1 keys"},
		{"empty arrays", nested, 0, "1 keys"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := saved(t, "x.gguf", c.data)
			if c.size > 0 {
				require.NoError(t, os.Truncate(name, c.size))
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestHostile$")
			cmd.Env = append(os.Environ(), hostileFile+"="+name)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%.1000s", out)
			assert.Contains(t, string(out), c.want)
			cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			assert.Less(t, cpu, 10*time.Second)
			kib := 0
			if _, peak, ok := strings.Cut(string(out), "peak "); ok {
				_, err := fmt.Sscan(peak, &kib)
				require.NoError(t, err)
			}
			assert.Less(t, kib, 600<<10)
			t.Logf("%.2f s, %d MiB", cpu.Seconds(), kib>>10)
		})
	}
}
