// Package device holds the software devices of one runtime and what they share: the driver, a
// device's identity, limits and memory, the numbers by which kernels know resources, and log
// states.
//
// Other packages add methods to the device's class, one for each kind of object that they create.
// The package may import the toolkit for classes, Metal's data, and what runs commands:
// internal/softmetal/{adapter,metal,memory, journal,command}.
package device
