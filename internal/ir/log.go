package ir

// Log identifies a log of the program. Its handle is 1 + its index in Module.Logs; 0 is the unnamed
// log.
type Log struct {
	Subsystem string `json:"subsystem,omitempty"`
	Category  string `json:"category,omitempty"`
}

// Assertion is the log of assertions that fail: a message to it ends the launch with an error that
// says the same. It is there without logging too.
var Assertion = Log{Subsystem: "puremetal", Category: "assert"}

// LogLevel is the severity of a message, with Metal's values.
type LogLevel uint8

// The levels.
const (
	LogDebug LogLevel = 1 + iota
	LogInfo
	LogNotice
	LogError
	LogFault
	numLogLevels
)

var logLevelNames = [numLogLevels]string{"", "debug", "info", "notice", "error", "fault"}

func (l LogLevel) String() string {
	if l > 0 && l < numLogLevels {
		return logLevelNames[l]
	}
	return "level?"
}
