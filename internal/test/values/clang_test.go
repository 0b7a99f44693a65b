package values

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference returns the folder of the reference compiler, or "" if there is none.
func reference() string {
	shared := os.Getenv("PUREMETAL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "mslref")
	if _, err := os.Stat(filepath.Join(dir, "msl2cpp.py")); err != nil {
		return ""
	}
	return dir
}

// needReference returns the folder of the reference compiler, and skips the test if that or its
// dependencies are missing.
func needReference(t *testing.T) string {
	dir := reference()
	if dir == "" {
		t.Skip("there is no mslref in the folder that PUREMETAL_SHARED names, nor in ../shared")
	}
	for _, tool := range []string{"python3", "clang++-19"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	return dir
}

// driver runs kernels of a compiled library: it reads launches and writes the buffers after each.
const driver = `
import ctypes, json, sys
lib = ctypes.CDLL(sys.argv[1])
lib.msl_name.restype = ctypes.c_char_p
jobs = json.load(open(sys.argv[2]))
U = ctypes.c_uint
for j in jobs:
    for i, h in (j["constants"] or {}).items():
        b = bytes.fromhex(h)
        lib.msl_setfc(int(i), b, len(b))
    bufs = {int(s): ctypes.create_string_buffer(bytes.fromhex(h) + bytes(64), len(h) // 2 + 64) for s, h in j["buffers"].items()}
    ptrs = (ctypes.c_void_p * 32)()
    for s, b in bufs.items():
        ptrs[s] = ctypes.addressof(b)
    tg = [int((j["threadgroup"] or {}).get(str(i), 0)) for i in range(32)]
    grid, group = [max(x, 1) for x in j["grid"]], [max(x, 1) for x in j["group"]]
    r = lib.msl_run(j["kernel"].encode(), ptrs, (U * 32)(*tg), 32, (U * 3)(*grid), (U * 3)(*group))
    if r != 0:
        sys.exit("no kernel " + j["kernel"])
    j["buffers"] = {s: b.raw[:-64].hex() for s, b in bufs.items()}
json.dump(jobs, open(sys.argv[2], "w"))
`

type job struct {
	Kernel      string            `json:"kernel"`
	Grid        [3]int            `json:"grid"`
	Group       [3]int            `json:"group"`
	Buffers     map[string]string `json:"buffers"`
	Threadgroup map[int]int       `json:"threadgroup"`
	Constants   map[string]string `json:"constants"`
}

// runClang compiles a program with the reference and runs its kernels.
func runClang(t *testing.T, dir, text string, flags []string, launches ...*launch) {
	t.Helper()
	tmp := t.TempDir()
	source, library, jobs := filepath.Join(tmp, "in.metal"), filepath.Join(tmp, "out.so"), filepath.Join(tmp, "jobs.json")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	args := append([]string{filepath.Join(dir, "msl2cpp.py"), source, "-o", library, "--keep",
		filepath.Join(tmp, "out.cpp")}, flags...)
	out, err := exec.Command("python3", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	list := make([]job, len(launches))
	for i, l := range launches {
		list[i] = jobOf(l)
	}
	data, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(jobs, data, 0o644))
	out, err = exec.Command("python3", "-c", driver, library, jobs).CombinedOutput()
	require.NoError(t, err, "%s", out)
	data, err = os.ReadFile(jobs)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &list))
	for i, l := range launches {
		l.buffers = decodeBuffers(t, list[i].Buffers)
	}
}

func jobOf(l *launch) job {
	j := job{Kernel: l.kernel, Grid: l.grid, Group: l.group, Buffers: map[string]string{}, Threadgroup: l.threadgroup,
		Constants: map[string]string{}}
	for slot, b := range l.buffers {
		j.Buffers[strconv.Itoa(slot)] = hex.EncodeToString(b)
	}
	for index, b := range l.constants {
		j.Constants[strconv.Itoa(index)] = hex.EncodeToString(b)
	}
	return j
}

func decodeBuffers(t *testing.T, from map[string]string) map[int][]byte {
	buffers := map[int][]byte{}
	for name, digits := range from {
		slot, err := strconv.Atoi(name)
		require.NoError(t, err)
		buffers[slot], err = hex.DecodeString(digits)
		require.NoError(t, err)
	}
	return buffers
}
