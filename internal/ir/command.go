package ir

// CommandOp is a change that OpCommandSet makes to a command of an indirect command buffer. After
// the command, the operands are a handle or address and two triples; the comments below say which
// of these each CommandOp uses.
type CommandOp uint8

// The changes that can be made to a compute command.
const (
	CommandReset             CommandOp = iota // resets the command
	CommandPipeline                           // the pipeline's handle
	CommandBuffer                             // the address to bind; slot and stride (0 for none) in the first triple
	CommandThreadgroupMemory                  // length and slot in the first triple
	CommandStageIn                            // origin and size
	CommandBarrier                            // waits for the commands before it if the first triple's x is not 0
	CommandThreadgroups                       // dispatches threadgroups: their number, and the threads in each
	CommandThreads                            // dispatches threads: their number, and the threads in each threadgroup
	CommandCopy                               // the handle of the command to copy
	numCommandOps
)

var commandOpNames = [numCommandOps]string{"reset", "pipeline", "buffer", "threadgroup_memory", "stage_in", "barrier",
	"threadgroups", "threads", "copy"}

func (c CommandOp) String() string {
	if c < numCommandOps {
		return commandOpNames[c]
	}
	return "command?"
}
