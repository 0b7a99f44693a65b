package command

import (
	"errors"
	"fmt"
)

// Status is where a buffer is in its life; the values are Metal's.
type Status uint32

// The statuses.
const (
	NotEnqueued Status = iota
	Enqueued
	Committed
	Scheduled
	Completed
	Failed
)

// Code is the reason why a buffer failed; the values are those of MTLCommandBufferError.
type Code int64

// The codes.
const (
	CodeNone            Code = 0
	CodeInternal        Code = 1
	CodeTimeout         Code = 2
	CodePageFault       Code = 3
	CodeAccessRevoked   Code = 4
	CodeNotPermitted    Code = 7
	CodeOutOfMemory     Code = 8
	CodeInvalidResource Code = 9
	CodeMemoryless      Code = 10
	CodeDeviceRemoved   Code = 11
	CodeStackOverflow   Code = 12
)

// Known reports whether the code is one of Metal's errors.
func (c Code) Known() bool { return c != CodeNone && c.Text() != unknownError }

const unknownError = "Unknown Error"

// Text returns what Metal calls the code in descriptions of errors.
func (c Code) Text() string {
	switch c {
	case CodeInternal:
		return "Internal Error"
	case CodeTimeout:
		return "Caused GPU Timeout Error"
	case CodePageFault:
		return "Caused GPU Address Fault Error"
	case CodeAccessRevoked:
		return "Ignored (for causing prior/excessive GPU errors)"
	case CodeNotPermitted:
		return "Insufficient Permission"
	case CodeOutOfMemory:
		return "Insufficient Memory"
	case CodeInvalidResource:
		return "Invalid Resource"
	case CodeMemoryless:
		return "Memoryless Attachment Size Exceeded"
	case CodeDeviceRemoved:
		return "Device Removed"
	case CodeStackOverflow:
		return "Stack Overflow"
	}
	return unknownError
}

// EncoderState is what became of an encoder of a failed buffer; the values are those of
// MTLCommandEncoderErrorState.
type EncoderState int64

// The states of encoders.
const (
	EncoderUnknown EncoderState = iota
	EncoderCompleted
	EncoderAffected
	EncoderPending
	EncoderFaulted
)

// EncoderInfo is a failed buffer's information about one of its encoders.
type EncoderInfo struct {
	Label     string
	State     EncoderState
	Signposts []string // that were reached
}

// Error is how a buffer failed.
type Error struct {
	Code     Code
	Reason   string // what happened, in words; may be empty
	Encoders []EncoderInfo
	Err      error // what the engine said, or nil

	pass int // of misuse: the number of the encoder, from 1 on; 0 for none
}

// Error returns Metal's words for the code and the reason.
func (e *Error) Error() string {
	if e.Reason == "" {
		return e.Code.Text()
	}
	return e.Code.Text() + ": " + e.Reason
}

// Unwrap returns the engine's error.
func (e *Error) Unwrap() error { return e.Err }

func failure(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Reason: err.Error(), Err: errors.Unwrap(err)}
}
