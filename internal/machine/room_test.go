package machine

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

// TestRoom reads the files of machines and containers.
func TestRoom(t *testing.T) {
	const meminfo = "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:    8388608 kB\n"
	const gib = 1 << 30
	for name, test := range map[string]struct {
		files map[string]string
		want  Room
	}{
		"machine": {map[string]string{"proc/meminfo": meminfo}, Room{16 * gib, 8 * gib}},
		"old":     {map[string]string{"proc/meminfo": "MemTotal: 1048576 kB\n"}, Room{gib, gib}},
		"no limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "4096\n"}, Room{16 * gib, 8 * gib}},
		"version 2": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "4294967296\n", "sys/fs/cgroup/a/b/memory.current": "3221225472\n",
			"sys/fs/cgroup/a/b/memory.stat": "anon 1\ninactive_file 1073741824\n"}, Room{4 * gib, 2 * gib}},
		"the group around it": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2147483648\n",
			"sys/fs/cgroup/a/memory.current": "1073741824\n"}, Room{2 * gib, gib}},
		"in a container of version 1": {map[string]string{"proc/meminfo": meminfo,
			"proc/self/cgroup":                           "9:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "805306368\n",
			"sys/fs/cgroup/memory/memory.stat":           "inactive_file 1\ntotal_inactive_file 268435456\n"},
			Room{gib, gib / 2}},
		"unlimited version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n"}, Room{16 * gib, 8 * gib}},
		"more than the limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1024\n", "sys/fs/cgroup/memory.current": "2048\n"}, Room{1024, 0}},
		"garbage": {map[string]string{"proc/meminfo": meminfo + "x\n:\n", "proc/self/cgroup": "0\n::\nmemory\n",
			"sys/fs/cgroup/memory.max": ""}, Room{16 * gib, 8 * gib}},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for file, text := range test.files {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			got, ok := roomIn(root)
			assert.True(t, ok)
			assert.Equal(t, test.want, got)
		})
	}
	_, ok := roomIn(fstest.MapFS{})
	assert.False(t, ok)
}
