package machine

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Room is how much memory a process may take.
type Room struct {
	Total uint64 // bytes that the machine has, or that the process's group of processes may have
	Free  uint64 // bytes of them that it can still get: what the system can reclaim counts
}

// roomIn reads the files of Linux: the machine's memory, and the limits of the process's control
// groups of both versions. ok is false if the system does not tell.
func roomIn(root fs.FS) (r Room, ok bool) {
	info := fields(root, "proc/meminfo", ":")
	r = Room{Total: info["MemTotal"] << 10, Free: info["MemAvailable"] << 10}
	if r.Total == 0 {
		return Room{}, false
	}
	if _, tells := info["MemAvailable"]; !tells {
		r.Free = r.Total
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return r, true
	}
	lines := bufio.NewScanner(bytes.NewReader(groups))
	for lines.Scan() { // number:controllers:path
		part := strings.SplitN(lines.Text(), ":", 3)
		if len(part) != 3 {
			continue
		}
		switch {
		case part[1] == "":
			r.group(root, "sys/fs/cgroup", part[2], groupFiles{"memory.max", "memory.current", "inactive_file"})
		case strings.Contains(","+part[1]+",", ",memory,"):
			r.group(root, "sys/fs/cgroup/memory", part[2],
				groupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"})
		}
	}
	return r, true
}

// groupFiles are the names of a control group's limit, of its use, and of the line of memory.stat
// with the files that the system can drop.
type groupFiles struct{ limit, usage, reclaimable string }

// group lowers r to the limits of a control group and of those around it. In a container the
// process may see only the outermost ones.
func (r *Room) group(root fs.FS, mount, name string, files groupFiles) {
	for name = path.Clean("/" + name); ; name = path.Dir(name) {
		dir := strings.TrimPrefix(path.Join(mount, name), "/")
		if limit, ok := number(root, path.Join(dir, files.limit)); ok && limit < r.Total {
			r.Total = limit
		}
		if limit, ok := number(root, path.Join(dir, files.limit)); ok {
			used, _ := number(root, path.Join(dir, files.usage))
			used -= min(used, fields(root, path.Join(dir, "memory.stat"), " ")[files.reclaimable])
			r.Free = min(r.Free, limit-min(limit, used))
		}
		if name == "/" {
			return
		}
	}
}

// number reads a file with one number. ok is false if there is none, as in one that says "max".
func number(root fs.FS, name string) (n uint64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// fields reads a file with a name and a number in each line.
func fields(root fs.FS, name, separator string) map[string]uint64 {
	all := map[string]uint64{}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return all
	}
	for line := range strings.Lines(string(text)) {
		key, rest, _ := strings.Cut(line, separator)
		if f := strings.Fields(rest); len(f) > 0 {
			if n, err := strconv.ParseUint(f[0], 10, 64); err == nil {
				all[key] = n
			}
		}
	}
	return all
}
