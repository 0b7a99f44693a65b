package machine

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// WatchInterval is how often programs look at their files.
const WatchInterval = 200 * time.Millisecond

// WatchedFiles is a set of files as they were before they were read. A nil *WatchedFiles records
// nothing.
type WatchedFiles struct {
	stat func(name string) (fs.FileInfo, error)
	seen map[string]stamp
}

// stamp tells versions of a file apart; it is zero for a file that cannot be read.
type stamp struct {
	size     int64
	modified time.Time
}

// WatchFiles returns an empty set of files that stat describes.
func WatchFiles(stat func(name string) (fs.FileInfo, error)) *WatchedFiles {
	return &WatchedFiles{stat, map[string]stamp{}}
}

func (f *WatchedFiles) stamp(name string) stamp {
	info, err := f.stat(name)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// Add records a file that is about to be read.
func (f *WatchedFiles) Add(name string) {
	if f != nil {
		f.seen[name] = f.stamp(name)
	}
}

// Refresh records all files again. It is called before they are read anew: a failed compilation may
// not get to all of them.
func (f *WatchedFiles) Refresh() {
	for name := range f.seen {
		f.Add(name)
	}
}

// changed returns the name of a file that has changed. One that is gone may be about to come back:
// editors rename files.
func (f *WatchedFiles) changed() (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(f.seen)) {
		if now := f.stamp(name); now != (stamp{}) && now != f.seen[name] {
			return name, true
		}
	}
	return "", false
}

// Wait compares the files at each tick, and returns the name of the first that has changed. If ctx
// ends first, it returns the error of ctx.
func (f *WatchedFiles) Wait(ctx context.Context, ticks <-chan time.Time) (string, error) {
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-ticks:
			if name, ok := f.changed(); ok {
				return name, nil
			}
		}
	}
}
