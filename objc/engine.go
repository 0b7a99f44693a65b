package objc

// Engine is what runs kernels on the software device.
type Engine struct {
	// Description names the engine in one line, and what keeps a faster one from running, if
	// something does.
	Description string
	// Work is how much all dispatches of this process have done on software devices, in the units of
	// PUREMETAL_SOFTWARE_FUEL; MachineWork is what machine code did of it. The rest was interpreted.
	// Commands in progress count in parts.
	Work, MachineWork int64
}

// SoftwareEngine returns what runs kernels on the software device, also in a process that uses a
// GPU. It is an [ErrDriver] in programs built without the software device.
func SoftwareEngine() (Engine, error) { return readEngine() }
