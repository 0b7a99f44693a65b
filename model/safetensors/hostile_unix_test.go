//go:build unix

package safetensors_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/safetensors"
)

// TestPipe: a pipe that nobody writes to is refused at once.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.safetensors")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	_, err := safetensors.Open(name)
	require.ErrorContains(t, err, "not a regular file")
	require.ErrorContains(t, err, name)
}

// full makes TestHostile use files as large as the limits allow.
var full = flag.Bool("hostile.full", false, "files as large as the limits allow")

// hostileFile tells a child process of TestHostile what to open.
const hostileFile = "PUREMETAL_TEST_HOSTILE"

// TestHostile: whatever a file says, opening it takes at most 10 s of processor time and 600 MiB,
// with the pages of the mapping. Each file is read in a process of its own.
func TestHostile(t *testing.T) {
	if name := os.Getenv(hostileFile); name != "" {
		if f, err := safetensors.Open(name); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(len(f.Metadata), "entries,", len(f.Tensors), "tensors")
		}
		status, _ := os.ReadFile("/proc/self/status") // on Linux; the parent's peak is in what wait returns
		if _, peak, ok := strings.Cut(string(status), "VmHWM:"); ok {
			fmt.Println("peak", strings.Fields(peak)[0])
		}
		return
	}
	const large = 10_000_000_000 // bytes of sparse files
	most := 2_000_000            // bytes of a header
	if *full {
		most = 100_000_000
	}
	claim := func(n uint64, begin string) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), begin...) }
	repeated := func(begin, s, end string) []byte {
		return file(begin+strings.Repeat(s, (most-len(begin)-len(end))/len(s))+end, "")
	}
	numbered := func(n int, format string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, most/150_000, i)
		}
		return file("{"+strings.TrimSuffix(b.String(), ",")+"}", "")
	}
	for _, c := range []struct {
		name string
		data []byte
		size int64
		want string
	}{
		{"a header of 10 GB", claim(large-8, "{"), large, "header of 9999999992 bytes, at most 100000000"},
		{"zeros", claim(uint64(most), `{"a":`), large, `\x00"..., want {`},
		{"a name", repeated(`{"`, "x", `":{}}`), 0, "bytes, at most 4096"},
		{"a name of escapes", repeated(`{"`, `\u0041`, `":{}}`), 0, "bytes, at most 4096"},
		{"a name without an end", repeated(`{"`, "x", ``), 0, "a string without an end"},
		{"a metadata string", repeated(`{"__metadata__":{"a":"`, "x", `"}}`), 0, "1 entries, 0 tensors"},
		{"a metadata string of escapes", repeated(`{"__metadata__":{"a":"`, `\n`, `"}}`), 0, "1 entries, 0 tensors"},
		{"an unknown field", repeated(`{"a":{"`, "x", `":1}}`), 0, "bytes, at most 4096"},
		{"a number", repeated(`{"a":{"shape":[`, "9", `]}}`), 0, "want an integer"},
		{"a list", repeated(`{"a":{"shape":[`, "1,", `1]}}`), 0, "shape has more than 16 numbers"},
		{"lists", repeated(`{"a":{"shape":[`, "[", ``), 0, "want an integer"},
		{"objects", repeated(`{`, `"a":{`, ``), 0, "unknown field"},
		{"blanks", repeated(`{`, " ", `}`), 0, "0 entries, 0 tensors"},
		{"131,072 tensors", numbered(1<<17, `"%0*d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},`), 0,
			"0 entries, 131072 tensors"},
		{"131,073 tensors", numbered(1<<17+1, `"%0*d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},`), 0,
			"more than 131072 tensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := saved(t, "x.safetensors", c.data)
			if c.size > 0 {
				require.NoError(t, os.Truncate(name, c.size))
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestHostile$")
			cmd.Env = append(os.Environ(), hostileFile+"="+name)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%.1000s", out)
			assert.Contains(t, string(out), c.want)
			assert.Less(t, len(out), 1000)
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
