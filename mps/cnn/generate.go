package cnn

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg cnn -out .
