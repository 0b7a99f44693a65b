package compute

import "fmt"

// defaultKernelBytes is how much compiled code stays in memory.
const defaultKernelBytes = 64 << 20

// WithKernelCache sets how many bytes of compiled programs and kernels stay in memory after they
// were closed, counted together with those in use: about 32 KiB each and the length of the source.
// 0 keeps nothing that is not in use. The default is 64 MiB.
func WithKernelCache(maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes < 0 {
			return fmt.Errorf("compute: WithKernelCache: %d bytes, want at least 0: %w", maxBytes, ErrOption)
		}
		c.kernelBytes = maxBytes
		return nil
	}
}

// WithDiskCache keeps what the device's driver makes of kernels in a folder, so that the next
// process need not make it again: one binary archive for each kernel and its constants, found by
// source, options, device, build of the system and version of this module. "" is the folder
// puremetal in the user's cache folder. Any number of processes may use one folder; each keeps it
// under its own maxBytes, by deleting what was used longest ago. Damaged files are deleted and made
// again. What fails on the disk is logged and changes nothing else: [CacheStats] counts it.
//
// Apple's driver compiles the source again in each process, with a cache of its own: archives have
// only what comes after. Those of the software device have intermediate code and what reflection
// says of it, so that a program is not compiled twice: [DiskCacheStats.Programs].
//
// Archives hold code that is run. Entries are therefore authenticated with a secret, a file of mode
// 0600 in the folder: what another user or program puts there is deleted. On Unix, a folder, secret
// or entry that the user does not own, that others may write, or that is a symbolic link is not
// used, nor is a folder below one that others may write, unless that is sticky as /tmp is. On
// Windows the folder must be below the user's profile; access control lists are not read. The
// logger gets one line that names the reason, and "puremetal doctor" reports it for the default
// folder.
func WithDiskCache(dir string, maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes < 1 {
			return fmt.Errorf("compute: WithDiskCache: %d bytes, want at least 1: %w", maxBytes, ErrOption)
		}
		c.onDisk, c.diskDir, c.diskBytes = true, dir, maxBytes
		return nil
	}
}
