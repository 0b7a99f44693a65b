// Package dispatch describes launchable kernels and checks the arguments of dispatches.
//
// Every way to dispatch goes through the same checks: encoders of Metal 3 and Metal 4, and commands
// of indirect command buffers, whether the CPU or a kernel encoded them. In Metal, most of these
// mistakes are undefined behavior, and only the validation layer reports them; the software device
// always does.
package dispatch
