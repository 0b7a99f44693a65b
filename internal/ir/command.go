package ir

// CommandOp is what OpCommandSet does to a command of an indirect command buffer. Its operands
// behind the command are a handle or address and two triples, of which each takes what its comment
// says.
type CommandOp uint8

// What can be done to a compute command.
const (
	CommandReset             CommandOp = iota // forgets everything
	CommandPipeline                           // the pipeline's handle
	CommandBuffer                             // the address to bind; slot, and stride (0 for none) in the first triple
	CommandThreadgroupMemory                  // length and slot in the first triple
	CommandStageIn                            // origin and size
	CommandBarrier                            // waits for the commands before it if the first triple's x is not 0
	CommandThreadgroups                       // dispatches threadgroups: how many, and the threads of each
	CommandThreads                            // dispatches threads: how many, and those of each threadgroup
	CommandCopy                               // the handle of the command to become like
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
