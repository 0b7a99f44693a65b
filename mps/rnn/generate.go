package rnn

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg rnn -out .
