// Package dispatch describes kernels that can be launched and checks what a dispatch gives them.
//
// Every way to dispatch goes through the same checks: encoders of Metal 3 and Metal 4, and commands
// of indirect command buffers, whether the CPU or a kernel encoded them. Metal leaves most of these
// mistakes undefined and reports them in its validation layer only; the software device always
// reports them.
package dispatch
