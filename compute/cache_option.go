package compute

import "fmt"

// defaultKernelBytes is the default of [WithKernelCache].
const defaultKernelBytes = 64 << 20

// WithKernelCache limits the memory for compiled programs and kernels. While all of them together,
// including those in use, take at most maxBytes, closed ones are kept for reuse. Each counts about
// 32 KiB, a program also the length of its source. 0 keeps only what is in use. The default is 64
// MiB.
func WithKernelCache(maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes < 0 {
			return fmt.Errorf("compute: WithKernelCache: %d bytes, want at least 0: %w", maxBytes, ErrOption)
		}
		c.kernelBytes = maxBytes
		return nil
	}
}

// maxCompilations bounds [WithCompilations].
const maxCompilations = 1 << 10

// WithCompilations sets how many programs and kernels are compiled at once; others wait for their
// turn. The default is GOMAXPROCS, and at least 2, so that one long compilation holds up no other.
func WithCompilations(n int) Option {
	return func(c *config) error {
		if n < 1 || n > maxCompilations {
			return fmt.Errorf("compute: WithCompilations: %d, want 1 to %d: %w", n, maxCompilations, ErrOption)
		}
		c.compilations = n
		return nil
	}
}

// WithDiskCache stores compiled kernels in a folder, so that the next process need not compile them
// again. There is one binary archive per kernel and set of constants. Its key covers source,
// options, device, system build and the version of this module. An empty dir means the folder
// puremetal in the user's cache folder. Any number of processes may share a folder; each keeps it
// below its own maxBytes by deleting the least recently used archives. Damaged files are deleted
// and written again. Disk errors are logged and counted in [CacheStats]; they never fail a call.
//
// An archive of Apple's driver contains only machine code: each process still compiles the source
// to a library, for which the driver has its own cache. Archives of the software device also
// contain the intermediate code and its reflection, so the source is not compiled again;
// [DiskCacheStats.Programs] counts these programs.
//
// Archives contain code that will run, so entries are authenticated with a secret, a file with mode
// 0600 in the folder. Entries without the right tag are deleted. On Unix, a folder, secret or entry
// is not used if another user owns it, if others can write to it, or if it is a symbolic link. A
// folder below one that others can write to is not used either, unless that one is sticky, as /tmp
// is. On Windows the folder must be below the user's profile; access control lists are not checked.
// If the folder is not used, one line in the log gives the reason, and "puremetal doctor" reports
// it for the default folder.
func WithDiskCache(dir string, maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes < 1 {
			return fmt.Errorf("compute: WithDiskCache: %d bytes, want at least 1: %w", maxBytes, ErrOption)
		}
		c.onDisk, c.diskDir, c.diskBytes = true, dir, maxBytes
		return nil
	}
}
