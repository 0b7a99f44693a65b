package ir

// Log names a log of the program. Its handle is 1 + its index into Module.Logs; 0 is the unnamed
// log.
type Log struct {
	Subsystem string `json:"subsystem,omitempty"`
	Category  string `json:"category,omitempty"`
}

// LogLevel is the severity of a message. The values are Metal's.
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
