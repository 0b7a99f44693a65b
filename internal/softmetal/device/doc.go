// Package device implements the software devices of one runtime and their common parts: the driver,
// a device's identity, limits and memory, the numbers by which kernels address resources, and log
// states.
//
// Other packages add a method to the device's class for each kind of object that they create. The
// package may import only the class toolkit, Metal's data and the command execution:
// internal/softmetal/{adapter,metal,memory,journal,command}.
package device
